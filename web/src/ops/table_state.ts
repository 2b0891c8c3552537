/** The table of operations: which rows in which order, which columns; what the keys step through. */
import { computed } from '@preact/signals';
import { phone, small, wide } from '../app/media';
import { view } from '../app/router';
import { COLUMNS, HOST_COLUMNS, type Look, lookOf, type OpColumn, sumsOf } from './columns';
import { grouping, keyOf, openGroup } from './groups_state';
import { boxRows } from './icicle_state';
import { change, choose, chosen, cardClosed, ops } from './state';

/** The times are of several hosts together. */
const severalHosts = computed(() => (ops.value?.hosts.length ?? 0) > 1);
/** All columns that this answer has. */
export const columns = computed<OpColumn[]>(() => (severalHosts.value ? [...COLUMNS, ...HOST_COLUMNS] : COLUMNS));

export const sortBy = computed(() => {
  const asked = view.value.osort ?? '';
  return columns.value.some(({ id }) => id === asked) && asked !== 'rank' ? asked : 'self';
});
/** Texts from A to Z, numbers from the largest, unless the address says otherwise. */
const isText = (column: OpColumn): boolean => !column.number;
const columnOf = (id: string): OpColumn => columns.peek().find((column) => column.id === id) ?? COLUMNS[0];
export const descending = computed(() => (view.value.odesc === undefined ? !isText(columnOf(sortBy.value)) : view.value.odesc !== '0'));

export function sortTable(id: string): void {
  const same = id === sortBy.peek();
  const down = same ? !descending.peek() : !isText(columnOf(id));
  change({ osort: id === 'self' ? null : id, odesc: down === !isText(columnOf(id)) ? null : Number(down) });
}

/** Row numbers in the order of a column: unknown last, equal ones by self time. */
export function ordered(look: Look, column: OpColumn, down: boolean): Uint32Array {
  const { c } = look;
  const value = Array.from({ length: c.n }, (_, k) => column.value(look, k));
  const by = (a: number, b: number): number => {
    const [x, y] = [value[a], value[b]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    const order = x < y ? -1 : x > y ? 1 : 0;
    return down ? -order : order;
  };
  return Uint32Array.from({ length: c.n }, (_, k) => k).sort((a, b) => by(a, b) || c.self_ps[b] - c.self_ps[a] || a - b);
}

/** The answer with its units, and its rows in order. */
export const table = computed<{ look: Look; order: Uint32Array } | null>(() => {
  const o = ops.value;
  if (!o) return null;
  const look = lookOf(o);
  // A running sum has no order.
  const column = columnOf(sortBy.value === 'cumulative' ? 'self' : sortBy.value);
  const all = ordered(look, column, sortBy.value === 'cumulative' ? !descending.value : descending.value);
  const kept = boxRows.value;
  const by = grouping.value;
  const open = openGroup.value;
  const order = all.filter((k) => (!kept || kept.has(k)) && (open === undefined || by === 'none' || keyOf(look.c, k, by) === open));
  look.rows = sumsOf(look, order);
  let sum = 0;
  for (const k of order) {
    sum += look.c.self_ps[k];
    look.before[k] = sum;
  }
  return { look, order };
});

/** Columns that a window of this width has unless they are chosen; a phone has room for few. */
const usual = computed(() => {
  if (phone.value || small.value) return ['name', 'self', 'roofline_share'];
  const width = wide.value ? 2200 : 0;
  // The slowest host needs room where there is little.
  const left = severalHosts.value && !wide.value ? ['p50', 'max'] : [];
  return columns.value.filter(({ id, from }) => from !== undefined && from <= width && !left.includes(id)).map(({ id }) => id);
});
export const shownColumns = computed<string[]>(() => {
  const said = view.value.ocols?.split('.').filter((id) => columns.value.some((column) => column.id === id));
  return said?.length ? said : usual.value;
});

export function showColumn(id: string, on: boolean): void {
  const now = shownColumns.peek();
  const next = columns
    .peek()
    .map((column) => column.id)
    .filter((one) => (one === id ? on : now.includes(one)));
  const same = next.length === usual.peek().length && next.every((one) => usual.peek().includes(one));
  change({ ocols: same || next.length === 0 ? null : next.join('.') });
}

/** Row of the answer that the card is of: the chosen one, else the first of the table; -1: none. */
export const current = computed(() => {
  const t = table.value;
  if (!t || cardClosed.value) return -1;
  const want = chosen.value;
  if (!want) return t.order.length ? t.order[0] : -1;
  const { name, module, n } = t.look.c;
  for (let k = 0; k < n; k++) if (name[k] === want.name && (!want.module || module[k] === want.module)) return k;
  return -1;
});

export function chooseRow(k: number): void {
  const c = table.peek()?.look.c;
  if (c) choose({ name: c.name[k], module: c.module[k] });
}

/** To the operation above or below in the table. */
export function stepRow(by: 1 | -1): boolean {
  const order = table.peek()?.order;
  if (!order?.length) return false;
  const at = order.indexOf(current.peek());
  chooseRow(order[Math.min(Math.max(at + by, 0), order.length - 1)]);
  return true;
}
