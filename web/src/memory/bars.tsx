/** What is held at the inspected step, three times: by program order, by size, by padding. Width is bytes. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';
import { cssColor } from '../app/theme';
import { fitText } from '../canvas/text';
import { exactBytes, formatBytes, formatCount, pageUnit, plural, smallBytes } from '../util/format';
import { type BarBox, type BarItem, boxAt, layoutBar } from './bar_runs';
import { CLASS_WORDS, fillColour, GROUP_WORDS, inkColour, variableOf } from './colours';
import { Drawing, hatch } from './drawing';
import { type BarOrder, blockNames, byShape, dtypeOf, type LiveRow, liveRows, ordered, shortName, shortShape, tailOf } from './live_rows';
import { change, colourBy, hoverBuffer, live, map, pin, pinned, summary } from './state';
import { narrowed, openOrder, twin } from './views';
import { TipBox } from './tip';
import { Twin } from './twin';

const ORDERS: BarOrder[] = ['program', 'size', 'padding'];
const WORDS: Record<BarOrder, string> = { program: 'by program order', size: 'by size', padding: 'by padding' };
const GAP = 1;

interface Bar {
  order: BarOrder;
  rows: LiveRow[];
  items: BarItem[];
  total: number;
  /** Rows that stand behind the last item, folded or beyond the limit. */
  tail: { count: number; bytes: number };
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
  const heap = Math.max(summary.value?.heap_bytes ?? 0, 1);
  const rows = liveRows(answer);
  return ORDERS.map((order) => {
    const sorted = ordered(rows, order);
    const items = sorted.map((row) => ({
      bytes: order === 'padding' ? row.padding : row.size,
      colour: variableOf(by, {
        group: row.group,
        class: row.class,
        scope: row.buffer === null ? '' : (scopes?.get(row.buffer) ?? ''),
        dtype: dtypeOf(row.shape),
        sizeShare: row.size / heap,
      }),
    }));
    const tail = tailOf(answer, order);
    if (tail.bytes > 0) items.push({ bytes: tail.bytes, colour: '' });
    return { order, rows: sorted, items, tail, total: items.reduce((sum, item) => sum + item.bytes, 0) };
  });
}

