/** The tables of the Report as files while a baseline is pinned: beside each number the baseline's, and the difference. Pure. */
import type { Cell } from '../memory/exports';
import { type BaseSteps, type BaseValues, baseOf, type Joined, restOf, sideWords } from './base_join';
import type { DetailRow, GroupRow, TransferRow, Values } from './types';

/** A file's columns besides those of bytes at steps. */
export interface Sheet<R extends Values> {
  texts: [name: string, read: (row: R) => string | null][];
  counts?: [name: string, read: (row: R) => number][];
  /** Of the bytes at a step. */
  held: (step: string) => string;
  peak: boolean;
}
const atStep = (step: string) => `step_${step}_bytes`;
export const DETAILS: Sheet<DetailRow> = { texts: [['id', (row) => row.id], ['parent', (row) => row.parent], ['category', (row) => row.label]], held: atStep, peak: true };
export const GROUPS: Sheet<GroupRow> = { texts: [['name', (row) => row.name]], held: atStep, peak: true };
export const TRANSFERS: Sheet<TransferRow> = {
  texts: [['name', (row) => row.name], ['kind', (row) => row.kind], ['from', (row) => row.from], ['to', (row) => row.to]],
  counts: [['count', (row) => row.count], ['operand_bytes', (row) => row.operand_bytes], ['result_bytes', (row) => row.result_bytes]],
  held: (step) => `held_at_step_${step}_bytes`,
  peak: false,
};

/** Without a heap trace there is one state, the peak. */
const stepName = (step: number | null) => (step === null ? 'peak' : String(step));
const baseName = ({ before, how }: BaseSteps['steps'][number]) => (how === null ? 'none' : stepName(before));
const by = (is: number, was: number | null) => (was === null ? null : is - was);
const wasCount = <R extends Values>({ base, before }: Joined<R>, read: (row: R) => number) => (before ? read(before) : base.side ? 0 : null);

/** The head and a line for each row. An empty cell: the baseline has no step there, or the row is not told apart in it. */
export function csvBeside<R extends Values>(sheet: Sheet<R>, rows: readonly Joined<R>[], pair: BaseSteps): [string[], Cell[][]] {
  const names: [is: string, was: string][] = [
    ...(sheet.counts ?? []).map(([name]): [string, string] => [name, name]),
    ...pair.steps.map((step): [string, string] => [sheet.held(stepName(step.after)), sheet.held(baseName(step))]),
    ...(sheet.peak ? [['peak_bytes', 'peak_bytes'] as [string, string]] : []),
  ];
  const numbers = (one: Joined<R>): [number, number | null][] => [
    ...(sheet.counts ?? []).map(([, read]): [number, number | null] => [read(one.row), wasCount(one, read)]),
    ...one.row.at.map((value, s): [number, number | null] => [value, one.base.at[s] ?? null]),
    ...(sheet.peak ? [[one.row.peak, one.base.peak] as [number, number | null]] : []),
  ];
  return [
    [...sheet.texts.map(([name]) => name), ...names.flatMap(([is, was]) => [is, `baseline_${was}`, `${is}_difference`]), 'side'],
    rows.map((one) => [...sheet.texts.map(([, read]) => read(one.row)), ...numbers(one).flatMap(([is, was]) => [is, was, by(is, was)]), sideWords(one.base)]),
  ];
}

const jsonValues = (values: Values, base: BaseValues) => ({
  baseline: { at: base.at, peak: base.peak },
  difference: { at: values.at.map((value, s) => by(value, base.at[s] ?? null)), peak: by(values.peak, base.peak) },
});

/** The server's answer with `baseline` and `difference` in each row; `baseline` beside the rows says which steps were met. */
export function jsonBeside<R extends Values>(sheet: Sheet<R>, answer: object, rows: readonly Joined<R>[], pair: BaseSteps): object {
  const list = rows.map((one) => {
    const values = jsonValues(one.row, one.base);
    for (const [name, read] of sheet.counts ?? []) {
      const was = wasCount(one, read);
      Object.assign(values.baseline, { [name]: was });
      Object.assign(values.difference, { [name]: by(read(one.row), was) });
    }
    return { ...one.row, ...values, side: sideWords(one.base) || null };
  });
  return { ...answer, baseline: { ...pair.before, at: pair.steps }, rows: list };
}

/** What the rows leave of the two totals, where they leave anything: with it each column adds up. */
export function restLine<R extends Values>(rows: readonly Joined<R>[], total: Values, was: Values, place: readonly (number | null)[], made: (rest: Values) => R): Joined<R>[] {
  const is: Values = { at: total.at.map((value, s) => value - rows.reduce((sum, { row }) => sum + row.at[s], 0)), peak: total.peak - rows.reduce((sum, { row }) => sum + row.peak, 0), curve: [] };
  const base = restOf(baseOf(was, place), rows.map((one) => one.base));
  return [...is.at, is.peak, ...base.at, base.peak].some((value) => value) ? [{ row: made(is), base, before: null }] : [];
}
