/** The executions of the operation on the card, one by one or as a histogram, and the chips that ran it. */
import { signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { follow } from '../api/follow';
import { view } from '../app/router';
import { setStyle } from '../ui/size';
import { traceApi } from '../trace/api';
import { durationText } from '../trace/time';
import { formatCount } from '../util/format';
import { hasHlo } from './explained';
import { RunBars } from './run_bars';
import { current, table } from './table_state';

type One = Answers['trace/ops/one'];

const one = signal<One | null>(null);

export function startRuns(): () => void {
  return follow({
    question: () => {
      const t = table.value;
      const k = current.value;
      const { run, host, osteps } = view.value;
      return t && k >= 0 && run && hasHlo(t.look.c.module[k]) ? { run, host, steps: osteps, name: t.look.c.name[k], module: t.look.c.module[k] } : null;
    },
    ask: (params) => traceApi.oneOp(params, { key: 'ops/one', quiet: true }),
    take: (answer) => {
      one.value = answer;
    },
    // The numbers of the table stand without the single runs.
    fail: () => {},
  });
}

export function RunsPart({ clock }: { clock: string | null }) {
  const o = one.value;
  if (!o?.known || !o.op || o.all_runs < 2) return null;
  const title = `${formatCount(o.all_runs)} runs`;
  const { histogram: bins } = o;
  if (!bins) return <RunBars title={title} runs={o.runs.duration_ps.map((ps, k) => ({ name: `run ${k}`, ps }))} median={o.op.p50_ps ?? 0} clock={clock} />;
  const most = Math.max(...bins.count, 1);
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {title} <span class="side">{clock} clock</span>
      </h3>
      <div class="t-bins" role="img" aria-label={`${title}, median ${durationText(o.op.p50_ps)}, longest ${durationText(o.op.max_ps)}`}>
        {bins.count.map((n, k) => (
          <i key={bins.from_ps[k]} title={`${durationText(bins.from_ps[k])} – ${durationText(bins.to_ps[k])}: ${formatCount(n)}`} ref={setStyle('height', n ? `max(2px, ${(n / most) * 100}%)` : '0')} />
        ))}
      </div>
      <div class="t-bin-ends">
        <span>{durationText(o.op.min_ps)}</span>
        <span>{durationText(o.op.max_ps)}</span>
      </div>
    </section>
  );
}
