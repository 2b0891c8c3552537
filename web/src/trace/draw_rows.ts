/** Draws the rows of the layout. One pass over what is on screen; boxes go through pixels, names and patterns on top. */
import { textWidth } from '../canvas/text';
import type { TraceRows } from '../api/answers';
import { type InView, isRough, type Lane, type Names, type RowBoxes, type Wait } from './boxes';
import { type Colouring, type Owner, WHEEL } from './colour_by';
import { GROUPS, groupIndex } from './groups';
import { boxHit, type Hits, paintHits } from './hit_ticks';
import { cutName, eventName, withoutNamespace } from './label_text';
import { LETTERS } from './heights';
import {
  firstBelow,
  HEAD,
  hostOf,
  isCounter,
  type Item,
  LANE,
  depthAt,
  type Layout,
  processTitle,
  rowTitle,
  severalHosts,
  stickyHead,
  threadCount,
} from './layout';
import { type Palette, pattern } from './palette';
import { copyLane, rasterLane, type Wide } from './strip';
import { StripImage } from './strip_image';
import { drawCounter, drawScale } from './draw_counter';
import { durationText } from './time';
import { formatBytes, formatCount } from '../util/format';

export interface Scene {
  rows: TraceRows;
  layout: Layout;
  views: ReadonlyMap<number, InView>;
  names: Names;
  colouring: Colouring;
  boxesOf: (row: number) => RowBoxes | undefined;
  from: number;
  to: number;
  top: number;
  left: number;
  ticks: number[];
  range: { from: number; to: number } | null;
  hits: Hits;
  /** Clock steps by row: the last `extra` before `at`. */
  clockSteps: ReadonlyMap<number, { at: number; extra: number }[]>;
  sentence: (process: number) => string;
  /** Measured events of a process in the window. */
  inside: (process: number) => number;
  marks: readonly number[];
  /** What the devices are: "TPU v6 Lite". */
  deviceType: string;
  /** Where the selected event's name stands beside its box: other names give way. */
  aside: { row: number; depth: number; x0: number; x1: number } | null;
  font: string;
}

interface Label {
  x0: number;
  x1: number;
  y: number;
  h: number;
  /** Where the text may begin: after the name of the selected event, say. */
  text0: number;
  name: string;
  time: string;
  wait: number;
  /** Of an asynchronous operation: where the hatched end begins (x1 = nowhere) in which colour, and what stands there. */
  tail: { x: number; colour: number; text: string } | null;
  hit: boolean;
  /** In the pinned part, above the others. */
  pinned: boolean;
}

/** Names written at most in one frame; beyond it boxes are too small to read anyway. */
const MOST_LABELS = 3000;
const LABEL_PIXELS = 26;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDE_.0123456789';

/** The end of a box in which the core waited for it, from `from` on, and what is said there. */
function tailOf({ hidden, wait }: Wait, colour: number, x0: number, x1: number, from: number): NonNullable<Label['tail']> {
  if (hidden === 'fully') return { x: x1, colour, text: 'fully hidden' };
  return { x: Math.max(x0, from), colour, text: `waits ${durationText(wait)}` };
}

export class RowsPainter {
  private readonly image = new StripImage();
  private readonly wide: Wide[] = [];
  private labels: Label[] = [];
  private onPinned = false;
  /** Colours by the pixels they cover, lanes, waits and clock steps drawn last: the legend. */
  readonly seen = { colours: new Float64Array(GROUPS.length + WHEEL), lanes: new Set<Lane>(), wait: false, clock: false, merged: 0, strips: 0 };

