/** Graph Viewer: what lies around an instruction, drawn; the program beside it; its text below; each follows the others. */
import { effect, signal, untracked } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { compact, narrow } from '../app/media';
import { view } from '../app/router';
import { setStyle } from '../ui/size';
import { revealPicked } from './actions';
import { CrumbBar, Legend, OptionBar, PathLine } from './bars';
import { GraphCanvas } from './canvas_part';
import { GraphCard } from './card';
import { startColours } from './colours';
import { failed as graphFailed, listMode, phase, startGraph } from './graph_state';
import { graphKeys } from './keys';
import { LeftColumn } from './left';
import { Lines } from './lines';
import { ProgramList } from './list_view';
import { OrderStrip } from './order_strip';
import { startPath } from './path_state';
import { startSearch } from './search_state';
import { picked } from './settings';
import { saySizes, Splitter, sizeOf } from './sizes';
import { failed, loading, retry, startText, text } from './state';
import { NoDrawing } from './states';
import { TextBar } from './text_bar';
import { TextSide } from './text_side';
import { TextTip } from './text_tip';
import { together } from '../util/listen';

/** Where the columns have no room they lie over the drawing, when asked for. */
const drawers = signal<{ card: boolean; left: boolean }>({ card: !compact.peek(), left: false });

/** The text may be ten megabytes: it comes when the drawing is there, or has not come in a while. */
function startTextLater(): () => void {
  let end: (() => void) | null = null;
  const begin = () => {
    clearTimeout(timer);
    end ??= startText();
  };
  const timer = setTimeout(begin, 700);
  const stop = effect(() => {
    if (phase.value.kind === 'drawn' || phase.value.kind === 'list' || graphFailed.value || view.value.line) setTimeout(begin, 30);
  });
  return () => {
    stop();
    clearTimeout(timer);
    end?.();
  };
}

function TextPart({ field }: { field: { current: HTMLInputElement | null } }) {
  return (
    <section class="g-text-part" aria-label="text" ref={setStyle('height', `${sizeOf('text')}px`)}>
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
      </div>
    </section>
  );
}

const turn = (change: Partial<(typeof drawers)['value']>) => {
  drawers.value = { ...drawers.peek(), ...change };
};

interface Fields {
  ops: { current: HTMLInputElement | null };
  find: { current: HTMLInputElement | null };
}

function startView({ ops, find }: Fields): () => void {
  saySizes();
  return together([
    startGraph(),
    startTextLater(),
    startSearch(),
    startPath(),
    startColours(),
    effect(() => {
      const name = picked.value;
      untracked(() => revealPicked(name));
    }),
    graphKeys({
      ops: () => {
        ops.current?.focus();
        if (ops.current) return;
        turn({ left: true });
        setTimeout(() => ops.current?.focus());
      },
      text: () => find.current?.focus(),
      card: () => turn({ card: !drawers.peek().card }),
    }),
  ]);
}

function Centre({ find }: Pick<Fields, 'find'>) {
  const list = listMode.value;
  return (
    <div class="g-centre">
      <CrumbBar />
      <OptionBar />
      <PathLine />
      <OrderStrip />
      <div class="g-stage">
        {graphFailed.value ? null : list ? <ProgramList /> : <GraphCanvas />}
        <NoDrawing />
      </div>
      {list ? null : <Legend />}
      <Splitter part="text" />
      <TextPart field={find} />
    </div>
  );
}

export function GraphView() {
  const find = useRef<HTMLInputElement>(null);
  const ops = useRef<HTMLInputElement>(null);
  useEffect(() => startView({ ops, find }), []);
  const { card, left } = drawers.value;
  return (
    <main class={`main g-main${compact.value ? ' compact' : ''}${narrow.value ? ' narrow' : ''}`}>
      {!narrow.value || left ? (
        <>
          <div class="g-left-box" ref={setStyle('width', `${sizeOf('left')}px`)}>
            <LeftColumn box={ops} />
          </div>
          <Splitter part="left" />
        </>
      ) : null}
      <Centre find={find} />
      {card ? (
        <>
          <Splitter part="right" />
          <div class="g-right-box" ref={setStyle('width', `${sizeOf('right')}px`)}>
            <GraphCard close={() => turn({ card: false })} />
          </div>
        </>
      ) : null}
      {narrow.value ? (
        <button type="button" class="g-open-left btn-s" aria-expanded={left} onClick={() => turn({ left: !left })}>
          {left ? 'close' : 'find ops'}
        </button>
      ) : null}
      {card ? null : (
        <button type="button" class="g-open-card btn-s" title="details (I)" onClick={() => turn({ card: true })}>
          details
        </button>
      )}
      <TextTip />
    </main>
  );
}
