/** The table twin: the points and what stands beside them, as rows. */
import { useMemo } from 'preact/hooks';
import { timeText } from '../explain/numbers';
import { Twin, type TwinColumn } from '../memory/twin';
import { choose, ops } from '../ops/state';
import { formatPercent } from '../util/format';
import { plainText } from './draw';
import { peakText } from './scene';
import { asides, points, programs } from './state';

const COLUMNS: TwinColumn[] = [
  { title: 'operation', width: 'minmax(160px, 2fr)' },
  { title: 'FLOP a byte' },
  { title: 'FLOP/s', width: '120px' },
  { title: 'of its roof', width: '90px' },
  { title: 'bound', width: '90px' },
  { title: 'self time', width: '100px' },
  { title: 'program', width: 'minmax(120px, 1fr)' },
];

export function RooflineTwin() {
  const c = ops.value?.ops;
  const shown = points.value;
  const beside = asides.value;
  const rows = useMemo(() => {
    if (!c) return [];
    const time = (k: number) => timeText(c.self_ps[k] / 1e12);
    const of = programs.value
      ? shown.map((p) => [p.name, plainText(p.x), peakText(p.y, true), '', '', timeText(p.weight / 1e12), p.module])
      : shown.map((p) => [
          p.name,
          Number.isFinite(p.x) ? plainText(p.x) : 'no bytes',
          peakText(p.y, true),
          formatPercent(c.roofline_share[p.k], 1),
          c.bound[p.k],
          time(p.k),
          p.module,
        ]);
    const rest = programs.value ? [] : beside.map(({ k }) => [c.name[k], null, null, formatPercent(c.roofline_share[k], 1), c.bound[k], time(k), c.module[k]]);
    return [...of, ...rest];
  }, [c, shown, beside]);
  return (
    <Twin
      label="Roofline"
      columns={COLUMNS}
      rows={rows}
      onOpen={(at) => programs.peek() || choose({ name: String(rows[at][0]), module: String(rows[at][6]) })}
    />
  );
}
