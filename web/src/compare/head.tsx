/** Both peaks, their difference, what makes most of it, and the other totals with their differences. */
import { exactBytes, fixed, formatBytes, formatCount, formatPercent, pageUnit } from '../util/format';
import { broad } from '../app/media';
import { cellText } from '../memory/bytes';
import { OpName } from '../app/links';
import { largestChange, signOf } from './words';
import type { ComparedSide, Comparison } from '../memory/compare_types';

/** "−3,285.6": with its sign, in the page's unit. */
export function signed(bytes: number): string {
  return bytes === 0 ? '0' : `${bytes > 0 ? '+' : ''}${cellText(bytes)}`;
}

interface Fact {
  title: string;
  before: string;
  after: string;
  by: string;
  class: string;
  tip?: string;
}

function bytesFact(title: string, before: number | null, after: number | null, plain = false): Fact {
  if (before === null || after === null) return { title, before: cellText(before), after: cellText(after), by: '', class: '' };
  return {
    title,
    before: cellText(before),
    after: cellText(after),
    by: signed(after - before),
    class: signOf(after - before, plain),
    tip: `${exactBytes(before)} → ${exactBytes(after)}`,
  };
}

/** Work and traffic in the unit that suits the larger. */
function scaledFact(title: string, unit: string, before: number | null, after: number | null): Fact | null {
  if (before === null || after === null) return null;
  const most = Math.max(before, after, 1);
  const [power, prefix] = most >= 1e12 ? [1e12, 'T'] : most >= 1e9 ? [1e9, 'G'] : [1e6, 'M'];
  const by = after - before;
  const share = before > 0 && by !== 0 ? ` (${by > 0 ? '+' : ''}${formatPercent(by / before, 1)})` : '';
  const text = (value: number) => fixed(value / power, 2);
  return {
    title: `${title}, ${prefix}${unit}`,
    before: text(before),
    after: text(after),
    by: by === 0 ? '0' : `${by > 0 ? '+' : ''}${text(by)}${share}`,
    class: signOf(by),
  };
}

function facts(b: ComparedSide, a: ComparedSide): Fact[] {
  const list: (Fact | null)[] = [
    bytesFact('Heap', b.heap_bytes, a.heap_bytes),
    bytesFact('Fragmentation', b.fragmentation_bytes, a.fragmentation_bytes),
    bytesFact('Padding', b.padding_bytes, a.padding_bytes),
    scaledFact('Work', 'FLOP', b.flops, a.flops),
  ];
  if (broad.value) {
    list.push(scaledFact('Bytes accessed', 'B', b.accessed_bytes, a.accessed_bytes));
    const by = a.instructions_outside_fusions - b.instructions_outside_fusions;
    list.push({
      title: 'Instructions',
      before: formatCount(b.instructions_outside_fusions),
      after: formatCount(a.instructions_outside_fusions),
      by: by > 0 ? `+${formatCount(by)}` : formatCount(by),
      class: signOf(by),
    });
  }
  return list.filter((fact) => fact !== null);
}

export function ComparedHead({ a }: { a: Comparison }) {
  const { before, after } = a;
  const by = a.difference_bytes;
  const share = before.peak_bytes > 0 ? ` (${by > 0 ? '+' : ''}${formatPercent(by / before.peak_bytes)})` : '';
  return (
    <section class="cp-head" aria-label="peaks">
      <div class="cp-head-text">
        <h1>
          <span class="cp-before" title={exactBytes(before.peak_bytes)}>
            {formatBytes(before.peak_bytes, { withUnit: false })}
          </span>
          <span class="soft"> → </span>
          <span title={exactBytes(after.peak_bytes)}>{formatBytes(after.peak_bytes)}</span>{' '}
          <b class={`cp-by ${signOf(by)}`} title={exactBytes(by)}>
            {by === 0 ? 'no change' : `${signed(by)}${share}`}
          </b>
          <span class="cp-place">
            {before.peak_step === null || after.peak_step === null ? '' : `step ${formatCount(before.peak_step)} → ${formatCount(after.peak_step)}`}
            {after.peak_instruction ? (
              <>
                , <OpName name={after.peak_instruction} />
              </>
            ) : null}
          </span>
        </h1>
        <p>
          <Sentence a={a} />
        </p>
      </div>
      <dl class="cp-facts" title={`bytes in ${pageUnit.value}`}>
        {facts(before, after).map((fact) => (
          <div key={fact.title} title={fact.tip}>
            <dt>{fact.title}</dt>
            <dd>
              <b>
                {fact.before} → {fact.after}
              </b>
              <span class={fact.class}>{fact.by}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Sentence({ a }: { a: Comparison }) {
  if (a.groups_different === 0) return <>No difference, {formatCount(a.groups_total)} groups equal.</>;
  const most = largestChange(a);
  const { before, after } = a;
  const work = a.same_workload && before.flops && after.flops ? (after.flops - before.flops) / before.flops : 0;
  return (
    <>
      <b>{most.what}</b> <code>{most.shape}</code> {most.verb}: <b>{signed(most.by)}</b>.
      {Math.abs(work) >= 0.001 ? (
        <>
          {' '}
          Work{' '}
          <b>
            {work > 0 ? '+' : ''}
            {formatPercent(work, 1)}
          </b>
          {a.recomputed.n > 0 && work > 0 ? ': arrays are recomputed.' : '.'}
        </>
      ) : null}
    </>
  );
}
