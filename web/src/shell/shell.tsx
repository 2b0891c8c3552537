import { Component, type ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { warmEngine } from '../graph/engine';
import { MemoryTool } from '../memory/tool';
import { StartPage } from '../start';
import { EmptyState, NoData, NoTool } from '../app/empty_states';
import { cards } from '../app/cards';
import { copyLink, Header } from '../app/header';
import { helpShown, openHelp } from '../app/help_state';
import { registerKeys } from '../app/keys';
import { PaletteBox } from '../app/palette_box';
import { closePalette, explainOpen, openPalette, paletteText } from '../app/palette_state';
import { moduleIndex, runAndProgram } from '../app/pickers';
import { goToTool, nameTool, openTool, standOf } from '../app/open_tool';
import { Sidebar } from './sidebar';
import { setView, toRuns, view } from '../app/router';
import { AllRuns, ReadAgain, runErrorText } from '../app/run_error';
import { modules, run, runError } from '../app/state';
import { Strips } from '../app/strips';
import { copyText, Toasts } from '../app/toast';
import { Later } from '../ui/later';
import { Unread } from '../ui/unread';
import { TOOLS, toolInfo } from '../app/tools';

function stepModule(by: number): boolean {
  const list = modules.value;
  const at = moduleIndex();
  if (!list || at < 0 || list.n < 2) return false;
  const order = list.key.map((_, i) => i).sort((a, b) => (list.peak_bytes[b] ?? -1) - (list.peak_bytes[a] ?? -1));
  const next = order[(order.indexOf(at) + by + list.n) % list.n];
  setView({ module: list.key[next] });
  return true;
}

function shellKeys() {
  return registerKeys('everywhere', {
    palette: () => {
      if (paletteText.value === null) openPalette('');
      else closePalette();
    },
    // A page with a field of its own for "/" registers later and gets the key first.
    search: () => openPalette(''),
    copy_link: copyLink,
    to_runs: () => {
      if (!view.value.run) return false;
      toRuns();
    },
    help: openHelp,
    tool: (_event, digit) => goToTool(TOOLS[digit].id),
    module_step: (_event, stroke) => stepModule(stroke === 0 ? -1 : 1),
  });
}

/** What stands where a view will be, while its code comes: on a slow line that takes seconds. */
function Opening({ title }: { title: string }) {
  return (
    <main class="main empty-state opening" aria-busy="true">
      <h1>{title}</h1>
      <p class="soft">loading its code; numbers follow</p>
    </main>
  );
}

/** A page that took longer than this came over a slow line, on which two things at once take twice as long. */
const SLOW_MS = 700;

/** The engine comes beside the view's code, not behind it, where the line is quick. */
function GraphWaits() {
  useEffect(() => {
    if (performance.now() < SLOW_MS) warmEngine();
  }, []);
  return <Opening title="Graph" />;
}

/** Until it is known what the run holds: it opens on its times, else on its memory. */
function FirstWait() {
  return (
    <main class="main memory-loading">
      <Unread what="what this run holds" />
    </main>
  );
}

function Page() {
  const tool = openTool();
  if (tool === 'start') return <StartPage />;
  if (runError.value && !run.value) {
    return (
      <EmptyState title="This run could not be opened">
        <p role="alert">
          <span class="mono">{view.value.run}</span>: {runErrorText()}
        </p>
        <p class="row">
          <ReadAgain />
          <AllRuns />
        </p>
      </EmptyState>
    );
  }
  if (tool === 'files') return <Later part="FilesPage" waiting={<Opening title="Files of this run" />} />;
  if (!tool) return <FirstWait />;
  const info = toolInfo(tool);
  if (!info) return <NoTool name={tool} />;
  const stand = standOf(tool);
  if (!stand.open) return <NoData title={info.title} reason={stand.reason ?? ''} />;
  // Until it is known what the run is, nothing is asked about a program that there may be none of.
  const { run: id, mode, module } = view.value;
  const kind = run.value?.kind ?? cards.value.get(id ?? '')?.kind ?? (mode === 'heap' ? 'heap' : module || PROGRAM_MODES.has(mode ?? '') ? 'profile' : null);
  if (!info.part && !kind) return <FirstWait />;
  const heap = kind === 'heap';
  if (!info.part) return heap ? <Later part="HeapView" waiting={<Opening title={info.title} />} /> : <MemoryTool />;
  return <Later key={tool} part={info.part} waiting={tool === 'graph' ? <GraphWaits /> : <Opening title={info.title} />} />;
}

/** Modes of Memory that only programs have: an address with another one tells nothing of the run. */
const PROGRAM_MODES = new Set(['report', 'compare', 'time']);

/** A view that fails says so in its place; header, sidebar and address stay usable. */
class Guard extends Component<{ at: string; children: ComponentChildren }, { error: Error | null; at: string }> {
  state = { error: null as Error | null, at: '' };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  componentDidUpdate(before: { at: string }) {
    if (before.at !== this.props.at && this.state.error) this.setState({ error: null });
  }

  render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    const text = `${error.name}: ${error.message}\n${error.stack ?? ''}\n${location.href}`;
    return (
      <EmptyState title="This view stopped">
        <p>
          It reached an unexpected state: <span class="mono">{error.message}</span>. The server and the files are not affected.
        </p>
        <p class="row">
          <button type="button" class="btn" onClick={() => this.setState({ error: null })}>
            Draw again
          </button>
          <button type="button" class="btn" onClick={() => void copyText(text, 'report')}>
            Copy report
          </button>
        </p>
      </EmptyState>
    );
  }
}

function titleOf(): string {
  if (!view.value.run) return 'xprofd';
  const tool = toolInfo(openTool());
  return `${runAndProgram()} · ${tool?.title ?? 'Files'} · xprofd`;
}

export function Shell() {
  useEffect(shellKeys, []);
  useEffect(nameTool, []);
  const title = titleOf();
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class="shell">
      <Header />
      <Sidebar />
      <Strips />
      <Guard at={`${view.value.run} ${openTool()} ${view.value.mode ?? ''}`}>
        <Page />
      </Guard>
      <PaletteBox />
      {helpShown.value && <Later part="Help" />}
      {explainOpen.value && <Later part="PastedExplain" />}
      <Toasts />
    </div>
  );
}
