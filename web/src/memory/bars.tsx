/** What is held at the inspected step, three times: by program order, by size, by padding. Width is bytes. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import { cssColor } from '../app/theme';
import { fitText } from '../canvas/text';
import { exactBytes, formatBytes, formatCount, pageUnit, plural, smallBytes } from '../util/format';
import { arrange, type BarBox, type BarItem, boxAt, layoutBar } from './bar_runs';
import { blockVariables, CLASS_WORDS, fillColour, GROUP_WORDS, inkColour, variableOf } from '../charts/colours';
import { Drawing, hatch } from '../charts/drawing';
import {
  type BarOrder,
  type Block,
  blockKey,
  blockNames,
  blocksOf,
  byBlock,
  dtypeOf,
  type LiveRow,
  liveRows,
  ordered,
  shortName,
  type TailPart,
  tailOf,
} from './live_rows';
import { change, colourBy, hoverBuffer, live, map, pin, pinned, summary } from './state';
import { narrowed, openOrder, twin } from './lower_state';
import { TipBox } from '../charts/tip';
import { Later } from '../ui/later';

const ORDERS: BarOrder[] = ['program', 'size', 'padding'];
const WORDS: Record<BarOrder, string> = { program: 'by program order', size: 'by size', padding: 'by padding' };
const GAP = 1;

interface Bar {
  order: BarOrder;
  rows: LiveRow[];
  /** A row each, then a part of the tail each: what is folded or beyond the limit, by block. */
  items: BarItem[];
  total: number;
  tail: TailPart[];
  blocks: Block[];
}

/** A bar as it is drawn at a width: items moved so that blocks stand together, and their boxes. */
interface Drawn {
  /** By place: its item. */
  order: number[];
  boxes: BarBox[];
}

const tip = signal<{ lines: string[]; x: number; y: number } | null>(null);

/** Scope of each buffer in the map, for colour by scope: the list of held buffers has none. */
function scopesOfMap(): Map<number, string> {
  const m = map.value;
  const out = new Map<number, string>();
  for (let k = 0; m && k < m.n; k++) {
    const scope = m.scope[k];
    if (scope !== null) out.set(m.buffer[k], (m.names[scope] ?? '').split('/')[0]);
  }
  return out;
}

function makeBars(): Bar[] {
  const answer = live.value;
  if (!answer) return [];
  const by = colourBy.value;
  const scopes = by === 'scope' ? scopesOfMap() : null;
  const blocks = blocksOf(answer);
  const variables = blockVariables(blocks.map((block) => blockKey(block.shape, block.scope)));
  const ofBlock = (at: number | null) => (at === null ? undefined : variables.get(blockKey(blocks[at].shape, blocks[at].scope)));
  const heap = Math.max(summary.value?.heap_bytes ?? 0, 1);
  const rows = liveRows(answer);
  return ORDERS.map((order) => {
    const sorted = ordered(rows, order);
    const items: BarItem[] = sorted.map((row) => ({
      block: row.block,
      bytes: order === 'padding' ? row.padding : row.size,
      colour: variableOf(by, {
        group: row.group,
        class: row.class,
        scope: row.buffer === null ? '' : (scopes?.get(row.buffer) ?? ''),
        dtype: dtypeOf(row.shape),
        sizeShare: row.size / heap,
        block: ofBlock(row.block),
      }),
    }));
    const tail = tailOf(answer, order);
    for (const part of tail) {
      const block = part.block === null ? null : blocks[part.block];
      const colour = block
        ? variableOf(by, {
            group: block.group,
            class: block.class,
            scope: block.scope.split('/')[0],
            dtype: dtypeOf(block.shape),
            sizeShare: 0,
            block: ofBlock(part.block),
          })
        : '';
      items.push({ block: part.block, bytes: part.bytes, colour });
    }
    return { order, rows: sorted, items, tail, blocks, total: items.reduce((sum, item) => sum + item.bytes, 0) };
  });
}

export function Bars() {
  const bars = useMemo(makeBars, [live.value, colourBy.value, map.value, summary.value]);
  useEffect(() => {
    openOrder.value = (bars[1]?.rows ?? []).flatMap((row) => (row.buffer === null ? [] : [row.buffer]));
  }, [bars]);
  if (!live.value) return <div class="m-bars" aria-busy="true" />;
  if (twin.value) return <Later part="BarsTwin" />;
  return (
    <div class="m-bars">
      {bars.map((bar) => (
        <BarRow key={bar.order} bar={bar} />
      ))}
      <BarTip />
    </div>
  );
}

