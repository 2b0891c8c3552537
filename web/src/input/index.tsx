/** Input: does the loader keep up? What the program waited for in each step, why, and what would change it. */
import { useEffect } from 'preact/hooks';
import { EmptyState } from '../app/empty_states';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { Unread } from '../ui/unread';
import type { InputVerdictAnswer } from '../api/answers';
import { CardPart, TONES } from './card';
import { LanesPart, StepsPart } from './chart';
import { RulesButton } from './rules';
import { byTime, failure, inOrder, openTrace, range, startInput, tab, verdict } from './state';
import { TablesPart } from './tables';
import { unbroken } from '../util/format';
import { together } from '../util/listen';

const inputKeys = () =>
  registerKeys('input', {
    by_time: (_, stroke) => byTime(stroke === 0 ? 1 : -1),
    in_order: (_, stroke) => inOrder(stroke === 0 ? -1 : 1),
    input_in_trace: () => openTrace(),
  });

const pageKeys = () =>
  registerKeys('everywhere', {
    table_twin: () => setView({ tab: tab.peek() === 'steps' ? null : 'steps' }, { push: false }),
    escape: () => {
      if (view.peek().steps === undefined) return false;
      setView({ steps: null }, { push: false });
    },
  });

function Head({ a }: { a: InputVerdictAnswer }) {
  const at = range.value;
  return (
    <header class="ov-head in-head">
      <h1>
        <span class={TONES[a.says]}>{a.headline}</span>
      </h1>
      <div class="ov-actions">
        {at ? (
          <button type="button" class="m-badge on" onClick={() => setView({ steps: null }, { push: false })}>
            steps {at[0]} – {at[1]} ✕
          </button>
        ) : null}
        <RulesButton a={a} />
        <span class="m-badge">{a.host}</span>
        {a.steps ? <span class="m-badge">Python tracer {a.python ? 'on' : 'off'}</span> : null}
      </div>
      <p>
        {a.detail}
        {a.steps && a.sentence ? <>. {unbroken(a.sentence)}</> : null}
      </p>
      {a.step_is ? <p class="soft">{a.step_is}</p> : null}
      {a.steps_apart ? <p class="soft">{a.steps_apart}</p> : null}
    </header>
  );
}

export function InputView() {
  useEffect(() => together([startInput(), inputKeys(), pageKeys()]), []);
  const a = verdict.value;
  if (failure.value)
    return (
      <EmptyState title="The input cannot be shown">
        <p role="alert">{failure.value}</p>
      </EmptyState>
    );
  if (!a)
    return (
      <main class="main ov-main memory-loading">
        <Unread what="what the program waited for" />
      </main>
    );
  return (
    <main class="main ov-main in-main">
      <Head a={a} />
      <div class="ov-body">
        <div class="ov-left">
          <StepsPart a={a} />
          <LanesPart />
          <TablesPart of={a} />
        </div>
        <CardPart a={a} />
      </div>
    </main>
  );
}