  draw(g: CanvasRenderingContext2D, width: number, height: number, scene: Scene, palette: Palette): void {
    const ratio = g.getTransform().a || 1;
    this.image.begin(g, Math.round((width - scene.left) * ratio), Math.round(height * ratio));
    this.labels = [];
    this.seen.colours.fill(0);
    this.seen.lanes.clear();
    this.seen.wait = this.seen.clock = false;
    this.seen.merged = this.seen.strips = 0;
    g.fillStyle = palette.bg;
    g.fillRect(0, 0, width, height);
    g.font = scene.font;
    const { layout } = scene;
    const head = layout.pinnedHeight;
    const items = visible(layout.items, scene.top, height - head);
    const place = (item: Item) => item.y - scene.top + head;
    this.grid(g, width, height, scene, palette);
    for (const item of items) this.rasterItem(item, place(item), scene, palette, ratio, head, height);
    this.onPinned = true;
    for (const item of layout.pinned) this.rasterItem(item, item.y, scene, palette, ratio, 0, head);
    this.onPinned = false;
    this.image.put(g, Math.round(scene.left * ratio));
    this.tintRange(g, width, height, scene, palette);
    g.save();
    g.beginPath();
    g.rect(0, head, width, height - head);
    g.clip();
    for (const item of items) this.overlay(g, item, place(item), scene, palette, ratio, width);
    this.write(g, palette, false);
    for (const item of items) this.side(g, item, place(item), width, scene, palette);
    const sticky = stickyHead(layout.items, scene.top);
    if (sticky) this.head(g, sticky.item, head + sticky.shift, width, scene, palette, true);
    g.restore();
    if (head > 0) this.pinned(g, width, scene, palette, ratio);
  }

  private grid(g: CanvasRenderingContext2D, width: number, height: number, scene: Scene, p: Palette): void {
    g.fillStyle = p.rule;
    for (const at of scene.ticks) {
      const x = Math.round(scene.left + ((at - scene.from) / (scene.to - scene.from)) * (width - scene.left));
      if (x > scene.left) g.fillRect(x, 0, 1, height);
    }
  }

  private tintRange(g: CanvasRenderingContext2D, width: number, height: number, scene: Scene, p: Palette): void {
    const scale = (width - scene.left) / (scene.to - scene.from);
    const line = (time: number, colour: string, dash: number[]) => {
      const x = Math.round(scene.left + (time - scene.from) * scale) + 0.5;
      if (x < scene.left || x > width) return;
      g.strokeStyle = colour;
      g.lineWidth = 1;
      g.setLineDash(dash);
      g.beginPath();
      g.moveTo(x, 0);
      g.lineTo(x, height);
      g.stroke();
      g.setLineDash([]);
    };
    for (const mark of scene.marks) line(mark, p.mark, [3, 3]);
    if (!scene.range) return;
    line(scene.range.from, p.accent, []);
    line(scene.range.to, p.accent, []);
    const x0 = Math.max(scene.left, scene.left + (scene.range.from - scene.from) * scale);
    const x1 = Math.min(width, scene.left + (scene.range.to - scene.from) * scale);
    if (x1 <= x0) return;
    g.globalAlpha = 0.12;
    g.fillStyle = p.accent;
    g.fillRect(x0, 0, x1 - x0, height);
    g.globalAlpha = 1;
  }

  private rasterItem(item: Item, y: number, scene: Scene, p: Palette, ratio: number, least: number, most: number): void {
    if (item.row < 0 || item.kind === 'others' || (item.kind === 'process' && item.open)) return;
    const folded = item.kind === 'process';
    if (!folded && isCounter(scene.rows.rows.kind[item.at])) return;
    const boxes = scene.boxesOf(item.row);
    const owner = { process: item.process, thread: scene.rows.processes.kind[item.process] === 'host', kind: scene.rows.rows.kind[item.at] };
    const lanes = folded ? 1 : item.lanes + item.deeper;
    for (let depth = 0; depth < lanes; depth++) {
      const { y: top, h: high } = folded ? { y: y + 3, h: HEAD - 6 } : depthAt(item, depth, y);
      if (top + high < least || top > most) continue;
      if (!boxes) continue;
      const lane = boxes.lanes[depth];
      if (lane) this.rasterOne(boxes, lane, depth, top, high, item, scene, p, ratio, owner, least);
    }
  }

