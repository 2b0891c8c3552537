/** The runs of the operation on the card, one by one or as a histogram; a click opens one in Trace. */
import { signal } from '@preact/signals';
import type { TraceSame } from '../api/answers';
import { follow } from '../api/follow';
import { setView, view } from '../app/router';
import { setStyle } from '../ui/size';
import { traceApi } from '../trace/api';
import { firstEvent } from '../trace/find_event';
import { durationText } from '../trace/time';
import { formatCount } from '../util/format';
import { RunBars } from './run_bars';
import { current, table } from './table_state';

interface Runs {
  name: string;
  module: string;
  same: TraceSame;
}

const runs = signal<Runs | null>(null);
/** More runs than this are a histogram. */
const BARS = 12;

export function startRuns(): () => void {
  return follow({
    question: () => {
      const t = table.value;
      const k = current.value;
      const { run, host } = view.value;
      return t && k >= 0 && run ? { run, host, name: t.look.c.name[k], module: t.look.c.module[k] } : null;
    },
    ask: async ({ name, module, ...params }): Promise<Runs | null> => {
      const first = await firstEvent(params, name, module, 'ops/runs');
      return first && { name, module, same: await traceApi.same({ ...params, event: first.event }, { key: 'ops/runs/same', quiet: true }) };
    },
    take: (answer) => {
      runs.value = answer;
    },
    // The numbers of the table stand without the single runs.
    fail: () => {},
  });
}

const openRun = (event: number): void => setView({ tool: 'trace', ev: event, tt: null });

/** `count`: of its events. Kernels of other operations may have the same name: then their runs are not told apart. `kernels`: an execution launches several. */
export function RunsPart({ name, module, count, kernels }: { name: string; module: string; count: number; kernels: boolean }) {
  const found = runs.value;
  if (!found || found.name !== name || found.module !== module || found.same.count !== count || count < 2) return null;
  const { same: s } = found;
  const what = kernels ? 'kernel' : 'run';
  if (s.count > BARS || s.slowest.n < s.count) return <Bins s={s} what={what} />;
  const inTime = s.slowest.start_ps.map((_, k) => k).sort((a, b) => s.slowest.start_ps[a] - s.slowest.start_ps[b]);
  return <RunBars title={`${formatCount(s.count)} ${what}s`} runs={inTime.map((k, at) => ({ name: `${what} ${at}`, ps: s.slowest.clock_duration_ps[k] }))} median={s.p50_ps} clock={s.clock} onPick={(at) => openRun(s.slowest.event[inTime[at]])} />;
}

const SLOWEST = 3;

function Bins({ s, what }: { s: TraceSame; what: string }) {
  const most = Math.max(...s.bins.count, 1);
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {formatCount(s.count)} {what}s <span class="side">{s.clock} clock</span>
      </h3>
      <div class="t-bins" role="img" aria-label={`${formatCount(s.count)} ${what}s, median ${durationText(s.p50_ps)}, longest ${durationText(s.max_ps)}`}>
        {s.bins.count.map((n, k) => (
          <i key={s.bins.from_ps[k]} title={`${durationText(s.bins.from_ps[k])} – ${durationText(s.bins.to_ps[k])}: ${formatCount(n)}`} ref={setStyle('height', n ? `max(2px, ${(n / most) * 100}%)` : '0')} />
        ))}
      </div>
      <div class="t-bin-ends">
        <span>{durationText(s.min_ps)}</span>
        <span>{durationText(s.max_ps)}</span>
      </div>
      <p class="soft">
        slowest{' '}
        {s.slowest.event.slice(0, SLOWEST).map((event, k) => (
          <button key={event} type="button" class="link" title="this run in Trace" onClick={() => openRun(event)}>
            {durationText(s.slowest.clock_duration_ps[k])}{' '}
          </button>
        ))}
      </p>
    </section>
  );
}
