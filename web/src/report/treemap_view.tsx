/** What is held at A by scope, source line or class, as a treemap: areas are bytes, a click goes inside. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { apiUrl } from '../api/client';
import type { Tree } from '../api/types';
import { cssColor } from '../app/theme';
import { view } from '../app/router';
import { fitText } from '../canvas/text';
import { Choice } from '../memory/buffers';
import { fillColour, GROUP_WORDS, hashName, inkColour } from '../charts/colours';
import { Drawing } from '../charts/drawing';
import { csvText, fileName, saveText } from '../app/exports';
import { groupVariable } from '../memory/group_colour';
import { pathOf, treeGroup, treeName } from '../memory/icicle';
import { change, inspected } from '../memory/state';
import { TipBox } from '../charts/tip';
import { treeRows } from '../memory/tree_rows';
import { tree, treeBy, treeFolded, treeParams } from '../memory/lower_state';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { boxAt, childrenOf, HEAD, layoutTreemap, type TreeBox } from './treemap';
import { Switch } from './switch';

const BY: Record<string, string> = { scope: 'scope', source: 'source line', class: 'class' };
const SEPARATOR = '\u203a';

/** The node that the address names, or the root of all when there is none of that path here. */
export function nodeOf(t: Tree, path: readonly string[]): number {
  const children = childrenOf(t);
  let at = 0;
  for (const part of path) {
    const next = children[at]?.find((node) => t.names[t.name[node]] === part);
    if (next === undefined) return 0;
    at = next;
  }
  return at;
}

const pathAsked = () => (view.value.troot ?? '').split(SEPARATOR).filter(Boolean);

export function TreemapControls() {
  const icicle = view.value.tshape === 'icicle';
  return (
    <>
      <Switch
        label="shape of the tree"
        value={icicle ? 'icicle' : 'treemap'}
        choices={[
          { id: 'treemap', text: 'treemap' },
          { id: 'icicle', text: 'icicle' },
        ]}
        onChange={(shape) => change({ tshape: shape === 'treemap' ? null : shape })}
      />
      {icicle ? null : (
        <>
          <Choice
            label="by"
            value={treeBy.value}
            options={Object.keys(BY)}
            titles={BY}
            onChange={(by) => change({ treeby: by === 'scope' ? null : by, troot: null })}
          />
          {treeBy.value === 'scope' ? (
            <button
              type="button"
              class={`btn-s${treeFolded.value ? ' on' : ''}`}
              aria-pressed={treeFolded.value}
              title="show layer_0 to layer_5 as layer_* × 6, summed"
              onClick={() => change({ layers: treeFolded.peek() ? 'each' : null, troot: null })}
            >
              fold layers
            </button>
          ) : null}
        </>
      )}
    </>
  );
}

export function Treemap() {
  const t = tree.value;
  if (!t) return <div class="m-note" aria-busy="true" />;
  if (t.total_bytes === 0) return <p class="m-note">Nothing is live at this step.</p>;
  return <Drawn t={t} />;
}

/** Where it is in the tree, with the way back up, and its numbers to save. */
function Way({ t, way, root, go }: { t: Tree; way: string[]; root: number; go: (path: readonly string[]) => void }) {
  const save = () => saveText(csvText(['part', 'bytes', 'padding_bytes', 'buffers', 'group'], treeRows(t)), fileName(`report.${treeBy.peek()}`, 'csv'));
  return (
    <div class="r-way">
      <button type="button" class="link" disabled={way.length === 0} onClick={() => go([])}>
        all at step {formatCount(inspected.value)}
      </button>
      {way.map((part, k) => (
        <span key={`${k} ${part}`}>
          {' '}
          {SEPARATOR}{' '}
          <button type="button" class="link" disabled={k === way.length - 1} onClick={() => go(way.slice(0, k + 1))}>
            {part}
          </button>
        </span>
      ))}
      <b>{formatBytes(t.size_bytes[root])}</b>
      <span class="soft">{plural(t.count[root], 'buffer')}; area = bytes; click to go inside</span>
      <span class="m-grow" />
      <button type="button" class="btn-s" onClick={save}>
        CSV
      </button>
      <a class="btn-s" href={apiUrl('memory/tree', treeParams.value)} download={fileName(`report.${treeBy.value}`, 'json')}>
        JSON
      </a>
    </div>
  );
}

