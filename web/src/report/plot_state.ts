/** Chosen buffers on the graph: which ones, by size or by address, all in the address; the answer, and the search that adds more. */
import { computed, effect, signal } from '@preact/signals';
import { api, call, isAborted, type ApiError } from '../api/client';
import { view } from '../app/router';
import { change, settled, subject } from '../memory/state';
import { failed, graphNow, reportParams } from './state';
import type { Plot } from './types';

export const MOST_CHOSEN = 32;
export const plotted = signal<Plot | null>(null);

/** "3,17,4": whole numbers, each once, in their order; what is none is left out. Pure. */
export function readChosen(text: string): number[] {
  const seen = new Set<number>();
  for (const part of text.split(',')) if (/^\d{1,9}$/.test(part.trim())) seen.add(Number(part));
  return [...seen].slice(0, MOST_CHOSEN);
}

export const plotIds = computed(() => readChosen(view.value.plot ?? ''));
export const plotByAddress = computed(() => view.value.plotby === 'address');
export const plotParams = computed(() => ({ ...reportParams.value, buffers: plotIds.value.join(',') }));

/** A place in the list has one colour; 32 of them that can be told apart, in both themes. */
export function plotColour(index: number): string {
  return `hsl(${Math.round((index * 137.5 + 210) % 360)} ${index % 2 ? 42 : 55}% ${52 + (index % 3) * 6}%)`;
}

/** Why it cannot be added, or ''. */
export function addToPlot(buffer: number): string {
  const ids = plotIds.peek();
  if (ids.includes(buffer)) return 'it is already on the graph';
  if (ids.length >= MOST_CHOSEN) return `${MOST_CHOSEN} buffers are on the graph; remove one first`;
  change({ graph: 'plot', plot: [...ids, buffer].join(',') });
  return '';
}
export function takeFromPlot(buffer: number): void {
  change({
    plot: plotIds
      .peek()
      .filter((id) => id !== buffer)
      .join(','),
  });
}

export interface Match {
  buffer: number;
  name: string;
  shape: string;
  bytes: number;
  start: number | null;
  end: number | null;
}
export const matches = signal<{ text: string; total: number; rows: Match[]; note: string } | null>(null);
const SHOWN = 12;
let waiting = 0;

/** Buffers of this memory space by name, op name, shape or source, also those that are dead at the peak. */
export function findBuffers(text: string): void {
  clearTimeout(waiting);
  if (text.trim() === '') {
    matches.value = null;
    return;
  }
  waiting = window.setTimeout(() => {
    api
      .buffers({ ...subject.peek(), at: 'all', filter: text, sort: 'size', desc: 1, limit: SHOWN }, { key: 'report/find', quiet: true })
      .then((answer) => {
        matches.value = {
          text,
          total: answer.matched,
          note: answer.filter_note ?? '',
          rows: answer.buffer.flatMap((buffer, k) =>
            buffer === null
              ? []
              : [
                  {
                    buffer,
                    name: answer.names[answer.name[k]],
                    shape: answer.names[answer.shape[k]],
                    bytes: answer.size_bytes[k],
                    start: answer.start_step[k],
                    end: answer.end_step[k],
                  },
                ],
          ),
        };
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) matches.value = { text, total: 0, rows: [], note: (error as ApiError).message };
      });
  }, 60);
}

export function startPlot(): () => void {
  const stops = [
    effect(() => {
      if (!settled.value) {
        plotted.value = null;
        return;
      }
      if (graphNow.value !== 'plot') return;
      call<Plot>('report/plot', plotParams.value, { key: 'report/plot' })
        .then((answer) => {
          plotted.value = answer;
          failed.value = '';
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) failed.value = (error as ApiError).message;
        });
    }),
  ];
  return () => {
    clearTimeout(waiting);
    matches.value = null;
    for (const stop of stops) stop();
  };
}
