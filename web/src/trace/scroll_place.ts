/** What stands at the top of the rows, in the address: a link and a reload show the same rows. */
import { effect } from '@preact/signals';
import { view } from '../app/router';
import { firstBelow, type Item, type Layout } from './layout';
import { change, layout, views } from './state';

const LETTER: Record<Item['kind'], string> = { host: 'h', process: 'p', row: 'r', others: 'o' };

function nameOf(item: Item): string {
  return `${LETTER[item.kind]}${item.kind === 'row' ? item.row : item.process}`;
}

/** "r57.12": row 57 is the first in view, 12 pixels of it above; '' at the top. Pure. */
export function placeText(items: readonly Item[], top: number): string {
  const item = items[firstBelow(items, top)];
  return item && top >= 1 ? `${nameOf(item)}.${Math.round(top - item.y)}` : '';
}

/** Where to scroll to; null when there is no such row. Pure. */
export function placeTop(items: readonly Item[], text: string): number | null {
  if (text === '') return 0;
  const [name, by] = text.split('.');
  const item = items.find((i) => nameOf(i) === name);
  return item ? item.y + Math.min(Number(by) || 0, item.h) : null;
}

export class ScrollPlace {
  /** Asked for by the address and not there yet: heights are known when the boxes are. */
  private goal: string | null = null;
  private written = '';
  readonly stop: () => void;

  constructor(private readonly box: HTMLElement) {
    this.stop = effect(() => {
      const asked = view.value.y ?? '';
      if (asked === this.written) return;
      this.written = this.goal = asked;
      this.laid(layout.peek());
    });
  }

  /** The rows stand anew. */
  laid(l: Layout | null): void {
    if (this.goal === null || !l) return;
    const top = placeTop(l.items, this.goal);
    if (top !== null) this.box.scrollTop = top;
    if (views.peek().size > 0) this.goal = null;
  }

  /** Scrolled, and at rest. */
  rest(): void {
    const l = layout.peek();
    if (!l || this.goal !== null) return;
    const now = placeText(l.items, this.box.scrollTop);
    if (now === this.written) return;
    this.written = now;
    change({ y: now || null });
  }
}
