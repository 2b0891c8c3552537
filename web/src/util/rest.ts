/**
 * Whether anything is under way: calls, drawings asked for, delayed work, writes to the address. The document carries
 * `data-busy` while something is; without it, everything that was asked for is on the screen.
 */
let under = 0;

function count(by: 1 | -1): void {
  const before = under;
  under += by;
  if (before > 0 && under > 0) return;
  globalThis.document?.documentElement.toggleAttribute('data-busy', under > 0);
}

/** Something begins; the answer, called once, ends it. */
export function begin(): () => void {
  let open = true;
  count(1);
  return () => {
    if (open) count(-1);
    open = false;
  };
}

/** One piece of work that waits; what is asked for anew takes the place of what waited. */
export class Delayed {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private end = () => {};

  get waits(): boolean {
    return this.timer !== undefined;
  }

  /** After so many milliseconds, counted from now. */
  ask(ms: number, work: () => void): void {
    this.cancel();
    this.end = begin();
    this.timer = setTimeout(() => {
      this.timer = undefined;
      try {
        work();
      } finally {
        this.end();
      }
    }, ms);
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.end();
  }
}
