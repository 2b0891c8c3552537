import { signal } from '@preact/signals';
import type { ComponentType, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { api } from '../api/client';

type Parts = typeof import('../parts');
/** The whole view of a tool; it takes no properties. */
export type ViewPart = Extract<keyof Parts, `${string}View`>;

const parts = signal<Parts | null>(null);
const failed = signal('');
let asked: Promise<void> | null = null;

/** Styles of the chunk lie beside it; build.mjs writes their name into the page. */
function addStyles(): Promise<void> {
  const name = document.querySelector<HTMLMetaElement>('meta[name=parts-css]')?.content;
  if (!name || document.querySelector(`link[href="${name}"]`)) return Promise.resolve();
  return new Promise((done, broken) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = name;
    link.onload = () => done();
    link.onerror = () => {
      link.remove();
      broken(new Error('the styles of this part did not load'));
    };
    document.head.append(link);
  });
}

async function load(): Promise<void> {
  try {
    const [, loaded] = await Promise.all([addStyles(), import('../parts')]);
    parts.value = loaded;
    failed.value = '';
  } catch (error) {
    failed.value = error instanceof Error ? error.message : String(error);
    asked = null; // the next one to ask tries again
  }
}

function loadParts(): Promise<void> {
  asked ??= load();
  return asked;
}

/** Fetches the chunk when the page has settled, so that it is there before somebody asks. */
export function loadPartsWhenIdle(): void {
  const start = () => void loadParts();
  if ('requestIdleCallback' in window) requestIdleCallback(start, { timeout: 4000 });
  else setTimeout(start, 2000);
}

/** Browsers up to Chromium 150 keep a chunk that failed once as failed: where the server answers and it still does not
 *  come, only a new page helps, and the address holds the whole view. */
async function tryAgain(): Promise<void> {
  await loadParts();
  if (!failed.value) return;
  const answers = await api.status({}, { key: 'again', quiet: true }).then(
    () => true,
    () => false,
  );
  if (answers) location.reload();
}

function Failed() {
  return (
    <main class="main empty-state">
      <h1>This part of the page did not load</h1>
      <p role="alert">{failed.value}. The rest of the page still works; the server may have stopped or restarted with another version.</p>
      <p class="row">
        <button type="button" class="btn" onClick={() => void tryAgain()}>
          Try again
        </button>
        <button type="button" class="btn" onClick={() => location.reload()}>
          Reload the page
        </button>
      </p>
    </main>
  );
}

type Props<K extends keyof Parts> = { part: K; waiting?: VNode; optional?: boolean } & (Parts[K] extends ComponentType<infer P> ? P : object);

/** A component of the chunk: itself once it is there, `waiting` before, and a word with a retry when it fails (nothing where it is
 *  only of use beside something else). */
export function Later<K extends keyof Parts>({ part, waiting, optional, ...rest }: Props<K>) {
  useEffect(() => void loadParts(), []);
  if (!parts.value) return failed.value && !optional ? <Failed /> : (waiting ?? null);
  const Part = parts.value[part] as ComponentType<object>;
  return <Part {...rest} />;
}

/** A function of the chunk; undefined until it is there. */
export function partNow<K extends keyof Parts>(part: K): Parts[K] | undefined {
  return parts.value?.[part];
}
