/** Where padding comes from: for each tiled dimension a bar of tiles, the rule in words, a better order of dimensions. */
import type { BufferCard } from '../api/types';
import { cssColor } from '../app/theme';
import { exactBytes, formatCount } from '../util/format';
import { sizeText } from './bytes';
import { Drawing, hatch } from '../charts/drawing';
import { bestOrder, tileMarks } from './tiles';

type Dim = NonNullable<BufferCard['padding']>['dims'][number];

export function CardPadding({ c }: { c: BufferCard }) {
  const p = c.padding;
  if (!p) return null;
  if (!p.known)
    return (
      <section class="m-sec">
        <h3>Padding: {sizeText(c.padding_bytes)}</h3>
        <p class="soft">the layout has unsupported tiles, so padding cannot be split by dimension</p>
      </section>
    );
  const none = !c.padding_bytes;
  // The last two of a tile are rows and lanes; dims come from the innermost out.
  const twoLevels = p.tile?.includes('x') ?? false;
  const padded = p.dims.filter((dim) => dim.padded_elements > dim.elements);
  const better = bestOrder(p.orders, c.size_bytes);
  return (
    <section class="m-sec">
      <h3>
        Padding: {none ? 'none' : sizeText(c.padding_bytes)}
        <span class="side">{p.tile ? `tile ${p.tile.replace(/x/g, ' × ')}` : 'no tiles'}</span>
      </h3>
      {p.dims.map((dim, place) =>
        dim.tile > 1 || dim.padded_elements > dim.elements ? <DimBar key={dim.dimension} dim={dim} place={twoLevels ? place : -1} /> : null,
      )}
      {padded.length === 0 && !none ? (
        <p class="soft">{p.dims.length === 0 ? 'a value without dimensions takes a whole tile' : 'not due to one dimension: the total is rounded up'}</p>
      ) : null}
      {padded.map((dim) => (
        <p key={dim.dimension} class="m-rule">
          {dim.words}
        </p>
      ))}
      {p.other_overhead_bytes ? <p class="m-rule">other overhead {sizeText(p.other_overhead_bytes)}: the compiler reserves more than the tiles need</p> : null}
      {better ? (
        <p class="m-rule">
          As <code>{`{${better.minor_to_major.join(',')}}`}</code>, dim {better.minor_to_major[0]} in the lanes:{' '}
          <b title={exactBytes(better.tiled_bytes)}>{sizeText(better.tiled_bytes)}</b>
        </p>
      ) : null}
    </section>
  );
}

function DimBar({ dim, place }: { dim: Dim; place: number }) {
  const grown = dim.padded_elements > dim.elements;
  const tiles = Math.ceil(dim.padded_elements / Math.max(dim.tile, 1));
  const words = grown
    ? `${formatCount(dim.elements)} → ${formatCount(dim.padded_elements)}`
    : `${formatCount(dim.elements)} = ${formatCount(tiles)} × ${formatCount(dim.tile)}`;
  const costs = grown && dim.cost_bytes > 2 ** 20 ? `, ${sizeText(dim.cost_bytes)}` : '';
  return (
    <div class="m-dim">
      <div class="m-dim-line">
        <span>
          dim {dim.dimension} <span class="faint">→</span> {place === 0 ? 'lanes' : place === 1 ? 'rows' : 'tiles'} of {formatCount(dim.tile)}
        </span>
        <span class={grown ? '' : 'soft'} title={grown ? exactBytes(dim.cost_bytes) : undefined}>
          {words}
          {costs}
        </span>
      </div>
      <Drawing
        class="m-tiles"
        label={`dimension ${dim.dimension}: ${formatCount(dim.elements)} of ${formatCount(dim.padded_elements)} used, tiles of ${formatCount(dim.tile)}`}
        draw={(g, width, height) => {
          const used = (dim.elements / dim.padded_elements) * width;
          g.fillStyle = cssColor('--accent');
          g.fillRect(0, 0, used, height);
          g.fillStyle = cssColor('--bg');
          g.fillRect(used, 0, width - used, height);
          hatch(g, used, 0, width - used, height, cssColor('--m-pad'), 5);
          g.fillStyle = cssColor('--bg');
          for (const x of tileMarks(dim.padded_elements, dim.tile, width)) g.fillRect(x - 0.5, 0, 1, height);
          if (used < width) {
            g.strokeStyle = cssColor('--m-pad');
            g.lineWidth = 1;
            g.strokeRect(used + 0.5, 0.5, width - used - 1, height - 1);
          }
        }}
      />
    </div>
  );
}
