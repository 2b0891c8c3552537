/** Tables in place of the step chart and the address map: the same rows, readable by everybody. */
import { curve, inspect, map, pin } from './state';
import { Twin, type TwinColumn } from './twin';

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
    c.max[k] + c.resident_bytes,
    c.min[k] + c.resident_bytes,
    c.max_unpadded[k] + atRest,
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
  const rows = m.buffer.map((_, k) => [
    m.names[m.name[k]],
    m.names[m.shape[k]],
    m.start[k],
    m.end[k],
    m.offset_bytes[k],
    m.size_bytes[k],
  ]);
  return <Twin label="Addresses" columns={BOXES} rows={rows} onOpen={(k) => pin(m.buffer[k])} />;
}
