/** The stacked chart, and its legend: check boxes with the bytes at the peak, whose last row is the sum. */
import { cellText } from '../memory/bytes';
import { change, hoverStep, stepCount, summary } from '../memory/state';
import { TipBox } from '../charts/tip';
import { exactBytes, formatBytes, formatCount, pageUnit, plural } from '../util/format';
import { areaVariable, areaWords } from './colours';
import { drawAreas, stackOf } from './draw_areas';
import { areas, chosen, details, groups, hidden, SPLITS, splitBy, toggleHidden, totalHidden, type SplitBy } from './state';
import { StepCanvas } from './step_canvas';
import type { Areas } from './types';

/** Bytes live at a step, from any answer that has them. */
export function valueAt(step: number): number | null {
  for (const answer of [details.value, groups.value]) {
    const k = answer?.steps.findIndex((item) => item.step === step) ?? -1;
    if (answer && k >= 0)
      return 'rows' in answer && 'heap_bytes' in answer
        ? (answer.rows.find((row) => row.id === 'live')?.at_bytes[k] ?? null)
        : (groups.value?.live_bytes[k] ?? null);
  }
  const a = areas.value;
  const at = a ? a.columns.indexOf(step) : -1;
  return a && at >= 0 ? a.total_bytes[at] : null;
}

export function AreaChart() {
  const s = summary.value;
  return (
    <div class="r-chart">
      <StepCanvas
        picture="areas in program order"
        label={
          s
            ? `Live memory in program order by ${SPLITS[splitBy.value]}, ${formatCount(s.steps)} steps, peak ${formatBytes(s.peak.held_bytes)} at step ${s.peak.step ?? 'unknown'}. The legend and the table below have the numbers.`
            : 'Live memory in program order'
        }
        watch={() => void [areas.value, hidden.value, totalHidden.value, details.value, groups.value]}
        draw={(g, _, height, scale, font) => {
          const a = areas.peek();
          if (!a) return;
          drawAreas(g, {
            areas: a,
            scale,
            top: 24,
            bottom: height - 22,
            maxBytes: Math.max(a.peak_bytes, a.reserved_bytes, 1) * 1.04,
            hidden: hidden.peek(),
            withTotal: !totalHidden.peek(),
            chosen: chosen.peek(),
            valueAt,
            hover: hoverStep.peek()?.step ?? null,
            font,
          });
        }}
      />
      <Legend />
      <AreaTip />
    </div>
  );
}

function Legend() {
  const a = areas.value;
  if (!a) return <aside class="r-legend" aria-busy="true" />;
  const by = a.by as SplitBy;
  const order = stackOf(a).reverse();
  const shown = order.filter((k) => !hidden.value.has(a.groups[k].name));
  const sum = shown.reduce((bytes, k) => bytes + a.groups[k].peak_bytes, 0);
  const all = shown.length === order.length;
  const overlap = a.groups.reduce((bytes, group) => bytes + group.peak_bytes, 0) - a.peak_bytes;
  return (
    <aside class="r-legend" aria-label="legend">
      <div class="r-legend-head">
        <b>{SPLITS[by]}</b>
        <span class="soft">{pageUnit.value} at the peak</span>
      </div>
      <div class="r-legend-list">
        {order.map((k) => (
          <label
            key={a.groups[k].name}
            class="r-check"
            title={`${areaWords(by, a.groups[k].name, a.groups[k].joined)}: ${exactBytes(a.groups[k].peak_bytes)} at the peak`}
          >
            <input type="checkbox" checked={!hidden.value.has(a.groups[k].name)} onChange={() => toggleHidden(a.groups[k].name)} />
            <i style={{ background: `var(${areaVariable(by, a.groups[k].name, k)})` }} />
            <span class="cut">{areaWords(by, a.groups[k].name, a.groups[k].joined)}</span>
            <b>{cellText(a.groups[k].peak_bytes)}</b>
          </label>
        ))}
      </div>
      {overlap > 0 ? (
        <div class="r-check" title="In this memory space several values share addresses; live bytes count each address once">
          <span class="cut">counted twice</span>
          <b>{cellText(-overlap)}</b>
        </div>
      ) : null}
      <label
        class="r-check r-sum"
        title={
          all
            ? exactBytes(a.peak_bytes)
            : `${plural(shown.length, 'group')} of ${order.length}; unticked groups are left out of the stack; the axis does not change`
        }
      >
        <input type="checkbox" checked={!totalHidden.value} onChange={() => change({ total: totalHidden.peek() ? null : 0 })} />
        <i class="r-line" />
        <span class="cut">{all ? 'sum = live' : `sum of ${shown.length} of ${order.length}`}</span>
        <b>{cellText(all ? a.peak_bytes : sum)}</b>
      </label>
      <p class="soft r-hint">
        Click a step to set <Letter index={0} />, Ctrl-click to add <Letter index={1} />. Drag selects a range.
      </p>
    </aside>
  );
}

export function Letter({ index }: { index: number }) {
  return <i class={`r-letter r-letter-${index === 0 ? 'a' : index === 1 ? 'b' : 'c'}`}>{String.fromCharCode(65 + index)}</i>;
}

/** Values of the areas in the column under the pointer. */
function AreaTip() {
  const at = hoverStep.value;
  const a = areas.value;
  if (!at || !a || a.columns.length === 0 || stepCount.value === 0) return null;
  const k = columnOf(a, at.step);
  const by = a.by as SplitBy;
  return (
    <TipBox x={at.x} y={at.y}>
      <div class="m-hover-head">
        step {formatCount(a.columns[k])}: {formatBytes(a.total_bytes[k])} live
      </div>
      {stackOf(a)
        .reverse()
        .filter((g) => a.groups[g].curve_bytes[k] > 0)
        .map((g) => (
          <div key={a.groups[g].name} class="r-tip-row">
            <i style={{ background: `var(${areaVariable(by, a.groups[g].name, g)})` }} />
            <span>{areaWords(by, a.groups[g].name, a.groups[g].joined)}</span>
            <b>{cellText(a.groups[g].curve_bytes[k])}</b>
          </div>
        ))}
      <div class="soft">
        always there {formatBytes(a.resident_bytes)}, temporaries {formatBytes(a.total_bytes[k] - a.resident_bytes)}, reserved {formatBytes(a.reserved_bytes)}
      </div>
    </TipBox>
  );
}

function columnOf(a: Areas & { from: number; to: number }, step: number): number {
  const n = a.columns.length;
  return Math.min(n - 1, Math.max(0, Math.floor(((step - a.from) / (a.to - a.from)) * n)));
}
