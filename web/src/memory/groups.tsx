/** Groups of the buffer table; opening one shows its buffers. */
import { type Column, VirtualTable } from '../table/virtual';
import { exactBytes, formatCount } from '../util/format';
import { GROUP_FILTER, head, sortBy, TABLE_KEYS, tableBy, tableDescending, tableSort } from './buffers_state';
import { baseTables } from './baseline_state';
import { cellText } from './bytes';
import { CLASS_WORDS, GROUP_WORDS } from '../charts/colours';
import { change, summary } from './state';

export interface Group {
  name: string;
  count: number;
  bytes: number;
  padding: number | null;
  saving: number | null;
}

function groups(): Group[] {
  const answer = head.value;
  const g = answer?.groups;
  if (!answer || !g) return [];
  const list = Array.from({ length: g.n }, (_, k) => ({
    name: typeof g.name[k] === 'number' ? (answer.names[g.name[k]] ?? '') : String(g.name[k]),
    count: g.count[k],
    bytes: g.size_bytes[k],
    padding: g.padding_bytes[k],
    saving: g.saving_bytes[k],
  }));
  const key = (group: Group): number | string => {
    if (tableSort.value === 'size') return group.bytes;
    if (tableSort.value === 'padding') return group.padding ?? -1;
    if (tableSort.value === 'name') return group.name;
    return group.saving ?? -1;
  };
  const sign = tableDescending.value ? -1 : 1;
  return list.sort((a, b) => (key(a) < key(b) ? -sign : key(a) > key(b) ? sign : b.bytes - a.bytes));
}

function words(name: string): string {
  if (tableBy.value === 'class') return CLASS_WORDS[name] ?? name;
  if (tableBy.value === 'group') return GROUP_WORDS[name] ?? name;
  return name;
}

export function Groups() {
  const list = groups();
  const whole = Math.max(summary.value?.peak.held_bytes ?? 0, 1);
  const columns: Column<Group>[] = [
    {
      id: 'name',
      title: tableBy.value,
      width: 'minmax(200px, 3fr)',
      sort: 'name',
      cell: (group) => <code class="cut">{words(group.name) || `no ${tableBy.value}`}</code>,
      tip: (group) => group.name,
    },
    { id: 'count', title: 'buffers', width: '80px', number: true, cell: (group) => formatCount(group.count) },
    { id: 'size', title: 'size', width: '100px', number: true, sort: 'size', cell: (group) => cellText(group.bytes), tip: (group) => exactBytes(group.bytes) },
    ...(baseTables.value ? [baseTables.value.group] : []),
    {
      id: 'share',
      title: '',
      width: 'minmax(80px, 1fr)',
      cell: (group) => (
        <span class="m-share">
          <i style={{ width: `${Math.min(100, (group.bytes / whole) * 100)}%` }} />
        </span>
      ),
    },
    {
      id: 'padding',
      title: 'padding',
      width: '100px',
      number: true,
      sort: 'padding',
      cell: (group) => cellText(group.padding),
      tip: (group) => exactBytes(group.padding),
    },
    {
      id: 'saving',
      title: 'saving at peak',
      width: '110px',
      number: true,
      sort: 'saving',
      hint: 'how far the peak falls without the whole group',
      cell: (group) => cellText(group.saving),
      tip: (group) => exactBytes(group.saving),
    },
  ];
  return (
    <VirtualTable<Group>
      label={`buffers by ${tableBy.value}`}
      columns={columns}
      count={list.length}
      rowAt={(index) => list[index] ?? null}
      sort={tableSort.value}
      descending={tableDescending.value}
      onSort={sortBy}
      keys={TABLE_KEYS}
      onOpen={(group) => change({ [GROUP_FILTER[tableBy.peek()]]: group.name })}
      empty="no buffer matches"
    />
  );
}
