/** Answers of the routes below trace/. Times are picoseconds after `base_ps`, lengths picoseconds. */

export interface TraceWindow {
  from: number;
  to: number;
  cell_ps: number;
  q: number;
  events_in_view: number;
  coarser: boolean;
  depths: { n: number; row: number[]; depth: number[]; first_event: number[]; boxes: number[] };
  box: { n: number; start: number[]; length: number[]; name: number[] };
  merged: { n: number; /** Picoseconds of one `busy`. */ busy_q: number; at: number[]; count: number[]; busy: number[]; longest: number[] };
  counters: { n: number; box: number[]; at: number[]; value: number[]; least: number[]; most: number[] };
  held: { n: number; row: number[]; at: number[]; value: number[] };
  waits: { n: number; box: number[]; drawn: number[]; wait: number[]; hidden: ('fully' | 'partly' | 'exposed')[] };
  exact: { n: number; box: number[]; beyond: number[]; duration: number[] };
  names: { n: number; id: number[]; caption: string[]; group: string[]; wait: (number | boolean)[]; scope?: number[]; names?: string[] };
}
