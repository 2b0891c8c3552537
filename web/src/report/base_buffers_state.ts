/** Buffers of the open program beside those of the pinned baseline, one with one, as Compare pairs them: their names and numbers
 *  shift with every compile, so they are no key. */
import { computed, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call, isAborted, type Params, transport } from '../api/client';
import { view } from '../app/router';
import type { ComparedBuffers } from '../memory/compare_types';
import { subject } from '../memory/state';
import { baseParams, basePlace, baseSteps, baseSubject, followBase } from './base_state';
import { baseOf, type BaseValues, type Joined, nothing } from './base_join';
import { reportTab } from './state';
import type { GroupRow, Groups, Heap, Values } from './types';
import { together } from '../util/listen';

const PAIRS = 20000;
/** Lone buffers of the baseline that an opened group lists. */
const LONE = 12;
/** Of a server; a report file has the largest ones of each group. */
const LISTED = 5000;

interface BufferPairs {
  /** The partner of each of ours; null: it has none. Not in the map: beyond the pairs that are listed. */
  before: Map<number, number | null>;
  after: Map<number, number | null>;
}
const compared = signal<ComparedBuffers | null>(null);
export function pairsOf({ buffers: b }: ComparedBuffers): BufferPairs {
  const pairs: BufferPairs = { before: new Map(), after: new Map() };
  for (let i = 0; i < b.n; i++) {
    const [was, is] = [b.before_buffer[i], b.after_buffer[i]];
    if (is !== null) pairs.before.set(is, was);
    if (was !== null) pairs.after.set(was, is);
  }
  return pairs;
}
const bufferPairs = computed<BufferPairs | null>(() => compared.value && pairsOf(compared.value));
/** What asks for the pairs. */
export const pairsParams = computed<Params>(() => {
  const { base, base_module, base_host, base_space } = view.value;
  return { ...subject.value, base_run: base, base_module, base_host, base_space, of: 'program', limit: PAIRS };
});
/** How many views need the pairs: large programs have many. */
const users = signal(0);
export function useBufferPairs(needed: boolean): void {
  useEffect(() => {
    if (!needed) return;
    users.value++;
    return () => {
      users.value--;
    };
  }, [needed]);
}

/** The baseline's heap at the step that meets A. */
export const baseHeap = signal<Heap | null>(null);

export function startBaseBuffers(): () => void {
  return together([
    followBase<ComparedBuffers>(() => (baseSteps.value && users.value > 0 ? { route: 'compare/buffers', params: pairsParams.value } : null), compared),
    followBase<Heap>(() => {
      const [step] = baseSteps.value?.steps ?? [];
      return reportTab.value === 'buffers' && baseSubject.value && step && step.before !== null
        ? { route: 'report/heap', params: { ...baseSubject.value, at: step.before } }
        : null;
    }, baseHeap),
  ]);
}

/** The baseline's buffers of the opened groups; `most` as our own list has it, for a report file. */
export function useBaseGroups(wanted: { id: string; params: Params }[], most: number): Map<string, Groups> {
  const [found, setFound] = useState(new Map<string, Groups>());
  const base = baseParams.value;
  const key = JSON.stringify([base, wanted]);
  useBufferPairs(base !== null && wanted.length > 0);
  useEffect(() => {
    let stopped = false;
    setFound(new Map());
    if (!base) return;
    for (const { id, params } of wanted)
      call<Groups>(
        'report/groups',
        { ...base, ...params, by: 'buffer', ...(transport.inFile ? { px: 150, limit: most } : { limit: LISTED }) },
        { key: `report/base/open/${id}`, quiet: true },
      )
        .then((answer) => {
          if (!stopped) setFound((before) => new Map(before).set(id, answer));
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) console.info('baseline:', error);
        });
    return () => {
      stopped = true;
    };
  }, [key]);
  return found;
}

/** Sums of what the baseline's list has, by buffer. */
function byBuffer(base: Groups): Map<number, Values> {
  const out = new Map<number, Values>();
  for (const row of base.rows) {
    if (row.buffer === null || row.buffer === undefined) continue;
    const there = out.get(row.buffer);
    out.set(
      row.buffer,
      there ? { at_bytes: there.at_bytes.map((value, s) => value + row.at_bytes[s]), peak_bytes: there.peak_bytes + row.peak_bytes, curve_bytes: [] } : row,
    );
  }
  return out;
}

