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

/** Opens where the served page would: a measured run on its Overview, a comparison or one chosen program in Memory. */
async function place(head: Head): Promise<void> {
  if (location.hash.length > 1) return;
  if (!head.base && !head.one_module && (await isMeasured(head.run))) {
    history.replaceState(null, '', `#${new URLSearchParams({ run: head.run, tool: 'overview' })}`);
    return;
  }
  const start = new URLSearchParams({ run: head.run, tool: 'memory' });
  if (head.one_module && head.module !== null) start.set('module', head.module);
  if (head.space !== null && head.space !== 'all') start.set('space', head.space);
  if (head.base) {
    if (head.base.opens !== head.module) start.set('module', head.base.opens);
    start.set('mode', 'compare');
    start.set('base', head.base.run);
  }
  history.replaceState(null, '', `#${start}`);
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
