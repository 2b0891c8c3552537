import { signal } from '@preact/signals';

type ThemeChoice = 'light' | 'dark' | 'system';

const STORE = 'xprofd.theme';
const ORDER: ThemeChoice[] = ['system', 'light', 'dark'];

export const themeChoice = signal<ThemeChoice>('system');
/** Counts up when colours change: a canvas that reads it redraws. */
export const themeVersion = signal(0);

const cache = new Map<string, string>();

/** Value of a colour variable, for canvas drawing: `cssColor('--m-temp')`; the dashes may be left out. */
export function cssColor(name: string): string {
  const key = name.startsWith('--') ? name : `--${name}`;
  let value = cache.get(key);
  if (value === undefined) {
    value = getComputedStyle(document.documentElement).getPropertyValue(key).trim();
    cache.set(key, value);
  }
  return value;
}

/** Between beforeprint and afterprint: the media query changes only after the page was taken. */
let printing = false;

function onPaper(): MediaQueryList {
  return matchMedia('print');
}

/** Paper is always white. */
function apply(): void {
  const paper = printing || onPaper().matches;
  const dark = !paper && (themeChoice.value === 'dark' || (themeChoice.value === 'system' && systemDark().matches));
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  cache.clear();
  themeVersion.value++;
}

function systemDark(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}

export function setTheme(choice: ThemeChoice): void {
  themeChoice.value = choice;
  try {
    localStorage.setItem(STORE, choice);
  } catch {
    // Storage may be blocked; the choice then lasts for this page.
  }
  apply();
}

export function nextTheme(): ThemeChoice {
  const next = ORDER[(ORDER.indexOf(themeChoice.value) + 1) % ORDER.length];
  setTheme(next);
  return next;
}

export function startTheme(): void {
  try {
    const stored = localStorage.getItem(STORE);
    if (stored === 'light' || stored === 'dark') themeChoice.value = stored;
  } catch {
    // As above.
  }
  for (const type of ['beforeprint', 'afterprint'])
    addEventListener(type, () => {
      printing = type === 'beforeprint';
      apply();
    });
  onPaper().addEventListener('change', apply);
  systemDark().addEventListener('change', apply);
  matchMedia('(forced-colors: active)').addEventListener('change', apply);
  apply();
}
