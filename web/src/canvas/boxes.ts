/** Rectangle map with an id per pixel: exact hit tests in O(1), however many boxes. Pure but for the arrays. */
export interface IdRaster {
  readonly width: number;
  readonly height: number;
  /** box index + 1 per CSS pixel, 0 = nothing */
  readonly ids: Uint32Array;
}

export function makeRaster(width: number, height: number): IdRaster {
  const w = Math.max(1, Math.ceil(width));
  const h = Math.max(1, Math.ceil(height));
  return { width: w, height: h, ids: new Uint32Array(w * h) };
}

/** Marks a box; every box covers at least one pixel so that small ones can be hit. Later boxes win. */
export function markBox(r: IdRaster, id: number, x0: number, y0: number, x1: number, y1: number): void {
  const left = Math.min(Math.max(Math.floor(x0), 0), r.width);
  const right = Math.min(Math.max(Math.ceil(x1), left + 1), r.width);
  const top = Math.min(Math.max(Math.floor(y0), 0), r.height);
  const bottom = Math.min(Math.max(Math.ceil(y1), top + 1), r.height);
  for (let y = top; y < bottom; y++) r.ids.fill(id + 1, y * r.width + left, y * r.width + right);
}

/** Box index under the pixel, or the nearest within `slack` pixels, or -1. */
export function hitBox(r: IdRaster, x: number, y: number, slack = 2): number {
  const cx = Math.floor(x);
  const cy = Math.floor(y);
  for (let d = 0; d <= slack; d++)
    for (let dy = -d; dy <= d; dy++)
      for (let dx = -d; dx <= d; dx++) {
        if (Math.max(Math.abs(dx), Math.abs(dy)) !== d) continue;
        const px = cx + dx;
        const py = cy + dy;
        if (px < 0 || py < 0 || px >= r.width || py >= r.height) continue;
        const id = r.ids[py * r.width + px] ?? 0;
        if (id) return id - 1;
      }
  return -1;
}
