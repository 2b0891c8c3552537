/** Draws a laid-out scene, in the picture's own pixels; the caller has set zoom and place. */
import { cssColor } from '../app/theme';
import { variableOfGroup } from '../trace/palette';
import { chipBox, type Drawing, pointOn } from './drawing';
import type { Box } from './layout';
import type { Pen } from './pen';
import { type Chip, type Face, headerHeight, LINE, type SceneEdge, type SceneNode } from './scene';

export interface Look {
  /** Pixels on screen per pixel of the picture. */
  zoom: number;
  /** What is on screen, in the picture's pixels. */
  view: Box;
  selected: ReadonlySet<number>;
  main: number;
  hover: number;
  /** Found by the search within the drawing. */
  found: ReadonlySet<number>;
  /** Nodes on the path between two instructions. */
  path: ReadonlySet<number>;
  /** Colour of a node's stripe. */
  stripe: (k: number) => string;
}

let fonts: Record<Face, string> | null = null;
export function fontOf(face: Face): string {
  if (!fonts) {
    const sans = cssColor('--font') || 'sans-serif';
    const mono = cssColor('--mono') || 'monospace';
    fonts = { name: `600 12px ${mono}`, bold: `600 12px ${sans}`, text: `12px ${sans}`, mono: `11px ${mono}`, chip: `11px ${sans}` };
  }
  return fonts[face];
}

/** Texts smaller than this on screen are not drawn: they would be unreadable. */
const READABLE = 5.5;

const colour = (name: string) => cssColor(name);
const overlaps = (a: Box, b: Box) => a.x < b.x + b.width && a.x + a.width > b.x && a.y < b.y + b.height && a.y + a.height > b.y;

function text(g: Pen, face: Face, words: string, x: number, y: number, ink: string, align: CanvasTextAlign = 'left'): void {
  if (!words) return;
  g.font = fontOf(face);
  g.fillStyle = ink;
  g.textAlign = align;
  g.textBaseline = 'alphabetic';
  g.fillText(words, x, y);
}

function frame(g: Pen, box: Box, radius: number, fill: string, line: string, width: number): void {
  g.beginPath();
  g.roundRect(box.x, box.y, box.width, box.height, radius);
  g.fillStyle = fill;
  g.fill();
  g.strokeStyle = line;
  g.lineWidth = width;
  g.stroke();
}

function drawTexts(g: Pen, node: SceneNode, box: Box, look: Look): void {
  const left = box.x + 11;
  const right = box.x + box.width - 9;
  let y = box.y + 15;
  const soft = colour('--fg-soft');
  text(g, 'name', node.title, left, y, colour('--fg'));
  let end = right;
  if (node.time) {
    text(g, 'bold', node.time, right, y, colour('--fg'), 'right');
    end -= 8 + node.time.length * 6.6;
  }
  if (node.root) text(g, 'chip', 'ROOT', end, y, soft, 'right');
  else if (node.collective) text(g, 'chip', node.collective, end, y, colour('--bad'), 'right');
  if (look.zoom * 11 < READABLE + 1) return;
  if (node.sub) {
    y += LINE;
    text(g, 'text', node.sub, left, y, soft);
  }
  y += LINE;
  text(g, 'mono', node.shape, left, y, soft);
  text(g, 'text', node.size, right, y, soft, 'right');
  for (const line of node.lines) {
    y += LINE;
    text(g, 'mono', line, left, y, colour('--fg-faint'));
  }
}

function drawNode(g: Pen, d: Drawing, k: number, look: Look): void {
  const node = d.scene.nodes[k];
  const box = d.boxes[k];
  const main = k === look.main;
  const selected = main || look.selected.has(k);
  const found = look.found.has(k);
  const line = selected ? '--accent' : found ? '--hit' : look.path.has(k) ? '--accent' : look.hover === k ? '--fg-faint' : '--rule-strong';
  frame(
    g,
    box,
    3,
    colour(found ? '--warn-soft' : selected ? '--accent-soft' : '--bg-raised'),
    colour(line),
    (selected ? 1.8 : found || look.path.has(k) ? 1.6 : 1) / Math.min(1, Math.max(look.zoom, 0.4)),
  );
  g.beginPath();
  g.rect(box.x, box.y + 1, 4, box.height - 2);
  g.fillStyle = look.stripe(k);
  g.fill();
  if (node.share > 0) {
    g.beginPath();
    g.rect(box.x + 4, box.y + box.height - 2.5, Math.max(1, (box.width - 5) * node.share), 2);
    g.fill();
  }
  if (node.unknown) text(g, 'bold', '?', box.x + 5, box.y + box.height - 6, colour('--warn'));
  if (look.zoom * 12 >= READABLE) drawTexts(g, node, box, look);
}

