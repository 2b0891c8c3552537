/** The tables of the Report as files while a baseline is pinned: beside each number the baseline's, and the difference. Pure. */
import type { ComparedSteps } from '../api/answers';
import type { Cell } from '../app/exports';
import { asksOf, type BaseValues, baseOf, type Joined, restOf, sideWords } from './base_join';
import type { DetailRow, GroupRow, TransferRow, Values } from './types';

/** A file's columns besides those of bytes at steps: those of the server's file, in its order. */
export interface Sheet<R extends Values> {
  texts: [name: string, read: (row: R) => string | null][];
  /** In front of the bytes. A program that lacks the row has 0. */
  counts?: [name: string, key: keyof R & string][];
  /** Of the bytes at a step. */
  held: (step: string) => string;
  peak: boolean;
  /** How many buffers at each step. */
  buffers?: boolean;
  /** Behind them, where the answer has it. */
  after?: [name: string, key: keyof R & string][];
  /** What and where a row is. A program that lacks it has nothing here. */
  facts?: [name: string, key: keyof R & string][];
  /** Ours and the baseline's have names of their own. */
  renamed?: boolean;
}
const atStep = (step: string) => `step_${step}_bytes`;
export const DETAILS: Sheet<DetailRow> = {
  texts: [
    ['id', (row) => row.id],
    ['parent', (row) => row.parent],
    ['category', (row) => row.label],
  ],
  held: atStep,
  peak: true,
};
export const GROUPS: Sheet<GroupRow> = {
  texts: [['name', (row) => row.name]],
  held: atStep,
  peak: true,
  buffers: true,
  after: [['instructions', 'instructions']],
};
export const BUFFERS: Sheet<GroupRow> = {
  texts: [['name', (row) => row.name]],
  held: atStep,
  peak: true,
  facts: [
    ['shape', 'shape'],
    ['category', 'row'],
    ['offset_bytes', 'offset_bytes'],
    ['start_step', 'start_step'],
    ['end_step', 'end_step'],
  ],
  renamed: true,
};
export const TRANSFERS: Sheet<TransferRow> = {
  texts: [
    ['name', (row) => row.name],
    ['kind', (row) => row.kind],
    ['from', (row) => row.from],
    ['to', (row) => row.to],
  ],
  counts: [
    ['count', 'count'],
    ['operand_bytes', 'operand_bytes'],
    ['result_bytes', 'result_bytes'],
  ],
  held: (step) => `held_at_step_${step}_bytes`,
  peak: false,
};

/** Without a heap trace there is one state, the peak. */
const stepName = (step: number | null) => (step === null ? 'peak' : String(step));
const baseName = ({ before, how }: ComparedSteps['steps'][number]) => (how === null ? 'none' : stepName(before));
type Fact = string | number | null;
const by = (is: Fact, was: Fact) => (typeof is !== 'number' || typeof was !== 'number' ? null : is - was);
const factOf = <R extends object>(row: R | null, key: keyof R): Fact => (row === null ? null : ((row[key] ?? null) as Fact));

/** Of a count: ours and the baseline's. */
function countsOf<R extends Values>({ row, base, before }: Joined<R>, key: keyof R): [Fact, Fact] {
  return [factOf(row, key), before ? factOf(before, key) : base.side ? 0 : null];
}
/** Of what a row is; one that only the baseline has is a copy of its row. */
const factsOf = <R extends Values>({ row, base, before }: Joined<R>, key: keyof R): [Fact, Fact] => [
  base.side === 'before' ? null : factOf(row, key),
  factOf(before, key),
];

/** Buffers held at a step, the number s of ours. */
function heldOf<R extends Values>({ row, base, before }: Joined<R>, s: number, place: readonly (number | null)[]): [Fact, Fact] {
  const held = (of: R | null, k: number | null) => (of as unknown as GroupRow | null)?.held?.[k ?? -1] ?? null;
  const there = place[s];
  return [held(row, s), there === null ? null : before ? held(before, there) : base.side ? 0 : null];
}

/** The columns of numbers, in groups of three: ours, the baseline's, the difference. */
function columnsOf<R extends Values>(
  sheet: Sheet<R>,
  rows: readonly Joined<R>[],
  pair: ComparedSteps,
): { names: [is: string, was: string]; values: (one: Joined<R>) => [Fact, Fact] }[] {
  const { place } = asksOf(pair);
  const count = ([name, key]: [string, keyof R & string]) => ({ names: [name, name] as [string, string], values: (one: Joined<R>) => countsOf(one, key) });
  const step = (name: (step: string) => string, values: (one: Joined<R>, s: number) => [Fact, Fact]) =>
    pair.steps.map((one, s) => ({ names: [name(stepName(one.after)), name(baseName(one))] as [string, string], values: (row: Joined<R>) => values(row, s) }));
  const after = (sheet.after ?? []).filter(([, key]) => rows.some(({ row, before }) => row[key] !== undefined || before?.[key] !== undefined));
  return [
    ...(sheet.counts ?? []).map(count),
    ...step(sheet.held, ({ row, base }, s) => [row.at_bytes[s], base.at[s] ?? null]),
    ...(sheet.peak
      ? [{ names: ['peak_bytes', 'peak_bytes'] as [string, string], values: ({ row, base }: Joined<R>): [Fact, Fact] => [row.peak_bytes, base.peak] }]
      : []),
    ...(sheet.buffers
      ? step(
          (name) => `step_${name}_buffers`,
          (row, s) => heldOf(row, s, place),
        )
      : []),
    ...after.map(count),
  ];
}

