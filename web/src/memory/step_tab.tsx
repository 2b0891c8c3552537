/** The tab "At step n": the bars, and below them a comparison with another step. */
import { view } from '../app/router';
import { Later } from '../ui/later';
import { formatBytes, formatCount } from '../util/format';
import { Bars } from './bars';
import { FilterChips } from './chips';
import { FOLD_DEFAULT, FOLD_STOPS, foldStop } from './sizes';
import { change, live } from './state';
import { Pop } from './pop';
import { compareStep, isFiltered, narrowedBytes } from './views';

export function StepTab() {
  return (
    <div class="m-step">
      {isFiltered.value ? (
        <div class="m-controls">
          <FilterChips />
          {narrowedBytes.value === null ? null : <span class="soft">{formatBytes(narrowedBytes.value)} over all steps; the rest is pale</span>}
        </div>
      ) : null}
      {compareStep.value === null ? null : <Later part="DiffView" />}
      <Bars />
    </div>
  );
}

export function foldBytes(): number {
  const text = view.value.fold;
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : FOLD_DEFAULT;
}

const sizeWords = (bytes: number) => (bytes === 0 ? '0' : formatBytes(bytes, { unit: 'own' }).replace(/\.0 /, ' '));

/** Small buffers are summed up below this size; 0 shows every one. */
export function FoldControl({ words = true }: { words?: boolean }) {
  const bytes = foldBytes();
  const small = live.value?.small;
  return (
    <Pop
      class="btn-s"
      title={`buffers below ${sizeWords(bytes)} are summed up`}
      label={words && small && small.count > 0 ? `${formatCount(small.count)} folded` : <>fold below <b>{sizeWords(bytes)}</b></>}
    >
      {() => (
        <label class="m-fold">
          fold below <b>{sizeWords(bytes)}</b>
          <input
            type="range"
            min={0}
            max={FOLD_STOPS.length - 1}
            step={1}
            value={foldStop(bytes)}
            aria-valuetext={sizeWords(bytes)}
            onInput={(event) => {
              const value = FOLD_STOPS[Number(event.currentTarget.value)];
              change({ fold: value === FOLD_DEFAULT ? null : String(value) });
            }}
          />
          <span class="faint">0 to 1 MiB; sums stay the same</span>
        </label>
      )}
    </Pop>
  );
}
