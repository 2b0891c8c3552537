/** HLO text as lines, and where its names are defined and used. Pure. */

export interface Head {
  /** Line at which the computation begins, and the line of its closing bracket. */
  line: number;
  end: number;
  name: string;
  entry: boolean;
}

export interface HloText {
  body: string;
  lines: string[];
  /** Offset of each line in the body. */
  starts: Uint32Array;
  /** Name, without '%', to the line that defines it: instructions and computations. */
  defined: Map<string, number>;
  heads: Head[];
}

const HEAD = /^(ENTRY )?%?([\w.$<>-]+) (?:\(.*\) -> .* )?\{$/;
const DEFINITION = /^ {2}(?:ROOT )?%?([\w.$<>-]+) = /;

export function parseText(body: string): HloText {
  const lines = body.split('\n');
  const starts = new Uint32Array(lines.length);
  const defined = new Map<string, number>();
  const heads: Head[] = [];
  let offset = 0;
  lines.forEach((line, i) => {
    starts[i] = offset;
    offset += line.length + 1;
    const definition = line.startsWith('  ') ? DEFINITION.exec(line) : null;
    if (definition) {
      // A link leads to the first of equal names.
      if (!defined.has(definition[1])) defined.set(definition[1], i);
      return;
    }
    const open = heads[heads.length - 1];
    if (line.startsWith('}') && open && open.end < 0) open.end = i;
    const head = line.endsWith('{') ? HEAD.exec(line) : null;
    if (!head) return;
    heads.push({ line: i, end: -1, name: head[2], entry: Boolean(head[1]) });
    if (!defined.has(head[2])) defined.set(head[2], i);
  });
  // A text that was cut short: each computation ends before the next.
  heads.forEach((head, k) => {
    if (head.end < 0) head.end = (heads[k + 1]?.line ?? lines.length) - 1;
  });
  return { body, lines, starts, defined, heads };
}

/** The line that holds an offset of the body. */
export function lineAt(text: HloText, offset: number): number {
  let low = 0;
  let high = text.starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (text.starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The computation that a line is in, or null. */
export function headOf(text: HloText, line: number): Head | null {
  let low = -1;
  let high = text.heads.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (text.heads[middle].line <= line) low = middle;
    else high = middle - 1;
  }
  const head = text.heads[low];
  return head && line <= head.end ? head : null;
}

/** The computation that begins at a line. */
export function headAt(text: HloText, line: number): Head | null {
  const head = text.lines[line]?.endsWith('{') ? headOf(text, line) : null;
  return head?.line === line ? head : null;
}

type PieceKind = 'text' | 'name' | 'defined' | 'opcode' | 'key' | 'quote' | 'type' | 'layout';

export interface Piece {
  kind: PieceKind;
  text: string;
}

const WORDS = /"(?:[^"\\]|\\.)*"|%?[A-Za-z_][\w.$-]*/g;
/** The same, with shapes and their layouts as words of their own. */
const WORDS_AND_SHAPES = /"(?:[^"\\]|\\.)*"|\b(?:pred|token|opaque|[a-z]+\d[a-z0-9]*)\[[\d,<=?]*\]|(?<=\])\{[\d,]*(?::[^{}]*)?\}|%?[A-Za-z_][\w.$-]*/g;

/** A line in pieces: its own name, names it uses, the opcode, keys of attributes, quoted texts. */
export function pieces(line: string, defined: ReadonlyMap<string, number>): Piece[] {
  const out: Piece[] = [];
  const definition = DEFINITION.exec(line)?.[1];
  let at = 0;
  let opcode = definition === undefined;
  const put = (kind: PieceKind, text: string) => {
    const last = out[out.length - 1];
    if (last && last.kind === 'text' && kind === 'text') last.text += text;
    else out.push({ kind, text });
  };
  for (const match of line.matchAll(WORDS_AND_SHAPES)) {
    const word = match[0];
    const bare = word.startsWith('%') ? word.slice(1) : word;
    const next = line[match.index + word.length];
    let kind: PieceKind = 'text';
    if (word.startsWith('"')) kind = 'quote';
    else if (word.startsWith('{')) kind = 'layout';
    else if (word.endsWith(']')) kind = 'type';
    else if (bare === definition && match.index < 8 && out.every((piece) => piece.kind === 'text')) kind = 'defined';
    // The first word followed by an opening bracket, after the shape, is the opcode.
    else if (!opcode && next === '(' && line[match.index - 1] === ' ') {
      kind = 'opcode';
      opcode = true;
    } else if (next === '=' && line[match.index - 1] === ' ') kind = 'key';
    else if (defined.has(bare)) kind = 'name';
    put('text', line.slice(at, match.index));
    put(kind, word);
    at = match.index + word.length;
  }
  put('text', line.slice(at));
  return out.filter((piece) => piece.text !== '');
}

