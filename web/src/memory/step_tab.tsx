/** The tab "At step n": the bars, and below them a comparison with another step. */
import { Later } from '../ui/later';
import { formatBytes, formatCount } from '../util/format';
import { Bars } from './bars';
import { FilterChips } from './chips';
import { foldBytes, live } from './state';
import { Pop } from './pop';
import { compareStep, isFiltered, narrowedBytes } from './lower_state';

export function StepTab() {
  return (
    <div class="m-step">
      {isFiltered.value ? (
        <div class="m-controls">
          <FilterChips />
          {narrowedBytes.value === null ? null : <span class="soft">{formatBytes(narrowedBytes.value)} over all steps; the rest is dimmed</span>}
        </div>
      ) : null}
      {compareStep.value === null ? null : <Later part="DiffView" />}
      <Bars />
    </div>
  );
}

export const sizeWords = (bytes: number) => (bytes === 0 ? '0' : formatBytes(bytes, { unit: 'own' }).replace(/\.0 /, ' '));

/** Small buffers are summed up below this size; 0 shows every one. */
export function FoldControl({ words = true }: { words?: boolean }) {
  const bytes = foldBytes.value;
  const small = live.value?.small;
  return (
    <Pop
      class="btn-s"
      title={`buffers below ${sizeWords(bytes)} (${formatCount(bytes)} bytes) are summed up`}
      label={
        words && small && small.count > 0 ? (
          `${formatCount(small.count)} folded`
        ) : (
          <>
            fold below <b>{sizeWords(bytes)}</b>
          </>
        )
      }
    >
      {() => <Later part="FoldBox" />}
    </Pop>
  );
}
