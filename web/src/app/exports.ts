/** What a page can be saved as: links to the data, files made here, pictures of the canvases. */
import { moduleName } from './pickers';
import { view } from './router';
import { toast } from './toast';
import { signal } from '@preact/signals';

type Picture = () => HTMLCanvasElement | null;

const taken = new Map<string, Picture>();
/** Names of the pictures on screen, in the order they came. */
export const pictures = signal<string[]>([]);

/** Adds a picture that can be saved as PNG; the answer takes it away. */
export function registerPicture(name: string, canvas: Picture): () => void {
  taken.set(name, canvas);
  pictures.value = [...taken.keys()];
  return () => {
    if (taken.get(name) !== canvas) return;
    taken.delete(name);
    pictures.value = [...taken.keys()];
  };
}

/** Maximum length of the run in a file name; the end of the run name is kept, because it distinguishes runs. */
const RUN_LETTERS = 60;

/** "run.module.what.csv" with nothing in it that a file system dislikes. The program is named also where the page chose it. */
export function fileName(what: string, end: string): string {
  const { run, space } = view.value;
  const clean = (text: string) => text.replace(/[^\w.-]+/g, '_').replace(/^[._]+/, '');
  const parts = [
    clean(run ?? '').slice(-RUN_LETTERS),
    what === 'modules' ? '' : clean(moduleName() ?? '').replace(/\(\d+\)$/, ''),
    space ? `space${space}` : '',
    clean(what).slice(0, RUN_LETTERS),
  ];
  return `${parts.filter(Boolean).join('.')}.${end}`;
}

export function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement('a');
  const url = URL.createObjectURL(blob);
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveText(text: string, name: string, type = 'text/csv'): void {
  saveBlob(new Blob([text], { type: `${type};charset=utf-8` }), name);
}

/** The limit that asks for a table's whole length. */
export const ALL_ROWS = 4_294_967_295;

export type Cell = string | number | null;

/** One cell of CSV; a text that a spreadsheet would run as a formula is quoted off. */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csvText(head: string[], rows: Cell[][]): string {
  return [head, ...rows]
    .map((row) => row.map(csvCell).join(','))
    .join('\r\n')
    .concat('\r\n');
}

/** Saves what the canvas shows, with its title, axis and keys: what is beside it on the page is not in the file otherwise. */
export function savePicture(name: string): void {
  const canvas = taken.get(name)?.();
  if (!canvas || canvas.width === 0) {
    toast(`${name} is not on screen`);
    return;
  }
  import('../parts').then(
    ({ framed }) =>
      framed(name, canvas)?.toBlob((blob) => {
        if (blob) saveBlob(blob, fileName(name, 'png'));
        else toast('the browser could not save the picture: the canvas is too large');
      }),
    () => toast('this part of the page did not load; try again'),
  );
}
