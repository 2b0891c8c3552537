/** Tables in place of the step chart, the address map and the bars: the same rows, readable by everybody. */
import type { Tree } from '../api/types';
import { CLASS_WORDS } from '../charts/colours';
import { filterOf, pathOf } from './icicle';
import { liveRows, ordered, shortShape } from './live_rows';
import { TITLES } from './scope_tab';
import { change, curve, inspect, inspected, live, map, pin } from './state';
import { treeRows } from './tree_rows';
import { Twin, type TwinColumn } from './twin';
import { treeBy } from './lower_state';

const CURVE: TwinColumn[] = [
  { title: 'step', kind: 'count' },
  { title: 'steps', kind: 'count' },
  { title: 'live, highest', kind: 'bytes' },
  { title: 'live, lowest', kind: 'bytes' },
  { title: 'without padding', kind: 'bytes' },
];

export function CurveTwin() {
  const c = curve.value;
  if (!c) return null;
  const atRest = c.resident_unpadded_bytes ?? c.resident_bytes;
  const rows = c.step.map((step, k) => [
    step,
    c.count[k],
    c.max_bytes[k] + c.resident_bytes,
    c.min_bytes[k] + c.resident_bytes,
    c.max_unpadded_bytes[k] + atRest,
  ]);
  return <Twin label="Memory in program order" columns={CURVE} rows={rows} onOpen={(k) => inspect(c.max_step[k])} />;
}

const BOXES: TwinColumn[] = [
  { title: 'buffer' },
  { title: 'shape' },
  { title: 'from step', kind: 'count' },
  { title: 'to step', kind: 'count' },
  { title: 'offset', kind: 'bytes' },
  { title: 'size', kind: 'bytes' },
];

export function MapTwin() {
  const m = map.value;
  if (!m) return null;
  const rows = m.buffer.map((_, k) => [m.names[m.name[k]], m.names[m.shape[k]], m.start_step[k], m.end_step[k], m.offset_bytes[k], m.size_bytes[k]]);
  return <Twin label="Addresses" columns={BOXES} rows={rows} onOpen={(k) => pin(m.buffer[k])} />;
}

/** What is held at the step, by size: the bars as rows. */
export function BarsTwin() {
  const bySize = live.value ? ordered(liveRows(live.value), 'size') : [];
  return (
    <Twin
      label="held at this step, by size"
      columns={BARS_COLUMNS}
      rows={bySize.map((row) => [
        `%${row.name}`,
        shortShape(row.shape),
        CLASS_WORDS[row.class] ?? row.class,
        row.size,
        row.padding,
        row.saving,
        row.start,
        row.end,
      ])}
      onOpen={(index) => pin(bySize[index].buffer)}
    />
  );
}

const BARS_COLUMNS: TwinColumn[] = [
  { title: 'buffer', width: 'minmax(160px, 2fr)' },
  { title: 'shape', width: 'minmax(120px, 2fr)' },
  { title: 'class' },
  { title: 'size', kind: 'bytes' },
  { title: 'padding', kind: 'bytes' },
  { title: 'saving at peak', kind: 'bytes' },
  { title: 'from step', kind: 'count' },
  { title: 'to step', kind: 'count' },
];

const TREE_COLUMNS: TwinColumn[] = [
  { title: 'part', width: 'minmax(240px, 4fr)' },
  { title: 'size', kind: 'bytes' },
  { title: 'padding', kind: 'bytes' },
  { title: 'buffers', kind: 'count' },
  { title: 'op group' },
];

/** The icicle as rows. */
export function TreeTwin({ t }: { t: Tree }) {
  return (
    <Twin
      label={`held at step ${inspected.value}, by ${TITLES[treeBy.value]}`}
      columns={TREE_COLUMNS}
      rows={treeRows(t)}
      onOpen={(index) => change(filterOf(treeBy.peek(), pathOf(t, index)))}
    />
  );
}
