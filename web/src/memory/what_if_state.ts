/** The part of What if that the first view needs: how many changes the address holds, whether the drawer is open, and what
 *  draws over the chart. The rest comes later (whatif/). */
import { computed, signal } from '@preact/signals';
import { perRun, setView, view } from '../app/router';
import type { Column } from '../table/virtual';
import type { BufferRow } from './buffers_state';
import type { ChartInput } from './draw_chart';

export const changeCount = computed(() => (view.value.w ? view.value.w.split(',').length : 0));
/** Opened or closed by hand; null: a link with changes opens with the drawer. */
const choice = perRun<boolean | null>(null);
export const drawerOpen = computed(() => !view.value.mode && (choice.value ?? changeCount.value > 0));

/** The drawer stands in the viewer: from the report it is opened there. */
export function turnDrawer(): void {
  const open = !drawerOpen.peek();
  if (view.peek().mode) setView({ mode: null });
  choice.value = open;
}

/** Adds a change to the set, once, and opens the drawer. */
export function addChange(id: string, action: string): void {
  const rest = (view.peek().w ?? '').split(',').filter((item) => item && !item.startsWith(`${id}:`));
  setView({ tool: 'memory', mode: null, w: [...rest, `${id}:${action}`].join(',') });
  choice.value = true;
}

/** What the table of buffers has more while there are changes: each row's size with them. */
export const whatIfColumn = signal<Column<BufferRow> | null>(null);

/** The ticked changes as the server reads them, for the lists of what is held (bars, trees); null: none, or rows do not add up. */
export const whatIfPlan = signal<string | null>(null);

/** Drawn over the curve; the curve of now is thin then. */
export const overlay = signal<((g: CanvasRenderingContext2D, input: ChartInput) => void) | null>(null);

/** Where the changed program has its peak: the crosshair goes there unless a step was chosen. Null: no changes. */
export const whatIfPeak = signal<number | null>(null);
