/** The heap wrapped in rows: boxes by address, holes hatched, arguments as a strip below. Pure but for colours. */
import { cssColor } from '../app/theme';
import { fitText } from '../canvas/text';
import { inkColour } from '../charts/colours';
import { hatch } from '../charts/drawing';
import { formatBytes, pageUnit } from '../util/format';
import { rowVariable } from './colours';
import { placeColour } from './scales';
import type { Heap } from './types';

/** A row takes what there is room for, within these. */
const ROW_LEAST = 22;
const ROW_MOST = 72;
export const LEFT = 66;
export const RIGHT = 14;

export interface HeapBox {
  tenancy: number;
  offset: number;
  size: number;
  name: string;
  shape: string;
  row: string;
  /** Place on the key of its colour, when colours are not types. */
  place?: number;
}

interface HeapView {
  heap: Heap;
  boxes: HeapBox[];
  rowBytes: number;
  rowHigh: number;
  width: number;
  /** 10 % for what is not found or not meant. */
  isFaint: (box: HeapBox) => boolean;
  isHidden: (row: string) => boolean;
  pinned: number | null;
  /** Outlined among what is always there. */
  pinnedBuffer: number | null;
  address: number | null;
  withHoles: boolean;
  inHex: boolean;
  font: string;
  mono: string;
}

export function rowsOf(heap: Heap, rowBytes: number): number {
  return Math.max(1, Math.ceil(heap.heap_bytes / rowBytes));
}
export function heightOf(heap: Heap, rowBytes: number, rowHigh: number): number {
  return rowsOf(heap, rowBytes) * rowHigh + 12 + (heap.residents.n > 0 ? rowHigh + 4 : 0);
}
/** How high rows are when the map fills `room` pixels. */
export function rowHighOf(heap: Heap, rowBytes: number, room: number): number {
  const rows = rowsOf(heap, rowBytes) + (heap.residents.n > 0 ? 1 : 0);
  return Math.min(ROW_MOST, Math.max(ROW_LEAST, Math.floor((room - 16) / rows)));
}

/** The byte under a pixel, or null outside of the rows. */
export function addressAt({ heap, rowBytes, rowHigh, width }: Pick<HeapView, 'heap' | 'rowBytes' | 'rowHigh' | 'width'>, x: number, y: number): number | null {
  const row = Math.floor((y - 4) / rowHigh);
  const share = (x - LEFT) / Math.max(1, width - LEFT - RIGHT);
  if (row < 0 || row >= rowsOf(heap, rowBytes) || share < 0 || share >= 1) return null;
  const address = row * rowBytes + Math.floor(share * rowBytes);
  return address < heap.heap_bytes ? address : null;
}

interface Piece {
  x: number;
  y: number;
  width: number;
  first: boolean;
}

/** A range of addresses as pieces of rows. */
export function piecesOf(v: Pick<HeapView, 'rowBytes' | 'rowHigh' | 'width'>, offset: number, size: number): Piece[] {
  const inner = v.width - LEFT - RIGHT;
  const pieces: Piece[] = [];
  for (let at = offset; at < offset + size; ) {
    const row = Math.floor(at / v.rowBytes);
    const end = Math.min(offset + size, (row + 1) * v.rowBytes);
    pieces.push({
      x: LEFT + ((at - row * v.rowBytes) / v.rowBytes) * inner,
      y: 4 + row * v.rowHigh,
      width: ((end - at) / v.rowBytes) * inner,
      first: at === offset,
    });
    at = end;
  }
  return pieces;
}

export function addressText(bytes: number, inHex: boolean): string {
  return inHex ? `0x${bytes.toString(16).padStart(9, '0')}` : formatBytes(bytes, { withUnit: false }).replace(/\.0+$/, '');
}

const MIB = 2 ** 20;