  /** One depth of a row into the image; names and patterns of its wide boxes are kept for later. */
  private rasterOne(
    boxes: RowBoxes,
    lane: Lane,
    depth: number,
    top: number,
    high: number,
    item: Item,
    scene: Scene,
    p: Palette,
    ratio: number,
    owner: Owner,
    least: number,
  ): void {
    const shade = scene.colouring.shade(boxes, depth, owner);
    this.seen.lanes.add(lane);
    const { scratch, words, width, height: rows } = this.image;
    scratch.clear();
    this.wide.length = 0;
    const tally = rasterLane(lane, scene.from, scene.to, scratch, p.paint, shade, 6 * ratio, this.wide, this.seen.colours);
    this.seen.merged += tally.merged;
    this.seen.strips += tally.strips;
    // Rows that slide under the pinned ones keep their own pixels only.
    const cut = Math.max(0, Math.round(least * ratio) - Math.round(top * ratio));
    const from = Math.round(top * ratio) + cut;
    const height = Math.round(high * ratio) - cut;
    copyLane(scratch, p.paint, words, width, from, height, Math.max(2, Math.round(2 * ratio)));
    this.image.draws(from, height);
    paintHits(lane, scene.from, scene.to, scene.hits, p.paint.hit, words, width, Math.max(0, from), Math.min(rows, from + Math.min(2 * ratio, height)));
    const at = (time: number) => scene.left + (((time - scene.from) / (scene.to - scene.from)) * width) / ratio;
    const { kind } = owner;
    const aside = scene.aside && scene.aside.row === item.row && scene.aside.depth === depth ? scene.aside : null;
    for (const box of this.wide) {
      const waits = lane.wait[box.index] === 1;
      const x0 = scene.left + box.x0 / ratio;
      const x1 = scene.left + box.x1 / ratio;
      if (waits) this.seen.wait = true;
      const waited = lane.waits?.get(box.index);
      if (waited && waited.hidden !== 'fully') this.seen.wait = true;
      if (this.labels.length < MOST_LABELS && (x1 - x0 >= LABEL_PIXELS || waits || waited)) {
        const name = scene.names.get(lane.name[box.index]);
        const colour = shade.colour[shade.key[box.index]];
        this.labels.push({
          x0,
          x1,
          y: top,
          h: high,
          text0: aside && x1 > aside.x0 && x0 < aside.x1 ? Math.max(x0, aside.x1) : x0,
          name: name ? wordsOf(name.caption, kind, lane.count[box.index] === 1 ? lane.event[box.index] : lane.longest[box.index]) : '',
          time: isRough(boxes, lane.end[box.index] - lane.start[box.index]) ? '' : durationText(lane.end[box.index] - lane.start[box.index]),
          wait: waits ? colour + 1 : 0,
          tail: waited ? tailOf(waited, colour, x0, x1, at(lane.end[box.index] - waited.drawn)) : null,
          hit: boxHit(lane, box.index, scene.hits),
          pinned: this.onPinned,
        });
      }
    }
  }

  private write(g: CanvasRenderingContext2D, p: Palette, pinned: boolean): void {
    const per = textWidth(g, ALPHABET) / ALPHABET.length;
    const digit = textWidth(g, '0');
    g.textBaseline = 'middle';
    g.textAlign = 'left';
    const ratio = g.getTransform().a || 1;
    for (const label of this.labels) {
      if (label.pinned !== pinned) continue;
      if (label.wait) {
        g.fillStyle = pattern(g, 'hatch', p.bg, p.fill[label.wait - 1], ratio);
        g.fillRect(label.x0 + 1, label.y, label.x1 - label.x0 - 1, label.h);
      }
      if (label.hit) {
        g.fillStyle = p.hit;
        g.fillRect(label.x0, label.y, Math.max(2, label.x1 - label.x0), 2);
      }
      if (label.h < LETTERS && !label.tail) continue;
      const room = label.x1 - label.text0 - 8 - (label.tail ? this.writeTail(g, p, label, per, ratio) : 0);
      if (room < LABEL_PIXELS - 8 || !label.name || label.h < LETTERS) continue;
      const most = Math.floor(room / per);
      const short = label.name.length > most ? withoutNamespace(label.name) : label.name;
      const text = cutName(short, most);
      if (!text) continue;
      // A cut name is another one at each zoom: measured only where something depends on it.
      const cut = text !== short && text !== label.name;
      const wide = cut && !label.wait ? 0 : textWidth(g, text);
      const middle = label.y + label.h / 2 + 0.5;
      if (label.wait) {
        g.fillStyle = p.bg;
        g.fillRect(label.text0 + 2, label.y, wide + 6, label.h);
      }
      g.fillStyle = p.fg;
      g.fillText(text, label.text0 + 5, middle);
      if (cut) continue;
      const left = room - wide - 8;
      const time = digit * label.time.length;
      if (left < time) continue;
      if (label.wait) {
        g.fillStyle = p.bg;
        g.fillRect(label.text0 + 8 + wide, label.y, time + 8, label.h);
      }
      g.fillStyle = p.soft;
      g.fillText(label.time, label.text0 + 5 + wide + 7, middle);
    }
  }

