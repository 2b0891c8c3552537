/** The pixels of all rows: lanes are written into it one by one, then it is put onto the page's canvas at once. */
import { StripScratch } from './strip';

export class StripImage {
  scratch = new StripScratch(1);
  /** Its pixels as ABGR words, `width` of them a row. */
  words = new Uint32Array(0);
  private image: ImageData | null = null;
  /** Rows that hold pixels of this frame, and of the one before: only those are emptied again. */
  private drawn = new Uint8Array(0);
  private drawnBefore = new Uint8Array(0);
  private readonly canvas = document.createElement('canvas');

  get width(): number {
    return this.image?.width ?? 1;
  }

  get height(): number {
    return this.image?.height ?? 0;
  }

  /** A frame of this size in device pixels. */
  begin(g: CanvasRenderingContext2D, width: number, height: number): void {
    const w = Math.max(1, width);
    const h = Math.max(1, height);
    if (!this.image || this.image.width !== w || this.image.height !== h) {
      this.image = g.createImageData(w, h);
      this.words = new Uint32Array(this.image.data.buffer);
      this.canvas.width = w;
      this.canvas.height = h;
      this.scratch = new StripScratch(w);
      this.drawn = new Uint8Array(h);
      this.drawnBefore = new Uint8Array(h);
    }
    [this.drawn, this.drawnBefore] = [this.drawnBefore, this.drawn];
    this.drawn.fill(0);
  }

  /** Whole rows were written. */
  draws(top: number, height: number): void {
    this.drawn.fill(1, Math.max(0, top), Math.max(0, top + height));
  }

  put(g: CanvasRenderingContext2D, left: number): void {
    const context = this.canvas.getContext('2d');
    if (!context || !this.image) return;
    this.emptyRest();
    context.putImageData(this.image, 0, 0);
    g.save();
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(this.canvas, left, 0);
    g.restore();
  }

  /** Rows of the frame before that nothing was drawn into since. */
  private emptyRest(): void {
    const { width } = this;
    for (let y = 0; y < this.drawn.length; y++) if (this.drawnBefore[y] && !this.drawn[y]) this.words.fill(0, y * width, (y + 1) * width);
  }
}