export function Bars() {
  const bars = useMemo(makeBars, [live.value, colourBy.value, map.value, summary.value]);
  useEffect(() => {
    openOrder.value = (bars[1]?.rows ?? []).flatMap((row) => (row.buffer === null ? [] : [row.buffer]));
  }, [bars]);
  if (!live.value) return <div class="m-bars" aria-busy="true" />;
  if (twin.value) return <BarsTwin rows={bars[1]?.rows ?? []} />;
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
  const boxes = useRef<BarBox[]>([]);
  const own = isSmall(bar) ? ({ unit: 'own' } as const) : {};
  const hit = (x: number): BarBox | null => boxes.current[boxAt(boxes.current, x)] ?? null;
  const single = (box: BarBox | null) => (box && box.to - box.from === 1 ? (bar.rows[box.from] ?? null) : null);
  if (bar.total === 0)
    return (
      <div class="m-bar-row">
        <BarLabel order={bar.order} bytes="0" exact="0 bytes" />
        <p class="m-bar-none">{bar.order === 'padding' ? 'nothing held here is padded' : 'nothing is held here'}</p>
      </div>
    );
  return (
    <div class="m-bar-row">
      <BarLabel order={bar.order} bytes={formatBytes(bar.total, own)} exact={exactBytes(bar.total)} />
      <Drawing
        class="m-bar-canvas"
        picture={`buffers ${WORDS[bar.order]}`}
        label={`${WORDS[bar.order]}: ${plural(bar.rows.length + bar.tail.count, 'buffer')}, ${formatBytes(bar.total)}`}
        watch={() => void [hoverBuffer.value, pinned.value, narrowed.value]}
        draw={(g, width, height) => {
          boxes.current = layoutBar(bar.items, bar.total, width);
          drawBar(g, width, height, bar, boxes.current);
        }}
        onMove={(x, _, event) => {
          const box = hit(x);
          hoverBuffer.value = single(box)?.buffer ?? null;
          tip.value = box ? { lines: tipLines(bar, box), x: event.clientX, y: event.clientY } : null;
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

function tailStarts(bar: Bar): number {
  return bar.rows.length;
}

/** Buffers behind a box, counting those folded into the last item. */
function countOf(bar: Bar, box: BarBox): number {
  const tail = box.to > tailStarts(bar) ? bar.tail.count - 1 : 0;
  return box.to - box.from + tail;
}

const SHAPES_TOLD = 5;

/** Shapes of the buffers in a box, and how many are folded into its end without one. */
function shapesOf(bar: Bar, box: BarBox) {
  const rows = bar.rows.slice(box.from, Math.min(box.to, bar.rows.length));
  return { groups: byShape(rows, (row) => (bar.order === 'padding' ? row.padding : row.size)), others: countOf(bar, box) - rows.length };
}

function tipLines(bar: Bar, box: BarBox): string[] {
  const row = bar.rows[box.from];
  if (box.to - box.from > 1 || !row) {
    const last = Math.min(box.to, bar.rows.length) - 1;
    const sizes = row ? `${formatBytes(row.size, { unit: 'own' })} to ${formatBytes(bar.rows[last].size, { unit: 'own' })} each` : 'smaller than the fold';
    return [
      `${plural(countOf(bar, box), 'buffer')} too narrow to draw one by one`,
      `together ${formatBytes(box.bytes, { unit: 'own' })}${bar.order === 'padding' ? ' of padding' : ''}, ${exactBytes(box.bytes)}`,
      sizes,
      ...shapesOf(bar, box).groups.slice(0, SHAPES_TOLD).map((group) => `${formatCount(group.count)} x ${group.shape}, ${formatBytes(group.bytes, { unit: 'own' })}`),
      'click: the table, sorted',
    ];
  }
  const lines = [`%${row.name}`, row.shape, `${formatBytes(row.size)}, ${exactBytes(row.size)}`];
  if (row.padding > 0) lines.push(`of it padding ${formatBytes(row.padding, { unit: 'own' })}, ${exactBytes(row.padding)}`);
  lines.push((CLASS_WORDS[row.class] ?? row.class) + (row.group === 'none' ? '' : `, ${GROUP_WORDS[row.group] ?? row.group}`));
  if (row.saving !== null) lines.push(`without it the peak falls by ${row.saving > 0 ? formatBytes(row.saving) : '0'}`);
  return lines;
}

function drawBar(g: CanvasRenderingContext2D, width: number, height: number, bar: Bar, boxes: readonly BarBox[]): void {
  const mono = `10.5px ${cssColor('--mono')}`;
  const left = narrowed.peek();
  const hovered = hoverBuffer.peek();
  const pin = pinned.peek();
  g.textBaseline = 'middle';
  g.font = mono;
  const frames: { box: BarBox; colour: string; line: number }[] = [];
  for (const box of boxes) {
    const row = box.to - box.from === 1 ? bar.rows[box.from] : undefined;
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
    drawLabel(g, bar, box, row, outside ? cssColor('--fg-faint') : pale ? cssColor('--fg') : inkColour(variable), height);
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

function drawLabel(g: CanvasRenderingContext2D, bar: Bar, box: BarBox, row: LiveRow | undefined, ink: string, height: number): void {
  const room = box.width - 7;
  if (room < 20) return;
  const own = isSmall(bar);
  const bytes = formatBytes(box.bytes, own ? { unit: 'own' } : { withUnit: false });
  const names = () => {
    const { groups, others } = shapesOf(bar, box);
    return blockNames(groups, others, formatCount);
  };
  const name = fitText(g, row ? [row.name, shortName(row.name)] : names(), room);
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

function BarsTwin({ rows }: { rows: LiveRow[] }) {
  const bySize = rows;
  return (
    <Twin
      label="held at this step, by size"
      columns={TWIN_COLUMNS}
      rows={bySize.map((row) => [`%${row.name}`, shortShape(row.shape), CLASS_WORDS[row.class] ?? row.class, row.size, row.padding, row.saving, row.start, row.end])}
      onOpen={(index) => pin(bySize[index].buffer)}
    />
  );
}

const TWIN_COLUMNS = [
  { title: 'buffer', width: 'minmax(160px, 2fr)' },
  { title: 'shape', width: 'minmax(120px, 2fr)' },
  { title: 'class' },
  { title: 'size', kind: 'bytes' as const },
  { title: 'padding', kind: 'bytes' as const },
  { title: 'saving at peak', kind: 'bytes' as const },
  { title: 'from step', kind: 'count' as const },
  { title: 'to step', kind: 'count' as const },
];
