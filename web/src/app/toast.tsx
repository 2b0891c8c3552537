import { signal } from '@preact/signals';

const message = signal('');
/** Read aloud, not shown: the focused item of a list or picture. */
const spoken = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** One short line at the foot for four seconds. */
export function toast(text: string): void {
  message.value = text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    message.value = '';
  }, 4000);
}

/** For screen readers: the focused row, buffer or event. */
export function announce(text: string): void {
  spoken.value = text;
}

/** Copies text and shows a message; `what` names it in the message, `more` follows. */
export async function copyText(text: string, what: string, more = ''): Promise<void> {
  let copied = false;
  try {
    await navigator.clipboard.writeText(text);
    copied = true;
  } catch {
    // Plain HTTP from another machine has no clipboard API; a selected field still copies.
    copied = copyBySelection(text);
  }
  toast(copied ? `${what} copied${more}` : `the browser did not let this page copy; ${what}: ${text}`);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  const focused = document.activeElement as HTMLElement | null;
  document.body.append(field);
  field.select();
  let done = false;
  try {
    done = document.execCommand('copy');
  } catch {
    done = false;
  }
  field.remove();
  focused?.focus();
  return done;
}

export function Toasts() {
  return (
    <>
      {message.value && <div class="toast fade-in">{message.value}</div>}
      <div class="off-screen" role="status" aria-live="polite">
        {message.value || spoken.value}
      </div>
    </>
  );
}
