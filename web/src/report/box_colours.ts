/** Colours of the blocks of the address map: type, or a value on one of three scales. Pure. */
import { formatCount } from '../util/format';
import { makeScale, type MapScale, type ScaleId } from './scales';
import type { Heap } from './types';

export type BoxColour = 'type' | 'bytes' | 'padding' | 'age' | 'reuse';
export const BOX_COLOURS: Record<BoxColour, string> = { type: 'type', bytes: 'bytes', padding: 'padding', age: 'age', reuse: 'reuse' };

/** Values of all boxes of a heap: bytes, padding in percent of the buffer, steps since it began, tenants of its bytes. */
export function boxValues(heap: Heap, by: BoxColour): number[] {
  switch (by) {
    case 'bytes':
      return heap.size_bytes.slice();
    case 'padding':
      return heap.size_bytes.map((bytes, k) => (bytes > 0 ? (100 * Math.max(0, bytes - heap.unpadded_bytes[k])) / bytes : 0));
    case 'age':
      return heap.start_step.map((start) => (heap.step === null ? 0 : heap.step - start));
    case 'reuse':
      return heap.tenants.slice();
    default:
      return [];
  }
}

export function boxScale(heap: Heap, by: BoxColour, id: ScaleId): MapScale {
  // Absolute ends where the quantity ends: a whole buffer of padding, the whole program, the whole heap.
  const most = by === 'padding' ? 100 : by === 'bytes' ? heap.heap_bytes : null;
  return makeScale(id, boxValues(heap, by), most);
}

/** A value with its unit, for the ends of the key. */
export function boxValueText(by: BoxColour, value: number, bytes: (value: number) => string): string {
  if (by === 'bytes') return bytes(value);
  if (by === 'padding') return `${value.toFixed(value > 0 && value < 10 ? 1 : 0)} %`;
  return `${formatCount(Math.round(value))} ${by === 'age' ? (value === 1 ? 'step' : 'steps') : value === 1 ? 'tenant' : 'tenants'}`;
}
