/** Every module of the run with its memory; the open one is marked, a click opens another. */
import { useMemo } from 'preact/hooks';
import { signal } from '@preact/signals';
import type { Modules } from '../api/types';
import { setView } from '../app/router';
import { run } from '../app/state';
import { type Column, VirtualTable } from '../table/virtual';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import { baseTables } from './baseline_state';
import { cellText } from './bytes';
import { modules, summary } from './state';

export interface ModuleRow {
  module: number;
  key: string;
  name: string;
  id: string;
  color: number | null;
  space: string;
  peak: number | null;
  reserved: number | null;
  argument: number | null;
  output: number | null;
  temp: number | null;
  fragmentation: number | null;
  runs: number | null;
  buffers: number | null;
  error: string | null;
  failed: boolean;
}

const order = signal<{ sort: string; down: boolean }>({ sort: 'peak', down: true });

/** One row for each memory space; a module that could not be read has one row with the reason. */
export function moduleRows(m: Modules): ModuleRow[] {
  const rows: ModuleRow[] = [];
  const base = (k: number) => ({
    module: k,
    key: m.key[k],
    name: m.name[k],
    id: String(m.program_id[k] ?? ''),
    runs: m.run_count[k],
    buffers: m.buffers[k],
    error: m.error[k],
    failed: m.failed_to_compile[k],
  });
  const has = new Set<number>();
  for (let j = 0; j < m.spaces.n; j++) {
    const k = m.spaces.module[j];
    has.add(k);
    rows.push({
      ...base(k),
      color: m.spaces.color[j],
      space: m.spaces.name[j],
      peak: m.spaces.peak_bytes[j],
      reserved: m.spaces.reserved_bytes[j],
      argument: m.spaces.argument_bytes[j],
      output: m.spaces.output_bytes[j],
      temp: m.spaces.temp_bytes[j],
      fragmentation: m.spaces.fragmentation_bytes[j],
    });
  }
  for (let k = 0; k < m.n; k++)
    if (!has.has(k))
      rows.push({ ...base(k), color: null, space: '', peak: null, reserved: null, argument: null, output: null, temp: null, fragmentation: null });
  return rows;
}

/** Unknown comes last in either direction. */
export function sortModules(rows: readonly ModuleRow[], sort: string, down: boolean): ModuleRow[] {
  const key = (row: ModuleRow) => (row as unknown as Record<string, string | number | null>)[sort] ?? null;
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
    const by = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y));
    return down ? -by : by;
  });
}

const size = (bytes: number | null) => (bytes === null ? <span class="faint">unknown</span> : bytes === 0 ? <span class="faint">0</span> : cellText(bytes));

function bytesColumn(id: keyof ModuleRow, title: string, hint?: string): Column<ModuleRow> {
  return {
    id,
    title,
    hint,
    sort: id,
    width: '104px',
    number: true,
    cell: (row) => size(row[id] as number | null),
    tip: (row) => exactBytes(row[id] as number | null),
  };
}

/** The module and memory space that the page shows. */
function isOpen(row: ModuleRow): boolean {
  const open = summary.value;
  return row.key === open?.module.key && (row.color === null || row.color === open?.space.color);
}

const NAME: Column<ModuleRow>[] = [
  {
    id: 'name',
    title: 'module',
    sort: 'name',
    width: 'minmax(200px, 3fr)',
    cell: (row) => (
      <span class="m-name">
        <i class={row.failed || row.error ? 'm-dot bad' : isOpen(row) ? 'm-dot on' : 'm-dot'} />
        <code class="cut">{row.name}</code>
        {row.failed ? <span class="bad">did not compile</span> : null}
        {row.error ? <span class="bad cut">{row.error}</span> : null}
      </span>
    ),
    tip: (row) => `${row.key}${row.error ? `: ${row.error}` : ''}`,
  },
  {
    id: 'id',
    title: 'program id',
    sort: 'id',
    width: 'minmax(84px, 1fr)',
    cell: (row) => <code class="cut faint">{row.id || 'none'}</code>,
    tip: (row) => row.id,
  },
];

function ratioColumn(capacity: number | null): Column<ModuleRow> {
  return {
    id: 'ratio',
    title: 'of capacity',
    width: '86px',
    number: true,
    cell: (row) =>
      row.color !== 0 || capacity === null || row.peak === null ? (
        <span class="faint">unknown</span>
      ) : (
        <span class={row.peak > capacity ? 'bad strong' : ''}>{formatPercent(row.peak / capacity)}</span>
      ),
    tip: (row) =>
      capacity === null ? 'the capacity is not known' : row.color === 0 ? `of ${exactBytes(capacity)}` : 'only the capacity of the main memory is known',
  };
}

const columnsOf = (capacity: number | null): Column<ModuleRow>[] => [
  ...NAME,
  { id: 'space', title: 'memory', sort: 'space', width: '90px', cell: (row) => row.space || <span class="faint">none</span> },
  bytesColumn('peak', 'peak'),
  ...(baseTables.value ? [baseTables.value.module] : []),
  ratioColumn(capacity),
  bytesColumn('argument', 'arguments'),
  bytesColumn('output', 'outputs'),
  bytesColumn('temp', 'temporaries', 'live at the peak'),
  bytesColumn('fragmentation', 'fragmentation', 'reserved and not live at the peak'),
  {
    id: 'runs',
    title: 'runs',
    sort: 'runs',
    width: '64px',
    number: true,
    cell: (row) => (row.runs === null ? <span class="faint">unknown</span> : row.runs === 0 ? <span class="faint">0</span> : formatCount(row.runs)),
  },
  { id: 'buffers', title: 'buffers', sort: 'buffers', width: '76px', number: true, cell: (row) => formatCount(row.buffers) },
];

export function ModulesTab() {
  const m = modules.value;
  const { sort, down } = order.value;
  const rows = useMemo(() => (m ? sortModules(moduleRows(m), sort, down) : []), [m, sort, down]);
  if (!m)
    return (
      <p class="m-note" aria-busy="true">
        reading every module …
      </p>
    );
  const capacity = m.capacity_bytes;
  return (
    <div class="m-table">
      <div class="m-controls">
        <span class="soft">
          {plural(m.n, 'module')}
          {run.value && run.value.hosts.length > 1 ? ` of ${run.value.hosts.length} hosts` : ''}
          {capacity === null ? '' : `; capacity ${formatBytes(capacity)}`}
        </span>
      </div>
      <VirtualTable<ModuleRow>
        label="all modules"
        columns={columnsOf(capacity)}
        count={rows.length}
        rowAt={(index) => rows[index] ?? null}
        sort={sort}
        descending={down}
        onSort={(by) => {
          order.value = { sort: by, down: by === sort ? !down : !['name', 'space', 'id'].includes(by) };
        }}
        onOpen={(row) => {
          if (row.peak !== null) setView({ module: row.key, space: row.color === 0 ? null : row.color, tab: 'modules' });
        }}
        rowClass={(row) => (isOpen(row) ? 'pinned' : '')}
        empty="no module"
      />
    </div>
  );
}
