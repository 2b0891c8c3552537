/** Peaks of the device: from the profile or the table, edited by hand; kept per device kind and in the URL (`peaks=197,819,45,1.5`, in the order of FIELDS). */
import { computed, effect, signal } from '@preact/signals';
import { setView, view } from '../app/router';
import { run } from '../app/state';
import { typedPeaks } from '../app/doctor_state';
import type { EventRoofline, Peaks } from '../api/answers';
import type { Expected } from './types';

export const FIELDS = [
  'flops_per_s',
  'hbm_bytes_per_s',
  'link_bytes_per_s',
  'clock_hz',
  'vector_flops_per_s',
  'shared_bytes_per_s',
  'vmem_read_bytes_per_s',
  'vmem_write_bytes_per_s',
  'cmem_read_bytes_per_s',
  'cmem_write_bytes_per_s',
] as const;
export type Field = (typeof FIELDS)[number];
export type Values = Record<Field, number | null>;
/** What one unit of a box is: T for work, G for all else. */
export const SCALE = Object.fromEntries(FIELDS.map((field) => [field, /flops/.test(field) ? 1e12 : 1e9])) as Record<Field, number>;
/** The parameters of every route that judges. */
const PARAMS: Partial<Record<Field, string>> = {
  flops_per_s: 'peak_flops',
  hbm_bytes_per_s: 'peak_bandwidth',
  link_bytes_per_s: 'peak_link',
  vector_flops_per_s: 'peak_vector',
  shared_bytes_per_s: 'peak_shared',
  vmem_read_bytes_per_s: 'peak_vmem_read',
  vmem_write_bytes_per_s: 'peak_vmem_write',
  cmem_read_bytes_per_s: 'peak_cmem_read',
  cmem_write_bytes_per_s: 'peak_cmem_write',
};

const STORE = 'xprofd.peaks';
const edits = signal(0);

function readStore(): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(STORE) ?? '{}');
    return kept && typeof kept === 'object' ? (kept as Record<string, string>) : {};
  } catch {
    return {};
  }
}

/** "197,819,,1.5": empty or nonsense is unknown. */
export function parsePeaks(text: string): Values {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const out = {} as Values;
  FIELDS.forEach((field, k) => {
    const value = numbers[k] * SCALE[field];
    out[field] = Number.isFinite(value) && value > 0 && value < 1e21 ? value : null;
  });
  return out;
}

export function formatPeaks(values: Values): string {
  const all = FIELDS.map((field) => (values[field] === null ? '' : String(Number(((values[field] as number) / SCALE[field]).toPrecision(12)))));
  while (all.length > 4 && all[all.length - 1] === '') all.pop();
  return all.join(',');
}

/** The peaks that were entered for a device, as parameters of a route; those of the link count, else those kept for the device kind. */
export function peakParams(given: Peaks | null, device: string): Record<string, string | undefined> {
  const use = peaksInUse(given, device);
  const out: Record<string, string | undefined> = {};
  for (const field of FIELDS) {
    const name = PARAMS[field];
    const value = use.values[field];
    if (name && use.edited && value !== null) out[name] = String(value);
  }
  return out;
}

function kindOf(given: Peaks | null, device: string): string {
  return device || given?.device || 'unknown device';
}

export interface InUse {
  values: Values;
  /** What the boxes stand for: "TPU v5e", "by hand", "". */
  name: string;
  source: string;
  edited: boolean;
}

const inUrl = computed(() => view.value.peaks ?? '');

/** Edited in the link, else edited before on this device kind, else given. */
export function peaksInUse(given: Peaks | null, device: string): InUse {
  void edits.value;
  const kind = kindOf(given, device);
  const edited = inUrl.value || readStore()[kind] || '';
  if (edited) return { values: parsePeaks(edited), name: 'by hand', source: 'entered by hand', edited: true };
  const values = Object.fromEntries(FIELDS.map((field) => [field, given?.[field] ?? null])) as Values;
  return { values, name: given?.device ?? '', source: given?.source ?? '', edited: false };
}

function keep(kind: string, text: string): void {
  const all = readStore();
  if (text) all[kind] = text;
  else delete all[kind];
  try {
    localStorage.setItem(STORE, JSON.stringify(all));
  } catch {
    // Storage may be blocked; the link still has them.
  }
  edits.value++;
  setView({ peaks: text || null });
}

// The findings are against these peaks as well; what they are asked with is needed before this file is.
effect(() => {
  typedPeaks.value = peakParams(null, run.value?.device_type ?? '');
});

export function setPeak(given: Peaks | null, device: string, field: Field, typed: number | null): void {
  const values = { ...peaksInUse(given, device).values, [field]: typed === null ? null : typed * SCALE[field] };
  keep(kindOf(given, device), formatPeaks(values));
}

/** The published figures of a chip, as if typed. */
export function takeChip(given: Peaks | null, device: string, chip: Peaks): void {
  keep(kindOf(given, device), formatPeaks(chip as unknown as Values));
}

export function resetPeaks(given: Peaks | null, device: string): void {
  keep(kindOf(given, device), '');
}

