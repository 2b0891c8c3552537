/** Compare: a baseline (before) and the open program (after) at their peaks: headline, curves over one order of steps, groups
 *  that add up to the difference, findings and operations. */
import { useEffect } from 'preact/hooks';
import { transport } from '../api/client';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { needRuns, runs } from '../app/state';
import { pinBaseline } from '../memory/baseline_state';
import { summary } from '../memory/state';
import { formatBytes, formatCount } from '../util/format';
import { ComparedChart, showPeaks } from './chart';
import { ComparedHead } from './head';
import { Side } from './side';
import { ComparedTabs } from './tabs';
import { answer, baseModules, hasBase, problem, showAll, startCompare } from './state';
import { Unread } from '../ui/unread';

export { CompareBar } from './bar';

export function CompareView() {
  useEffect(() => {
    const stops = [startCompare(), registerKeys('memory', { peak: showPeaks }), registerKeys('charts', { fit: showAll, reset: showAll })];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  if (!hasBase.value) return <NoBaseline />;
  if (problem.value) return <NoPair />;
  const a = answer.value;
  if (!a)
    return (
      <div class="cp-page memory-loading">
        <Unread what="both curves and what differs" />
      </div>
    );
  return (
    <div class="cp-page">
      {a.same_workload ? null : (
        <div class="cp-amber" role="status">
          <b>Not the same workload:</b> {a.mismatches.join('; ')}. The numbers are correct, but not all of the difference comes from the program.
        </div>
      )}
      <ComparedHead a={a} />
      <div class="cp-main">
        <div class="cp-left">
          <ComparedChart a={a} />
          <ComparedTabs a={a} />
        </div>
        <Side a={a} />
      </div>
    </div>
  );
}

/** Runs that could be the baseline, and the other programs of this run. */
function NoBaseline() {
  useEffect(needRuns, []);
  const list = runs.value;
  if (transport.inFile && (list?.n ?? 1) < 2) return <NotInFile />;
  const open = view.value.run;
  const others = list
    ? list.id
        .map((_, i) => i)
        .filter((i) => list.id[i] !== open && !list.problem[i])
        .sort((x, y) => list.mtime_ms[y] - list.mtime_ms[x])
    : [];
  return (
    <div class="empty-state m-mode-page cp-none">
      <h1>Compare with which run?</h1>
      <p class="soft">
        Choose the run “before” here, with the pin in the lists of runs and modules, or with <kbd>b</kbd> while it is open. The link keeps it, and every number
        in the Viewer then shows its change.
      </p>
      <ul class="cp-candidates">
        {others.slice(0, 12).map((i) => (
          <li key={list?.id[i]}>
            <button type="button" class="link" onClick={() => pinBaseline(list?.id[i])}>
              {list?.label[i]}
            </button>
          </li>
        ))}
      </ul>
      {list && others.length > 12 ? <p class="soft">{formatCount(others.length - 12)} older runs are in the list “before” above.</p> : null}
      {list && others.length === 0 ? (
        <p class="soft">
          There is no other run.{' '}
          <button type="button" class="link" onClick={() => pinBaseline(open, summary.value?.module.key)}>
            Use this program as “before”
          </button>{' '}
          and open another of its modules.
        </p>
      ) : null}
    </div>
  );
}

/** A report holds one run. */
function NotInFile() {
  return (
    <div class="empty-state m-mode-page cp-none">
      <h1>Compare is not in this report</h1>
      <p class="soft">
        This report holds one run; Compare needs both profiles. <code>xprofd report AFTER --diff=BEFORE -o FILE</code> writes a report of both,{' '}
        <code>xprofd diff BEFORE AFTER</code> compares them in a terminal, and the page that <code>xprofd</code> serves has Compare.
      </p>
    </div>
  );
}

/** Nothing pairs, or it cannot be read: why, and what there is. */
function NoPair() {
  const error = problem.value;
  const list = baseModules.value;
  const order = list ? list.key.map((_, i) => i).sort((x, y) => (list.peak_bytes[y] ?? -1) - (list.peak_bytes[x] ?? -1)) : [];
  return (
    <div class="empty-state m-mode-page cp-none" role="alert">
      <h1>{error?.code === 'not_in_report' ? 'This comparison is not in the report' : 'Nothing to compare with in the run before'}</h1>
      <p>{error?.message}</p>
      {order.length > 0 ? (
        <>
          <p class="soft">Its programs:</p>
          <ul class="cp-candidates">
            {order.slice(0, 40).map((i) => (
              <li key={list?.key[i]}>
                <button type="button" class="link mono" onClick={() => setView({ base_module: list?.key[i], base_space: null, base_host: null })}>
                  {list?.key[i]}
                </button>{' '}
                <span class="soft">{formatBytes(list?.peak_bytes[i])}</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
