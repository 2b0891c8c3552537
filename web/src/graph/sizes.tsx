/**
 * Columns and the height of the text: dragged by their edges. What was dragged is in the address as `gw` (left,right,text in pixels, empty: as usual), so that a
 * link and Back look the same. Where the address says nothing it is what this browser had when the page was loaded.
 */
import { computed } from '@preact/signals';
import { roomy } from '../app/media';
import { setView, view } from '../app/router';
import { listen } from '../util/listen';

const STORE = 'xprofd.graph.sizes';
type Part = 'left' | 'right' | 'text';
const LIMITS: Record<Part, [least: number, most: number]> = { left: [160, 600], right: [260, 800], text: [28, 2000] };

function stored(): Partial<Record<Part, number>> {
  try {
    const read = JSON.parse(localStorage.getItem(STORE) ?? '{}');
    return Object.fromEntries(Object.entries(read).filter(([key, value]) => key in LIMITS && typeof value === 'number'));
  } catch {
    return {};
  }
}

const PARTS = ['left', 'right', 'text'] as const;

type Sizes = Partial<Record<Part, number>>;

export function sizesOf(words: string): Sizes {
  const all = words.split(',');
  return Object.fromEntries(PARTS.map((part, k) => [part, Number(all[k])]).filter(([, size]) => Number.isFinite(size) && Number(size) > 0));
}
export const sizesText = (sizes: Sizes) => PARTS.map((part) => sizes[part] ?? '').join(',');

const own: Sizes = stored();
const shown = computed(() => (view.value.gw === undefined ? own : sizesOf(view.value.gw)));

function usual(part: Part): number {
  if (part === 'left') return roomy.value ? 300 : 240;
  if (part === 'right') return roomy.value ? 480 : 340;
  return Math.max(150, Math.round((innerHeight - 40) * 0.265));
}

/** The sizes of this browser stand in the address too. */
export function saySizes(): void {
  if (view.peek().gw === undefined && Object.keys(own).length) setView({ gw: sizesText(own) }, { push: false });
}

export function sizeOf(part: Part): number {
  const [least, most] = LIMITS[part];
  return Math.min(most, Math.max(least, shown.value[part] ?? usual(part)));
}

function setSize(part: Part, size: number | null): void {
  const next = { ...shown.peek() };
  if (size === null) delete next[part];
  else next[part] = Math.round(size);
  setView({ gw: sizesText(next) }, { push: false });
  try {
    localStorage.setItem(STORE, JSON.stringify(next));
  } catch {
    // Storage may be blocked; the size then lasts for this page.
  }
}

/** At 28 pixels only the bar of the text is left. */
export function toggleText(): void {
  setSize('text', sizeOf('text') > 40 ? 28 : null);
}

const WORDS: Record<Part, string> = { left: 'width of the left column', right: 'width of the details', text: 'height of the text' };

export function Splitter({ part }: { part: Part }) {
  const sign = part === 'left' ? 1 : -1;
  const upright = part !== 'text';
  return (
    <div
      class={`g-split-${part}`}
      role="separator"
      tabIndex={0}
      aria-label={WORDS[part]}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      aria-valuenow={sizeOf(part)}
      title={`${WORDS[part]}: drag or use the arrow keys; double click to reset`}
      onDblClick={() => setSize(part, null)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: upright ? -20 : 0, ArrowRight: upright ? 20 : 0, ArrowUp: upright ? 0 : -20, ArrowDown: upright ? 0 : 20 }[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        setSize(part, sizeOf(part) + sign * by);
      }}
      onPointerDown={(event) => {
        const from = { x: event.clientX, y: event.clientY, size: sizeOf(part) };
        const element = event.currentTarget as HTMLElement;
        element.setPointerCapture(event.pointerId);
        const move = (e: PointerEvent) => setSize(part, from.size + sign * (upright ? e.clientX - from.x : e.clientY - from.y));
        const deafen = listen(element, { pointermove: move, pointerup: () => deafen() });
      }}
    />
  );
}
