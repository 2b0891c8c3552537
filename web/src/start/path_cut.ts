import { signal } from '@preact/signals';

/** Room of the column with names and paths, in px; the same in every row. */
export const nameRoom = signal(200);

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

/** What of a run's folder fits behind its name. */
export function pathBehind(name: string, folder: string): string {
  const family = getComputedStyle(document.body).fontFamily;
  const room = nameRoom.value - Math.ceil(widthOf(name, `600 12px ${family}`)) - GAP - 2;
  return pathEnd(folder, room, (text) => widthOf(text, `11px ${family}`));
}
