/** A link from Graph or Trace names an instruction (`op`): the buffer that it defines, or that its result lies in, is pinned, in its own memory space. */
import { effect, untracked } from '@preact/signals';
import { api, isAborted } from '../api/client';
import { openTool } from '../app/open_tool';
import { setView, view } from '../app/router';
import { toast } from '../app/toast';

async function follow(op: string): Promise<void> {
  const { run, host, module, space } = view.peek();
  try {
    const name = op.replace(/^%/, '');
    const card = await api.buffer({ run, host, module, instruction: name }, { key: 'memory/follow', quiet: true });
    if (view.peek().op !== op) return;
    const elsewhere = String(card.space) !== (space ?? '0');
    setView({ ...(elsewhere ? { space: card.space === 0 ? null : card.space } : {}), pin: card.buffer, op: null, mode: null }, { push: false });
    if (card.instruction !== name && String(card.instruction_id) !== name) toast(`${name} has no buffer of its own; it is part of ${card.name}`);
  } catch (error) {
    if (isAborted(error) || view.peek().op !== op) return;
    toast(error instanceof Error ? error.message : String(error));
    setView({ op: null }, { push: false });
  }
}

/** Follows the address; the answer stops it. */
export function startFollowing(): () => void {
  return effect(() => {
    const { op, run } = view.value;
    if (op && run && openTool() === 'memory') untracked(() => void follow(op));
  });
}
