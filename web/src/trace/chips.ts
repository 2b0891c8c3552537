/** When the chips ran the same operation: host-aligned, and by their own clocks where these can be compared. Pure. */
import type { TraceEvent } from '../api/answers';

export type Chips = NonNullable<TraceEvent['chips']>;

interface ChipTimes {
  /** The scale: from the first start to the last end, of both kinds. */
  from: number;
  to: number;
  /** Between the first and the last start, host-aligned. */
  skew: number;
  /** Starts by the clocks of the chips, laid on the axis so that the event's own keeps its place; null: not comparable. */
  device: number[] | null;
  deviceSkew: number | null;
  /** Start of the event itself. */
  own: number;
}

const spread = (list: number[]) => Math.max(...list) - Math.min(...list);

/** The event itself is the first of them. */
export function chipTimes(c: Chips): ChipTimes {
  const known = c.process.map((_, k) => k).filter((k) => c.skew_ps[k] !== null);
  const skew = spread(known.map((k) => c.start_ps[k]));
  const raw = c.device_start_ps.map((text, k) => (text === null || c.device_duration_ps[k] === null ? null : BigInt(text)));
  const first = raw[0];
  // Differences are small, the clocks' own numbers need not be.
  const device = first !== null && raw.every((t) => t !== null) ? raw.map((t) => c.start_ps[0] + Number((t as bigint) - first)) : null;
  // Further apart than host-aligned: clocks of other origins, which say nothing about skew.
  const agrees = device !== null && known.length === c.n && spread(device) <= Math.max(skew, 1);
  const bars = known.flatMap((k) => [
    [c.start_ps[k], c.start_ps[k] + c.duration_ps[k]],
    ...(agrees ? [[device[k], device[k] + (c.device_duration_ps[k] ?? 0)]] : []),
  ]);
  return {
    from: Math.min(...bars.map(([at]) => at)),
    to: Math.max(...bars.map(([, end]) => end)),
    skew,
    device: agrees ? device : null,
    deviceSkew: agrees ? spread(device) : null,
    own: c.start_ps[0],
  };
}
