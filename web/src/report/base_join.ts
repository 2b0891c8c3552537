/** Rows of the open program beside those of the pinned baseline. A row meets the row of the same words (category, group, kind of
 *  instruction, transfer); steps meet as compare/steps says. What one of the two lacks is 0 there, so that differences add up. Pure. */
import type { ComparedSteps } from '../api/answers';
import type { DetailRow, GroupRow, Groups, TransferRow, Transfers, Values } from './types';

/** What the baseline has where a row has its numbers; null: it has no such step, or the row is not told apart there. */
export interface BaseValues {
  at: (number | null)[];
  peak: number | null;
  /** In one of the two programs only. */
  side?: 'before' | 'after';
}
export interface Joined<R> {
  row: R;
  base: BaseValues;
  /** Its row in the baseline. */
  before: R | null;
}

/** The steps to ask the baseline for, and where the answer to each of ours stands among them; null: it has no step there. */
export function asksOf(answer: ComparedSteps): { steps: string; place: (number | null)[] } {
  const steps: number[] = [];
  const place = answer.steps.map(({ before, how }) => {
    if (how === null) return null;
    if (before === null) return 0; // without a heap trace its only state is the peak, which is what it answers
    steps.push(before);
    return steps.length - 1;
  });
  return { steps: steps.join(','), place };
}

const picked = (values: Values | null, place: readonly (number | null)[]): (number | null)[] =>
  place.map((k) => (k === null ? null : values === null ? 0 : (values.at_bytes[k] ?? null)));
export const baseOf = (values: Values | null, place: readonly (number | null)[]): BaseValues => ({
  at: picked(values, place),
  peak: values === null ? 0 : values.peak_bytes,
});

/** `cut`: rows that the answer of each side left out; a row that is not found may be among those. `blank` makes the row of an only-before one. */
export function joinRows<R extends Values>(
  after: readonly R[],
  before: readonly R[],
  place: readonly (number | null)[],
  key: (row: R) => string,
  blank: (row: R) => R,
  cut: { after: boolean; before: boolean } = { after: false, before: false },
): Joined<R>[] {
  const there = new Map(before.map((row) => [key(row), row]));
  const here = new Set(after.map(key));
  const out: Joined<R>[] = after.map((row) => {
    const found = there.get(key(row)) ?? null;
    if (found) return { row, base: baseOf(found, place), before: found };
    if (cut.before) return { row, base: { at: place.map(() => null), peak: null }, before: null };
    return { row, base: { ...baseOf(null, place), side: 'after' as const }, before: null };
  });
  if (cut.after) return out;
  for (const row of before) if (!here.has(key(row))) out.push({ row: blank(row), base: { ...baseOf(row, place), side: 'before' }, before: row });
  return out;
}

export function joinGroups(after: Groups, before: Groups, place: readonly (number | null)[]): Joined<GroupRow>[] {
  const zeros = nothing(after.total);
  const blank = (row: GroupRow): GroupRow => ({
    ...row,
    ...zeros,
    held: zeros.at_bytes,
    instructions: row.instructions === null ? null : 0,
    types: [],
    types_left_out: 0,
  });
  return joinRows(after.rows, before.rows, place, (row) => row.name, blank, { after: after.left_out > 0, before: before.left_out > 0 });
}

export const transferKey = (row: TransferRow) => [row.kind, row.name, row.from, row.to].join('\n');
export function joinTransfers(after: Transfers, before: Transfers, place: readonly (number | null)[]): Joined<TransferRow>[] {
  const zeros = nothing(after.total);
  const blank = (row: TransferRow): TransferRow => ({ ...row, ...zeros, count: 0, of_program: 0, operand_bytes: 0, result_bytes: 0, each: [] });
  return joinRows(after.rows, before.rows, place, transferKey, blank, { after: after.left_out > 0, before: before.left_out > 0 });
}

/** The tree with the rows that only the baseline has, in their places. */
export function joinDetails(after: readonly DetailRow[], before: readonly DetailRow[], place: readonly (number | null)[]): Joined<DetailRow>[] {
  const there = new Map(before.map((row) => [row.id, row]));
  const here = new Set(after.map((row) => row.id));
  const zeros = nothing({ at_bytes: place.map(() => 0), peak_bytes: 0, curve_bytes: after[0]?.curve_bytes ?? [] });
  const rows: DetailRow[] = [];
  let k = 0;
  // Both have the server's one order: what stands between two common rows goes there, the baseline's first.
  for (const row of before) {
    if (!here.has(row.id)) {
      rows.push({ ...row, ...zeros });
      continue;
    }
    while (k < after.length && after[k].id !== row.id) rows.push(after[k++]);
    if (k < after.length) rows.push(after[k++]);
  }
  rows.push(...after.slice(k));
  return rows.map((row) => {
    const found = there.get(row.id) ?? null;
    const side = found === null ? ('after' as const) : here.has(row.id) ? undefined : ('before' as const);
    return { row, base: { ...baseOf(found, place), side }, before: found };
  });
}

/** What the shown rows leave of the baseline's total. */
export function restOf(total: BaseValues, shown: readonly BaseValues[]): BaseValues {
  return {
    at: total.at.map((value, s) => (value === null ? null : value - shown.reduce((sum, row) => sum + (row.at[s] ?? 0), 0))),
    peak: total.peak === null ? null : total.peak - shown.reduce((sum, row) => sum + (row.peak ?? 0), 0),
  };
}

export function sumOf(shown: readonly BaseValues[], steps: number): BaseValues {
  return {
    at: Array.from({ length: steps }, (_, s) => (shown.some((row) => row.at[s] === null) ? null : shown.reduce((sum, row) => sum + (row.at[s] ?? 0), 0))),
    peak: shown.some((row) => row.peak === null) ? null : shown.reduce((sum, row) => sum + (row.peak ?? 0), 0),
  };
}

export const nothing = (row: Values): Values => ({ at_bytes: row.at_bytes.map(() => 0), peak_bytes: 0, curve_bytes: row.curve_bytes.map(() => 0) });

/** Whether any number of a row is another one in the baseline, or not known to be the same. */
export function differs(values: Values, base: BaseValues | undefined): boolean {
  return (
    Boolean(base) &&
    (base?.side !== undefined ||
      values.at_bytes.some((value, s) => base?.at[s] !== null && base?.at[s] !== value) ||
      (base?.peak !== null && base?.peak !== values.peak_bytes))
  );
}
export const sideWords = (base: BaseValues | undefined): string => (base?.side === 'before' ? 'only before' : base?.side === 'after' ? 'only after' : '');

/** Of what the baseline holds at its step and this program does not: it may be in this program all the same, at other steps. */
export const heldBeforeWords = (isInBoth: boolean): string => (isInBoth ? 'held before, not now' : 'only before');