/** What the baseline has of each of our rows, and its buffers without a partner, the largest first. Pure. */
function besideBuffers(rows: readonly GroupRow[], base: Groups, pairs: BufferPairs, place: readonly (number | null)[]): { of: BaseValues[]; lone: GroupRow[] } {
  const there = byBuffer(base);
  const unknown: BaseValues = { at: place.map(() => null), peak: null };
  const of = rows.map((row): BaseValues => {
    const partner = row.buffer === null || row.buffer === undefined ? undefined : pairs.before.get(row.buffer);
    if (partner === undefined) return unknown;
    if (partner === null) return { ...baseOf(null, place), side: 'after' };
    const found = there.get(partner);
    // One that is elsewhere there (another kind, not held at these steps) has no bytes in this group.
    return found ? baseOf(found, place) : base.left_out > 0 ? unknown : baseOf(null, place);
  });
  const lone = base.rows.filter(
    (row) => typeof row.buffer === 'number' && pairs.after.get(row.buffer) === null && (row.peak_bytes > 0 || row.at_bytes.some((value) => value > 0)),
  );
  return { of, lone };
}

/** All buffers of both, for a file. */
export function joinBuffers(after: Groups, before: Groups, pairs: BufferPairs, place: readonly (number | null)[]): Joined<GroupRow>[] {
  const { of, lone } = besideBuffers(after.rows, before, pairs, place);
  const zeros = nothing(after.total);
  const there = new Map<number, GroupRow>();
  for (const row of before.rows) if (typeof row.buffer === 'number' && !there.has(row.buffer)) there.set(row.buffer, row);
  const partner = ({ buffer }: GroupRow) => there.get((typeof buffer === 'number' ? pairs.before.get(buffer) : null) ?? -1) ?? null;
  return [
    ...after.rows.map((row, k) => ({ row, base: of[k], before: partner(row) })),
    ...lone.map((row) => ({ row: { ...row, ...zeros, held: zeros.at_bytes }, base: { ...baseOf(row, place), side: 'before' as const }, before: row })),
  ];
}

/** Of the opened group, when all of it is here. */
export function besideOf(rows: readonly GroupRow[], base: Groups | undefined): { of: BaseValues[]; lone: GroupRow[]; total: BaseValues } | null {
  const pairs = bufferPairs.value;
  const place = basePlace.value;
  if (!base || !pairs || !place) return null;
  const { of, lone } = besideBuffers(rows, base, pairs, place);
  return { of, lone: lone.slice(0, LONE), total: baseOf(base.total, place) };
}

/** Bytes that the partner of a buffer has in the baseline's heap; 0: it is not there, null: not known. */
export const heapPartner = computed<((buffer: number | null) => number | null) | null>(() => {
  const pairs = bufferPairs.value;
  const heap = baseHeap.value;
  if (!pairs || !heap) return null;
  const bytes = new Map<number, number>();
  heap.buffer.forEach((buffer, k) => {
    if (buffer !== null) bytes.set(buffer, (bytes.get(buffer) ?? 0) + heap.size_bytes[k]);
  });
  return (buffer) => {
    const partner = buffer === null ? undefined : pairs.before.get(buffer);
    if (partner === undefined) return null;
    if (partner === null) return 0;
    return bytes.get(partner) ?? (heap.left_out > 0 ? null : 0);
  };
});

/** Whether a buffer of the baseline is in our program too. */
export const hasPartner = (buffer: number | null): boolean => buffer !== null && typeof bufferPairs.value?.after.get(buffer) === 'number';

/** Places of the baseline's heap whose buffer has no partner in ours at this step. */
export function loneHeap(now: Heap): number[] {
  const pairs = bufferPairs.value;
  const heap = baseHeap.value;
  if (!pairs || !heap || now.left_out > 0) return [];
  const here = new Set(now.buffer);
  return heap.buffer.flatMap((buffer, k) => {
    const partner = buffer === null ? undefined : pairs.after.get(buffer);
    return partner === undefined || (partner !== null && here.has(partner)) ? [] : [k];
  });
}

/** Bytes by type of what lies in a heap. */
export function bytesByRow(heap: Heap): Map<string, number> {
  const out = new Map<string, number>();
  for (let k = 0; k < heap.n; k++) out.set(heap.names[heap.row[k]], (out.get(heap.names[heap.row[k]]) ?? 0) + heap.size_bytes[k]);
  return out;
}
