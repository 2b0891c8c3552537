/** The page in one file: it contains its answers and sends no requests. */
import { render } from 'preact';
import { transport } from '../api/client';
import '../parts.css';
import './report.css';
import { unpack } from './blocks';
import { startLinks } from './links';
import { Note, startMissed } from './note';
import { ask, type Head, isMeasured, openStore } from './store';

/** The worker of the graph's layout as an address: a worker of a file from disk could not be started. */
async function unpackLayout(): Promise<void> {
  const script = await unpack('file-layout');
  const meta = document.createElement('meta');
  meta.name = 'layout-js';
  if (script !== null) meta.content = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  document.head.append(meta);
}

/** Where the served page would open: a measured run on its Overview, a comparison or one chosen program in Memory. */
async function opensAt({ run, base, one_module, module, space }: Head): Promise<Record<string, string>> {
  if (!base && !one_module && (await isMeasured(run))) return { run, tool: 'overview' };
  const start: Record<string, string> = { run, tool: 'memory' };
  if (one_module && module !== null) start.module = module;
  if (space !== null && space !== 'all') start.space = space;
  if (!base) return start;
  return { ...start, ...(base.opens === module ? {} : { module: base.opens }), mode: 'compare', base: base.run };
}

/** Names in the address what is open. An address without a run speaks of this file's: what it says besides stays. */
async function place(head: Head): Promise<void> {
  const named = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (named().run) return;
  const start = await opensAt(head);
  // Read again: an address may have been typed in the meantime.
  const given = named();
  history.replaceState(null, '', `#${new URLSearchParams({ ...(given.run || given.tool ? { run: head.run } : start), ...given })}`);
}

async function start(): Promise<void> {
  const note = document.createElement('div');
  note.id = 'note';
  document.getElementById('app')?.before(note);
  try {
    const [head] = await Promise.all([openStore(), unpackLayout()]);
    transport.ask = ask;
    transport.inFile = true;
    transport.holds = (run) => run === head.run || run === head.base?.run;
    await place(head);
    await import('../main');
    startMissed();
    startLinks();
    render(<Note head={head} />, note);
  } catch (error) {
    note.textContent = `This report cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
}

void start();
