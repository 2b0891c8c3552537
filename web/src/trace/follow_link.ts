/** A link from another tool names an instruction (`op`), and maybe the event of one run of it (`opev`): that one is shown, else the first. */
import { effect, untracked } from '@preact/signals';
import { view } from '../app/router';
import { toast } from '../app/toast';
import { tellFailure } from './api';
import { eventOf, firstEvent } from './find_event';
import { change, jumpTo, rows, subject } from './state';

async function follow(op: string, module: string | undefined, event: string | undefined): Promise<void> {
  try {
    const found = event ? await eventOf(subject.peek(), Number(event), 'trace/follow') : await firstEvent(subject.peek(), op, module, 'trace/follow');
    if (found) jumpTo(found.event, found.start_ps, found.duration_ps, found.row, false);
    else toast(`${op} has no event of its own in this trace`);
  } catch (error) {
    tellFailure(error);
  }
}

/** Follows the address; the answer stops it. */
export function followLink(): () => void {
  return effect(() => {
    const { op, module, tool, opev } = view.value;
    // The link that leaves for another tool names an instruction as well.
    if (!op || tool !== 'trace' || !rows.value) return;
    const name = op.replace(/^%/, '');
    untracked(() => {
      change({ op: null, opev: null, find: opev && !module ? null : name, tt: null, ev: null }); // an event of no program is not called so
      void follow(name, module, opev);
    });
  });
}
