/** What is held at the inspected step, by scope, source line or class: an icicle whose widths are bytes. */
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Tree } from '../api/types';
import { cssColor } from '../app/theme';
import { fitText } from '../canvas/text';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { baseTables } from './baseline';
import { FilterChips } from './chips';
import { Choice } from './buffers';
import { Delta } from './delta';
import { GROUP_WORDS, fillColour, inkColour } from './colours';
import { Drawing, hatch } from './drawing';
import { groupVariable } from './group_colour';
import { filterOf, type IcicleBox, insideScope, layoutIcicle, pathOf, treeGroup, treeName } from './icicle';
import { change, inspected, scopeFilter } from './state';
import { clearFilters, tree, treeBy, treeFolded, twin } from './views';
import { Exports } from './tab_exports';
import { TipBox } from './tip';
import { Later } from '../ui/later';

const ROW = 20;
export const TITLES: Record<string, string> = { scope: 'scope', source: 'source line', class: 'class' };

export function ScopeTab({ head = true }: { head?: boolean }) {
  const t = tree.value;
  return (
    <div class="m-scope">
      <div class="m-controls">
        {head ? <b>By {TITLES[treeBy.value]}</b> : null}
        <span class="soft cut">width = bytes at step {formatCount(inspected.value)}; click to filter every chart and table</span>
        <span class="m-grow" />
        <FilterChips />
        {treeBy.value === 'scope' ? (
          <button
            type="button"
            class={`btn-s${treeFolded.value ? ' on' : ''}`}
            aria-pressed={treeFolded.value}
            title="show layer_0 to layer_5 as layer_* × 6, summed"
            onClick={() => change({ layers: treeFolded.peek() ? 'each' : null })}
          >
            fold layers
          </button>
        ) : null}
        <Choice label="by" value={treeBy.value} options={['scope', 'source', 'class']} titles={TITLES} onChange={(by) => change({ treeby: by === 'scope' ? null : by })} />
        {head ? <Exports id="scope" picture={false} /> : null}
      </div>
      {!t ? <div class="m-note" aria-busy="true" /> : t.total_bytes === 0 ? <p class="m-note">nothing is live here</p> : twin.value ? <Later part="TreeTwin" t={t} /> : <Icicle t={t} />}
    </div>
  );
}

function Icicle({ t }: { t: Tree }) {
  const boxes = useRef<IcicleBox[]>([]);
  const [at, setAt] = useState<{ box: IcicleBox; x: number; y: number } | null>(null);
  const scope = treeBy.value === 'scope' ? scopeFilter.value : '';
  const depth = useMemo(() => t.depth.reduce((most, d) => Math.max(most, d), 0), [t]);
  const find = (x: number, y: number): IcicleBox | null => {
    const row = Math.floor(y / ROW);
    let best: IcicleBox | null = null;
    for (const box of boxes.current) if (box.depth === row && x >= box.x - 1 && x <= box.x + Math.max(box.width, 2)) best = box;
    return best;
  };
  return (
    <div class="m-icicle">
      <div class="m-icicle-sized" style={{ height: `${(depth + 1) * ROW + 2}px` }}>
        <Drawing
          class="m-icicle-canvas"
          picture="by scope"
          label={`${formatBytes(t.total_bytes)} by ${TITLES[treeBy.value]}, ${plural(t.n, 'part')}; T shows a table`}
          draw={(g, width) => {
            boxes.current = layoutIcicle(t, width);
            const inside = insideScope(t, scope);
            for (const box of boxes.current) {
              g.globalAlpha = inside && !inside[box.node] ? 0.3 : 1;
              drawBox(g, t, box, at?.box.node === box.node);
            }
            g.globalAlpha = 1;
          }}
          onMove={(x, y, event) => {
            const box = find(x, y);
            setAt(box ? { box, x: event.clientX, y: event.clientY } : null);
          }}
          onLeave={() => setAt(null)}
          onClick={(x, y) => {
            const box = find(x, y);
            if (!box) return;
            const next = filterOf(treeBy.peek(), pathOf(t, box.joined > 1 ? t.parent[box.node] : box.node));
            if (Object.values(next).every((value) => value === null)) clearFilters();
            else change(next);
          }}
        />
      </div>
      {at ? <Tip t={t} box={at.box} x={at.x} y={at.y} /> : null}
    </div>
  );
}

function drawBox(g: CanvasRenderingContext2D, t: Tree, box: IcicleBox, hovered: boolean): void {
  const group = box.joined > 1 ? '' : treeGroup(t, box.node);
  const variable = group ? groupVariable(group) : '';
  const y = box.depth * ROW + 1;
  const w = Math.max(box.width - 1, 1);
  g.fillStyle = variable ? fillColour(variable) : cssColor('--bg-sunk');
  g.fillRect(box.x, y, w, ROW - 1);
  const padding = box.joined > 1 ? 0 : Math.max(0, t.padding_bytes[box.node] ?? 0);
  if (padding > box.bytes * 0.02) {
    const part = (padding / box.bytes) * w;
    hatch(g, box.x + w - part, y, part, ROW - 1, variable ? 'rgb(255 255 255 / 50%)' : `color-mix(in srgb, ${cssColor('--m-pad')} 40%, transparent)`);
  }
  if (!variable || hovered) {
    g.strokeStyle = cssColor(hovered ? '--fg' : '--rule');
    g.lineWidth = 1;
    g.strokeRect(box.x + 0.5, y + 0.5, w - 1, ROW - 2);
  }
  if (w < 26) return;
  g.font = `12px ${cssColor('--font')}`;
  g.textBaseline = 'middle';
  g.fillStyle = variable ? inkColour(variable) : cssColor('--fg');
  const name = box.depth === 0 ? `all at step ${formatCount(inspected.peek())}` : box.joined > 1 ? `${formatCount(box.joined)} small` : treeName(t, box.node);
  const bytes = formatBytes(box.bytes, box.depth === 0 ? {} : { withUnit: false });
  const text = fitText(g, box.joined > 1 ? [name, formatCount(box.joined)] : [`${name}  ${bytes}`, name], w - 10);
  if (!variable) {
    // Words stay legible on the hatch.
    g.strokeStyle = cssColor('--bg-sunk');
    g.lineWidth = 3;
    g.strokeText(text, box.x + 5, y + ROW / 2);
  }
  g.fillText(text, box.x + 5, y + ROW / 2);
}

function Tip({ t, box, x, y }: { t: Tree; box: IcicleBox; x: number; y: number }) {
  const padding = t.padding_bytes[box.node] ?? 0;
  const group = treeGroup(t, box.node);
  return (
    <TipBox x={x} y={y}>
      <div class="m-hover-head">{box.depth === 0 ? 'everything held' : box.joined > 1 ? `${formatCount(box.joined)} parts too narrow to draw` : pathOf(t, box.node).join(' / ')}</div>
      <div>
        {formatBytes(box.bytes)}, {formatPercent(box.bytes / t.total_bytes, 1)}, {exactBytes(box.bytes)}
      </div>
      {box.joined > 1 ? null : (
        <div>
          {plural(t.count[box.node], 'buffer')}
          {padding > 0 ? `, padding ${formatBytes(padding, { unit: 'own' })}` : ''}
          {group ? `, ${GROUP_WORDS[group] ?? group}` : ', several op groups'}
        </div>
      )}
      {box.joined > 1 ? null : (
        <div>
          <Delta before={baseTables.value?.part(pathOf(t, box.node))} after={box.bytes} percent />
        </div>
      )}
    </TipBox>
  );
}