function Drawn({ t }: { t: Tree }) {
  const boxes = useRef<TreeBox[]>([]);
  const [at, setAt] = useState<{ box: TreeBox; x: number; y: number } | null>(null);
  const root = nodeOf(t, pathAsked());
  const way = useMemo(() => pathOf(t, root), [t, root]);
  const go = (path: readonly string[]) => change({ troot: path.join(SEPARATOR) });
  return (
    <div class="r-treemap">
      <Way t={t} way={way} root={root} go={go} />
      <Drawing
        class="r-treemap-canvas"
        picture="treemap"
        tabIndex={0}
        label={`${formatBytes(t.size_bytes[root])} by ${BY[treeBy.value]}${way.length ? ` in ${way.join('/')}` : ''}: ${plural(childrenOf(t)[root].length, 'part')}; CSV has all`}
        draw={(g, width, height) => {
          boxes.current = layoutTreemap(t, root, width, height);
          for (const box of boxes.current) drawBox(g, t, box, at?.box.node === box.node, way);
        }}
        onMove={(x, y, event) => {
          const box = boxAt(boxes.current, x, y);
          setAt(box ? { box, x: event.clientX, y: event.clientY } : null);
        }}
        onLeave={() => setAt(null)}
        onClick={(x, y) => {
          const box = boxAt(boxes.current, x, y);
          if (!box || box.node === root) {
            if (way.length > 0) go(way.slice(0, -1));
            return;
          }
          const children = childrenOf(t);
          const into = children[box.node].length > 0 ? box.node : t.parent[box.node];
          if (into !== root) go(pathOf(t, into));
        }}
      />
      {at ? <Tip t={t} node={at.box.node} root={root} x={at.x} y={at.y} /> : null}
    </div>
  );
}

const WHEEL = ['--o-matmul', '--o-elem', '--o-reduce', '--o-move', '--o-coll', '--o-host', '--o-custom', '--o-control'];

/** A part of one op group has its colour; mixed ones that are not opened take one of their name. */
function variableFor(t: Tree, box: TreeBox): string {
  const group = treeGroup(t, box.node);
  if (group) return groupVariable(group);
  return box.opened ? '' : WHEEL[hashName(t.names[t.name[box.node]] ?? '') % WHEEL.length];
}

function drawBox(g: CanvasRenderingContext2D, t: Tree, box: TreeBox, hovered: boolean, way: readonly string[]): void {
  const variable = variableFor(t, box);
  const w = Math.max(0.5, box.width - 1);
  const h = Math.max(0.5, box.height - 1);
  g.fillStyle = variable ? fillColour(variable) : cssColor(box.depth % 2 ? '--bg' : '--bg-sunk');
  g.globalAlpha = box.opened && variable ? 0.45 : 1;
  g.fillRect(box.x, box.y, w, h);
  g.globalAlpha = 1;
  if (hovered || (!variable && w > 4)) {
    g.strokeStyle = cssColor(hovered ? '--fg' : '--rule-strong');
    g.lineWidth = hovered ? 1.5 : 1;
    g.strokeRect(box.x + 0.5, box.y + 0.5, Math.max(0, w - 1), Math.max(0, h - 1));
  }
  if (w < 28 || h < 13) return;
  g.font = `${box.depth === 0 ? '600 ' : ''}11px ${cssColor('--font')}`;
  g.textBaseline = 'middle';
  g.textAlign = 'left';
  g.fillStyle = variable && !box.opened ? inkColour(variable) : cssColor('--fg');
  const name = box.depth === 0 ? (way[way.length - 1] ?? 'all') : treeName(t, box.node);
  const bytes = formatBytes(t.size_bytes[box.node], { withUnit: false });
  const text = fitText(g, [`${name}  ${bytes}`, name], w - 8);
  if (text) g.fillText(text, box.x + 4, box.y + HEAD / 2 + 0.5);
}

function Tip({ t, node, root, x, y }: { t: Tree; node: number; root: number; x: number; y: number }) {
  const padding = t.padding_bytes[node] ?? 0;
  const group = treeGroup(t, node);
  return (
    <TipBox x={x} y={y}>
      <div class="m-hover-head">{pathOf(t, node).join(' / ') || 'everything held'}</div>
      <div>
        {formatBytes(t.size_bytes[node])}, {formatPercent(t.size_bytes[node] / t.size_bytes[0], 1)} of all
        {root !== 0 && t.size_bytes[root] > 0 ? `, ${formatPercent(t.size_bytes[node] / t.size_bytes[root], 1)} of what is shown` : ''},{' '}
        {exactBytes(t.size_bytes[node])}
      </div>
      <div>
        {plural(t.count[node], 'buffer')}
        {padding > 0 ? `, padding ${formatBytes(padding, { unit: 'own' })}` : ''}
        {group ? `, ${GROUP_WORDS[group] ?? group}` : ', several op groups'}
      </div>
    </TipBox>
  );
}
