/** What x counts: heap events as XProf draws them, instructions, or their measured time. */
import type { AxisId } from './axis';
import { axisAsked, change, curve } from './state';

const AXES: { id: AxisId; label: string }[] = [
  { id: 'event', label: 'heap events' },
  { id: 'instruction', label: 'instructions' },
  { id: 'time', label: 'measured time' },
];

function reasonAgainst(id: AxisId): string | null {
  const axes = curve.value?.axes;
  return id === 'event' || !axes ? null : axes[id];
}

const count = (n: number | null) => (n ?? 0).toLocaleString('en-US');

/** Meaning of the positions, in one sentence. */
function meaning(): string {
  const c = curve.value;
  if (c?.axis !== 'time') return 'unit of the x axis; program order is not time';
  return `each instruction is as wide as its mean measured time (${c.clock} clock), not counting what it calls; a loop body counts once; ${count(c.measured)} of ${count(c.scheduled)} scheduled instructions were measured, the rest have no width`;
}

export function AxisChoice() {
  const asked = axisAsked.value;
  const against = reasonAgainst(asked);
  const moved = curve.value?.moved ?? 0;
  const title = against
    ? `showing heap events: ${against}`
    : `${meaning()}${moved > 0 ? `; ${count(moved)} steps belong to instructions scheduled earlier and are drawn at the step before them` : ''}`;
  return (
    <label class="btn-s" title={title}>
      <select
        aria-label="x axis"
        value={against ? 'event' : asked}
        onChange={(e) => {
          const value = (e.currentTarget as HTMLSelectElement).value;
          change({ axis: value === 'event' ? null : value });
        }}
      >
        {AXES.map(({ id, label }) => {
          const reason = reasonAgainst(id);
          return (
            <option key={id} value={id} disabled={reason !== null} title={reason ?? undefined}>
              {reason ? `${label}: ${reason}` : label}
            </option>
          );
        })}
      </select>
    </label>
  );
}
