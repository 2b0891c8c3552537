/** A link from another tool names an instruction (`op`), and maybe when a run of it begins (`opat`): that run is shown, else the first. */
import { effect, untracked } from '@preact/signals';
import { view } from '../app/router';
import { toast } from '../app/toast';
import { tellFailure } from './api';
import { firstEvent } from './find_event';
import { change, jumpTo, rows, subject } from './state';

async function follow(op: string, module: string | undefined, at: string | undefined): Promise<void> {
  try {
    const window = at ? { from: at, to: Number(at) + 1 } : {};
    const found = await firstEvent({ ...subject.peek(), ...window }, op, module, 'trace/follow');
    if (found) jumpTo(found.event, found.start_ps, found.duration_ps, found.row, false);
    else toast(`${op} has no event of its own in this trace`);
  } catch (error) {
    tellFailure(error);
  }
}

/** Follows the address; the answer stops it. */
export function followLink(): () => void {
  return effect(() => {
    const { op, module, tool, opat } = view.value;
    // The link that leaves for another tool names an instruction as well.
    if (!op || tool !== 'trace' || !rows.value) return;
    const name = op.replace(/^%/, '');
    untracked(() => {
      change({ op: null, opat: null, find: name, tt: null, ev: null });
      void follow(name, module, opat);
    });
  });
}