/** Rows of parts of a MiB begin at parts of one: a rounded number would be another address. */
function rowStart(bytes: number): string {
  return pageUnit.peek() === 'MiB' && bytes % MIB !== 0 ? String(Number((bytes / MIB).toFixed(4))) : addressText(bytes, false);
}

function rulers(g: CanvasRenderingContext2D, v: HeapView): void {
  g.font = v.inHex ? `10px ${v.mono}` : v.font;
  g.textAlign = 'right';
  g.textBaseline = 'middle';
  g.fillStyle = cssColor('--fg-soft');
  for (let row = 0; row < rowsOf(v.heap, v.rowBytes); row++)
    g.fillText(v.inHex ? addressText(row * v.rowBytes, true) : rowStart(row * v.rowBytes), LEFT - 6, 4 + row * v.rowHigh + v.rowHigh / 2);
}

function drawBox(g: CanvasRenderingContext2D, v: HeapView, box: HeapBox): void {
  const variable = rowVariable(box.row) || '--o-none';
  const pieces = piecesOf(v, box.offset, box.size);
  g.globalAlpha = v.isFaint(box) ? 0.1 : 1;
  for (const piece of pieces) {
    const w = Math.max(0.5, piece.width - (piece.width > 3 ? 1 : 0));
    g.fillStyle = box.place === undefined ? cssColor(variable) : placeColour(box.place, cssColor);
    g.fillRect(piece.x, piece.y + 1, w, v.rowHigh - 2);
    g.fillStyle = box.place === undefined ? inkColour(variable) : cssColor(box.place > 0.8 ? '--bg' : '--fg');
    if (!piece.first) {
      g.globalAlpha *= 0.55;
      g.beginPath();
      g.moveTo(piece.x, piece.y + 3);
      g.lineTo(piece.x + 6, piece.y + v.rowHigh / 2);
      g.lineTo(piece.x, piece.y + v.rowHigh - 3);
      g.fill();
      g.globalAlpha = v.isFaint(box) ? 0.1 : 1;
    }
    if (piece.width < 60) continue;
    g.font = `11px ${v.mono}`;
    g.textAlign = 'left';
    const size = formatBytes(box.size);
    const texts = piece.first ? [`${box.name} ${box.shape} ${size}`, `${box.name} ${size}`, box.name] : piece.width >= 240 ? [`${box.name} continued`] : [''];
    const text = fitText(g, texts, piece.width - 20);
    if (text) g.fillText(text, piece.x + (piece.first ? 6 : 12), piece.y + v.rowHigh / 2);
  }
  g.globalAlpha = 1;
  if (box.tenancy !== v.pinned) return;
  g.strokeStyle = cssColor('--accent');
  g.lineWidth = 2;
  for (const piece of pieces) g.strokeRect(piece.x + 0.5, piece.y + 0.5, Math.max(2, piece.width - 1.5), v.rowHigh - 1.5);
}

function drawHoles(g: CanvasRenderingContext2D, v: HeapView): void {
  const { holes } = v.heap;
  for (let k = 0; k < holes.n; k++)
    for (const piece of piecesOf(v, holes.offset_bytes[k], holes.size_bytes[k])) {
      g.fillStyle = cssColor('--hole');
      g.globalAlpha = 0.5;
      g.fillRect(piece.x, piece.y + 1, Math.max(0.5, piece.width - 1), v.rowHigh - 2);
      g.globalAlpha = 1;
      hatch(g, piece.x, piece.y + 1, piece.width - 1, v.rowHigh - 2, `color-mix(in srgb, ${cssColor('--m-frag')} 45%, transparent)`, 8);
    }
}

