import { nameRoom } from './state';
const GAP = 6;
let pen: CanvasRenderingContext2D | null | undefined;

function widthOf(text: string, font: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return text.length * 7;
  pen.font = font;
  return pen.measureText(text).width;
}

/** The longest end of a path that fits, cut in front and only between two folders: "…/8b02f7a". Nothing where not even
 *  the last folder does. */
export function pathEnd(path: string, room: number, width: (text: string) => number): string {
  if (width(path) <= room) return path;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    const end = `…${path.slice(at)}`;
    if (width(end) <= room) return end;
  }
  return '';
}

/** How many first letters of each name it shares with the most alike other one: there it begins to differ. */
export function differsAt(names: readonly string[]): Map<string, number> {
  const sorted = [...new Set(names)].sort();
  const shared = (a = '', b = '') => {
    let at = 0;
    while (at < a.length && a[at] === b[at]) at++;
    return at;
  };
  return new Map(sorted.map((name, i) => [name, Math.max(shared(name, sorted[i - 1]), shared(name, sorted[i + 1]))]));
}

const GAP_SIGN = '…';

/** A name cut in its middle so that it fits and still shows its beginning, its end and where it differs from others. */
export function middleCut(name: string, differs: number, fits: (text: string) => boolean): string {
  if (fits(name)) return name;
  for (let left = name.length - 1; left >= 2; left--) {
    const tail = Math.floor(left / 2);
    const head = left - tail;
    const inside = differs < head || differs >= name.length - tail;
    // Three pieces: the beginning, the letters that differ, the end.
    const third = Math.floor(left / 3);
    const from = Math.max(0, differs - Math.floor(third / 4));
    const pieces = inside
      ? `${name.slice(0, head)}${GAP_SIGN}${name.slice(name.length - tail)}`
      : `${name.slice(0, third)}${GAP_SIGN}${name.slice(from, from + third)}${GAP_SIGN}${name.slice(name.length - third)}`;
    // A label may have such a sign of its own beside the cut.
    const text = pieces.replace(/…[/…]*…/g, GAP_SIGN);
    if (fits(text)) return text;
  }
  return name.slice(0, 1) + GAP_SIGN;
}

const NAME_FONT = (family: string) => `600 12px ${family}`;

/** A run's label as it fits into its column, with some room for what stands beside it. */
export function nameIn(label: string, differs: number, beside: number): string {
  const family = getComputedStyle(document.body).fontFamily;
  return middleCut(label, differs, (text) => widthOf(text, NAME_FONT(family)) <= nameRoom.value - beside);
}

/** What of a run's folder fits behind its name. */
export function pathBehind(name: string, folder: string, before: number): string {
  const family = getComputedStyle(document.body).fontFamily;
  const room = nameRoom.value - before - Math.ceil(widthOf(name, NAME_FONT(family))) - GAP - 2;
  return pathEnd(folder, room, (text) => widthOf(text, `11px ${family}`));
}
