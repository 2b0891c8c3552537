/** Costs and effects in words. Pure. */
import { fixed, formatBytes, formatPercent } from '../util/format';

export function workText(flops: number): string {
  const [power, unit] = flops >= 1e12 ? [1e12, 'TFLOP'] : flops >= 1e9 ? [1e9, 'GFLOP'] : flops >= 1e6 ? [1e6, 'MFLOP'] : [1, 'FLOP'];
  return `+${fixed(flops / power, power > 1 && flops / power < 100 ? 1 : 0)} ${unit}`;
}

export function timeText(seconds: number): string {
  return seconds >= 1 ? `${fixed(seconds, 1)} s` : seconds >= 1e-3 ? `${fixed(seconds * 1e3, 0)} ms` : `${fixed(seconds * 1e6, 0)} µs`;
}

interface Costs {
  action: string;
  moved: number;
  flops: number | null;
  bytes: number;
  parts: number;
}

/** "out and back 768.0 MiB: 50 ms at 16 GB/s", "+103 GFLOP (1.7 %)", "2 devices, gathers 206.5"; what the data do not give is not guessed. */
export function costText({ action, moved, flops, bytes, parts }: Costs, program: number | null, rate: number | null): string {
  switch (action) {
    case 'recompute':
      if (flops === null) return 'cost unknown';
      return `${workText(flops)}${program ? ` (${formatPercent(flops / program, 1)})` : ''}`;
    case 'offload':
      return moved > 0 ? `out and back ${formatBytes(moved)}${rate ? `: ${timeText(moved / rate)} at ${fixed(rate / 1e9, 0)} GB/s` : ''}` : '';
    case 'shard':
      return `${parts} devices, gathers ${formatBytes(bytes - Math.ceil(bytes / parts))} a step`;
    case 'halve':
      return 'check numerical accuracy';
    case 'donate':
      return 'free; the caller can no longer use the old arrays';
    default:
      return '';
  }
}
