/** Graph Viewer, its text half: the program as XLA prints it, with definitions and uses to jump to. */
import { useEffect, useRef } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { GraphCard } from './card';
import { Lines } from './lines';
import { failed, go, here, loading, retry, startText, step, text } from './state';
import { instructionAt, usesOf } from './text';
import { TextBar } from './text_bar';
import { TextSide } from './text_side';
import { TextTip } from './text_tip';

/** To the first operand, or the first user, of the instruction shown. */
function follow(up: boolean): boolean {
  const all = text.value;
  const instruction = all && here.value >= 0 ? instructionAt(all, here.value) : null;
  if (!all || !instruction) return false;
  const line = up ? usesOf(all, instruction.name)[0] : undefined;
  const next = up ? (line === undefined ? undefined : instructionAt(all, line)?.name) : instruction.operands[0];
  if (!next) return false;
  go(next);
  return true;
}

export function GraphView() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(startText, []);
  useEffect(() => {
    const everywhere = registerKeys('everywhere', {
      search: () => field.current?.focus(),
      next_match: () => step(1),
      previous_match: () => step(-1),
      escape: () => {
        if (!view.value.op && !view.value.line) return false;
        setView({ op: null, line: null });
      },
    });
    const own = registerKeys('graph', { follow_edge: (_event, stroke) => follow(stroke === 1) });
    return () => {
      everywhere();
      own();
    };
  }, []);
  return (
    <main class="main g-main">
      <TextBar field={field} />
      <div class="g-split">
        {failed.value ? (
          <div class="g-lines empty-state" role="alert">
            <h1>The text of this program cannot be shown</h1>
            <p>{failed.value}</p>
            <p class="row">
              <button type="button" class="btn" onClick={retry}>
                Try again
              </button>
            </p>
          </div>
        ) : text.value ? (
          <>
            <Lines />
            <TextSide />
          </>
        ) : (
          <div class="g-lines soft g-waiting">{loading.value ? 'printing the program' : ''}</div>
        )}
        <GraphCard />
      </div>
      <TextTip />
    </main>
  );
}