  /** The end of an asynchronous operation: hatched where the core waits for it, and said where there is room. Gives that room. */
  private writeTail(g: CanvasRenderingContext2D, p: Palette, label: Label, per: number, ratio: number): number {
    const { tail } = label;
    if (!tail) return 0;
    if (tail.x < label.x1) {
      g.fillStyle = pattern(g, 'hatch', p.bg, p.fill[tail.colour], ratio);
      g.fillRect(tail.x, label.y, label.x1 - tail.x, label.h);
    }
    if (label.h < LETTERS) return 0;
    const wide = textWidth(g, tail.text);
    // The name comes first; what is said of the wait needs as much room again.
    if (label.x1 - label.text0 - wide - 16 < Math.min(label.name.length, 12) * per) return 0;
    if (tail.x < label.x1) {
      g.fillStyle = p.bg;
      g.fillRect(label.x1 - wide - 8, label.y, wide + 8, label.h);
    }
    g.fillStyle = p.soft;
    g.fillText(tail.text, label.x1 - wide - 4, label.y + label.h / 2 + 0.5);
    return wide + 8;
  }

  /** What pixels cannot say: clock steps, counters, rows that are not there yet. */
  private overlay(g: CanvasRenderingContext2D, item: Item, y: number, scene: Scene, p: Palette, ratio: number, width: number): void {
    if (item.row < 0 || item.kind === 'others' || (item.kind === 'process' && item.open)) return;
    const scale = (width - scene.left) / (scene.to - scene.from);
    const boxes = scene.boxesOf(item.row);
    if (!boxes) {
      g.fillStyle = p.sunk;
      g.fillRect(scene.left, y + 3, width - scene.left, item.h - 6);
      return;
    }
    if (isCounter(scene.rows.rows.kind[item.at]) && boxes.counter)
      drawCounter(g, boxes.counter, { y, h: item.h, from: scene.from, to: scene.to, left: scene.left, width }, p);
    for (const step of scene.clockSteps.get(item.row) ?? []) {
      const x0 = Math.max(scene.left, scene.left + (step.at - step.extra - scene.from) * scale);
      const x1 = Math.min(width, scene.left + (step.at - scene.from) * scale);
      if (x1 - x0 < 2) continue;
      this.seen.clock = true;
      g.fillStyle = pattern(g, 'dots', p.bg, p.strong[groupIndex('host')], ratio);
      g.fillRect(x0, y + (item.kind === 'process' ? 3 : 2), x1 - x0, item.kind === 'process' ? HEAD - 6 : item.lane - 1);
      // A name ends before the dots.
      for (const l of this.labels) if (Math.abs(l.y - y) < 4 && l.x1 > x0 && l.x0 < x1) l.x1 = l.x0 < x0 ? Math.min(l.x1, x0) : l.x1;
    }
  }

  /** The label column, and heads across the whole width. */
  private side(g: CanvasRenderingContext2D, item: Item, y: number, width: number, scene: Scene, p: Palette): void {
    g.textBaseline = 'middle';
    if (item.kind === 'host') this.host(g, item, y, width, scene, p);
    else if (item.kind === 'process') this.head(g, item, y, width, scene, p, item.open);
    else if (item.kind === 'others') this.others(g, item, y, width, scene, p);
    else this.rowLabel(g, item, y, width, scene, p);
  }

  private column(g: CanvasRenderingContext2D, y: number, h: number, scene: Scene, p: Palette): void {
    g.fillStyle = p.bg;
    g.fillRect(0, y, scene.left - 1, h);
    g.fillStyle = p.rule;
    g.fillRect(scene.left - 1, y, 1, h);
  }

