import { toast } from '../app/toast';
import { change } from '../memory/state';
import { plural } from '../util/format';
import { withMeaning } from './glossary';
import { addToPlot } from './plot_state';
import type { GroupRow } from './types';

/** " = 1, 2, 3, … (12 values)" of a constant, "" of all else. */
export function literalText(row: GroupRow): string {
  if (!row.is_constant) return '';
  if (row.literal === null) return ', values not in the profile';
  const { text, shown, count } = row.literal;
  if (count === 0) return ', no values';
  return shown < count ? ` = ${text}, \u2026 (${plural(count, 'value')})` : ` = ${text}`;
}

/** A buffer's name: shows it on the address map, or, where it has no address, in the Viewer's card. */
export function BufferName({ row }: { row: GroupRow }) {
  const { buffer, tenancy, name } = row;
  if (buffer === null || buffer === undefined) return <span>{name}</span>;
  const on = tenancy !== null && tenancy !== undefined;
  const plot = () => {
    const why = addToPlot(buffer);
    if (why) toast(why);
  };
  return (
    <>
      <button
        type="button"
        class="m-op cut"
        tabIndex={-1}
        title={withMeaning(on ? `${name}: show it on the address map` : `${name}: show its details in the Viewer`, name)}
        onClick={() => change(on ? { rtab: 'buffers', rpin: tenancy } : { mode: null, pin: buffer }, true)}
      >
        {name}
      </button>
      <button type="button" class="r-plot-it" tabIndex={-1} aria-label={`plot ${name}`} title="add it to the chosen buffers" onClick={plot}>
        +
      </button>
    </>
  );
}
