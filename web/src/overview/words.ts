/** What a step is called here: as the server calls it. Pure. */
import type { Columns, Overview } from '../api/answers';

type Of = Pick<Overview, 'step'>;

export const stepWord = ({ step }: Of): string => step?.unit ?? 'step';
export const stepsWord = (a: Of): string => `${stepWord(a)[0].toUpperCase()}${stepWord(a).slice(1)}s`;

/** What the parts of a step are measured on: a host that computes with all its threads, or a chip. */
export const placeWord = (places: readonly { name: string; host: string }[]): string => (places.every((one) => one.name === one.host) ? 'host' : 'chip');

/** The rows of a table of an answer. */
export function rowsOf<Row>(table: Columns<Row>): Row[] {
  const keys = Object.keys(table).filter((key) => key !== 'n') as (keyof Row)[];
  return Array.from({ length: table.n }, (_, k) => Object.fromEntries(keys.map((key) => [key, table[key][k]])) as Row);
}
