/** One flat graph through Graphviz' dot: what it is asked, and its answer read back. */
import type { Viz } from '@viz-js/viz';
import type { FlatEdge, FlatItem, FlatResult } from './layout';

const PORT = 4;

/** A row of the table that stands for a box with ports: spaces, and cells of 4 pixels that arrows attach to. */
function portRow(at: readonly number[], width: number, letter: string): string {
  const order = at.map((_, k) => k).sort((a, b) => at[a] - at[b]);
  let cursor = 0;
  let row = '';
  const cell = (size: number, port: string) => {
    row += `<td fixedsize="true" width="${size}" height="1"${port}></td>`;
    cursor += size;
  };
  for (const k of order) {
    const space = Math.round(at[k] - PORT / 2 - cursor);
    if (space > 0) cell(space, '');
    cell(PORT, ` port="${letter}${k}"`);
  }
  if (width - cursor > 0.5) cell(Math.round(width - cursor), '');
  return `<table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr>${row}</tr></table>`;
}

function labelOf(item: FlatItem): { html: string } {
  const width = Math.round(item.width);
  return {
    html: `<table border="0" cellborder="0" cellspacing="0" cellpadding="0"><tr><td>${portRow(item.top, width, 't')}</td></tr><tr><td fixedsize="true" width="${width}" height="${Math.round(item.height) - 2}"></td></tr><tr><td>${portRow(item.bottom, width, 'b')}</td></tr></table>`,
  };
}

function attributesOf(item: FlatItem): Record<string, string | number | boolean | { html: string }> {
  if (item.top.length || item.bottom.length) return { shape: 'plain', fixedsize: false, width: 0, height: 0, label: labelOf(item) };
  return { width: item.width / 72, height: item.height / 72 };
}

/** "e,x,y x,y x,y ..." as numbers, with the arrow's tip at the end. */
function pathOf(pos: string, height: number): number[] {
  const points: number[] = [];
  let tip: number[] = [];
  for (const part of pos.split(';')[0].split(' ')) {
    const numbers = part.split(',');
    if (numbers[0] === 'e') tip = [Number(numbers[1]), height - Number(numbers[2])];
    else if (numbers[0] !== 's') points.push(Number(numbers[0]), height - Number(numbers[1]));
  }
  const n = points.length;
  if (tip.length && n >= 2)
    points.push((2 * points[n - 2] + tip[0]) / 3, (2 * points[n - 1] + tip[1]) / 3, (points[n - 2] + 2 * tip[0]) / 3, (points[n - 1] + 2 * tip[1]) / 3, ...tip);
  return points;
}

interface Answer {
  bb?: string;
  objects?: { name: string; pos?: string }[];
  edges?: { tag: string; pos?: string }[];
}

export function withViz(viz: Viz, items: FlatItem[], edges: FlatEdge[]): FlatResult {
  if (!items.length) return { width: 0, height: 0, x: [], y: [], paths: edges.map(() => []) };
  const ranks = (['min', 'max'] as const).map((rank) => ({
    graphAttributes: { rank: rank === 'min' ? 'source' : 'sink' },
    nodes: items.flatMap((item, k) => (item.rank === rank ? [{ name: `n${k}` }] : [])),
  }));
  const many = items.length > 120;
  const result = viz.render(
    {
      directed: true,
      strict: false,
      graphAttributes: {
        nodesep: 0.26,
        ranksep: 0.38,
        pad: 0,
        ...(many ? { nslimit: 1, nslimit1: 2, mclimit: 0.6, splines: items.length > 220 ? 'polyline' : 'true' } : {}),
      },
      nodeAttributes: { shape: 'box', fixedsize: true, label: '' },
      edgeAttributes: { arrowsize: 0.7 },
      nodes: items.map((item, k) => ({ name: `n${k}`, attributes: attributesOf(item) })),
      edges: edges.map((edge, k) => ({
        tail: `n${edge.from}`,
        head: `n${edge.to}`,
        attributes: {
          tag: String(k),
          ...(edge.fromPort >= 0 ? { tailport: `b${edge.fromPort}:s` } : {}),
          ...(edge.toPort >= 0 ? { headport: `t${edge.toPort}:n` } : {}),
        },
      })),
      subgraphs: ranks.filter((rank) => rank.nodes.length),
    },
    { engine: 'dot', format: 'json0', yInvert: false },
  );
  if (result.status !== 'success') throw new Error(result.errors.map((error) => error.message).join('; '));
  const answer = JSON.parse(result.output) as Answer;
  const [, , width, height] = (answer.bb ?? '0,0,0,0').split(',').map(Number);
  const x = new Array<number>(items.length).fill(0);
  const y = new Array<number>(items.length).fill(0);
  for (const object of answer.objects ?? []) {
    const at = /^n(\d+)$/.exec(object.name);
    if (!at || !object.pos) continue;
    const [px, py] = object.pos.split(',').map(Number);
    x[Number(at[1])] = px;
    y[Number(at[1])] = height - py;
  }
  const paths: number[][] = edges.map(() => []);
  for (const edge of answer.edges ?? []) if (edge.pos) paths[Number(edge.tag)] = pathOf(edge.pos, height);
  return { width, height, x, y, paths };
}
