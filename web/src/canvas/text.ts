/** Labels in boxes: the longest of the given texts that fits, cut with an ellipsis when the last allows it. */
const widths = new Map<string, number>();
let widthsFont = '';

/** Width in the context's font; remembered per text, dropped when the font changes or the table grows. */
export function textWidth(g: CanvasRenderingContext2D, text: string): number {
  if (g.font !== widthsFont || widths.size > 20_000) {
    widths.clear();
    widthsFont = g.font;
  }
  let w = widths.get(text);
  if (w === undefined) {
    w = g.measureText(text).width;
    widths.set(text, w);
  }
  return w;
}

export function fitText(g: CanvasRenderingContext2D, choices: readonly string[], room: number): string {
  for (const text of choices) if (textWidth(g, text) <= room) return text;
  const last = choices[choices.length - 1] ?? '';
  const per = textWidth(g, '0');
  const keep = Math.floor(room / Math.max(per, 1)) - 1;
  return keep >= 3 ? `${last.slice(0, keep)}…` : '';
}
