import { setStyle } from '../ui/size';
import { fixed } from '../util/format';
import { OUTLIER, runUnit, timeIn, type Unit } from './numbers';

/** Bars of some runs, with the median as a line; amber what stands out. */
interface Bars {
  title: string;
  runs: { name: string; ps: number }[];
  median: number;
  clock: string | null;
  /** Absent: by the longest. */
  unit?: Unit;
  onPick?: (k: number) => void;
}

export function RunBars({ title, runs, median, clock, unit: asked, onPick }: Bars) {
  const most = Math.max(...runs.map(({ ps }) => ps), 1);
  const unit = asked ?? runUnit(most);
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {title}{' '}
        <span class="side">
          {unit.word}, {clock === 'host' ? 'host clock' : 'device clock'}
        </span>
      </h3>
      <div class="op-runs">
        {runs.map(({ name, ps }, k) => {
          const out = median > 0 && ps >= OUTLIER * median;
          const bar = (
            <>
              <span class="soft cut">{name}</span>
              <span class="op-run">
                <i class={out ? 'out' : ''} ref={setStyle('width', `${(ps / most) * 100}%`)} />
                <i class="op-median" ref={setStyle('left', `${(median / most) * 100}%`)} />
              </span>
              <span class={out ? 'num strong' : 'num'}>{timeIn(ps, unit)}</span>
            </>
          );
          const tip = `${fixed(ps / (median || 1), 2)} × the median`;
          return onPick ? (
            <button key={name} type="button" class="op-run-row" title={`${tip}; opens it in Trace`} onClick={() => onPick(k)}>
              {bar}
            </button>
          ) : (
            <div key={name} class="op-run-row" title={tip}>
              {bar}
            </div>
          );
        })}
      </div>
    </section>
  );
}
