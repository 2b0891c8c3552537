/** Amber strips above the rows: what is missing in the file, as the server says it. */
import { signal } from '@preact/signals';
import { rows } from './state';

const closed = signal<ReadonlySet<string>>(new Set());

const FEW = 3;

export function Strips() {
  const r = rows.value;
  if (!r) return null;
  const errors = r.hosts.filter((h) => h.error).map((h) => `${h.name}: ${h.error}`);
  const all = [...new Set([...errors, ...[...r.warnings, ...r.derived_warnings].map((w) => w.text)])].filter((text) => text && !closed.value.has(text));
  if (!all.length) return null;
  return (
    <div class="t-strips" role="status">
      {all.slice(0, FEW).map((text) => (
        <p key={text}>
          <span>{text}</span>
          <button
            type="button"
            class="link"
            aria-label="close this warning"
            onClick={() => {
              closed.value = new Set([...closed.value, text]);
            }}
          >
            close
          </button>
        </p>
      ))}
      {all.length > FEW ? <p class="soft">{all.length - FEW} more</p> : null}
    </div>
  );
}