/** The free end is not drawn: one label says how much it is. */
function drawEnd(g: CanvasRenderingContext2D, v: HeapView): void {
  const top = v.heap.top_bytes;
  const last = piecesOf(v, Math.max(0, top - 1), 1)[0];
  const above = v.heap.above_bytes > 0 ? `free above: ${formatBytes(v.heap.above_bytes)}; ` : '';
  const text = `${above}end of heap ${formatBytes(v.heap.heap_bytes)}`;
  const row = top >= v.heap.heap_bytes ? rowsOf(v.heap, v.rowBytes) - 1 : Math.floor(top / v.rowBytes);
  const x = last && Math.floor((top - 1) / v.rowBytes) === row ? last.x + 16 : LEFT + 8;
  g.font = v.font;
  g.fillStyle = cssColor('--fg-soft');
  const width = g.measureText(text).width;
  const right = v.width - RIGHT - width;
  g.textAlign = 'left';
  g.lineWidth = 3;
  g.strokeStyle = cssColor('--bg');
  g.strokeText(text, Math.min(x, right), 4 + row * v.rowHigh + v.rowHigh / 2);
  g.fillText(text, Math.min(x, right), 4 + row * v.rowHigh + v.rowHigh / 2);
}

/** What is always there: widths are sizes, places are not addresses. */
function drawResidents(g: CanvasRenderingContext2D, v: HeapView): void {
  const { residents, names, resident_bytes } = v.heap;
  if (residents.n === 0 || resident_bytes <= 0) return;
  const y = rowsOf(v.heap, v.rowBytes) * v.rowHigh + 12;
  const inner = v.width - LEFT - RIGHT;
  g.font = v.font;
  g.textAlign = 'right';
  g.fillStyle = cssColor('--fg-soft');
  g.fillText('arguments', LEFT - 6, y + v.rowHigh / 2);
  let x = LEFT;
  for (let k = 0; k < residents.n; k++) {
    const width = (residents.size_bytes[k] / resident_bytes) * inner;
    const variable = rowVariable(names[residents.row[k]]) || '--o-none';
    g.fillStyle = cssColor(variable);
    g.fillRect(x, y + 1, Math.max(0.3, width - (width > 3 ? 1 : 0)), v.rowHigh - 2);
    if (residents.buffer[k] !== null && residents.buffer[k] === v.pinnedBuffer) {
      g.strokeStyle = cssColor('--accent');
      g.lineWidth = 2;
      g.strokeRect(x + 0.5, y + 0.5, Math.max(2, width - 1.5), v.rowHigh - 1.5);
    }
    if (width > 60) {
      g.fillStyle = inkColour(variable);
      g.font = `11px ${v.mono}`;
      g.textAlign = 'left';
      g.fillText(
        fitText(g, [`${names[residents.name[k]]} ${formatBytes(residents.size_bytes[k], { withUnit: false })}`, names[residents.name[k]]], width - 10),
        x + 5,
        y + v.rowHigh / 2,
      );
    }
    x += width;
  }
  const note = `${formatBytes(resident_bytes)}, addresses set at run time`;
  g.font = v.font;
  const width = g.measureText(note).width + 16;
  g.fillStyle = cssColor('--bg');
  g.globalAlpha = 0.9;
  g.fillRect(v.width - RIGHT - width - 4, y + 2, width, v.rowHigh - 4);
  g.globalAlpha = 1;
  g.fillStyle = cssColor('--fg-soft');
  g.textAlign = 'right';
  g.fillText(note, v.width - RIGHT - 12, y + v.rowHigh / 2);
}

export function drawHeap(g: CanvasRenderingContext2D, v: HeapView): void {
  rulers(g, v);
  if (v.withHoles) drawHoles(g, v);
  for (const box of v.boxes) if (!v.isHidden(box.row)) drawBox(g, v, box);
  if (v.address !== null && v.address < v.heap.heap_bytes) {
    const [at] = piecesOf(v, v.address, 1);
    g.beginPath();
    g.arc(at.x, at.y + v.rowHigh / 2, 3.5, 0, 7);
    g.fillStyle = cssColor('--bg');
    g.fill();
    g.strokeStyle = cssColor('--fg');
    g.lineWidth = 1.5;
    g.stroke();
  }
  drawEnd(g, v);
  drawResidents(g, v);
}