  private head(g: CanvasRenderingContext2D, item: Item, y: number, width: number, scene: Scene, p: Palette, across: boolean): void {
    const { processes } = scene.rows;
    this.column(g, y, item.h, scene, p);
    g.fillStyle = p.sunk;
    g.fillRect(0, y, across ? width : scene.left - 1, item.h);
    g.fillStyle = p.rule;
    g.fillRect(0, y, width, 1);
    if (item.open) g.fillRect(0, y + item.h - 1, width, 1);
    g.fillRect(scene.left - 1, y, 1, item.h);
    const middle = y + item.h / 2 + 0.5;
    chevron(g, 10, middle, item.open, p.soft);
    g.textAlign = 'left';
    g.fillStyle = p.fg;
    const font = g.font;
    g.font = `600 ${font.replace(/\b11px\b/, '12px')}`;
    const title = cutName(processTitle(processes.name[item.process]), Math.floor((scene.left - 90) / 6.4)) || processTitle(processes.name[item.process]);
    g.fillText(title, 20, middle);
    g.font = font;
    g.fillStyle = p.soft;
    g.textAlign = 'right';
    const kind = processes.kind[item.process];
    const beside = kind === 'host' ? `${formatCount(threadCount(scene.rows, item.process))} threads` : kind === 'tpu' || kind === 'gpu' ? scene.deviceType : '';
    if (kind === 'host' || textWidth(g, beside) + 7.5 * title.length < scene.left - 46) g.fillText(beside, scene.left - 10, middle);
    if (!across) return;
    g.textAlign = 'left';
    const inside = scene.inside(item.process);
    const right = `${severalHosts(scene.rows) ? `${hostOf(scene.rows, item.process)} \u00b7 ` : ''}${formatCount(processes.event_count[item.process])} events, ${formatCount(inside)} in view`;
    const sentence = scene.sentence(item.process);
    g.textAlign = 'right';
    g.fillText(right, width - 12, middle);
    g.textAlign = 'left';
    const room = width - scene.left - 40 - textWidth(g, right);
    const text = cutName(sentence, Math.floor(room / 6));
    g.fillText(text, scene.left + 8, middle);
    // What leads to the list of gaps looks as what leads somewhere does.
    const idle = kind === 'host' ? null : /idle [^;\u2026]+/.exec(text);
    if (!idle) return;
    g.fillStyle = p.accent;
    g.fillText(idle[0], scene.left + 8 + g.measureText(text.slice(0, idle.index)).width, middle);
  }

  /** One of several hosts: its name, and where it stands on the axis and by what. */
  private host(g: CanvasRenderingContext2D, item: Item, y: number, width: number, scene: Scene, p: Palette): void {
    const { processes, hosts } = scene.rows;
    const host = processes.host[item.process];
    g.fillStyle = p.rule;
    g.fillRect(0, y, width, item.h);
    const middle = y + item.h / 2 + 0.5;
    chevron(g, 10, middle, item.open, p.soft);
    const font = g.font;
    g.font = `600 ${font.replace(/\b11px\b/, '12px')}`;
    g.fillStyle = p.fg;
    g.textAlign = 'left';
    g.fillText(cutName(hosts[host].name, Math.floor((scene.left - 30) / 6.6)), 20, middle);
    g.font = font;
    const own = processes.host.map((_, k) => k).filter((k) => processes.host[k] === host);
    const events = own.reduce((sum, k) => sum + processes.event_count[k], 0);
    const right = `${formatCount(events)} events, ${formatCount(own.length)} ${own.length === 1 ? 'process' : 'processes'}`;
    g.textAlign = 'right';
    g.fillText(right, width - 12, middle);
    g.textAlign = 'left';
    g.fillText(cutName(hosts[host].said ?? '', Math.floor((width - scene.left - 40 - textWidth(g, right)) / 6)), scene.left + 8, middle);
  }

  private others(g: CanvasRenderingContext2D, item: Item, y: number, width: number, scene: Scene, p: Palette): void {
    this.column(g, y, item.h, scene, p);
    const middle = y + item.h / 2 + 0.5;
    chevron(g, 10, middle, item.open, p.soft);
    g.fillStyle = p.soft;
    g.textAlign = 'left';
    g.fillText('Other threads', 22, middle);
    const idle = `${formatCount(item.idle)} idle`;
    g.fillText(item.more ? `${formatCount(item.more)} more threads with events in view, ${idle}` : idle, scene.left + 8, middle);
    void width;
  }

