/** What was noticed while the module was read: errors as strips, the rest as a quiet count. */
import { SeverityIcon } from '../ui/icons';
import { formatCount, plural } from '../util/format';
import type { Warning } from '../api/types';
import { Pop } from './pop';
import { summary } from './state';

const WORDS: Record<string, string> = { error: 'error', warning: 'warning', note: 'note' };
const RANK: Record<string, number> = { error: 0, warning: 1 };

function Line({ warning }: { warning: Warning }) {
  return (
    <>
      <SeverityIcon severity={warning.severity} /> <b class="what">{WORDS[warning.severity] ?? warning.severity}</b>
      <span class="text">
        {warning.text}
        {warning.count > 1 ? <span class="faint"> ({formatCount(warning.count)} times)</span> : null}
        {warning.offset !== null ? <span class="faint"> at byte {formatCount(warning.offset)}</span> : null}
      </span>
    </>
  );
}

/** Errors: missing data changes the numbers, so they are shown above them. */
export function WarningStrips() {
  const errors = (summary.value?.warnings ?? []).filter((warning) => warning.severity === 'error').slice(0, 3);
  return (
    <>
      {errors.map((warning) => (
        <div key={`${warning.code}${warning.text}`} class="strip error m-warn-strip" role="alert">
          <Line warning={warning} />
        </div>
      ))}
    </>
  );
}

export function WarningBadge() {
  const all = [...(summary.value?.warnings ?? [])].sort((a, b) => (RANK[a.severity] ?? 2) - (RANK[b.severity] ?? 2));
  if (all.length === 0) return null;
  const worst = all[0].severity;
  const word = worst === 'error' || worst === 'warning' ? 'warning' : 'note';
  return (
    <Pop
      class="m-badge"
      boxClass="m-warn-box"
      title="warnings from reading the module"
      label={
        <>
          <SeverityIcon severity={worst} /> {plural(all.length, word)}
        </>
      }
    >
      {() => (
        <ul class="m-warn-list">
          {all.map((warning) => (
            <li key={`${warning.code}${warning.text}`} class={warning.severity}>
              <Line warning={warning} />
            </li>
          ))}
        </ul>
      )}
    </Pop>
  );
}
