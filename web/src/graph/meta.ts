/** What the metadata of a line says, and the parts of a line that are folded to pills. Pure. */
import { closing, type HloText } from './text';

export interface Pill {
  from: number;
  to: number;
  word: string;
}

const FOLDED = ['metadata', 'backend_config'];

function endOfQuote(line: string, from: number): number {
  for (let i = from + 1; i < line.length; i++) {
    if (line[i] === '\\') i++;
    else if (line[i] === '"') return i;
  }
  return line.length - 1;
}

/** Folded attributes: from the comma before them to their last character. */
export function pillsOf(line: string): Pill[] {
  const pills: Pill[] = [];
  if (!line.startsWith('  ')) return pills;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (c === '"') i = endOfQuote(line, i);
    else if (c === '(' || c === '[' || c === '{') i = closing(line, i);
    else if (c === ',') {
      const word = FOLDED.find((name) => line.startsWith(` ${name}=`, i + 1));
      if (!word) continue;
      const value = i + word.length + 3;
      const to = line[value] === '"' ? endOfQuote(line, value) : line[value] === '{' ? closing(line, value) : value;
      pills.push({ from: i, to: Math.min(to + 1, line.length), word });
      i = to;
    }
  }
  return pills;
}

interface Meta {
  opName: string;
  file: string;
  line: number | null;
  frame: number | null;
}

const unquote = (text: string) => text.replace(/\\(.)/g, '$1');

export function metaOf(line: string): Meta | null {
  const pill = pillsOf(line).find((item) => item.word === 'metadata');
  if (!pill) return null;
  const inner = line.slice(pill.from, pill.to);
  const quoted = (key: string) => unquote(new RegExp(`[{ ]${key}="((?:[^"\\\\]|\\\\.)*)"`).exec(inner)?.[1] ?? '');
  const number = (key: string) => {
    const found = new RegExp(`[{ ]${key}=(\\d+)`).exec(inner);
    return found ? Number(found[1]) : null;
  };
  return { opName: quoted('op_name'), file: quoted('source_file'), line: number('source_line'), frame: number('stack_frame_id') };
}

export interface Frame {
  file: string;
  line: number;
  function: string;
}

interface Tables {
  files: Map<number, string>;
  functions: Map<number, string>;
  locations: Map<number, { file: number; fn: number; line: number }>;
  frames: Map<number, { location: number; parent: number }>;
}

const read = new WeakMap<HloText, Tables>();

/** The tables of stack frames come before the first computation. */
function tablesOf(text: HloText): Tables {
  const known = read.get(text);
  if (known) return known;
  const tables: Tables = { files: new Map(), functions: new Map(), locations: new Map(), frames: new Map() };
  let into = '';
  const value = (line: string, key: string) => Number(new RegExp(`[{ ]${key}=(\\d+)`).exec(line)?.[1] ?? 0);
  for (let i = 0; i < (text.heads[0]?.line ?? 0); i++) {
    const line = text.lines[i];
    if (/^[A-Z]\w+$/.test(line)) into = line;
    const row = /^(\d+) (.*)$/.exec(line);
    if (!row) continue;
    const id = Number(row[1]);
    if (into === 'FileNames') tables.files.set(id, unquote(row[2].slice(1, -1)));
    else if (into === 'FunctionNames') tables.functions.set(id, unquote(row[2].slice(1, -1)));
    else if (into === 'FileLocations')
      tables.locations.set(id, { file: value(line, 'file_name_id'), fn: value(line, 'function_name_id'), line: value(line, 'line') });
    else if (into === 'StackFrames') tables.frames.set(id, { location: value(line, 'file_location_id'), parent: value(line, 'parent_frame_id') });
  }
  read.set(text, tables);
  return tables;
}

/** Where in the program a line comes from, inner frame first. */
export function framesOf(text: HloText, meta: Meta | null, limit = 12): Frame[] {
  if (!meta) return [];
  const out: Frame[] = [];
  const tables = tablesOf(text);
  for (let id = meta.frame ?? 0, k = 0; id > 0 && k < limit; k++) {
    const frame = tables.frames.get(id);
    const at = frame && tables.locations.get(frame.location);
    if (!frame || !at) break;
    out.push({ file: tables.files.get(at.file) ?? '', line: at.line, function: tables.functions.get(at.fn) ?? '' });
    // XLA prints the parent's number plus one: an outermost frame has 1.
    id = frame.parent - 1;
  }
  // Without a stack the line alone, where the file says one.
  return out.length || !meta.file ? out : [{ file: meta.file, line: meta.line ?? 0, function: '' }];
}
