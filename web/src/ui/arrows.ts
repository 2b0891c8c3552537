/**
 * Arrow keys of rows of tabs and of trees. They act only while an element that was reached with the keyboard has the focus: after a
 * click with the mouse the arrows stay those of the picture below or beside it.
 */
interface Handlers {
  onClick: (event: MouseEvent) => void;
  onBlurCapture: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** Where a press has come from: the last click, until the focus goes on. */
let clicked: EventTarget | null = null;

/** `goal`: the element to go to, null when the key is none of these, undefined when it is but does something else or nothing. */
function arrows(goal: (event: KeyboardEvent, list: HTMLElement) => HTMLElement | null | undefined): Handlers {
  return {
    onClick: (event) => {
      clicked = event.detail > 0 ? event.currentTarget : null; // 0: by Enter or Space
    },
    onBlurCapture: () => {
      clicked = null;
    },
    onKeyDown: (event) => {
      const list = event.currentTarget as HTMLElement;
      if (event.defaultPrevented || clicked === list || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const next = goal(event, list);
      if (next === null) return;
      event.preventDefault(); // for the keys of the page, too
      next?.focus();
    },
  };
}

/** Of a role=tablist: ← → Home End move to a tab and open it. */
export const tabKeys = arrows((event, list) => {
  const tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
  const at = tabs.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tabs.length - 1 }[event.key];
  if (at < 0 || to === undefined) return null;
  const next = tabs[(to + tabs.length) % tabs.length];
  next.click();
  return next;
});

const rowsIn = (tree: HTMLElement) => [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')];
const levelOf = (row: HTMLElement) => Number(row.getAttribute('aria-level') ?? 1);

/** Of a role=tree: ↑ ↓ Home End move; → opens a row or goes into it, ← closes it or goes out of it; Enter does what a click on its name does. */
export const treeKeys = arrows((event, list) => {
  const rows = rowsIn(list);
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  if (at < 0) return null;
  const row = rows[at],
    open = row.getAttribute('aria-expanded');
  switch (event.key) {
    case 'ArrowDown':
      return rows[at + 1];
    case 'ArrowUp':
      return rows[at - 1];
    case 'Home':
    case 'End': {
      const place = event.key === 'Home' ? 0 : -1;
      // Of a long tree only what is on screen is there: the row comes with the next frame.
      list.scrollTop = place && list.scrollHeight;
      requestAnimationFrame(() => requestAnimationFrame(() => rowsIn(list).at(place)?.focus()));
      return undefined;
    }
    case 'ArrowRight':
    case 'ArrowLeft': {
      const into = event.key === 'ArrowRight';
      if (open === String(!into)) {
        row.querySelector('button')?.click(); // its triangle
        return row;
      }
      if (into) return open && rows[at + 1] && levelOf(rows[at + 1]) > levelOf(row) ? rows[at + 1] : undefined;
      return rows
        .slice(0, at)
        .reverse()
        .find((above) => levelOf(above) < levelOf(row));
    }
    case 'Enter':
    case ' ':
      // A button does it by itself.
      if (document.activeElement?.matches('button')) return null;
      row.querySelector<HTMLElement>('button:last-of-type')?.click();
      return undefined;
    default:
      return null;
  }
});

/**
 * One stop of the Tab key for a role=tree whose rows and buttons are none by themselves: the row that had the focus last, at first the
 * chosen one. What listens to the tree goes with it.
 */
export function oneStop(tree: HTMLElement | null): void {
  if (!tree) return;
  const put = (to: Element | null) => {
    for (const row of rowsIn(tree)) row.tabIndex = row === to ? 0 : -1;
  };
  const keep = () => {
    const rows = rowsIn(tree);
    if (!rows.some((row) => row.tabIndex === 0)) put(rows.find((row) => row.getAttribute('aria-selected') === 'true') ?? rows[0]);
  };
  new MutationObserver(keep).observe(tree, { childList: true, subtree: true });
  keep();
  tree.addEventListener('focusin', (event) => put((event.target as Element).closest('[role=treeitem]')));
}
