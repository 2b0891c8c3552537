/** "CSV" and "JSON" of a table: the same lines, exact numbers, as a file. */
import { type Cell, csvText, fileName, saveText } from '../app/exports';

interface Props {
  /** Of the file, and of the list in the JSON. */
  name: string;
  head: string[];
  lines: () => Cell[][];
}

export function jsonText(name: string, head: string[], lines: Cell[][]): string {
  return `${JSON.stringify({ [name]: lines.map((line) => Object.fromEntries(head.map((key, k) => [key, line[k]]))) })}\n`;
}

export function SaveTable({ name, head, lines }: Props) {
  return (
    <span class="row">
      <button type="button" class="link" onClick={() => saveText(csvText(head, lines()), fileName(name, 'csv'))}>
        CSV
      </button>
      <button type="button" class="link" onClick={() => saveText(jsonText(name, head, lines()), fileName(name, 'json'), 'application/json')}>
        JSON
      </button>
    </span>
  );
}
