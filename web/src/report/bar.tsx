/** In the bar of the modes: the steps box, and the swap of A and B. */
import { useEffect, useState } from 'preact/hooks';
import { view } from '../app/router';
import { Badges } from '../memory/headline';
import { stepCount, summary } from '../memory/state';
import { formatBytes, formatCount, formatPercent } from '../util/format';
import { Letter } from './area_chart';
import { asked, failed, setSteps, swapSteps } from './state';
import { readSteps } from './steps';

export function ReportBar() {
  const s = summary.value;
  return (
    <>
      {s ? (
        <span class="r-peak">
          <b>Peak {formatBytes(s.peak.held_bytes)}</b>
          {s.capacity_bytes ? (
            <span
              class={s.peak.held_bytes > s.capacity_bytes ? 'bad' : 'soft'}
            >{` of ${formatBytes(s.capacity_bytes)} (${formatPercent(s.peak.held_bytes / s.capacity_bytes)})`}</span>
          ) : null}
          {s.peak.step === null ? null : (
            <span class="soft">
              {' '}
              at step {formatCount(s.peak.step)} of {formatCount(s.steps)}
            </span>
          )}
        </span>
      ) : null}
      <span class="m-grow" />
      {s && s.steps > 0 ? <StepsBox /> : null}
      <Badges />
    </>
  );
}

function StepsBox() {
  const now = asked.value.join(', ');
  const [text, setText] = useState(now);
  const read = readSteps(text, stepCount.value);
  const fromAddress = readSteps(view.value.steps ?? '', Math.max(1, stepCount.value));
  const wrong = 'wrong' in read ? read.wrong : 'wrong' in fromAddress && text === now ? fromAddress.wrong : failed.value;
  useEffect(() => setText(now), [now]);
  const take = () => {
    if ('parts' in read) setSteps(read.parts);
  };
  return (
    <form
      class="r-steps"
      onSubmit={(event) => {
        event.preventDefault();
        take();
      }}
    >
      <label>
        steps{' '}
        <input
          type="text"
          value={text}
          spellcheck={false}
          aria-invalid={wrong !== ''}
          aria-describedby="r-steps-wrong"
          title="up to 8 steps and ranges: 94, 167, 340-350 (the highest step of the range); the others are compared with the first, A"
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={take}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            setText(now);
            event.stopPropagation();
          }}
        />
      </label>
      {asked.value.slice(0, 3).map((part, k) => (
        <Letter key={part} index={k} />
      ))}
      <button
        type="button"
        class="btn-s"
        disabled={asked.value.length < 2}
        title={asked.value.length < 2 ? 'only one step: nothing to swap' : 'swap A and B'}
        onClick={swapSteps}
      >
        swap
      </button>
      {wrong ? (
        <span id="r-steps-wrong" class="r-wrong" role="alert">
          {wrong}
        </span>
      ) : null}
    </form>
  );
}