/** Less than one of the page's unit in all: it would read 0.00 GiB, so each box says its own unit. */
function isSmall(bar: Bar): boolean {
  return bar.total < (pageUnit.value === 'GiB' ? 2 ** 30 : smallBytes());
}

function BarRow({ bar }: { bar: Bar }) {
  const drawn = useRef<Drawn>({ order: [], boxes: [] });
  const own = isSmall(bar) ? ({ unit: 'own' } as const) : {};
  const hit = (x: number): BarBox | null => drawn.current.boxes[boxAt(drawn.current.boxes, x)] ?? null;
  const single = (box: BarBox | null) => (box ? singleRow(bar, drawn.current, box) : null);
  if (bar.total === 0)
    return (
      <div class="m-bar-row">
        <BarLabel order={bar.order} bytes="0" exact="0 bytes" />
        <p class="m-bar-none">{bar.order === 'padding' ? 'nothing live here is padded' : 'nothing is live here'}</p>
      </div>
    );
  return (
    <div class="m-bar-row">
      <BarLabel order={bar.order} bytes={formatBytes(bar.total, own)} exact={exactBytes(bar.total)} />
      <Drawing
        class="m-bar-canvas"
        picture={`buffers ${WORDS[bar.order]}`}
        label={`${WORDS[bar.order]}: ${plural(
          bar.tail.reduce((sum, part) => sum + part.count, bar.rows.length),
          'buffer',
        )}, ${formatBytes(bar.total)}`}
        watch={() => void [hoverBuffer.value, pinned.value, narrowed.value]}
        draw={(g, width, height) => {
          const order = arrange(bar.items, bar.total, width);
          drawn.current = {
            order,
            boxes: layoutBar(
              order.map((k) => bar.items[k]),
              bar.total,
              width,
            ),
          };
          drawBar(g, width, height, bar, drawn.current);
        }}
        onMove={(x, _, event) => {
          const box = hit(x);
          hoverBuffer.value = single(box)?.buffer ?? null;
          tip.value = box ? { lines: tipLines(bar, drawn.current, box), x: event.clientX, y: event.clientY } : null;
        }}
        onLeave={() => {
          hoverBuffer.value = null;
          tip.value = null;
        }}
        onClick={(x) => {
          const box = hit(x);
          const row = single(box);
          if (row?.buffer !== undefined && row.buffer !== null) pin(row.buffer === pinned.peek() ? null : row.buffer);
          else if (box && !row) change({ tab: 'buffers', sort: bar.order === 'padding' ? 'padding' : 'size', fold: 0 });
        }}
      />
    </div>
  );
}

function BarLabel({ order, bytes, exact }: { order: BarOrder; bytes: string; exact: string }) {
  return (
    <div class="m-bar-label">
      <b>{WORDS[order]}</b>
      <span title={exact}>{bytes}</span>
    </div>
  );
}

/** The row of a box; null if it has several, or is a part of the tail. */
function singleRow(bar: Bar, drawn: Drawn, box: BarBox): LiveRow | null {
  return box.to - box.from === 1 ? (bar.rows[drawn.order[box.from]] ?? null) : null;
}

const BLOCKS_TOLD = 5;

/** What a box joins, block by block. */
function groupsOf(bar: Bar, drawn: Drawn, box: BarBox) {
  const members = drawn.order.slice(box.from, box.to).map((k) => ({
    block: bar.items[k].block ?? null,
    count: k < bar.rows.length ? 1 : bar.tail[k - bar.rows.length].count,
    bytes: bar.items[k].bytes,
  }));
  return byBlock(members, bar.blocks);
}

function sizesOf(bar: Bar, drawn: Drawn, box: BarBox): string {
  const sizes = drawn.order.slice(box.from, box.to).flatMap((k) => (k < bar.rows.length ? [bar.rows[k].size] : []));
  const own = (bytes: number) => formatBytes(bytes, { unit: 'own' });
  if (sizes.length === 0) return 'below the fold size';
  const least = Math.min(...sizes);
  const most = Math.max(...sizes);
  return least === most ? `${own(most)} each` : `${own(most)} to ${own(least)} each`;
}

