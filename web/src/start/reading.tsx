import { useEffect } from 'preact/hooks';
import { pickHost } from '../app/pickers';
import { setView, view } from '../app/router';
import { shareWidth } from '../ui/size';
import { exactBytes, fixed, formatCount, formatFileSize, plural } from '../util/format';
import { type FileRow, followLoading, hostsOf, loading, readingEvents, rowsOf } from './reading_state';
import { UsableNow } from './usable';

/** These hosts and no others. While events are read the run itself is there: one host is chosen as in the picker. */
function choose(hosts: readonly FileRow[]): void {
  if (readingEvents() && hosts.length === 1) pickHost(hosts[0].host);
  else setView({ only: hosts.map((row) => row.host).join(','), host: null });
}

/** Beside the words of the strip: one host alone, or what is there by now. */
export function ReadingActions() {
  useEffect(followLoading, []);
  const now = loading.value;
  if (!now || view.value.host) return null;
  const hosts = hostsOf(rowsOf(now));
  if (hosts.length < 2) return null;
  const one = hosts.find((row) => row.whole) ?? hosts.find((row) => row.active) ?? hosts[0];
  const whole = hosts.filter((row) => row.whole);
  const names = whole.map((row) => row.host).join(', ');
  return (
    <div class="actions">
      <button type="button" class="btn" title={`reads only ${one.name}`} onClick={() => choose([one])}>
        Only {one.host}
      </button>
      <button
        type="button"
        class="btn"
        disabled={whole.length === 0 || whole.length === hosts.length}
        title={whole.length === 0 ? 'no host has been read completely yet' : `stops reading: ${names} can be used now, the rest can be read later`}
        onClick={() => choose(whole)}
      >
        Stop here
      </button>
    </div>
  );
}

const count = (n: number | null) => (n === null ? '–' : formatCount(n));

function Row({ row, alone }: { row: FileRow; alone: boolean }) {
  return (
    <tr class={row.active ? 'active' : ''}>
      <td class="mono cut" title={row.name}>
        {row.host && !alone && !view.value.host ? (
          <button type="button" class="link" title={`only ${row.host}`} onClick={() => choose([row])}>
            {row.host}
          </button>
        ) : (
          row.host || row.name
        )}
      </td>
      <td class="num" title={exactBytes(row.sizeBytes)}>
        {formatFileSize(row.sizeBytes)}
      </td>
      <td>
        <span class="read-bar">
          <i class={row.share === 1 ? 'all' : ''} ref={shareWidth(row.share)} />
        </span>
      </td>
      <td class="num">{fixed(Math.floor(row.share * 100), 0)} %</td>
      <td class="num">{count(row.events)}</td>
      <td class="num">{count(row.modules)}</td>
      <td class="soft">{row.state}</td>
    </tr>
  );
}

/** One row a file, under the strip. */
export function ReadingFiles() {
  const now = loading.value;
  if (!now || now.files.n === 0) return null;
  const rows = rowsOf(now);
  const alone = hostsOf(rows).length < 2;
  return (
    <div class="strip reading-files">
      <div class="reading-both">
        <table class="plain" aria-label="files being read">
          <thead>
            <tr>
              <th>{rows.some((row) => row.host) ? 'host' : 'file'}</th>
              <th class="num">size</th>
              <th>{readingEvents() ? 'events read' : 'read'}</th>
              <td />
              <th class="num">events</th>
              <th class="num">modules</th>
              <th>state</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.name} row={row} alone={alone} />
            ))}
          </tbody>
        </table>
        <UsableNow now={now} choose={choose} />
      </div>
      <p class="small soft">
        {now.files.left_out > 0 && `and ${plural(now.files.left_out, 'file')} more. `}
        Memory: {formatFileSize(now.memory_bytes)} of {formatFileSize(now.memory_limit_bytes)} (--memory-limit) held by loaded runs
        {now.resident_bytes !== null && `, xprofd uses ${formatFileSize(now.resident_bytes)} in total`}. Counts of events and modules cover the part read so
        far.
      </p>
    </div>
  );
}
