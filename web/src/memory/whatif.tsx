/** What the peak would be without the ticked rows. */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, isAborted } from '../api/client';
import type { WhatIf } from '../api/types';
import { exactBytes, formatBytes, formatCount } from '../util/format';
import { inspect, pinned, subject, summary } from './state';
import { ticked, TICKED_MOST, tick } from './lower_state';
import { together } from '../util/listen';

const answer = signal<WhatIf | null>(null);

function follow(): () => void {
  let subjectSeen = '';
  return together([
    effect(() => {
      // Indexes of one module mean nothing in another.
      const now = JSON.stringify(subject.value);
      if (subjectSeen && now !== subjectSeen) ticked.value = new Set();
      subjectSeen = now;
    }),
    effect(() => {
      const set = ticked.value;
      if (set.size === 0 || !summary.value) {
        answer.value = null;
        return;
      }
      api
        .whatif({ ...subject.peek(), buffers: [...set].slice(0, TICKED_MOST).join(',') }, { key: 'memory/whatif', quiet: true })
        .then((result) => {
          answer.value = result;
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) answer.value = null;
        });
    }),
  ]);
}

export function WhatIfLine() {
  useEffect(follow, []);
  const count = ticked.value.size;
  const a = answer.value;
  if (count === 0) return null;
  return (
    <div class="m-whatif" role="status">
      <span>
        without {count === 1 ? 'this one' : `these ${formatCount(count)}`}:{' '}
        {a ? (
          <>
            peak <b title={exactBytes(a.new_peak_bytes)}>{formatBytes(a.new_peak_bytes)}</b> (
            <span class={a.saving_bytes > 0 ? 'good' : ''}>{a.saving_bytes > 0 ? formatBytes(-a.saving_bytes, { withUnit: false }) : 'no change'}</span>)
            {a.new_step === null ? '' : ' at '}
            {a.new_step === null ? null : (
              <button type="button" class="link" onClick={() => inspect(a.new_step)}>
                step {formatCount(a.new_step)}
              </button>
            )}
          </>
        ) : (
          '…'
        )}
      </span>
      <button
        type="button"
        class="link"
        onClick={() => {
          ticked.value = new Set();
        }}
      >
        clear
      </button>
      {pinned.value !== null && !ticked.value.has(pinned.value) ? (
        <button type="button" class="link" onClick={() => tick(pinned.peek() as number, true)}>
          add the pinned one
        </button>
      ) : null}
    </div>
  );
}
