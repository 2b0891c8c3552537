/** Parts of a layer times layers: mean over steps, colour against the median of the row; the last two rows close the sum. */
import { useMemo } from 'preact/hooks';
import { narrow } from '../app/media';
import { type Column, VirtualTable } from '../table/virtual';
import { groupVariable } from '../memory/group_colour';
import { setStyle } from '../ui/size';
import { formatCount, formatPercent } from '../util/format';
import { cell, cellTimes, chooseCell, heat, holders, isOpen, type Layers, listed, partName, turn } from './layers_state';
import { OUTLIER, timeIn, type Unit } from './numbers';

/** More layers than this: cells are a strip of colours, and numbers come with the pointer. */
const NUMBERED = 12;
const OUTSIDE = -1;
const STEP = -2;

interface Table {
  a: Layers;
  unit: Unit;
  times: Map<string, { mean_ps: number; ops: number }>;
  holds: Set<number>;
}

const opsText = (a: Layers, part: number): string => {
  const { min_ops: least, max_ops: most } = a.parts;
  return least[part] === most[part] ? formatCount(most[part]) : `${formatCount(least[part])}–${formatCount(most[part])}`;
};

function Name({ t, part }: { t: Table; part: number }) {
  const { a } = t;
  if (part === OUTSIDE) return <span class="cut soft">Outside of layers{a.outside_names ? `: ${a.outside_names}` : ''}</span>;
  if (part === STEP) {
    const closes = (a.inside?.self_ps ?? 0) + (a.outside?.self_ps ?? 0) === a.step?.self_ps;
    return (
      <b>
        All operations{' '}
        {closes ? (
          <span class="good" title="the layers and the operations outside of layers add up to this">
            ✓
          </span>
        ) : null}
      </b>
    );
  }
  const leaf = !t.holds.has(part);
  return (
    <span class={`op-part-name d${a.parts.kind[part]}`} ref={setStyle('paddingLeft', `${a.parts.depth[part] * 14}px`)}>
      {leaf ? (
        <i class="op-no-arrow" />
      ) : (
        <button
          type="button"
          class="op-arrow"
          aria-expanded={isOpen(a, part)}
          aria-label={`${isOpen(a, part) ? 'close' : 'open'} ${partName(a, part)}`}
          onClick={() => turn(part)}
        >
          {isOpen(a, part) ? '▾' : '▸'}
        </button>
      )}
      {a.parts.kind[part] === 'op' ? <i class="swatch" style={{ background: `var(${groupVariable(a.parts.group[part])})` }} /> : null}
      <span class="cut">{partName(a, part)}</span>
    </span>
  );
}

function heatColour(value: number, median: number): string {
  const far = heat(value, median);
  return Math.abs(far) < 0.02 ? '' : `color-mix(in srgb, var(${far > 0 ? '--grow' : '--shrink'}) ${Math.round(Math.abs(far) * 45)}%, transparent)`;
}

function LayerCell({ t, part, layer, short }: { t: Table; part: number; layer: number; short: boolean }) {
  const { a, unit } = t;
  if (part === OUTSIDE) return null;
  if (part === STEP) return <b>{timeIn(a.layers.mean_ps[layer], unit)}</b>;
  const value = t.times.get(`${part}.${layer}`);
  const on = cell.value?.part === part && cell.value.layer === layer;
  const text = value ? timeIn(value.mean_ps, unit) : 'none';
  const colour = !value
    ? ''
    : a.parts.layers[part] === 1
      ? 'color-mix(in srgb, var(--grow) 25%, transparent)'
      : heatColour(value.mean_ps, a.parts.median_ps[part]);
  return (
    <button
      type="button"
      class={`op-heat${on ? ' on' : ''}${value ? '' : ' none'}`}
      style={{ background: colour }}
      title={`${partName(a, part)} in ${a.layers.name[layer]}: ${text}${value ? ` ${unit.word}, ${formatCount(value.ops)} operations` : ', it is not in this layer'}`}
      onClick={() => chooseCell({ part, layer })}
    >
      {short ? <span class="off-screen">{text}</span> : text}
    </button>
  );
}

function statistic(t: Table, part: number, of: 'mean_ps' | 'min_ps' | 'max_ps') {
  const { a, unit } = t;
  if (part === OUTSIDE) return a.outside ? timeIn(a.outside[of], unit) : '';
  if (part === STEP) return a.step ? timeIn(a.step[of], unit) : '';
  return timeIn(a.parts[of][part], unit);
}

function Ratio({ a, part }: { a: Layers; part: number }) {
  if (part < 0) return null;
  if (a.parts.layers[part] === 1 && a.layers.n > 1) return <span class="soft">one layer</span>;
  const ratio = a.parts.ratio[part];
  if (ratio === null) return <span class="op-unknown">unknown</span>;
  return ratio >= OUTLIER ? <b class="warn">{ratio.toFixed(2)}x</b> : <span class="soft">{ratio.toFixed(2)}x</span>;
}

