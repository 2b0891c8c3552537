/** Ticks for a byte axis (powers of two times 1, 2, 4, ... of the unit) and a step axis (1, 2, 5). Pure. */
export function byteTicks(top: number, want: number): number[] {
  if (!(top > 0)) return [0];
  let step = 1;
  while (top / step > want + 0.5) step *= 2;
  const ticks: number[] = [];
  for (let v = 0; v <= top; v += step) ticks.push(v);
  return ticks;
}

export function stepTicks(from: number, to: number, want: number): number[] {
  const span = to - from;
  if (!(span > 0)) return [];
  const raw = span / Math.max(want, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = raw / power <= 1 ? 1 : raw / power <= 2 ? 2 : raw / power <= 5 ? 5 : 10;
  const step = Math.max(1, factor * power);
  const ticks: number[] = [];
  for (let v = Math.ceil(from / step) * step; v <= to; v += step) ticks.push(v);
  return ticks;
}
