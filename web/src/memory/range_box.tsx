/** A dragged range of steps: its own highest point, what is allocated and freed in it. */
import { effect, signal } from '@preact/signals';
import { api, isAborted } from '../api/client';
import type { Range } from '../api/types';
import { formatBytes, formatCount } from '../util/format';
import { inspect, pin, range, setWindow, subject } from './state';

const answer = signal<Range | null>(null);

export function followRange(): () => void {
  return effect(() => {
    const r = range.value;
    if (!r) {
      answer.value = null;
      return;
    }
    api
      .range({ ...subject.peek(), from: r.from, to: r.to }, { key: 'memory/range', quiet: true })
      .then((a) => {
        answer.value = a;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) answer.value = null;
      });
  });
}

export function RangeBox() {
  const r = range.value;
  if (!r) return null;
  const a = answer.value;
  return (
    <div class="m-range" role="status">
      <b>
        steps {formatCount(r.from)} to {formatCount(r.to - 1)}
      </b>
      {a ? (
        <>
          <button type="button" class="link" onClick={() => inspect(a.max_step)}>
            highest {formatBytes(a.max_bytes)} at step {formatCount(a.max_step)}
          </button>
          <span>
            {formatCount(a.allocated.count)} allocated, {formatBytes(a.allocated.size_bytes)}
          </span>
          <span>
            {formatCount(a.freed.count)} freed, {formatBytes(a.freed.size_bytes)}
          </span>
          {a.largest.n > 0 ? (
            <button type="button" class="link" onClick={() => pin(a.largest.buffer[0])}>
              largest %{a.names[a.largest.name[0]]} {formatBytes(a.largest.size_bytes[0])}
            </button>
          ) : null}
        </>
      ) : null}
      <button
        type="button"
        class="btn-s"
        onClick={() => {
          setWindow(r);
          range.value = null;
        }}
      >
        Zoom <kbd>F</kbd>
      </button>
      <button
        type="button"
        class="btn-s"
        aria-label="clear the range"
        onClick={() => {
          range.value = null;
        }}
      >
        clear
      </button>
    </div>
  );
}