function share(a: Layers, part: number): number | null {
  const all = a.step?.self_ps;
  if (!all) return null;
  return part === STEP ? 1 : part === OUTSIDE ? (a.outside?.self_ps ?? 0) / all : a.parts.share[part];
}

/** Of what stands in this row: how near the peaks its operations come. */
function ofRoofline(a: Layers, part: number): string {
  const reached = part === STEP ? a.step?.roofline_share : part === OUTSIDE ? a.outside?.roofline_share : a.parts.roofline_share[part];
  return formatPercent(reached ?? null, 1);
}

/** One column for each layer: its times, or above NUMBERED layers their colours only. */
function layerColumns(t: Table): Column<number>[] {
  const short = t.a.layers.n > NUMBERED;
  return t.a.layers.name.map((name, layer) => ({
    id: `l${layer}`,
    title: short ? '' : name,
    hint: name,
    width: short ? '18px' : '80px',
    number: !short,
    cell: (part: number) => <LayerCell t={t} part={part} layer={layer} short={short} />,
  }));
}

/** How the layers differ. */
function spreadColumns(t: Table): Record<'mean' | 'min' | 'max' | 'ratio', Column<number>> {
  return {
    mean: {
      id: 'mean',
      title: 'mean',
      hint: 'over the layers that have it and the steps',
      width: '68px',
      number: true,
      cell: (part) => <b>{statistic(t, part, 'mean_ps')}</b>,
    },
    min: {
      id: 'min',
      title: 'min',
      hint: 'the fastest layer; of the step the fastest step',
      width: '62px',
      number: true,
      cell: (part) => <span class="soft">{statistic(t, part, 'min_ps')}</span>,
    },
    max: {
      id: 'max',
      title: 'max',
      hint: 'the slowest layer; of the step the slowest step',
      width: '62px',
      number: true,
      cell: (part) => <span class="soft">{statistic(t, part, 'max_ps')}</span>,
    },
    ratio: {
      id: 'ratio',
      title: 'max / min',
      hint: 'slowest over fastest layer; amber from 1.3 on',
      width: '78px',
      number: true,
      cell: (part) => <Ratio a={t.a} part={part} />,
    },
  };
}

/** What the parts are of the step. */
function shareColumns(a: Layers): Column<number>[] {
  const ofStep: Column<number> = {
    id: 'share',
    title: 'share of all',
    hint: 'of the self time of all operations',
    width: '92px',
    number: true,
    cell: (part) => formatPercent(share(a, part), 1),
  };
  if (a.step?.roofline_share === null) return [ofStep];
  return [
    ofStep,
    {
      id: 'roofline',
      title: 'of roofline',
      hint: 'expected time of its operations at the peaks over their measured time; those without a roofline are left out',
      width: '80px',
      number: true,
      cell: (part) => ofRoofline(a, part),
    },
  ];
}

function columnsOf(t: Table, thin: boolean): Column<number>[] {
  const { a } = t;
  const { mean, min, max, ratio } = spreadColumns(t);
  return [
    { id: 'part', title: 'part of a layer', width: 'minmax(190px, 2fr)', cell: (part) => <Name t={t} part={part} /> },
    {
      id: 'ops',
      title: 'ops',
      hint: 'smallest and largest number of operations in a layer',
      width: '62px',
      number: true,
      cell: (part) => (
        <span class="soft">{part === OUTSIDE ? formatCount(a.outside?.ops ?? 0) : part === STEP ? formatCount(a.step?.ops ?? 0) : opsText(a, part)}</span>
      ),
    },
    ...(thin ? [mean, ratio] : [...layerColumns(t), mean, min, max, ratio, ...shareColumns(a)]),
  ];
}

export function LayersTable({ a, unit }: { a: Layers; unit: Unit }) {
  const times = useMemo(() => cellTimes(a), [a]);
  const holds = useMemo(() => holders(a), [a]);
  const rows = [...listed(a, (part) => isOpen(a, part)), OUTSIDE, STEP];
  const at = cell.value;
  return (
    <VirtualTable<number>
      label="parts of a layer"
      columns={columnsOf({ a, unit, times, holds }, narrow.value)}
      count={rows.length}
      rowAt={(index) => rows[index] ?? null}
      fit={a.layers.name.join()}
      onOpen={(part, _index, event) => {
        if ((event.target as HTMLElement).closest?.('button')) return;
        if (part >= 0) chooseCell({ part, layer: at?.layer ?? 0 });
      }}
      rowClass={(part) => (part === STEP ? 'vt-sums-end' : part === at?.part ? 'pinned' : '')}
    />
  );
}