export interface Instruction {
  name: string;
  line: number;
  root: boolean;
  shape: string;
  opcode: string;
  /** Names in the brackets, in order; numbers of parameters and values of constants are not names. */
  operands: string[];
  /** Names after the brackets: called computations, control predecessors. */
  others: string[];
  attributes: string[];
  computation: string;
}

/** End of the brackets that open at `from`; texts in quotes may hold brackets. */
export function closing(line: string, from: number): number {
  let depth = 0;
  for (let i = from; i < line.length; i++) {
    const c = line[i];
    if (c === '"') {
      for (i++; i < line.length && line[i] !== '"'; i++) if (line[i] === '\\') i++;
    } else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c) && --depth === 0) return i;
  }
  return line.length;
}

/** Cuts at the commas that are in no brackets and no quotes. */
export function topLevel(text: string): string[] {
  const out: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if ('([{'.includes(text[i])) i = closing(text, i);
    else if (text[i] === '"') for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++;
    if (text[i] === ',') {
      out.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  const last = text.slice(start).trim();
  if (last) out.push(last);
  return out;
}

function namesIn(text: string, defined: ReadonlyMap<string, number>): string[] {
  const found: string[] = [];
  for (const [word] of text.matchAll(WORDS)) {
    const bare = word.startsWith('%') ? word.slice(1) : word;
    if (!word.startsWith('"') && defined.has(bare) && !found.includes(bare)) found.push(bare);
  }
  return found;
}

/** The text after "name = ": shape, opcode, text in brackets, and the rest. */
function partsOf(rest: string): { shape: string; opcode: string; inside: string; behind: string } {
  // The shape ends at the first space outside brackets.
  let end = 0;
  while (end < rest.length && rest[end] !== ' ') end = '([{'.includes(rest[end]) ? closing(rest, end) + 1 : end + 1;
  const open = rest.indexOf('(', end);
  const close = open < 0 ? rest.length : closing(rest, open);
  const opcode = rest.slice(end + 1, open < 0 ? rest.length : open);
  // The number of a parameter and the value of a constant are not names.
  const named = open >= 0 && opcode !== 'constant' && opcode !== 'parameter';
  return {
    shape: rest.slice(0, end),
    opcode,
    inside: named ? rest.slice(open + 1, close).replace(/\/\*.*?\*\//g, '') : '',
    behind: rest.slice(close + 1).replace(/^, /, ''),
  };
}

const withoutMetadata = (behind: string) => behind.replace(/(^|, )metadata=\{.*$/, '');

/** Takes a line that defines an instruction apart; null for any other line. */
export function instructionAt(text: HloText, line: number): Instruction | null {
  const source = text.lines[line] ?? '';
  const match = DEFINITION.exec(source);
  if (!match) return null;
  const { shape, opcode, inside, behind } = partsOf(source.slice(match[0].length));
  return {
    name: match[1],
    line,
    root: source.startsWith('  ROOT '),
    shape,
    opcode,
    operands: namesIn(inside, text.defined),
    others: namesIn(withoutMetadata(behind), text.defined),
    attributes: topLevel(behind),
    computation: headOf(text, line)?.name ?? '',
  };
}

/** Lines of the instructions that use a name, as operand or as something called or waited for. */
export function usesOf(text: HloText, name: string): number[] {
  const lines: number[] = [];
  const word = /[\w.$-]/;
  for (let at = text.body.indexOf(name); at >= 0; at = text.body.indexOf(name, at + name.length)) {
    if (word.test(text.body[at - 1] ?? ' ') || word.test(text.body[at + name.length] ?? ' ')) continue;
    const line = lineAt(text, at);
    if (line === lines[lines.length - 1]) continue;
    const user = instructionAt(text, line);
    if (user && (user.operands.includes(name) || user.others.includes(name))) lines.push(line);
  }
  return lines;
}
