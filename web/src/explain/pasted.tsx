/** A pasted HLO line, explained in a sheet over the page: no run is needed. */
import { useEffect, useState } from 'preact/hooks';
import { ApiError, call, isAborted } from '../api/client';
import { explainOpen } from '../app/palette_state';
import { Dialog } from '../app/dialog';
import { formatCount } from '../util/format';
import { Panel } from './index';
import type { Explanation } from './types';

const LIMIT = 6000;
const EXAMPLE =
  '%fusion.3 = bf16[32,32,4096]{2,1,0:T(8,128)(2,1)S(1)} fusion(bf16[32,32,8192]{2,1,0:T(8,128)(2,1)S(1)} %fusion.32), kind=kCustom, calls=%all-reduce-scatter.3';

export function PastedExplain() {
  const [text, setText] = useState('');
  const [d, setAnswer] = useState<Explanation | null>(null);
  const [problem, setProblem] = useState('');
  const close = () => {
    explainOpen.value = false;
  };
  useEffect(() => {
    const stop = new AbortController();
    setProblem('');
    if (!text.trim()) setAnswer(null);
    else if (text.length > LIMIT) setProblem(`Lines of up to ${formatCount(LIMIT)} characters are explained here; xprofd explain --text takes longer ones.`);
    else
      call<Explanation>('explain', { text }, { signal: stop.signal, quiet: true })
        .then(setAnswer)
        .catch((error: unknown) => {
          if (isAborted(error)) return;
          setAnswer(null);
          setProblem(error instanceof ApiError ? error.message : String(error));
        });
    return () => stop.abort();
  }, [text]);
  return (
    <Dialog label="explain an HLO line" class="x-dialog" close={close}>
      <div class="x-paste">
        <textarea
          rows={3}
          class="mono"
          spellcheck={false}
          aria-label="HLO line"
          placeholder={EXAMPLE}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        {text ? null : (
          <button type="button" class="link" onClick={() => setText(EXAMPLE)}>
            an example
          </button>
        )}
      </div>
      {problem ? (
        <p class="x-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {d ? <Panel d={d} times={null} onClose={close} /> : null}
    </Dialog>
  );
}
