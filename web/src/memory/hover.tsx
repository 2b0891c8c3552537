/** The box beside the pointer: step, what runs there, what it allocates or frees, what is live. */
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, isAborted } from '../api/client';
import type { Steps } from '../api/types';
import { formatBytes, formatCount } from '../util/format';
import { curve, hoverStep, steps, subject, summary } from './state';

/** Facts of one step, fetched when the window is too wide for all of them. */
const single = signal<Steps | null>(null);
let waiting = 0;

function factsOf(step: number): { answer: Steps; row: number } | null {
  for (const answer of [steps.value, single.value]) {
    if (answer && step >= answer.from && step < answer.from + answer.n) return { answer, row: step - answer.from };
  }
  return null;
}

/** Asks for the step under a resting pointer. */
export function followHover(): () => void {
  return effect(() => {
    const at = hoverStep.value;
    clearTimeout(waiting);
    if (!at || factsOf(at.step)) return;
    waiting = window.setTimeout(() => {
      api
        .steps({ ...subject.peek(), from: at.step, to: at.step + 1 }, { key: 'memory/one', quiet: true })
        .then((answer) => {
          single.value = answer;
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) single.value = null;
        });
    }, 60);
  });
}

function stepSentences(answer: Steps, row: number): { head: string; opcode: string; what: string } {
  const running = answer.running[row] === null ? '' : (answer.names[answer.running[row] as number] ?? '');
  const opcode = answer.opcode[row] === null ? '' : (answer.names[answer.opcode[row] as number] ?? '');
  const buffer = answer.names[answer.buffer_name[row]] ?? '';
  const bytes = formatBytes(answer.size_bytes[row] ?? 0, { unit: 'own' });
  const other = answer.other_step[row];
  let what: string;
  if (answer.kind[row] === 1) what = `freed %${buffer} (${bytes})${running ? ` after %${running}` : ''}`;
  else if (answer.kind[row] === 2) what = `%${buffer} shares storage (${bytes})`;
  else what = `allocates ${bytes}${other === null ? ', never freed' : `, freed at step ${formatCount(other)}`}`;
  return { head: running ? `%${running}` : '', opcode, what };
}

export function HoverBox() {
  const box = useRef<HTMLDivElement>(null);
  const at = hoverStep.value;
  useEffect(() => {
    if (!box.current || !at) return;
    const w = box.current.offsetWidth;
    const right = at.x + 16 + w > window.innerWidth;
    box.current.style.left = `${right ? at.x - w - 12 : at.x + 16}px`;
    box.current.style.top = `${Math.min(at.y + 14, window.innerHeight - 90)}px`;
  });
  const s = summary.value;
  if (!at || !s) return null;
  const facts = factsOf(at.step);
  const words = facts ? stepSentences(facts.answer, facts.row) : null;
  const c = curve.value;
  let live: string | null = null;
  if (c) {
    for (let k = 0; k < c.n; k++) {
      if (at.step < c.step[k] || at.step >= c.step[k] + c.count[k]) continue;
      const high = c.max_bytes[k] + c.resident_bytes;
      const low = c.min_bytes[k] + c.resident_bytes;
      const below = s.peak.held_bytes - high;
      live =
        c.count[k] === 1 || high === low
          ? `live ${formatBytes(high)}${below > 0 ? `, ${formatBytes(below, { withUnit: false })} below the peak` : ', the peak'}`
          : `live ${formatBytes(low)} to ${formatBytes(high)} in ${formatCount(c.count[k])} steps`;
      break;
    }
  }
  return (
    <div class="m-hover" ref={box} role="status">
      <div>
        <b>step {formatCount(at.step)}</b> {words?.head ? <code>{words.head}</code> : null} {words?.opcode ? `(${words.opcode})` : ''}
      </div>
      {words ? <div>{words.what}</div> : null}
      {live ? <div>{live}</div> : null}
    </div>
  );
}
