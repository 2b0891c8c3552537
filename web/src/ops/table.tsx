/** The table of operations: a row of sums, then one row an operation. */
import { useMemo } from 'preact/hooks';
import { announce, copyText } from '../app/toast';
import { type Column, VirtualTable } from '../table/virtual';
import { formatCount, plural } from '../util/format';
import { COLUMNS, type Look, type OpColumn } from './columns';
import { GroupTable } from './group_table';
import { grouping, openGroup } from './groups_state';
import { hasPercentiles } from './state';
import { NoOperations } from './states';
import { chooseRow, columns, current, descending, shownColumns, sortBy, sortTable, table } from './table_state';

/** Where no operation has a scope, its column leaves the room to the names. */
const NO_SCOPE = 'minmax(90px, 0.4fr)';

function columnsOf(look: Look, all: readonly OpColumn[], shown: readonly string[]): Column<number>[] {
  const scoped = look.c.scope.some((scope) => scope !== '');
  return all
    .filter(({ id }) => shown.includes(id))
    .map((column) => ({
      id: column.id,
      title: column.head?.(look) ?? column.title,
      width: column.id === 'scope' && !scoped ? NO_SCOPE : column.width,
      number: column.number || column.right,
      sort: column.id === 'rank' ? undefined : column.id,
      hint: column.hint,
      cell: (k, index) => (column.cell ? column.cell(look, k, index) : column.text(look, k)),
      tip: (k) => column.tip?.(look, k),
      sum: column.id === 'name' ? <SumName look={look} /> : column.sum?.(look),
    }));
}

function SumName({ look }: { look: Look }) {
  const { o, rows } = look;
  return (
    <span class="cut">
      {rows.rows === o.all_operations ? plural(rows.rows, 'operation') : `${formatCount(rows.rows)} of ${plural(o.all_operations, 'operation')}`}
    </span>
  );
}

export function OpsTable() {
  const t = table.value;
  const shown = shownColumns.value;
  const all = columns.value;
  const drawn = useMemo(() => (t ? columnsOf(t.look, all, shown) : []), [t, all, shown]);
  if (!t) return <div class="vt" aria-busy="true" />;
  const { look, order } = t;
  if (grouping.value !== 'none' && openGroup.value === undefined) return <GroupTable look={look} />;
  return (
    <VirtualTable<number>
      label="operations"
      columns={drawn}
      count={order.length}
      rowAt={(index) => order[index] ?? null}
      sums
      fit={`${hasPercentiles.value} ${look.sum.word} ${look.one.word} ${look.best} ${look.o.hosts.length}`}
      sort={sortBy.value}
      descending={descending.value}
      onSort={sortTable}
      reveal={current.value < 0 ? -1 : order.indexOf(current.value)}
      onOpen={chooseRow}
      onCursor={(k) => {
        if (k === null) return;
        chooseRow(k);
        announce(`${look.c.name[k]}, ${COLUMNS.find(({ id }) => id === 'self')?.text(look, k)} ${look.sum.word}, ${formatCount(look.c.count[k])} times`);
      }}
      onCopy={(k) =>
        copyText(
          all
            .filter(({ id }) => id !== 'rank')
            .map((column) => column.text(look, k))
            .join('\t'),
          'row',
        )
      }
      rowClass={(k) => (k === current.value ? 'pinned' : '')}
      empty={<NoOperations />}
    />
  );
}
