/** Shape and layout: order of dimensions, one tile with the offset of its elements, what each tiling step does, other orders. */
import { formatCount } from '../util/format';
import { bytesText } from './numbers';
import { Section } from './section';
import type { Explanation, Layout } from './types';

export function ShapePart({ d }: { d: Explanation }) {
  const l = d.layout;
  const factor = d.output.unpadded_bytes ? d.output.size_bytes / d.output.unpadded_bytes : 1;
  if (!l)
    return (
      <Section id="shape" title="Shape and layout" answer={d.output.results > 1 ? `${formatCount(d.output.results)} results` : 'no layout in the text'}>
        <code class="x-mono wrap">{d.output.shape.length > 600 ? `${d.output.shape.slice(0, 600)} …` : d.output.shape}</code>
        <p class="soft">
          {d.output.results > 1 ? 'A tuple: each element has its own layout. Open the op that extracts it.' : 'Its memory layout is not recorded.'}
        </p>
      </Section>
    );
  return (
    <Section id="shape" title="Shape and layout" answer={`${tilesAnswer(l)}padding ${factor.toFixed(2)}×`}>
      <Order l={l} />
      <Cells l={l} />
      <p class="x-note">{tileWords(l)}</p>
      <table class="x-steps">
        <tbody>
          {l.steps.map((step) => (
            <tr key={step.label}>
              <td class="soft">{step.label}</td>
              <td>
                <code>[{step.dims.join(', ')}]</code>
                <div class="soft">{step.words}</div>
              </td>
              <td class="num">{step.size_bytes === null ? '' : bytesText(step.size_bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

const tileText = (l: Layout) => l.tiles[0].dims.map((size) => (size < 0 ? '*' : size)).join('×');

function tilesAnswer(l: Layout): string {
  if (l.tiles.length === 0) return 'no tiles, ';
  const step = l.steps.find((one) => one.label.startsWith('T('));
  const counts = step?.dims.slice(0, step.dims.length - l.tiles[0].dims.length) ?? [];
  return counts.length ? `${counts.join('·')} tiles of ${tileText(l)}, ` : '';
}

function Order({ l }: { l: Layout }) {
  const major = [...l.minor_to_major].reverse();
  if (major.length === 0) return <p class="soft">A single value.</p>;
  return (
    <p class="x-order">
      {major.length > 1 ? <span class="soft">slowest</span> : null}
      {major.map((dim, k) => (
        <span key={dim}>
          {k > 0 ? <i class="soft"> → </i> : null}
          <code class={k === major.length - 1 ? 'x-dim minor' : 'x-dim'} title={`dimension ${dim}`}>
            {l.dims[dim]}
          </code>
        </span>
      ))}
      <span class="soft">fastest, contiguous</span>
    </p>
  );
}

/** Rows and columns of the elements that the last tile keeps together in one word. */
function wordOf(l: Layout): [number, number] {
  const last = l.tiles.length > 1 ? l.tiles[l.tiles.length - 1].dims : [];
  const [high, broad] = last.slice(-2);
  return last.length >= 2 ? [high < 0 ? 1 : high, broad < 0 ? 1 : broad] : [1, 1];
}

function Cells({ l }: { l: Layout }) {
  const { rows, columns, offset, row_size, column_size } = l.cells;
  const [high, broad] = wordOf(l);
  const gapAt = columns.findIndex((column, k) => k > 0 && column !== columns[k - 1] + 1);
  const rowGap = rows.findIndex((row, k) => k > 0 && row !== rows[k - 1] + 1);
  const band = (row: number) => (high > 1 ? Math.floor(row / high) % 2 : 0);
  return (
    <div class="x-cells-wrap">
      <table class="x-cells" aria-label="offsets of elements inside a tile">
        <thead>
          <tr>
            <td />
            {columns.map((column, c) => (
              <th key={c} class={c === gapAt ? 'gap' : ''}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, r) => (
            <tr key={r} class={r === rowGap ? 'gap' : ''}>
              <th>{row}</th>
              {columns.map((column, c) => {
                const padding = row >= row_size || column >= column_size;
                const edges = `${row % high === 0 ? ' top' : ''}${column % broad === 0 ? ' left' : ''}`;
                return (
                  <td
                    key={c}
                    class={`${padding ? 'pad' : ''}${band(row) ? ' band' : ''}${c === gapAt ? ' gap' : ''}${edges}`}
                    title={padding ? 'padding' : `element (${row}, ${column})`}
                  >
                    {offset[r].elements[c] < 0 ? '' : offset[r].elements[c]}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function tileWords(l: Layout): string {
  const { row_extent, column_extent, row_size, column_size } = l.cells;
  const [high, broad] = wordOf(l);
  const whole = row_extent >= row_size && column_extent >= column_size;
  const words = [
    whole
      ? 'The whole array'
      : l.tiles.length
        ? `One tile, ${tileText(l).replace(/×/g, ' × ')} elements, ${bytesText(Math.ceil((row_extent * column_extent * l.element_bits) / 8))}`
        : 'Its first elements',
  ];
  words.push('Numbers are offsets in elements');
  if (high * broad > 1) words.push(`Framed: ${high * broad} elements that share a word`);
  if (row_extent > row_size || column_extent > column_size) words.push('Grey is padding');
  return `${words.join('. ')}.`;
}