const NUMBERS = ['offset_bytes', 'start_step', 'end_step'];

/** The head and a line for each row. An empty cell: no matching step before, or the row is not told apart in it. */
export function csvBeside<R extends Values>(sheet: Sheet<R>, rows: readonly Joined<R>[], pair: ComparedSteps): [string[], Cell[][]] {
  const columns = columnsOf(sheet, rows, pair);
  const facts = sheet.facts ?? [];
  const three = (name: string) => [name, `baseline_${name}`, ...(NUMBERS.includes(name) ? [`${name}_difference`] : [])];
  const theirs = ({ before }: Joined<R>) => (sheet.renamed ? [before ? sheet.texts[0][1](before) : null] : []);
  return [
    [
      ...sheet.texts.map(([name]) => name),
      ...(sheet.renamed ? ['baseline_name'] : []),
      ...columns.flatMap(({ names: [is, was] }) => [is, `baseline_${was}`, `${is}_difference`]),
      ...facts.flatMap(([name]) => three(name)),
      'side',
    ],
    rows.map((one) => [
      ...sheet.texts.map(([, read]) => read(one.row)),
      ...theirs(one),
      ...columns.flatMap(({ values }) => {
        const [is, was] = values(one);
        return [is, was, by(is, was)];
      }),
      ...facts.flatMap(([name, key]) => {
        const [is, was] = factsOf(one, key);
        return [is, was, ...(NUMBERS.includes(name) ? [by(is, was)] : [])];
      }),
      sideWords(one.base),
    ]),
  ];
}

const jsonValues = (values: Values, base: BaseValues): { baseline: Record<string, unknown>; difference: Record<string, unknown> } => ({
  baseline: { at: base.at, peak: base.peak },
  difference: { at: values.at_bytes.map((value, s) => by(value, base.at[s] ?? null)), peak: by(values.peak_bytes, base.peak) },
});

/** The server's answer with `baseline` and `difference` in each row; `baseline` beside the rows says which steps were met. */
export function jsonBeside<R extends Values>(sheet: Sheet<R>, answer: object, rows: readonly Joined<R>[], pair: ComparedSteps): object {
  const { place } = asksOf(pair);
  const list = rows.map((one) => {
    const values = jsonValues(one.row, one.base);
    const own: Record<string, unknown> = {};
    const put = (key: string, [is, was]: [Fact, Fact]) => {
      values.baseline[key] = was;
      if (typeof is === 'number' || typeof was === 'number') values.difference[key] = by(is, was);
    };
    for (const [, key] of [...(sheet.counts ?? []), ...(sheet.after ?? [])])
      if (one.row[key] !== undefined || one.before?.[key] !== undefined) put(key, countsOf(one, key));
    if (sheet.buffers) {
      const held = pair.steps.map((_, s) => heldOf(one, s, place));
      values.baseline.held = held.map(([, was]) => was);
      values.difference.held = held.map(([is, was]) => by(is, was));
    }
    for (const [, key] of sheet.facts ?? []) {
      const pairOf = factsOf(one, key);
      own[key] = pairOf[0];
      put(key, pairOf);
    }
    if (sheet.renamed) values.baseline.name = one.before ? sheet.texts[0][1](one.before) : null;
    return { ...one.row, ...own, ...values, side: sideWords(one.base) || null };
  });
  return { ...answer, baseline: { ...pair.before, at: pair.steps }, rows: list };
}

/** What the rows leave of the two totals, where they leave anything: with it each column adds up. */
export function restLine<R extends Values>(
  rows: readonly Joined<R>[],
  total: Values,
  was: Values,
  place: readonly (number | null)[],
  made: (rest: Values) => R,
): Joined<R>[] {
  const is: Values = {
    at_bytes: total.at_bytes.map((value, s) => value - rows.reduce((sum, { row }) => sum + row.at_bytes[s], 0)),
    peak_bytes: total.peak_bytes - rows.reduce((sum, { row }) => sum + row.peak_bytes, 0),
    curve_bytes: [],
  };
  const base = restOf(
    baseOf(was, place),
    rows.map((one) => one.base),
  );
  return [...is.at_bytes, is.peak_bytes, ...base.at, base.peak].some((value) => value) ? [{ row: made(is), base, before: null }] : [];
}