function tipLines(bar: Bar, drawn: Drawn, box: BarBox): string[] {
  const row = singleRow(bar, drawn, box);
  if (!row) {
    const groups = groupsOf(bar, drawn, box);
    const count = groups.reduce((sum, group) => sum + group.count, 0);
    return [
      `${plural(count, 'buffer')} too narrow to draw individually`,
      `together ${formatBytes(box.bytes, { unit: 'own' })}${bar.order === 'padding' ? ' of padding' : ''}, ${exactBytes(box.bytes)}`,
      sizesOf(bar, drawn, box),
      ...groups.slice(0, BLOCKS_TOLD).map((group) => `${blockNames([group], formatCount)[0]}, ${formatBytes(group.bytes, { unit: 'own' })}`),
      ...(groups.length > BLOCKS_TOLD ? [`and ${plural(groups.length - BLOCKS_TOLD, 'other block')}`] : []),
      'click for the sorted table',
    ];
  }
  const lines = [`%${row.name}`, row.shape, `${formatBytes(row.size)}, ${exactBytes(row.size)}`];
  if (row.padding > 0) lines.push(`including padding: ${formatBytes(row.padding, { unit: 'own' })}, ${exactBytes(row.padding)}`);
  lines.push((CLASS_WORDS[row.class] ?? row.class) + (row.group === 'none' ? '' : `, ${GROUP_WORDS[row.group] ?? row.group}`));
  if (row.saving !== null) lines.push(`without it the peak falls by ${row.saving > 0 ? formatBytes(row.saving) : '0'}`);
  return lines;
}

function drawBar(g: CanvasRenderingContext2D, width: number, height: number, bar: Bar, drawn: Drawn): void {
  const mono = `10.5px ${cssColor('--mono')}`;
  const left = narrowed.peek();
  const hovered = hoverBuffer.peek();
  const pin = pinned.peek();
  g.textBaseline = 'middle';
  g.font = mono;
  const frames: { box: BarBox; colour: string; line: number }[] = [];
  for (const box of drawn.boxes) {
    const row = singleRow(bar, drawn, box) ?? undefined;
    const variable = box.colour || '--o-none';
    const pale = !row;
    const outside = left !== null && !(row?.buffer != null && left.has(row.buffer));
    g.globalAlpha = outside ? 0.22 : pale ? 0.58 : 1;
    g.fillStyle = fillColour(variable);
    const w = Math.max(box.width - GAP, Math.min(box.width, 1));
    g.fillRect(box.x, 2, w, height - 4);
    g.globalAlpha = 1;
    if (row && !outside && bar.order !== 'padding' && row.padding > row.size * 0.02) {
      const part = (row.padding / row.size) * w;
      hatch(g, box.x + w - part, 2, part, height - 4, 'rgb(255 255 255 / 55%)');
    }
    g.fillStyle = fillColour(variable);
    drawLabel(g, bar, drawn, box, row, outside ? cssColor('--fg-faint') : pale ? cssColor('--fg') : inkColour(variable), height);
    if (row?.buffer != null && row.buffer === pin) frames.push({ box, colour: cssColor('--accent'), line: 2 });
    else if (row?.buffer != null && row.buffer === hovered) frames.push({ box, colour: cssColor('--fg'), line: 1.5 });
  }
  for (const { box, colour, line } of frames) {
    g.strokeStyle = cssColor('--bg');
    g.lineWidth = line + 2;
    const w = Math.max(box.width - GAP, 3);
    g.strokeRect(Math.min(box.x + 1, width - w), 1 + line / 2, w - 1, height - 2 - line);
    g.strokeStyle = colour;
    g.lineWidth = line;
    g.strokeRect(Math.min(box.x + 1, width - w), 1 + line / 2, w - 1, height - 2 - line);
  }
}

function drawLabel(g: CanvasRenderingContext2D, bar: Bar, drawn: Drawn, box: BarBox, row: LiveRow | undefined, ink: string, height: number): void {
  const room = box.width - 7;
  if (room < 20) return;
  const own = isSmall(bar);
  const bytes = formatBytes(box.bytes, own ? { unit: 'own' } : { withUnit: false });
  const name = fitText(g, row ? [row.name, shortName(row.name)] : blockNames(groupsOf(bar, drawn, box), formatCount), room);
  const size = fitText(g, [bytes], room);
  const exactSize = size === bytes ? size : '';
  const x = box.x + 4;
  if (row && row.padding > row.size * 0.02 && bar.order !== 'padding' && ink !== cssColor('--fg-faint')) {
    // Words stay legible on the hatch.
    g.fillRect(box.x + 1, 4, Math.max(g.measureText(name).width, g.measureText(exactSize).width) + 7, height - 8);
  }
  g.fillStyle = ink;
  if (name && exactSize) {
    g.fillText(name, x, height / 2 - 6.5);
    g.fillText(exactSize, x, height / 2 + 6.5);
  } else if (exactSize) g.fillText(exactSize, x, height / 2 + 0.5);
}

function BarTip() {
  const at = tip.value;
  if (!at) return null;
  return (
    <TipBox x={at.x} y={at.y}>
      {at.lines.map((line, k) => (
        <div key={line} class={k === 0 ? 'm-hover-head' : ''}>
          {line}
        </div>
      ))}
    </TipBox>
  );
}
