/** A pasted HLO module: sent to the server, which keeps it in memory as a run, and opened. */
import { signal } from '@preact/signals';
import { ApiError, sendProgram } from '../api/client';
import { formatFileSize } from '../util/format';
import { setView } from './router';
import { loadRuns } from './state';

/** What the server takes (session/catalog.h). */
export const PROGRAM_LIMIT_BYTES = 16 << 20;

/** State of the last paste: being sent, or why it was refused. */
export const sending = signal<{ text: string; failed: boolean } | null>(null);

/** What `compiled.as_text()` prints, and XLA writes to a dump. */
export const isProgram = (text: string): boolean => /^\uFEFF?\s*HloModule\s/.test(text.slice(0, 400));

export async function openProgram(text: string, done: () => void): Promise<void> {
  const body = new Blob([text]);
  const say = (said: string, failed: boolean) => {
    sending.value = { text: said, failed };
  };
  if (body.size > PROGRAM_LIMIT_BYTES)
    return say(
      `The text has ${formatFileSize(body.size)}; this page takes at most ${formatFileSize(PROGRAM_LIMIT_BYTES)}. Open it with xprofd FILE, or save it in the logdir.`,
      true,
    );
  say(`sending ${formatFileSize(body.size)} of HLO text …`, false);
  try {
    const id = await sendProgram(body);
    sending.value = null;
    await loadRuns(true);
    done();
    // A text has no buffers, so the program is shown.
    setView({ run: id, tool: 'graph' }, { push: true });
  } catch (error) {
    say(error instanceof ApiError ? error.message : 'the text could not be sent: the server does not answer', true);
  }
}
