/** Rows of a long answer, fetched page by page as they come on screen. One of it belongs to one table. */
import { signal } from '@preact/signals';
import { isAborted } from '../api/client';
import { pagesFor } from './window';

/** Pages kept; older ones are fetched again. */
const MAX_PAGES = 40;

export class Pages<A> {
  /** The newest answer: totals. */
  readonly head = signal<A | null>(null);
  readonly problem = signal<string | null>(null);
  private readonly pages = signal<Map<number, A>>(new Map());
  private readonly asked = new Set<number>();
  private key: string | null = null;

  constructor(
    readonly size: number,
    /** Fetches rows [offset, offset + size) of what `open` was last called for. */
    private readonly fetchRows: (offset: number, quiet: boolean) => Promise<A>,
  ) {}

  /** Another question: its key says which. The old rows go when the new ones are here. */
  open(key: string): void {
    if (key === this.key) return;
    this.key = key;
    this.asked.clear();
    this.head.value = null;
    this.problem.value = null;
    this.fetch(0);
  }

  close(): void {
    this.key = null;
    this.head.value = null;
    this.pages.value = new Map();
  }

  /** Asks for what is missing of rows [first, last). */
  need(first: number, last: number): void {
    for (const page of pagesFor(first, last, this.size)) if (!this.pages.peek().has(page)) this.fetch(page);
  }

  /** The answer that has this row, and which of its rows it is; null while it is on the way. */
  at(index: number): { answer: A; row: number } | null {
    const answer = this.head.value ? this.pages.value.get(Math.floor(index / this.size)) : undefined;
    return answer ? { answer, row: index % this.size } : null;
  }

  private fetch(page: number): void {
    const mine = this.key;
    if (mine === null || this.asked.has(page)) return;
    this.asked.add(page);
    this.fetchRows(page * this.size, page > 0)
      .then((answer) => {
        if (mine !== this.key) return;
        this.asked.delete(page);
        const next = new Map(this.head.peek() ? this.pages.peek() : []);
        next.set(page, answer);
        while (next.size > MAX_PAGES) next.delete(next.keys().next().value as number);
        this.pages.value = next;
        this.head.value = answer;
      })
      .catch((error: unknown) => {
        if (mine !== this.key) return;
        this.asked.delete(page);
        if (!isAborted(error)) this.problem.value = error instanceof Error ? error.message : String(error);
      });
  }
}
