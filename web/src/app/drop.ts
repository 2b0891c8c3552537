import { signal } from '@preact/signals';
import { isProgram, PROGRAM_LIMIT_BYTES } from './hlo_paste';
import { pasteOom } from './oom_paste';
import { openOom } from './palette_state';

/** A file dropped on the page: an error message and a program in text are read; of any other the page says how to open it, as the server only reads its logdir. */

/** Text above this is not read: an error message is small. */
const TEXT_LIMIT_BYTES = 1 << 20;
/** What an error message of a program that does not fit holds; also of a message that is pasted. */
export const OOM_TEXT = /RESOURCE_EXHAUSTED|out of memory|OOM|Exceeded .*capacity/i;

interface Dropped {
  name: string;
  /** Other things dropped with it. */
  others: number;
  /** Why a text was not read, or ''. */
  why: string;
}

export const dropped = signal<Dropped | null>(null);

/** A name as one word of a shell; one that begins with "-" is not an option. */
export function shellWord(name: string): string {
  const path = name.startsWith('-') ? `./${name}` : name;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

function looksLikeText(file: File): boolean {
  return file.type === 'text/plain' || /\.(txt|log|err|out|hlo)$/i.test(file.name);
}

/** How a message of a program that does not fit begins: a text that holds one is not a name to search for. */
const MESSAGE = /RESOURCE_EXHAUSTED|Ran out of memory/;

/** An error message pasted into the name search goes to the message reader. False: not a message. */
export function takeMessage(text: string): boolean {
  const program = isProgram(text);
  if (!program && !MESSAGE.test(text)) return false;
  openOom();
  pasteOom(program ? text : fromMessageOn(text));
  return true;
}

/** The message in a log: the field takes 8,000 bytes, and a log is mostly something else. */
function fromMessageOn(text: string): string {
  const at = text.search(MESSAGE);
  if (at < 0) return text;
  return text.slice(text.lastIndexOf('\n', at) + 1);
}

async function take(files: File[]): Promise<void> {
  const [file] = files;
  const tell = (why: string) => {
    dropped.value = { name: file.name, others: files.length - 1, why };
  };
  const named = looksLikeText(file);
  if (named && file.size <= PROGRAM_LIMIT_BYTES) {
    const head = await file
      .slice(0, 1024)
      .text()
      .catch(() => '');
    if (takeMessage(isProgram(head) ? await file.text() : '')) {
      dropped.value = null;
      return;
    }
  }
  if (file.size > TEXT_LIMIT_BYTES) return tell(named ? 'texts above 1 MiB are not accepted' : '');
  let text: string;
  try {
    text = await file.text();
  } catch {
    // A folder, or a file that cannot be read.
    return tell('');
  }
  // A profile holds zero bytes and names that may look like a message.
  if (text.includes('\0') || !(named || OOM_TEXT.test(text))) return tell('');
  dropped.value = null;
  openOom();
  pasteOom(fromMessageOn(text));
}

function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') ?? false;
}

/** Without this the browser leaves the page and shows the file. */
export function startDrop(): void {
  addEventListener('dragover', (event) => {
    if (holdsFiles(event)) event.preventDefault();
  });
  addEventListener('drop', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length) void take(files);
  });
}
