/** The executions of the operation on the card, one by one or as a histogram; the chips that ran it; the kernels of a GPU. */
import { setView, view } from '../app/router';
import { run } from '../app/state';
import { bytesText } from '../explain/numbers';
import { setStyle } from '../ui/size';
import { durationText } from '../trace/time';
import { fixed, formatCount, formatPercent, plural } from '../util/format';
import { linkTo, type One, one } from './card_state';
import { standsOut } from './numbers';
import { RunBars } from './run_bars';
import { ops } from './state';
import { deviceWord } from './states';

/** Of many runs the longest so many have a bar of their own below the histogram. */
const LONGEST = 3;

export function RunsPart({ clock }: { clock: string | null }) {
  const o = one.value;
  if (!o?.known || !o.op || o.all_runs < 2) return null;
  const { op, runs, histogram } = o;
  const title = `${formatCount(o.all_runs)} runs`;
  const bars = runs.duration_ps.slice(0, histogram ? LONGEST : undefined).map((ps, k) => ({ name: histogram ? `longest ${k + 1}` : `run ${k}`, ps }));
  const pick = (k: number) =>
    setView(
      { ...linkTo('trace', op.name, op.module), host: (run.peek()?.hosts.length ?? 0) > 1 ? o.host : (view.peek().host ?? null), opev: runs.event[k] },
      { push: true },
    );
  return (
    <>
      {histogram ? <Histogram title={title} op={op} bins={histogram} clock={clock} /> : null}
      <RunBars title={histogram ? 'Longest' : title} runs={bars} median={op.p50_ps ?? 0} clock={clock} onPick={pick} />
    </>
  );
}

/** Amber what stands out from the median. */
function Histogram({ title, op, bins, clock }: { title: string; op: NonNullable<One['op']>; bins: NonNullable<One['histogram']>; clock: string | null }) {
  const most = Math.max(...bins.count, 1);
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {title} <span class="side">{clock} clock</span>
      </h3>
      <div class="t-bins" role="img" aria-label={`${title}, median ${durationText(op.p50_ps)}, longest ${durationText(op.max_ps)}`}>
        {bins.count.map((n, k) => (
          <i
            key={bins.from_ps[k]}
            class={standsOut(bins.to_ps[k], op.p50_ps) ? 'out' : ''}
            title={`${durationText(bins.from_ps[k])} – ${durationText(bins.to_ps[k])}: ${formatCount(n)}`}
            ref={setStyle('height', n ? `max(2px, ${(n / most) * 100}%)` : '0')}
          />
        ))}
      </div>
      <div class="t-bin-ends">
        <span>{durationText(op.min_ps)}</span>
        <span>{durationText(op.max_ps)}</span>
      </div>
    </section>
  );
}

const CHIPS_SHOWN = 16;

/** What each chip took, the slowest bold; nothing where one chip ran it. */
export function ChipsPart() {
  const c = one.value?.known ? one.value.chips : null;
  if (!c || c.n < 2) return null;
  const most = Math.max(...c.mean_ps);
  const least = Math.min(...c.mean_ps);
  const order = Array.from({ length: c.n }, (_, k) => k).sort((a, b) => c.mean_ps[b] - c.mean_ps[a]);
  return (
    <section class="m-sec" aria-label="chips">
      <h3 class="op-h3">
        {plural(c.n, deviceWord(ops.value))}{' '}
        <span class="side">mean of a run, {least > 0 ? `slowest ${fixed(most / least, 2)} × the fastest` : 'slowest first'}</span>
      </h3>
      <div class="op-runs">
        {order.slice(0, CHIPS_SHOWN).map((k) => (
          <div key={k} class="op-run-row" title={`${c.name[k]}: ${plural(c.count[k], 'run')}, ${durationText(c.min_ps[k])} to ${durationText(c.max_ps[k])}`}>
            <span class="soft cut">{c.name[k].replace('/device:', '')}</span>
            <span class="op-run">
              <i ref={setStyle('width', `${most > 0 ? (c.mean_ps[k] / most) * 100 : 0}%`)} />
            </span>
            <span class={c.mean_ps[k] === most ? 'num strong' : 'num'}>{durationText(c.mean_ps[k])}</span>
          </div>
        ))}
      </div>
      {c.n > CHIPS_SHOWN ? <p class="faint">{formatCount(c.n - CHIPS_SHOWN)} more, faster</p> : null}
    </section>
  );
}

const UNSAID = 'not recorded';
/** What the memory system of a GPU does, and no kernel. */
const COPIES = new Set(['host transfer', 'memory copy', 'memset']);

/** How a GPU launched it. */
export function KernelsPart() {
  const o = one.value;
  if (!o?.known || o.kernels.n === 0) return null;
  const { kernels: t } = o;
  const copies = COPIES.has(o.op?.category ?? '');
  return (
    <section class="m-sec" aria-label={copies ? 'memory copies' : 'kernels'}>
      <h3 class="op-h3">
        {copies ? 'Memory copies' : plural(t.n, 'kernel')}{' '}
        <span class="side">
          {o.op && o.op.count > o.kernel_events ? `of the first ${formatCount(o.kernel_events)} events` : plural(o.kernel_events, 'event')}
        </span>
      </h3>
      {t.name.map((name, k) => (
        <div key={k} class="op-kernel">
          <div class="op-row">
            <code class="cut" title={name}>
              {name}
            </code>
            <span class="num">{durationText(t.mean_ps[k])}</span>
          </div>
          {copies ? null : (
            <dl class="op-launch">
              <Fact what="grid" value={t.grid[k].replaceAll(',', ' × ')} tip="blocks" />
              <Fact what="block" value={t.block[k].replaceAll(',', ' × ')} tip="threads of a block" />
              <Fact what="registers" value={t.registers[k] === null ? '' : formatCount(t.registers[k] as number)} tip="of a thread" />
              <Fact what="shared" value={t.shared_bytes[k] === null ? '' : bytesText(t.shared_bytes[k])} tip="shared memory of a block" />
              <Fact what="occupancy" value={t.occupancy_share[k] === null ? '' : formatPercent(t.occupancy_share[k], 0)} tip="theoretical, by the profiler" />
            </dl>
          )}
        </div>
      ))}
    </section>
  );
}

function Fact({ what, value, tip }: { what: string; value: string; tip: string }) {
  return (
    <div title={tip}>
      <dt class="soft">{what}</dt>
      <dd class={value ? '' : 'faint'}>{value || UNSAID}</dd>
    </div>
  );
}
