/** A canvas with the right pixels: follows its element's size and the device pixel ratio, draws at most once a
 *  frame, and draws again when it is marked dirty. Drawing code works in CSS pixels. */
import { begin } from '../util/rest';

export type Draw = (g: CanvasRenderingContext2D, width: number, height: number) => void;

export class Surface {
  readonly canvas: HTMLCanvasElement;
  private readonly g: CanvasRenderingContext2D;
  private readonly observer: ResizeObserver;
  private frame = 0;
  private closed = false;
  private end = () => {};
  width = 0;
  height = 0;

  constructor(
    canvas: HTMLCanvasElement,
    private readonly draw: Draw,
    private readonly resized: (width: number, height: number) => void = () => {},
  ) {
    this.canvas = canvas;
    const g = canvas.getContext('2d');
    if (!g) throw new Error('this browser has no 2D canvas');
    this.g = g;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas);
    addEventListener('beforeprint', this.paintForPaper);
    this.resize();
  }

  private resize(): void {
    const box = this.canvas.getBoundingClientRect();
    const ratio = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(box.width * ratio));
    const h = Math.max(1, Math.round(box.height * ratio));
    if (this.canvas.width !== w || this.canvas.height !== h) {
      this.canvas.width = w;
      this.canvas.height = h;
    }
    this.width = box.width;
    this.height = box.height;
    // hidden (its table twin is shown): the size that was stays right
    if (box.width > 0) this.resized(this.width, this.height);
    this.dirty();
  }

  /** Asks for one redraw in the next frame. */
  dirty(): void {
    if (this.frame || this.closed) return;
    this.end = begin();
    this.frame = requestAnimationFrame(this.paint);
  }

  private paint = (): void => {
    this.frame = 0;
    const ratio = this.canvas.width / Math.max(this.width, 1);
    this.g.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.g.clearRect(0, 0, this.width, this.height);
    this.draw(this.g, this.width, this.height);
    this.end();
  };

  /** No frame comes before the page is taken for printing: what is to be drawn for it is drawn now. */
  private paintForPaper = (): void => {
    if (!this.frame) return;
    cancelAnimationFrame(this.frame);
    this.paint();
  };

  close(): void {
    this.closed = true;
    this.observer.disconnect();
    removeEventListener('beforeprint', this.paintForPaper);
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.end();
  }
}
