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

export function AxisChoice() {
  const asked = axisAsked.value;
  const against = reasonAgainst(asked);
  const moved = curve.value?.moved ?? 0;
  const title = against
    ? `heap events are shown: ${against}`
    : `what x counts; program order is not time${moved > 0 ? `; ${moved.toLocaleString('en-US')} steps of instructions that stand earlier in the schedule stay where the step before them is` : ''}`;
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
