/** The lines above the page: what this file is, what it lacks, what the view asked for in vain. */
import { effect, signal, untracked } from '@preact/signals';
import { view } from '../app/router';
import { formatCount, formatFileSize } from '../util/format';
import { type Head, missed } from './store';

const open = signal(false);

/** What a view before this one lacked does not concern this one. */
export function startMissed(): void {
  effect(() => {
    void view.value;
    untracked(() => {
      missed.value = [];
    });
  });
}

/** As the page and the list of runs call it; its whole path on hover. */
const Named = ({ of }: { of: Pick<Head, 'run' | 'label' | 'module'> }) => (
  <b title={of.run}>
    {of.label}
    {of.module && ` · ${of.module.replace(/\(\d+\)$/, '')}`}
  </b>
);

function files(of: Pick<Head, 'files' | 'file_count'>): string {
  const names = of.files.map((file) => `${file.name}, ${formatFileSize(file.size_bytes)}`);
  const more = of.file_count - names.length;
  return names.join('; ') + (more > 0 ? ` and ${formatCount(more)} more` : '');
}

export function Note({ head }: { head: Head }) {
  const left = head.held.filter((part) => part.left_out > 0);
  return (
    <>
      <div class="r-note">
        <span>
          <b>Report</b> by xprofd {head.version} of <Named of={head} /> ({files(head)})
          {head.base ? (
            <>
              {' '}
              compared with <Named of={head.base} /> ({files(head.base)})
            </>
          ) : null}
          . It is a snapshot and needs no server.
          {head.base?.alone ? ` ${head.base.alone[0].toUpperCase()}${head.base.alone.slice(1).trim()}.` : null}
        </span>
        {left.length > 0 && (
          <button
            type="button"
            class="link"
            aria-expanded={open.value}
            onClick={() => {
              open.value = !open.value;
            }}
          >
            {open.value ? 'less' : 'what was left out'}
          </button>
        )}
      </div>
      {open.value && (
        <ul class="r-left">
          {left.map((part) => (
            <li key={part.what}>
              {formatCount(part.left_out)} of {formatCount(part.left_out + part.held)} answers on {part.what}
            </li>
          ))}
        </ul>
      )}
      {missed.value.map((message) => (
        <div class="r-missed" role="status" key={message}>
          {message[0].toUpperCase() + message.slice(1)}.
        </div>
      ))}
    </>
  );
}
