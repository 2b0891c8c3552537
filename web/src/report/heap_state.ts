/** State of the address map at a step: what is pinned, what is shown of it, what was found; all in the address. */
import { computed, effect, signal } from '@preact/signals';
import { call, isAborted, type ApiError } from '../api/client';
import { view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { change, pinned, settled, subject, summary } from '../memory/state';
import { areas, failed, reportTab, stepA } from './state';
import { type BoxColour, BOX_COLOURS } from './box_colours';
import type { ScaleId } from './scales';
import type { Heap, Place } from './types';

export type HeapMode = 'live' | 'before' | 'conflicts';

export const heap = signal<Heap | null>(null);
export const place = signal<Place | null>(null);
/** Under the pointer. */
export const hovered = signal<{ place: Place; x: number; y: number } | null>(null);

const whole = (key: ViewKey) => computed(() => (/^\d+$/.test(view.value[key] ?? '') ? Number(view.value[key]) : null));
/** The buffer that is pinned in the Viewer is pinned here too, until a place of this map is. */
export const pinnedBuffer = computed(() => (view.value.rpin === undefined ? pinned.value : null));
const placeOfBuffer = computed(() => {
  const now = heap.value;
  const k = now && pinnedBuffer.value !== null ? now.buffer.indexOf(pinnedBuffer.value) : -1;
  return k < 0 ? null : (now?.tenancy[k] ?? null);
});
const ownPin = whole('rpin');
export const pinnedTenancy = computed(() => ownPin.value ?? placeOfBuffer.value);
export const pinnedAddress = whole('rat');
export const heapMode = computed<HeapMode>(() =>
  pinnedTenancy.value !== null && ['before', 'conflicts'].includes(view.value.rmode ?? '') ? (view.value.rmode as HeapMode) : 'live',
);
export const asTable = computed(() => view.value.rview === 'table');
export const inHex = computed(() => view.value.raddr === 'hex');
export const search = computed(() => view.value.rq ?? '');
export const hiddenRows = computed<ReadonlySet<string>>(() => new Set((view.value.rhide ?? '').split('|').filter(Boolean)));
export const boxColour = computed<BoxColour>(() => (view.value.rcol && view.value.rcol in BOX_COLOURS ? (view.value.rcol as BoxColour) : 'type'));
export const boxScaleId = computed<ScaleId>(() => (view.value.rscale === 'absolute' || view.value.rscale === 'rank' ? view.value.rscale : 'relative'));
export const fullScreen = computed(() => view.value.rfull === '1');

/** Bytes of a row of the map: a power of two that gives at most 24 rows, or what the menu says. */
export function rowBytesOf(heapBytes: number): number {
  let bytes = 64;
  while (heapBytes / bytes > 24) bytes *= 2;
  return bytes;
}
export const rowBytes = computed(() => {
  const asked = Number(view.value.rrow ?? 0);
  const own = rowBytesOf(heap.value?.heap_bytes ?? 0);
  return asked > 0 && Number.isInteger(Math.log2(asked)) && asked >= own / 16 && asked <= own * 16 ? asked : own;
});

/** Whether a name is found: a part of it, or an expression between slashes. A wrong expression finds nothing and is named. */
export const finder = computed<{ finds: (text: string) => boolean; wrong: string } | null>(() => {
  const text = search.value;
  if (text === '') return null;
  const expression = /^\/(.*?)\/?$/.exec(text);
  if (!expression) return { finds: (name) => name.toLowerCase().includes(text.toLowerCase()), wrong: '' };
  try {
    const made = new RegExp(expression[1], 'i');
    return { finds: (name) => made.test(name), wrong: '' };
  } catch (error) {
    return { finds: () => false, wrong: (error as Error).message };
  }
});

export function pinPlace(tenancy: number | null, address: number | null): void {
  const off = tenancy === null;
  change({ rpin: tenancy, rat: address, rmode: off ? null : view.peek().rmode, ...(off ? { pin: null } : {}) }, true);
}

/** Steps that change what is live by more than 1 % of the peak, as finely as the chart is drawn. */
export function nextChange(from: number, by: 1 | -1): number | null {
  const a = areas.peek();
  const peak = summary.peek()?.peak.held_bytes ?? 0;
  if (!a) return null;
  const order = by > 0 ? a.columns.map((_, k) => k) : a.columns.map((_, k) => a.columns.length - 1 - k);
  for (const k of order) {
    if (k === 0 || (by > 0 ? a.columns[k] <= from : a.columns[k] >= from)) continue;
    if (Math.abs(a.total_bytes[k] - a.total_bytes[k - 1]) > peak / 100) return a.columns[k];
  }
  return null;
}

let asking = 0;
export function askPlace(address: number, x: number, y: number): void {
  clearTimeout(asking);
  asking = window.setTimeout(() => {
    call<Place>(
      'report/place',
      { ...subject.peek(), address: Math.floor(address), at: stepA.peek(), limit: 12, lists: 'tenants' },
      { key: 'report/hover', quiet: true },
    )
      .then((answer) => {
        hovered.value = { place: answer, x, y };
      })
      .catch(() => {
        hovered.value = null;
      });
  }, 40);
}
export function leavePlace(): void {
  clearTimeout(asking);
  hovered.value = null;
}

export function startHeap(): () => void {
  const tell = (error: unknown) => {
    if (!isAborted(error)) failed.value = (error as ApiError).message;
  };
  const stops = [
    effect(() => {
      if (!settled.value || reportTab.value !== 'buffers') return;
      call<Heap>('report/heap', { ...subject.value, at: stepA.value }, { key: 'report/heap' })
        .then((answer) => {
          heap.value = answer;
        })
        .catch(tell);
    }),
    effect(() => {
      if (!settled.value || reportTab.value !== 'buffers') return;
      const tenancy = pinnedTenancy.value;
      if (tenancy === null) {
        place.value = null;
        return;
      }
      const limit = heapMode.value === 'live' ? 64 : 5000;
      call<Place>('report/place', { ...subject.value, tenancy, address: pinnedAddress.value, at: stepA.value, limit }, { key: 'report/place' })
        .then((answer) => {
          place.value = answer;
        })
        .catch(tell);
    }),
    effect(() => {
      if (!settled.value) heap.value = place.value = null;
    }),
  ];
  return () => {
    leavePlace();
    for (const stop of stops) stop();
  };
}