/** An event of the trace with these peaks: entered ones count for every chip, else the chip's own. */
export function atPeaks(f: EventRoofline, use: InUse): EventRoofline {
  if (!use.edited) return f;
  const flops = over(f.flops, use.values.flops_per_s) ?? 0;
  const bytes = over(f.hbm_bytes, use.values.hbm_bytes_per_s) ?? 0;
  const least = Math.max(flops, bytes) * 1e12;
  return {
    ...f,
    peak_flops_per_s: use.values.flops_per_s,
    peak_bytes_per_s: use.values.hbm_bytes_per_s,
    bound: least <= 0 ? null : flops > bytes ? 'compute' : 'memory',
    at_roofline_ps: least > 0 ? Math.round(least) : null,
    share: least > 0 ? least / f.duration_ps : null,
  };
}

export interface Expectation {
  compute: number | null;
  hbm: number | null;
  /** Of a TPU's vector and common memory: the longer of reading and writing. */
  vmem: number | null;
  cmem: number | null;
  link: number | null;
  cycles: number | null;
  roofline: number | null;
  /** "compute", "link", or what the main memory is called. */
  bound: string | null;
}

/** What the main memory of the device is called: on a CPU it is not HBM. */
export const memoryWord = (e: Expected) => (e.traffic?.space.includes('Host RAM') && !e.traffic.space.includes('HBM') ? 'Host RAM' : 'HBM');

function over(amount: number | null, peak: number | null): number | null {
  if (amount === null) return null;
  if (amount === 0) return 0;
  return peak ? amount / peak : null;
}

/** The peak of the unit that does the work: vector units where no matrix multiplication is in it, matrix units by type of number. */
export function workPeak(e: Expected, peaks: Values): { field: Field; value: number | null } {
  if (e.vector && peaks.vector_flops_per_s) return { field: 'vector_flops_per_s', value: peaks.vector_flops_per_s };
  const given = peaks.flops_per_s === (e.peaks?.flops_per_s ?? null);
  return { field: 'flops_per_s', value: (given && !e.vector ? e.work_peak_per_s : null) ?? peaks.flops_per_s };
}

/** Bytes read and written in one memory of the chip. */
export function bytesIn(e: Expected, space: string): [read: number, written: number] {
  const at = e.traffic.space.indexOf(space);
  return at < 0 ? [0, 0] : [e.traffic.read_bytes[at], e.traffic.written_bytes[at]];
}

function onChip(e: Expected, space: string, read: number | null, write: number | null): number | null {
  const [r, w] = bytesIn(e, space);
  const times = [over(r, read), over(w, write)].filter((time) => time !== null);
  return times.length ? Math.max(...times) : null;
}

export function expectation(e: Expected, peaks: Values): Expectation {
  const out: Expectation = {
    compute: over(e.flops, workPeak(e, peaks).value),
    hbm: over(e.hbm_bytes, peaks.hbm_bytes_per_s),
    vmem: onChip(e, 'VMEM', peaks.vmem_read_bytes_per_s, peaks.vmem_write_bytes_per_s),
    cmem: onChip(e, 'CMEM', peaks.cmem_read_bytes_per_s, peaks.cmem_write_bytes_per_s),
    link: over(e.link_bytes, peaks.link_bytes_per_s),
    cycles: over(e.cycles, peaks.clock_hz),
    roofline: null,
    bound: null,
  };
  for (const [time, word] of [
    [out.compute, 'compute'],
    [out.hbm, memoryWord(e)],
    [out.vmem, 'VMEM'],
    [out.cmem, 'CMEM'],
    [out.link, 'link'],
  ] as const)
    if (time !== null && time > 0 && time > (out.roofline ?? 0)) {
      out.roofline = time;
      out.bound = word;
    }
  return out;
}

/** Begins or ends an asynchronous pair. */
const HALF = /-(start|done|update)$|^(send|recv)$/;

/** One line: what binds, and how far the compiler's estimate or the measurement is from it. */
export function verdict(e: Expected, peaks: Values, x: Expectation, measured: number | null, opcode = ''): [string, string] {
  if (!x.bound || !x.roofline) {
    if (e.flops === 0 && e.hbm_bytes === 0 && !e.link_bytes)
      return [
        `No work and no ${memoryWord(e)} traffic:`,
        HALF.test(opcode) ? 'half of an asynchronous transfer; the wait was not measured' : 'it should take almost no time',
      ];
    if (FIELDS.every((field) => peaks[field] === null)) return ['No peaks:', 'enter this device’s peaks or choose a chip'];
    return ['No roofline:', e.flops === null ? 'the work is unknown' : 'a required peak is unknown'];
  }
  const parts: string[] = [];
  if (x.bound !== 'link' && e.flops && e.hbm_bytes) {
    parts.push(`${Number((e.flops / e.hbm_bytes).toPrecision(3))} FLOP/B`);
    const work = workPeak(e, peaks).value;
    if (work && peaks.hbm_bytes_per_s) parts[0] += `, ridge ${Number((work / peaks.hbm_bytes_per_s).toPrecision(3))}`;
  }
  const against = measured ?? x.cycles;
  if (against) parts.push(`${(against / x.roofline).toFixed(2)}× roofline${measured ? ' measured' : ''}`);
  if (measured && measured < x.roofline / 1.01) parts.push('faster than the peak, so this peak is wrong: enter the right one');
  if (e.partial) parts.push('something inside is unknown: a lower bound');
  return [`${x.bound === 'compute' ? 'Compute' : x.bound === 'link' ? 'Link' : x.bound} bound:`, parts.join('; ') || timeWords(x.roofline)];
}

const timeWords = (seconds: number) => `${Number((seconds * 1e6).toPrecision(3))} µs at least`;
