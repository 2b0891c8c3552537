/** What is held at the inspected step, by scope, source line or class: an icicle whose widths are bytes. */
import { useMemo } from 'preact/hooks';
import type { Tree } from '../api/types';
import type { IcicleBox } from '../canvas/icicle';
import { Icicle } from '../charts/icicle';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { baseTables } from './baseline_state';
import { FilterChips } from './chips';
import { Choice } from './buffers';
import { Delta } from './delta';
import { GROUP_WORDS } from '../charts/colours';
import { groupVariable } from './group_colour';
import { filterOf, insideScope, pathOf, treeGroup, treeName } from './icicle';
import { change, inspected, scopeFilter } from './state';
import { clearFilters, tree, treeBy, treeFolded, twin } from './lower_state';
import { Exports } from './tab_exports';
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
        <Choice
          label="by"
          value={treeBy.value}
          options={['scope', 'source', 'class']}
          titles={TITLES}
          onChange={(by) => change({ treeby: by === 'scope' ? null : by })}
        />
        {head ? <Exports id="scope" picture={false} /> : null}
      </div>
      {!t ? (
        <div class="m-note" aria-busy="true" />
      ) : t.total_bytes === 0 ? (
        <p class="m-note">nothing is live here</p>
      ) : twin.value ? (
        <Later part="TreeTwin" t={t} />
      ) : (
        <Held t={t} />
      )}
    </div>
  );
}

function Held({ t }: { t: Tree }) {
  const scope = treeBy.value === 'scope' ? scopeFilter.value : '';
  const shape = useMemo(() => ({ n: t.n, parent: t.parent, depth: t.depth, size: t.size_bytes }), [t]);
  const inside = useMemo(() => insideScope(t, scope), [t, scope]);
  return (
    <Icicle
      tree={shape}
      row={ROW}
      picture="by scope"
      label={`${formatBytes(t.total_bytes)} by ${TITLES[treeBy.value]}, ${plural(t.n, 'part')}; T shows a table`}
      words={(box) => wordsOf(t, box)}
      colour={(node) => {
        const group = treeGroup(t, node);
        return group ? groupVariable(group) : '';
      }}
      hatched={(box) => (box.joined > 1 ? 0 : Math.max(0, t.padding_bytes[box.node] ?? 0) / box.size)}
      hatchVariable="--m-pad"
      isIn={inside ? (node) => inside[node] : undefined}
      tip={(box) => <Tip t={t} box={box} />}
      onPick={(box) => {
        const next = filterOf(treeBy.peek(), pathOf(t, box.joined > 1 ? t.parent[box.node] : box.node));
        if (Object.values(next).every((value) => value === null)) clearFilters();
        else change(next);
      }}
    />
  );
}

function wordsOf(t: Tree, box: IcicleBox): string[] {
  if (box.joined > 1) return [`${formatCount(box.joined)} small`, formatCount(box.joined)];
  const name = box.depth === 0 ? `all at step ${formatCount(inspected.peek())}` : treeName(t, box.node);
  return [`${name}  ${formatBytes(box.size, box.depth === 0 ? {} : { withUnit: false })}`, name];
}

function Tip({ t, box }: { t: Tree; box: IcicleBox }) {
  const padding = t.padding_bytes[box.node] ?? 0;
  const group = treeGroup(t, box.node);
  return (
    <>
      <div class="m-hover-head">
        {box.depth === 0 ? 'everything held' : box.joined > 1 ? `${formatCount(box.joined)} parts too narrow to draw` : pathOf(t, box.node).join(' / ')}
      </div>
      <div>
        {formatBytes(box.size)}, {formatPercent(box.size / t.total_bytes, 1)}, {exactBytes(box.size)}
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
          <Delta before={baseTables.value?.part(pathOf(t, box.node))} after={box.size} percent />
        </div>
      )}
    </>
  );
}
