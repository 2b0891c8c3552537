/** A life as a small bar: the grey line is the program, the box the life, the tick the peak. */
import { lifeSpan, stepShare } from './life_bar';
import { summary } from './state';

export function LifeBar({ start, end, colour }: { start: number | null; end: number | null; colour: string }) {
  const s = summary.value;
  const steps = s?.steps ?? 0;
  const span = lifeSpan(start, end, steps);
  const peak = stepShare(s?.peak.step ?? null, steps);
  return (
    <span class="m-life" aria-hidden="true">
      <i style={{ left: `${span.left * 100}%`, width: `${span.width * 100}%`, background: colour }} />
      {peak !== null ? <b style={{ left: `${peak * 100}%` }} /> : null}
    </span>
  );
}
