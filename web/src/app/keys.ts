import { signal } from '@preact/signals';
import { KEY_ROWS, type KeyRow, type KeyScope, type Stroke } from './key_table';

export { KEY_ROWS, type KeyRow, type KeyScope } from './key_table';

/** A handler gets the event and the index of the stroke in its row; returning false passes the key on. */
type KeyHandler = (event: KeyboardEvent, stroke: number) => unknown;
export type KeyHandlers = Record<string, KeyHandler>;

interface Registration {
  scope: KeyScope;
  handlers: KeyHandlers;
}

/** Newest last: what was opened last gets the key first. */
const registered: Registration[] = [];
/** Scopes with a live handler; the help overlay draws these in blue. */
export const liveScopes = signal<ReadonlySet<KeyScope>>(new Set());
/** The last row that a key meant, handled or not; the help overlay marks it. */
export const pressedRow = signal<KeyRow | null>(null);
/** While true (an overlay is open) only keys of its own dialog act. */
export const keysHeld = signal(false);

/** The parts of a KeyboardEvent that decide which row is meant. */
export interface KeyPress {
  code: string;
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

function matches(stroke: Stroke, press: KeyPress, byKey: boolean): boolean {
  if (byKey) {
    // AltGr arrives as Ctrl+Alt: the printed sign counts, not how it is typed.
    const altGr = press.ctrlKey && press.altKey;
    return stroke.key !== undefined && stroke.key === press.key && !press.metaKey && (altGr || !press.ctrlKey);
  }
  const ctrl = press.ctrlKey || press.metaKey;
  return stroke.code === press.code && ctrl === Boolean(stroke.ctrl) && press.altKey === Boolean(stroke.alt) && press.shiftKey === Boolean(stroke.shift);
}

/** Rows that a key press means, with the index of the stroke; a printed sign wins over a place. */
export function rowsFor(press: KeyPress, rows: readonly KeyRow[] = KEY_ROWS): { row: KeyRow; stroke: number }[] {
  for (const byKey of [true, false]) {
    const found = [];
    for (const row of rows) {
      const stroke = row.strokes.findIndex((candidate) => matches(candidate, press, byKey));
      if (stroke >= 0) found.push({ row, stroke });
    }
    if (found.length) return found;
  }
  return [];
}

export function isTextField(target: EventTarget | null): boolean {
  if (!target || typeof (target as HTMLElement).tagName !== 'string') return false;
  const element = target as HTMLElement;
  if (element.isContentEditable || element.tagName === 'TEXTAREA' || element.tagName === 'SELECT') return true;
  const type = (element as HTMLInputElement).type;
  return element.tagName === 'INPUT' && !['checkbox', 'radio', 'button', 'range'].includes(type);
}

/** A focused control keeps the keys that activate it. */
function isControl(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return Boolean(element?.closest?.('button, a[href], summary, input, [role="option"], [role="menuitem"]'));
}

/** Esc leaves a text field. Where it holds text the page may clear it; else nothing behind it is touched. */
function leaveField(event: KeyboardEvent): boolean {
  const field = event.target as HTMLInputElement;
  field.blur?.();
  if (field.value) return false;
  event.preventDefault();
  return true;
}

export function dispatchKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const found = rowsFor(event);
  if (!found.length) return;
  const typing = isTextField(event.target);
  if (typing && event.code === 'Escape' && !keysHeld.value && leaveField(event)) return;
  pressedRow.value = typing ? null : found[0].row;
  if ((event.code === 'Space' || event.code === 'Enter') && isControl(event.target)) return;
  for (let i = registered.length - 1; i >= 0; i--) {
    for (const { row, stroke } of found) {
      if (registered[i].scope !== row.scope || (typing && !row.inText)) continue;
      if (keysHeld.value && !row.inText && row.id !== 'help') continue;
      const handler = registered[i].handlers[row.id];
      if (!handler || handler(event, stroke) === false) continue;
      event.preventDefault();
      return;
    }
  }
}

/** Adds handlers by row id; the answer removes them (return it from an effect). */
export function registerKeys(scope: KeyScope, handlers: KeyHandlers): () => void {
  const entry = { scope, handlers };
  registered.push(entry);
  const tell = () => {
    liveScopes.value = new Set(registered.map((item) => item.scope));
  };
  tell();
  return () => {
    const at = registered.indexOf(entry);
    if (at >= 0) registered.splice(at, 1);
    tell();
  };
}

/** Runs an action of the table as if its key had been pressed (palette, buttons). */
export function runAction(scope: KeyScope, id: string): boolean {
  for (let i = registered.length - 1; i >= 0; i--) {
    const handler = registered[i].scope === scope ? registered[i].handlers[id] : undefined;
    if (handler && handler(new KeyboardEvent('keydown'), 0) !== false) return true;
  }
  return false;
}

export function hasAction(scope: KeyScope, id: string): boolean {
  return registered.some((item) => item.scope === scope && item.handlers[id]);
}

export function startKeys(): void {
  addEventListener('keydown', dispatchKey);
}
