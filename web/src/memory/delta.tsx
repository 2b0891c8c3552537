/** A number's difference to the baseline, signed, in colour; nothing without a baseline. */
import { exactBytes, formatBytes, formatPercent } from '../util/format';
import { cellText } from './bytes';
import { baseProblem, baseSummary, isOpen, isPinned } from './baseline_state';

/** "+512.0" red, "−512.0" green, "0" grey; `plain`: the direction is not good or bad. */
export function Delta({ before, after, percent, plain }: { before: number | null | undefined; after: number | null; percent?: boolean; plain?: boolean }) {
  if (!baseSummary.value || before === null || before === undefined || after === null) return null;
  const by = after - before;
  const share = percent && by !== 0 && before > 0 ? ` (${by > 0 ? '+' : ''}${formatPercent(by / before)})` : '';
  const text = by === 0 ? '±0' : `${by > 0 ? '+' : ''}${percent ? formatBytes(by, { withUnit: false }) : cellText(by)}${share}`;
  return (
    <span class={`m-delta ${by === 0 || plain ? 'faint' : by > 0 ? 'bad' : 'good'}`} title={`before ${exactBytes(before)}, now ${exactBytes(after)}`}>
      {text}
    </span>
  );
}

/** Beside the headline: what the differences are against. */
export function BaselineBadge() {
  if (!isPinned.value) return null;
  const s = baseSummary.value;
  const text = isOpen.value ? 'this is “before”' : s ? `before: ${s.run} ${s.module.name}` : baseProblem.value ? 'no match before' : 'before …';
  return (
    <span class={`m-badge m-base${baseProblem.value ? ' bad' : ''}`} title={baseProblem.value || 'set with b; Compare (3) breaks down the difference'}>
      {text}
    </span>
  );
}