  private rowLabel(g: CanvasRenderingContext2D, item: Item, y: number, width: number, scene: Scene, p: Palette): void {
    const r = scene.rows.rows;
    this.column(g, y, item.h, scene, p);
    g.fillStyle = p.rule;
    g.globalAlpha = 0.6;
    g.fillRect(0, y + item.h - 1, width, 1);
    g.globalAlpha = 1;
    const middle = y + 2 + (Math.min(item.lane, LANE) - 1) / 2 + 0.5;
    dot(g, 25, middle, Boolean(r.derived[item.at]), p);
    const [title, number] = rowTitle(scene.rows, item.at);
    const cut = Boolean(r.cut[item.at]);
    if (item.deeper > 0) {
      g.textAlign = 'left';
      g.fillStyle = p.soft;
      g.fillText(`+${formatCount(item.deeper)} deeper`, 34, middle + LANE);
    }
    const counter = scene.boxesOf(item.row)?.counter;
    const side = cut ? 'truncated' : counter ? '' : number || (item.lanes > 1 && r.derived[item.at] ? `${item.lanes} lanes` : '');
    g.textAlign = 'right';
    g.fillStyle = cut ? p.warn : p.soft;
    const beside = side ? textWidth(g, side) + 8 : 0;
    // The name comes first: how many lanes it has is seen; the number of a thread tells it from others of its name.
    const fits = side === number || cut || textWidth(g, title) + beside <= scene.left - 46;
    if (fits) g.fillText(side, scene.left - 10, middle);
    const wide = counter ? drawScale(g, counter, y, item.h, scene.left, p) : fits ? beside : 0;
    g.textAlign = 'left';
    if (counter?.capacity && item.h >= 30) g.fillText(`of ${formatBytes(counter.capacity, { unit: 'own' })}`, 34, middle + 14);
    g.fillStyle = p.fg;
    const per = textWidth(g, ALPHABET) / ALPHABET.length;
    g.fillText(cutName(title, Math.floor((scene.left - 46 - wide) / per)) || title.slice(0, 3), 34, middle);
  }

  private pinned(g: CanvasRenderingContext2D, width: number, scene: Scene, p: Palette, ratio: number): void {
    const { layout } = scene;
    for (const item of layout.pinned) this.overlay(g, item, item.y, scene, p, ratio, width);
    this.write(g, p, true);
    for (const item of layout.pinned) this.rowLabel(g, item, item.y, width, scene, p);
    g.fillStyle = p.ruleStrong;
    g.fillRect(0, layout.pinnedHeight - 1, width, 1);
  }
}

/** Source lines by their file's name: the folders are in the tip. */
function wordsOf(caption: string, kind: string, event: number): string {
  return kind === 'source' && caption ? caption.slice(caption.lastIndexOf('/') + 1) : eventName(caption, event);
}

export function visible(items: readonly Item[], top: number, height: number): Item[] {
  const out: Item[] = [];
  for (let k = firstBelow(items, top); k < items.length && items[k].y < top + height; k++) out.push(items[k]);
  return out;
}

function chevron(g: CanvasRenderingContext2D, x: number, y: number, open: boolean, colour: string): void {
  g.strokeStyle = colour;
  g.lineWidth = 1.4;
  g.beginPath();
  if (open) {
    g.moveTo(x - 4, y - 2);
    g.lineTo(x, y + 2);
    g.lineTo(x + 4, y - 2);
  } else {
    g.moveTo(x - 2, y - 4);
    g.lineTo(x + 2, y);
    g.lineTo(x - 2, y + 4);
  }
  g.stroke();
}

/** Filled: measured. A ring: derived. */
export function dot(g: CanvasRenderingContext2D, x: number, y: number, ring: boolean, p: Palette): void {
  g.beginPath();
  g.arc(x, y, 2.6, 0, Math.PI * 2);
  if (ring) {
    g.strokeStyle = p.soft;
    g.lineWidth = 1.2;
    g.stroke();
  } else {
    g.fillStyle = p.soft;
    g.fill();
  }
}

/** Groups met, those first that cover most: where the legend has no room for all, it keeps these. */
export function legendGroups(cover: ArrayLike<number>): string[] {
  const of = (group: string) => cover[groupIndex(group)];
  return GROUPS.filter((group) => of(group) > 0).sort((a, b) => of(b) - of(a));
}
