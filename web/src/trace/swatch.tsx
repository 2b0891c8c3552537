/** The colour of a name in lists: that of its boxes, so grey on threads where a group says nothing. */
import { cssColor } from '../app/theme';
import { GROUPS, groupOn } from './groups';
import { variableOfGroup } from './palette';
import { rowIndex, rows } from './state';

export function Swatch({ group, thread }: { group: string; thread: boolean }) {
  return (
    <i
      class="swatch"
      ref={(x) => {
        if (x) x.style.background = cssColor(variableOfGroup(GROUPS[groupOn(group, thread)]));
      }}
    />
  );
}

/** Whether a row is one of a host's threads. */
export function isThread(row: number): boolean {
  const r = rows.value;
  const at = rowIndex.value.get(row);
  return r !== null && at !== undefined && r.processes.kind[r.rows.process[at]] === 'host';
}
