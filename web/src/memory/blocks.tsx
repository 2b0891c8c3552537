/** The address map of a program with too many buffers to tell apart: its blocks by name, in the legend and over the boxes. */
import { useEffect } from 'preact/hooks';
import type { Live } from '../api/types';
import { cssColor } from '../app/theme';
import { fitText } from '../canvas/text';
import { formatBytes, formatCount, plural } from '../util/format';
import { fillColour } from '../charts/colours';
import { type BoxRect, type MapInput, mergedRectOf, rectOf } from './draw_map';
import { type Block, blockKey, blockWords } from './live_rows';
import { blockOf } from './map';
import { blockColours, blocks, overBoxes } from './lower_state';
import { live, plot } from './state';

const CELL_WIDE = 24;
const CELL_HIGH = 14;
const NAME_ROOM = 90;
/** Blocks with less of what is held have no name in the map. */
const NAMED_SHARE = 0.05;

/** Which block has most of each cell of a grid, among boxes too low for a name of their own; -1: none. */
function blockGrid(i: MapInput, columns: number, rows: number): Int32Array {
  const block = new Int32Array(columns * rows).fill(-1);
  const ahead = new Float32Array(columns * rows);
  const mark = (of: number, r: BoxRect) => {
    if (r.h >= 11) return;
    const left = r.x - i.scale.left;
    const row = Math.min(rows - 1, Math.max(0, Math.floor((r.y + r.h / 2 - i.top) / CELL_HIGH)));
    for (let column = Math.max(0, Math.round(left / CELL_WIDE)); column < columns && (column + 1) * CELL_WIDE <= left + r.w + CELL_WIDE / 2; column++) {
      const at = row * columns + column;
      if (block[at] === of) ahead[at] += r.h;
      else if (ahead[at] >= r.h) ahead[at] -= r.h;
      else {
        ahead[at] = r.h - ahead[at];
        block[at] = of;
      }
    }
  };
  for (let k = 0; k < i.map.n; k++) mark(i.map.block[k], rectOf(i, k));
  for (let j = 0; j < i.map.merged.n; j++) mark(i.map.merged.block[j], mergedRectOf(i, j));
  return block;
}

/** The widest stretch of each block in one row of the grid. */
function widest(grid: Int32Array, columns: number): Map<number, { row: number; from: number; to: number }> {
  const out = new Map<number, { row: number; from: number; to: number }>();
  for (let at = 0, end = 0; at < grid.length; at = end) {
    const stop = (Math.floor(at / columns) + 1) * columns;
    for (end = at + 1; end < stop && grid[end] === grid[at]; ) end++;
    const best = out.get(grid[at]);
    if (grid[at] >= 0 && (!best || end - at > best.to - best.from))
      out.set(grid[at], { row: Math.floor(at / columns), from: at % columns, to: (at % columns) + end - at });
  }
  return out;
}

/** Longest first; none for a block that is small, or gone at the inspected step. */
function namesOf(i: MapInput, block: number): string[] {
  const { shape, scope } = blockOf(i.map, block);
  const held = blocks.peek().find((one) => one.shape === shape && one.scope === scope);
  if (!held || held.bytes < NAMED_SHARE * (live.peek()?.live_bytes ?? 0)) return [''];
  const first = blockWords(held, formatCount);
  return scope ? [`${first} ${scope}`, first] : [first];
}

/** Names where many boxes of one block lie beside each other, each too low for its own. */
function drawBlockNames(g: CanvasRenderingContext2D, i: MapInput): void {
  const columns = Math.floor(i.scale.width / CELL_WIDE);
  const rows = Math.floor((i.bottom - i.top) / CELL_HIGH);
  if (columns < 1 || rows < 1) return;
  for (const [block, place] of widest(blockGrid(i, columns, rows), columns)) {
    const room = (place.to - place.from) * CELL_WIDE - 8;
    const text = room < NAME_ROOM ? '' : fitText(g, namesOf(i, block), room);
    if (!text) continue;
    const x = i.scale.left + place.from * CELL_WIDE + 4;
    const y = i.top + place.row * CELL_HIGH;
    g.globalAlpha = 0.82;
    g.fillStyle = cssColor('--bg');
    g.fillRect(x - 3, y, g.measureText(text).width + 6, CELL_HIGH - 1);
    g.globalAlpha = 1;
    g.fillStyle = cssColor('--fg');
    g.fillText(text, x, y + CELL_HIGH / 2);
  }
}

/** The blocks that cover `share` of the bytes, at most `most` of them, and what is left. */
export function covering(live: Live, blocks: readonly Block[], most: number, share = 0.9): { named: Block[]; left: { blocks: number; bytes: number } } {
  const all = blocks.reduce((sum, block) => sum + block.bytes, live.blocks.left_out.size_bytes);
  let bytes = 0;
  let n = 0;
  while (n < blocks.length && n < most && bytes < share * all) bytes += blocks[n++].bytes;
  return { named: blocks.slice(0, n), left: { blocks: blocks.length - n + live.blocks.left_out.blocks, bytes: all - bytes } };
}

/** Room for the name of a block, in pixels. */
const BLOCK_ROOM = 230;
const OTHER_ROOM = 400;

/** What the picture is made of where its boxes are too small for names: blocks that cover most of the step. */
export function BlockKeys() {
  useEffect(() => {
    overBoxes.value = drawBlockNames;
    return () => {
      overBoxes.value = null;
    };
  }, []);
  const answer = live.value;
  if (!answer) return null;
  const { named, left } = covering(answer, blocks.value, Math.max(2, Math.min(8, Math.floor((plot.value.width - OTHER_ROOM) / BLOCK_ROOM))));
  const share = (bytes: number) => `${formatCount(Math.round((100 * bytes) / Math.max(answer.live_bytes, 1)))} %`;
  return (
    <>
      {named.map((block) => (
        <span
          class="m-key m-block"
          key={blockKey(block.shape, block.scope)}
          title={`${blockWords(block, formatCount)}, ${block.scope || 'no scope'}: ${formatBytes(block.bytes)}, ${share(block.bytes)} of what is held at this step`}
        >
          <i class="k-box" style={{ background: fillColour(blockColours.value.get(blockKey(block.shape, block.scope)) ?? '--o-none') }} />
          <span>
            {blockWords(block, formatCount)} <span class="faint">{block.scope || 'no scope'}</span>
          </span>
          <b>{share(block.bytes)}</b>
        </span>
      ))}
      {left.blocks > 0 ? (
        <span class="m-key" title={`${plural(left.blocks, 'other block')} of one shape and scope: ${formatBytes(left.bytes)}`}>
          <i class="k-box" style={{ background: cssColor('--o-none') }} />+{formatCount(left.blocks)} <b>{share(left.bytes)}</b>
        </span>
      ) : null}
    </>
  );
}
