/** What the drawing needs of a canvas; the same calls also write SVG. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'bezierCurveTo'
  | 'closePath'
  | 'rect'
  | 'roundRect'
  | 'fill'
  | 'stroke'
  | 'fillText'
  | 'setLineDash'
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
  | 'globalAlpha'
  | 'lineCap'
>;

const escaped = (text: string) =>
  text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
const short = (v: number) => String(Math.round(v * 100) / 100);

/** Writes SVG. Texts come from files: every one is escaped. */
export class SvgPen implements Pen {
  fillStyle: string = '#000';
  strokeStyle: string = '#000';
  lineWidth = 1;
  font = '12px sans-serif';
  textAlign: CanvasTextAlign = 'left';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  globalAlpha = 1;
  lineCap: CanvasLineCap = 'butt';
  private path: string[] = [];
  private dash: number[] = [];
  private readonly out: string[] = [];

  beginPath(): void {
    this.path = [];
  }
  moveTo(x: number, y: number): void {
    this.path.push(`M${short(x)} ${short(y)}`);
  }
  lineTo(x: number, y: number): void {
    this.path.push(`L${short(x)} ${short(y)}`);
  }
  bezierCurveTo(a: number, b: number, c: number, d: number, x: number, y: number): void {
    this.path.push(`C${[a, b, c, d, x, y].map(short).join(' ')}`);
  }
  closePath(): void {
    this.path.push('Z');
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.path.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`);
  }
  roundRect(x: number, y: number, w: number, h: number, radii?: number | DOMPointInit | Iterable<number | DOMPointInit>): void {
    const r = Math.min(typeof radii === 'number' ? radii : 0, w / 2, h / 2);
    const arc = (dx: number, dy: number) => `a${short(r)} ${short(r)} 0 0 1 ${short(dx)} ${short(dy)}`;
    this.path.push(
      `M${short(x + r)} ${short(y)}h${short(w - 2 * r)}${arc(r, r)}v${short(h - 2 * r)}${arc(-r, r)}h${short(2 * r - w)}${arc(-r, -r)}v${short(2 * r - h)}${arc(r, -r)}Z`,
    );
  }
  fill(): void {
    this.out.push(`<path d="${this.path.join('')}" fill="${escaped(this.fillStyle)}"${this.alpha()}/>`);
  }
  stroke(): void {
    const dash = this.dash.length ? ` stroke-dasharray="${this.dash.join(' ')}"` : '';
    this.out.push(
      `<path d="${this.path.join('')}" fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"${dash}${this.alpha()}/>`,
    );
  }
  setLineDash(dash: number[]): void {
    this.dash = dash;
  }
  fillText(text: string, x: number, y: number): void {
    const anchor = this.textAlign === 'right' ? ' text-anchor="end"' : this.textAlign === 'center' ? ' text-anchor="middle"' : '';
    const at = this.textBaseline === 'middle' ? y + 4 : y;
    const size = /(\d+(?:\.\d+)?)px/.exec(this.font)?.[1] ?? '12';
    const family = this.font.includes('monospace') ? 'monospace' : 'sans-serif';
    const weight = /\b[67]00\b|bold/.test(this.font) ? ' font-weight="600"' : '';
    this.out.push(
      `<text x="${short(x)}" y="${short(at)}" font-family="${family}" font-size="${size}"${weight}${anchor} fill="${escaped(this.fillStyle)}"${this.alpha()} xml:space="preserve">${escaped(text)}</text>`,
    );
  }
  private alpha(): string {
    return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : '';
  }
  svg(x: number, y: number, width: number, height: number, ground: string, title: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${[x, y, width, height].map(short).join(' ')}" width="${short(width)}" height="${short(height)}"><title>${escaped(title)}</title><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${escaped(ground)}"/>${this.out.join('\n')}</svg>\n`;
  }
}