function drawCluster(g: Pen, d: Drawing, c: number, look: Look): void {
  const cluster = d.scene.clusters[c];
  const box = d.clusters[c];
  const { owner } = cluster;
  const selected = owner >= 0 && (owner === look.main || look.selected.has(owner));
  const ink = selected ? colour('--accent') : look.found.has(owner) ? colour('--hit') : owner >= 0 ? look.stripe(owner) : colour('--rule-strong');
  frame(g, box, 4, colour('--bg'), ink, (selected ? 2 : 1.2) / Math.min(1, Math.max(look.zoom, 0.4)));
  g.beginPath();
  g.rect(box.x + 1, box.y + 1, box.width - 2, headerHeight - 1);
  g.fillStyle = selected ? colour('--accent-soft') : colour('--bg-sunk');
  g.fill();
}

function drawHeader(g: Pen, d: Drawing, c: number): void {
  const cluster = d.scene.clusters[c];
  const box = d.clusters[c];
  const y = box.y + 16;
  text(g, 'bold', '▾', box.x + 10, y, colour('--fg-soft'));
  text(g, 'name', cluster.title, box.x + 26, y, colour('--fg'));
  text(g, 'mono', cluster.words, box.x + 26 + cluster.title.length * 7.4 + 10, y, colour('--fg-soft'));
  text(g, 'bold', cluster.side, box.x + box.width - 10, y, colour('--fg'), 'right');
}

const WIDTHS = [1, 1.8, 2.8];

function drawHead(g: Pen, path: readonly number[], ink: string, hollow: boolean, width: number): void {
  const [x, y] = [path[path.length - 2], path[path.length - 1]];
  const [bx, by] = pointOn(path, true, 8 + width);
  const length = Math.hypot(x - bx, y - by) || 1;
  const nx = ((y - by) / length) * (3.2 + width * 0.5);
  const ny = (-(x - bx) / length) * (3.2 + width * 0.5);
  g.beginPath();
  g.moveTo(x, y);
  g.lineTo(bx + nx, by + ny);
  g.lineTo(bx - nx, by - ny);
  g.closePath();
  g.fillStyle = hollow ? colour('--bg') : ink;
  g.fill();
  g.lineWidth = 1;
  g.strokeStyle = ink;
  g.stroke();
}

/** The selected op has an end of the arrow; of an opened one, what is in it has, when the other end is outside. */
function touches(d: Drawing, edge: SceneEdge, look: Look): boolean {
  const { nodes, clusters } = d.scene;
  const on = (k: number) => k === look.main || k === look.hover || look.selected.has(k);
  const owner = (k: number) => {
    for (let at = nodes[k].cluster; at >= 0; at = clusters[at].parent) if (clusters[at].owner >= 0 && on(clusters[at].owner)) return clusters[at].owner;
    return -1;
  };
  if ((edge.from >= 0 && on(edge.from)) || (edge.to >= 0 && on(edge.to))) return true;
  const a = edge.from >= 0 ? owner(edge.from) : -1;
  const b = edge.to >= 0 ? owner(edge.to) : -1;
  return a !== b;
}

function onPath(edge: SceneEdge, look: Look): boolean {
  return look.path.has(edge.from) && look.path.has(edge.to);
}

function drawEdge(g: Pen, path: readonly number[], edge: SceneEdge, look: Look, dark: boolean): void {
  if (path.length < 4) return;
  const ink = colour(onPath(edge, look) ? '--accent' : dark ? '--fg-soft' : '--rule-strong');
  const width = edge.kind === 'control' ? 1 : WIDTHS[edge.weight];
  g.beginPath();
  g.moveTo(path[0], path[1]);
  for (let i = 2; i + 5 < path.length; i += 6) g.bezierCurveTo(path[i], path[i + 1], path[i + 2], path[i + 3], path[i + 4], path[i + 5]);
  g.strokeStyle = ink;
  g.lineWidth = width;
  g.setLineDash(edge.kind === 'stub' ? [4, 4] : edge.kind === 'control' ? [2, 3] : edge.kind === 'body' ? [8, 4] : []);
  g.stroke();
  g.setLineDash([]);
  drawHead(g, path, ink, edge.small, width);
  if (look.zoom * 11 < READABLE) return;
  if (edge.operand >= 0 && edge.kind === 'operand') {
    const [x, y] = pointOn(path, true, 17);
    text(g, 'chip', String(edge.operand), x + 6, y + 3, colour(dark ? '--fg-soft' : '--fg-faint'));
  }
  if (edge.tuple >= 0) {
    const [x, y] = pointOn(path, false, 11);
    text(g, 'chip', `.${edge.tuple}`, x + 4, y + 3, colour('--fg-faint'));
  }
}

