/** A pasted error message: what it is, and what the server reads in it. The box that shows it: oom_box.tsx. */
import { signal } from '@preact/signals';
import { api, isAborted } from '../api/client';
import type { Oom } from '../api/types';
import { isProgram, openProgram, sending } from './hlo_paste';
import { closePalette } from './palette_state';
import { view } from './router';

export const LIMIT = 8000;

export const text = signal('');
export const answer = signal<Oom | null>(null);
export const failed = signal('');
export const reading = signal(false);

/** The first 8,000 bytes of a text, cut between characters. */
export function firstBytes(source: string, limit: number): string {
  const bytes = new TextEncoder().encode(source);
  if (bytes.length <= limit) return source;
  return new TextDecoder().decode(bytes.slice(0, limit)).replace(/\uFFFD+$/, '');
}

export async function read(): Promise<void> {
  if (!text.value.trim() || takeProgram(text.value)) return;
  reading.value = true;
  failed.value = '';
  try {
    answer.value = await api.oom({ text: firstBytes(text.value, LIMIT), run: view.value.run }, { key: 'oom' });
  } catch (error) {
    if (!isAborted(error)) failed.value = error instanceof Error ? error.message : String(error);
  }
  reading.value = false;
}

/** A program is not a message: it is sent and opened, and too long for a field. */
export function takeProgram(pasted: string): boolean {
  if (!isProgram(pasted)) return false;
  text.value = '';
  answer.value = null;
  void openProgram(pasted, closePalette);
  return true;
}

export function pasteOom(pasted: string): void {
  if (takeProgram(pasted)) return;
  sending.value = null;
  text.value = pasted;
  answer.value = null;
  void read();
}
