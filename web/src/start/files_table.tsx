import { Icon } from '../ui/icons';
import { exactBytes, formatCount, plural } from '../util/format';
import type { Host, Run } from '../api/types';

/** What of a file could be read: everything, up to a byte, or nothing. */
function standOf(host: Host): { fine: boolean; text: string } {
  if (host.error) return { fine: false, text: host.error };
  if (host.complete) return { fine: true, text: 'whole' };
  const whole = host.whole_bytes ?? host.size_bytes;
  const missing = whole - host.size_bytes;
  if (missing > 0) return { fine: false, text: `truncated: at least ${formatCount(missing)} bytes are missing` };
  return { fine: false, text: `damaged: the ${plural(host.size_bytes - (host.read_until_bytes ?? 0), 'byte')} after it were not read` };
}

/** One row a file: how far it could be read, what came of it, what is wrong. */
export function FilesTable({ open, modulesOf, eventsOf }: { open: Run; modulesOf: (host: number) => number; eventsOf: (host: Host) => number }) {
  const anyCut = open.hosts.some((host) => host.whole_bytes !== null && host.whole_bytes > host.size_bytes);
  return (
    <section class="files-table" tabIndex={0} aria-label="files">
      <h2>
        Files <span class="soft small">how far each file could be read, in bytes from its start</span>
      </h2>
      <table class="plain" aria-label="files of this run">
        <thead>
          <tr>
            <th>file</th>
            <th class="num">bytes</th>
            {anyCut && <th class="num">at least</th>}
            <th class="num">read up to</th>
            <th class="num">modules</th>
            <th class="num">events</th>
            <th>state</th>
          </tr>
        </thead>
        <tbody>
          {open.hosts.map((host, i) => {
            const { fine, text } = standOf(host);
            return (
              <tr key={host.file}>
                <td class="mono cut" title={host.file}>
                  {host.file}
                </td>
                <td class="num" title={exactBytes(host.size_bytes)}>
                  {formatCount(host.size_bytes)}
                </td>
                {anyCut && <td class="num">{host.whole_bytes !== null && host.whole_bytes > host.size_bytes ? formatCount(host.whole_bytes) : ''}</td>}
                <td class="num" title={host.read_until_bytes === null ? '' : `0x${host.read_until_bytes.toString(16)}`}>
                  {host.error ? '–' : formatCount(host.read_until_bytes ?? host.size_bytes)}
                </td>
                <td class="num">{formatCount(modulesOf(i))}</td>
                <td class="num">{formatCount(eventsOf(host))}</td>
                <td class={fine ? '' : 'bad'}>
                  <Icon name={fine ? 'check' : 'error'} size={11} /> {text}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
