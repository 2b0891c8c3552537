import type { Loading } from '../api/answers';
import { openTool, standOf } from '../app/open_tool';
import { hrefOf, view } from '../app/router';
import { run } from '../app/state';
import { Icon } from '../ui/icons';
import { formatCount, plural } from '../util/format';
import { type FileRow, hostsOf, readingEvents, rowsOf } from './reading_state';

interface Usable {
  tool: 'memory' | 'graph' | 'trace';
  title: string;
  words: string;
  /** Null: these hosts alone, chosen as in the table. */
  href: string | null;
  hosts: FileRow[];
}

const NAMES = 3;
function namesOf(hosts: readonly FileRow[]): string {
  const names = hosts.slice(0, NAMES).map((row) => row.host);
  return names.join(', ') + (hosts.length > NAMES ? ` and ${hosts.length - NAMES} more` : '');
}

/** The directories of some hosts are read: they open as a part of the run. A module may be on several hosts, so only those of one are counted. */
function partsOf(rows: readonly FileRow[]): Usable[] {
  const hosts = hostsOf(rows).filter((row) => row.whole);
  const some = hosts.filter((row) => row.modules);
  const traced = hosts.filter((row) => row.events);
  const open = (tool: string, of: readonly FileRow[]) => hrefOf({ only: of.map((row) => row.host).join(','), host: null, tool });
  const what = some.length === 1 ? `${plural(some[0].modules ?? 0, 'module')} of ${some[0].host}` : `modules of ${namesOf(some)}`;
  const out: Usable[] = [];
  if (some.length > 0) {
    out.push({ tool: 'memory', title: 'Memory', words: what, href: open('memory', some), hosts: some });
    out.push({ tool: 'graph', title: 'Graph', words: what, href: open('graph', some), hosts: some });
  }
  if (traced.length > 0) {
    const events = traced.reduce((sum, row) => sum + (row.events ?? 0), 0);
    out.push({
      tool: 'trace',
      title: 'Trace',
      words: `${formatCount(events)} events of ${namesOf(traced)}, read when Trace opens`,
      href: open('trace', traced),
      hosts: traced,
    });
  }
  return out;
}

/** The run is there and its events are being read: its programs need none of them. */
function besideEvents(rows: readonly FileRow[]): Usable[] {
  const modules = run.value?.modules.n ?? 0;
  const here = openTool();
  const out: Usable[] = [];
  for (const [tool, title] of [
    ['memory', 'Memory'],
    ['graph', 'Graph'],
  ] as const)
    if (modules > 0 && here !== tool && standOf(tool).open)
      out.push({ tool, title, words: `complete: ${plural(modules, 'module')}`, href: hrefOf({ tool }), hosts: [] });
  if (view.value.host) return out;
  const read = hostsOf(rows).filter((row) => row.whole && row.events);
  for (const row of read.slice(0, NAMES))
    out.push({ tool: 'trace', title: 'Trace', words: `${formatCount(row.events ?? 0)} events of ${row.host}`, href: null, hosts: [row] });
  return out;
}

/** Why there is nothing yet. */
function nothing(rows: readonly FileRow[]): string {
  const active = rows.find((row) => row.active);
  if (active?.name.endsWith('.gz') && !active.modules) return 'nothing yet: a compressed file must be unpacked before its modules can be read';
  const found = active?.modules ? `, ${plural(active.modules, 'module')} found so far` : '';
  return `nothing yet: a file opens once its directory has been read${found}`;
}

/** What can be opened while the rest is still being read. */
export function UsableNow({ now, choose }: { now: Loading; choose: (hosts: readonly FileRow[]) => void }) {
  const rows = rowsOf(now);
  const events = readingEvents();
  const list = events ? besideEvents(rows) : partsOf(rows);
  if (events && list.length === 0) return null;
  return (
    <section class="usable" aria-label="usable now">
      <b>Usable now</b> <span class="soft">{list.length === 0 ? nothing(rows) : events ? 'without the events' : 'before the other files'}</span>
      <ul>
        {list.map((item) => (
          <li key={`${item.tool} ${item.words}`}>
            <Icon name={item.tool} size={13} />
            {item.href === null ? (
              <button type="button" class="link" onClick={() => choose(item.hosts)}>
                {item.title}
              </button>
            ) : (
              <a class="link" href={item.href}>
                {item.title}
              </a>
            )}
            <span class="soft">{item.words}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
