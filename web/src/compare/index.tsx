/** Compare: a baseline (before) and the open program (after) at their peaks: headline, curves over one order of steps, groups
 *  that add up to the difference, findings and operations. */
import { useEffect } from 'preact/hooks';
import { transport } from '../api/client';
import type { Modules } from '../api/types';
import { cards, wantCards } from '../app/cards';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { modules, needRuns, runs } from '../app/state';
import { pinBaseline } from '../memory/baseline_state';
import { failure, summary } from '../memory/state';
import { formatBytes, formatCount } from '../util/format';
import { ComparedChart, showPeaks } from './chart';
import { ComparedHead } from './head';
import { Side } from './side';
import { ComparedTabs } from './tabs';
import { answer, baseModules, hasBase, problem, showAll, startCompare } from './state';
import { Unread } from '../ui/unread';
import { together } from '../util/listen';

export { CompareBar } from './bar';

export function CompareView() {
  useEffect(() => together([startCompare(), registerKeys('memory', { peak: showPeaks }), registerKeys('charts', { fit: showAll, reset: showAll })]), []);
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

const LISTED = 12;
const CARDS_MOST = 40;

function Candidates({ runs: indexes }: { runs: readonly number[] }) {
  const list = runs.value;
  return (
    <ul class="cp-candidates">
      {indexes.map((i) => (
        <li key={list?.id[i]}>
          <button type="button" class="link" onClick={() => pinBaseline(list?.id[i])}>
            {list?.label[i]}
          </button>
        </li>
      ))}
    </ul>
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
  const program = summary.value?.module.name ?? null;
  // A card costs the server a file: those of the newest runs, and of those in this run's folder, tell which program they hold.
  useEffect(() => {
    if (!list || !program) return;
    const folder = list.folder[list.id.indexOf(open ?? '')];
    const near = [...others.filter((i) => list.folder[i] === folder), ...others].map((i) => list.id[i]);
    wantCards(new Map(list.id.map((id, i) => [id, `${list.mtime_ms[i]} ${list.size_bytes[i]}`])), [...new Set(near)].slice(0, CARDS_MOST));
  }, [list, program, open]);
  const same = program ? others.filter((i) => list && cards.value.get(list.id[i])?.module_name === program) : [];
  const rest = others.filter((i) => !same.includes(i));
  const unlisted = Math.max(same.length - LISTED, 0) + Math.max(rest.length - LISTED, 0);
  return (
    <div class="empty-state m-mode-page cp-none">
      <h1>Compare with which run?</h1>
      <p class="soft">
        Choose the run “before” here, with the pin in the lists of runs and modules, or with <kbd>b</kbd> while it is open. The link keeps it, and every number
        in the Viewer then shows its change.
      </p>
      {same.length > 0 ? (
        <>
          <h2>
            With <span class="mono">{program}</span>, as this run
          </h2>
          <Candidates runs={same.slice(0, LISTED)} />
        </>
      ) : null}
      {same.length > 0 && rest.length > 0 ? <h2>Others, newest first</h2> : null}
      <Candidates runs={rest.slice(0, LISTED)} />
      {unlisted > 0 ? <p class="soft">{formatCount(unlisted)} more runs are in the list “before” above.</p> : null}
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

/** Programs of one side, the largest first, and what chooses one. */
function Programs({ list, choose }: { list: Modules | null; choose: (key: string) => void }) {
  const order = list ? list.key.map((_, i) => i).sort((x, y) => (list.peak_bytes[y] ?? -1) - (list.peak_bytes[x] ?? -1)) : [];
  if (!list || order.length === 0) return null;
  return (
    <>
      <p class="soft">Its programs:</p>
      <ul class="cp-candidates">
        {order.slice(0, CARDS_MOST).map((i) => (
          <li key={list.key[i]}>
            <button type="button" class="link mono" onClick={() => choose(list.key[i])}>
              {list.key[i]}
            </button>{' '}
            <span class="soft">{formatBytes(list.peak_bytes[i])}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Nothing pairs, or one of the two cannot be read: which, why, and what there is. */
function NoPair() {
  const error = problem.value;
  // The open program is the one after: where it has no memory by itself, no program before is to blame.
  const after = failure.value !== null && summary.value === null;
  const heading =
    error?.code === 'not_in_report'
      ? 'This comparison is not in the report'
      : after
        ? 'The “after” run has nothing to compare'
        : 'Nothing to compare with in the “before” run';
  return (
    <div class="empty-state m-mode-page cp-none" role="alert">
      <h1>{heading}</h1>
      <p>{error?.message}</p>
      {after ? (
        <Programs list={modules.value} choose={(key) => setView({ module: key, space: null, host: null })} />
      ) : (
        <Programs list={baseModules.value} choose={(key) => setView({ base_module: key, base_space: null, base_host: null })} />
      )}
    </div>
  );
}
