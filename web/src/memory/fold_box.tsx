/** Below which size buffers are summed up: a slider over powers of two, and what the size is of the peak. */
import { exactBytes, formatCount } from '../util/format';
import { change, foldBytes, summary } from './state';
import { sizeWords } from './step_tab';

const FOLD_STEPS = 6;

/** Stops of the fold slider: 0, then powers of two around what folds unless something else is asked for, which is one of them. */
export function foldStops(usual: number): number[] {
  const middle = Math.max(usual, 1);
  return [0, ...Array.from({ length: 2 * FOLD_STEPS - 1 }, (_, k) => middle * 2 ** (k - FOLD_STEPS + 1)).filter((bytes) => bytes >= 1)];
}

/** Index of the stop nearest below a value. */
export function foldStop(bytes: number, stops: readonly number[]): number {
  let at = 0;
  while (at + 1 < stops.length && stops[at + 1] <= bytes) at++;
  return at;
}

export function FoldBox() {
  const bytes = foldBytes.value;
  const usual = summary.value?.fold_bytes ?? 0;
  const peak = summary.value?.peak.held_bytes ?? 0;
  const stops = foldStops(usual);
  return (
    <label class="m-fold">
      fold below <b>{sizeWords(bytes)}</b>
      <input
        type="range"
        min={0}
        max={stops.length - 1}
        step={1}
        value={foldStop(bytes, stops)}
        aria-valuetext={sizeWords(bytes)}
        onInput={(event) => {
          const value = stops[Number(event.currentTarget.value)];
          change({ fold: value === usual ? null : String(value) });
        }}
      />
      <span class="faint">
        {bytes === 0 ? 'every buffer has a row' : `${exactBytes(bytes)}, 1/${formatCount(Math.round(peak / bytes))} of the peak`}
        {bytes === usual && bytes > 0 ? ': less than one pixel of a bar 4,096 pixels wide' : ''}; totals stay the same
      </span>
    </label>
  );
}