function drawChip(g: Pen, box: Box, chip: Chip, top: boolean, zoom: number): void {
  const at = chipBox(box, chip, top);
  frame(g, at, at.height / 2, colour('--bg-raised'), colour('--rule-strong'), 1);
  if (zoom * 11 >= READABLE) text(g, 'chip', chip.text, at.x + at.width / 2, at.y + 11.5, colour('--fg-soft'), 'center');
}

function drawStub(g: Pen, d: Drawing, s: number, zoom: number): void {
  const stub = d.scene.stubs[s];
  const box = d.stubs[s];
  g.setLineDash([3, 3]);
  frame(g, box, box.height / 2, colour('--bg'), colour('--rule-strong'), 1);
  g.setLineDash([]);
  if (zoom * 11 < READABLE) return;
  text(g, 'mono', stub.text, box.x + 11, box.y + 14, colour('--accent'));
  text(g, 'text', `line ${stub.line ?? '?'}`, box.x + box.width - 10, box.y + 14, colour('--fg-soft'), 'right');
}

/** Computations from the outside in. */
function outerFirst(d: Drawing): number[] {
  const depth = (c: number) => {
    let n = 0;
    for (let at = d.scene.clusters[c].parent; at >= 0 && n < 64; at = d.scene.clusters[at].parent) n++;
    return n;
  };
  return d.scene.clusters.map((_, c) => c).sort((a, b) => depth(a) - depth(b));
}

export function drawScene(g: Pen, d: Drawing, look: Look): void {
  const { nodes, edges } = d.scene;
  for (const c of outerFirst(d)) if (overlaps(d.clusters[c], look.view)) drawCluster(g, d, c, look);
  // Those of the selection last: they lie on top.
  const later: number[] = [];
  edges.forEach((edge, e) => {
    if (touches(d, edge, look) || onPath(edge, look)) later.push(e);
    else drawEdge(g, d.paths[e], edge, look, false);
  });
  for (const e of later) drawEdge(g, d.paths[e], edges[e], look, true);
  // Arrows pass through the headers; what these say stays readable.
  if (look.zoom * 12 >= READABLE)
    d.clusters.forEach((box, c) => {
      if (overlaps(box, look.view)) drawHeader(g, d, c);
    });
  nodes.forEach((node, k) => {
    if (node.body < 0 && overlaps(d.boxes[k], look.view)) drawNode(g, d, k, look);
  });
  d.stubs.forEach((box, s) => {
    if (overlaps(box, look.view)) drawStub(g, d, s, look.zoom);
  });
  nodes.forEach((node, k) => {
    if (node.top) drawChip(g, d.boxes[k], node.top, true, look.zoom);
    if (node.bottom) drawChip(g, d.boxes[k], node.bottom, false, look.zoom);
  });
}

/** Before the first layout: outlines in program order. */
export function drawOutlines(g: Pen, sizes: readonly { width: number; height: number }[], width: number): void {
  let x = 24;
  let y = 30;
  let row = 0;
  for (const size of sizes) {
    if (x > 24 && x + size.width > width - 24) {
      x = 24;
      y += row + 26;
      row = 0;
    }
    frame(g, { x, y, width: size.width, height: size.height }, 3, colour('--bg-sunk'), colour('--rule'), 1);
    x += size.width + 22;
    row = Math.max(row, size.height);
  }
}

/** Small boxes for the overview in the corner. */
export function drawMini(g: Pen, d: Drawing, look: Look, x: number, y: number, scale: number): void {
  for (const c of outerFirst(d)) {
    const box = d.clusters[c];
    frame(
      g,
      { x: x + box.x * scale, y: y + box.y * scale, width: box.width * scale, height: box.height * scale },
      0,
      colour('--bg'),
      colour('--rule-strong'),
      1,
    );
  }
  d.scene.nodes.forEach((node, k) => {
    if (node.body >= 0) return;
    const box = d.boxes[k];
    g.beginPath();
    g.rect(x + box.x * scale, y + box.y * scale, Math.max(1.5, box.width * scale), Math.max(1.5, box.height * scale));
    g.fillStyle = k === look.main ? colour('--accent') : look.stripe(k);
    g.fill();
  });
}

export function stripeOfGroup(group: string): string {
  return colour(variableOfGroup(group));
}
