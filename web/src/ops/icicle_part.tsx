/** Time by a hierarchy: boxes as wide as their self time. A click narrows the table, a double click fills the width with the box. */
import { useMemo } from 'preact/hooks';
import type { IcicleBox } from '../canvas/icicle';
import { Twin, type TwinColumn } from '../memory/twin';
import { GROUP_WORDS } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';
import { Icicle } from '../charts/icicle';
import { durationText } from '../trace/time';
import { formatCount, formatPercent, plural } from '../util/format';
import { change, ops, twin } from './state';
import { hierarchy, narrowTo, shownBox, shownTree, zoomOut, zoomPath, zoomTo } from './icicle_state';
import { timeIn } from './numbers';
import { chooseRow, current, table } from './table_state';
import { HIERARCHY_WORDS, endOf, type OpTree, pathTo } from './tree';

const ROW = 22;

function words(t: OpTree, box: IcicleBox): string[] {
  const unit = table.peek()?.look.sum;
  const size = unit ? timeIn(box.size, unit) : '';
  if (box.joined > 1) return [`+${formatCount(box.joined)} in ${durationText(box.size)}`, `+${formatCount(box.joined)}`];
  return [`${t.name[box.node]}  ${size}`, t.name[box.node]];
}

function Tip({ t, box }: { t: OpTree; box: IcicleBox }) {
  const share = t.size[0] > 0 ? box.size / t.size[0] : null;
  if (box.joined > 1)
    return (
      <>
        <div class="m-hover-head">{formatCount(box.joined)} parts too narrow to draw</div>
        <div>
          {durationText(box.size)}, {formatPercent(share, 1)}
        </div>
      </>
    );
  const group = t.group[box.node];
  const wait = t.wait[box.node];
  return (
    <>
      <div class="m-hover-head">
        {pathTo(t, box.node)
          .map((i) => t.name[i])
          .join(' / ') || t.name[0]}
      </div>
      <div>
        {durationText(box.size)} self time, {formatPercent(share, 1)}
      </div>
      <div>
        {plural(t.ops[box.node], 'operation')}, {group ? (GROUP_WORDS[group] ?? group) : 'several op groups'}
        {wait > 0 ? `, including ${durationText(wait)} of waits` : ''}
      </div>
    </>
  );
}

function pick(t: OpTree, box: IcicleBox): void {
  const node = box.joined > 1 ? t.parent[box.node] : box.node;
  if (t.row[node] >= 0) chooseRow(t.row[node]);
  else if (node === 0) change({ obox: null });
  else narrowTo(node);
}

/** Groups that occur, most time first. */
function Legend({ t }: { t: OpTree }) {
  const sums = new Map<string, number>();
  for (let i = 0; i < t.n; i++) if (t.row[i] >= 0) sums.set(t.group[i], (sums.get(t.group[i]) ?? 0) + t.size[i]);
  const shown = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 6);
  const waits = t.wait[0] > 0;
  return (
    <span class="op-legend">
      {shown.map(([group]) => (
        <span key={group}>
          <i class="swatch" style={{ background: `var(${groupVariable(group)})` }} /> {GROUP_WORDS[group] ?? group}
        </span>
      ))}
      {waits ? (
        <span>
          <i class="swatch t-hatch" /> waits
        </span>
      ) : null}
    </span>
  );
}

const TWIN: TwinColumn[] = [
  { title: 'part', width: 'minmax(240px, 4fr)' },
  { title: 'self time', width: '120px' },
  { title: 'of all', width: '80px' },
  { title: 'operations', kind: 'count' },
  { title: 'op group', width: '140px' },
];

function AsTable({ t }: { t: OpTree }) {
  const rows = Array.from({ length: t.n }, (_, i) => [
    `${'\u2003'.repeat(t.depth[i])}${t.name[i]}`,
    durationText(t.size[i]),
    formatPercent(t.size[0] > 0 ? t.size[i] / t.size[0] : null, 1),
    t.ops[i],
    t.group[i] ? (GROUP_WORDS[t.group[i]] ?? t.group[i]) : 'several',
  ]);
  return (
    <div class="op-twin">
      <Twin
        label={`time by ${HIERARCHY_WORDS[hierarchy.value]}`}
        columns={TWIN}
        rows={rows}
        onOpen={(i) => pick(t, { node: i, joined: 1, x: 0, width: 0, depth: t.depth[i], size: t.size[i] })}
      />
    </div>
  );
}

export function TimeIcicle() {
  const t = shownTree.value;
  const o = ops.value;
  const k = current.value;
  const inBox = shownBox.value;
  const end = useMemo(() => (t && inBox > 0 ? endOf(t, inBox) : 0), [t, inBox]);
  const marked = useMemo(() => (t ? [t.row.indexOf(k)] : []), [t, k]);
  if (!t || !o || t.n < 2) return null;
  const path = zoomPath.value;
  const leads = (node: number) => {
    for (let i = inBox; i >= 0; i = t.parent[i]) if (i === node) return true;
    return false;
  };
  return (
    <section class="op-icicle" aria-label={`time by ${HIERARCHY_WORDS[hierarchy.value]}`}>
      <div class="op-line">
        <h2>Time by {HIERARCHY_WORDS[hierarchy.value]}</h2>
        <span class="soft cut">
          {durationText(t.size[0])}, width = self time{o.clock === 'host' ? ', host clock' : ''}
        </span>
        {path.length ? (
          <span class="m-chip">
            <span class="cut">in {path.join(' / ')}</span>
            <button type="button" aria-label="show the whole again" title="one up: Backspace" onClick={() => void zoomOut()}>
              ×
            </button>
          </span>
        ) : null}
        <span class="m-grow" />
        <Legend t={t} />
      </div>
      {twin.value ? (
        <AsTable t={t} />
      ) : (
        <Icicle
          tree={t}
          row={ROW}
          picture="time by hierarchy"
          label={`${durationText(t.size[0])} by ${HIERARCHY_WORDS[hierarchy.value]}, ${plural(t.n, 'part')}; T shows a table`}
          words={(box) => words(t, box)}
          colour={(node) => (t.group[node] ? groupVariable(t.group[node]) : '')}
          hatched={(box) => (box.joined > 1 || box.size <= 0 ? 0 : t.wait[box.node] / box.size)}
          isIn={inBox > 0 ? (node) => (node >= inBox && node < end) || leads(node) : undefined}
          marked={marked}
          thin
          tip={(box) => <Tip t={t} box={box} />}
          onPick={(box) => pick(t, box)}
          onOpen={(box) => {
            const node = box.joined > 1 ? t.parent[box.node] : box.node;
            if (t.row[node] < 0) zoomTo(node);
          }}
        />
      )}
    </section>
  );
}
