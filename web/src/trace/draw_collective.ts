/** The selected collective on the rows of all chips: each bar framed, hatched until the last chip joined. */
import { textWidth } from '../canvas/text';
import { collective, momentsOf, waitEnd } from './collective_state';
import { boxPlace } from './hits';
import { groupIndex } from './groups';
import { pattern } from './palette';
import { palette } from './palette_now';
import { labelWidth, timeToX } from './scale';
import { durationText } from './time';

export function drawCollective(g: CanvasRenderingContext2D, width: number, font: string): void {
  const c = collective.peek();
  if (!c || c.chips.n < 2) return;
  const p = palette();
  const left = labelWidth();
  const inPlot = (x: number) => Math.min(width + 2, Math.max(left - 2, x));
  const m = momentsOf(c);
  const joined = timeToX(m.lastStart);
  // If no wait is as wide as its label, the names of the boxes stay.
  const told = joined - timeToX(m.firstStart) > 60;
  const ratio = g.getTransform().a || 1;
  g.font = font;
  g.textBaseline = 'middle';
  g.textAlign = 'left';
  g.lineWidth = 1;
  for (let k = 0; k < c.chips.n; k++) {
    const place = boxPlace(c.chips.row[k], c.chips.depth[k]);
    if (!place) continue;
    const x0 = inPlot(timeToX(c.chips.start_ps[k]));
    const x1 = inPlot(timeToX(c.chips.end_ps[k]));
    const wait = inPlot(timeToX(waitEnd(c, k)));
    if (wait - x0 >= 1) {
      g.fillStyle = pattern(g, 'hatch', p.bg, p.strong[groupIndex('coll')], ratio);
      g.fillRect(x0, place.y, wait - x0, place.h);
      said(g, `waits ${durationText(c.chips.wait_ps[k])}`, x0, wait, place, p.bg, p.fg);
    } else if (told && c.straggler === c.chips.process[k]) said(g, 'joins last', x0, x1, place, p.bg, p.accent);
    g.strokeStyle = p.accent;
    if (x1 - x0 >= 2) g.strokeRect(x0 + 0.5, place.y + 0.5, x1 - x0 - 1, place.h - 1);
    if (joined < left || joined > width) continue;
    g.fillStyle = p.accent;
    g.fillRect(Math.round(joined), place.y - 2, 1, place.h + 4);
  }
}

/** Words in a box, where they fit. */
function said(g: CanvasRenderingContext2D, text: string, x0: number, x1: number, place: { y: number; h: number }, back: string, front: string): void {
  const wide = textWidth(g, text) + 8;
  if (x1 - x0 < wide + 4) return;
  g.fillStyle = back;
  g.fillRect(x0 + 2, place.y + 1, wide, place.h - 2);
  g.fillStyle = front;
  g.fillText(text, x0 + 6, place.y + place.h / 2 + 0.5);
}
