import { call, isAborted, transport } from '../api/client';
import { fileName, saveBlob } from './exports';
import { Icon } from '../ui/icons';
import { formatFileSize } from '../util/format';
import { openHelp } from './help_state';
import { pageSearch } from './page_search';
import { openPalette } from './palette_state';
import { Pickers, runTitle } from './pickers';
import { openTool } from './open_tool';
import { hrefOf, flushView, toRuns, view } from './router';
import { run, runs } from './state';
import { LoadLine } from './strips';
import { nextTheme, themeChoice } from './theme';
import { copyText, toast } from './toast';
import { toolInfo } from './tools';

/** Whether a link to this page leads anywhere on another machine; a tunnel ends on this one as well. */
const isLoopback = (host: string): boolean => /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host);

export function copyLink(): void {
  flushView();
  void copyText(location.href, 'link', isLoopback(location.hostname) ? '; it only works on this machine; use Save as one file to send this view' : '');
}

/** The report in one file of the open run, as `xprofd report` writes it; of a comparison with its baseline. */
export async function saveReport(): Promise<void> {
  const { run, hbm, mode, base, base_module } = view.peek();
  if (!run || transport.inFile) return;
  const compared = mode === 'compare' ? { base_run: base, base_module } : {};
  toast('writing the report: the page and its data in one file');
  try {
    const [blob, note] = await call(
      'report_file',
      { run, hbm, ...compared },
      { key: 'report_file' },
      async (answer) => [await answer.blob(), answer.headers.get('X-Xprofd-Note')] as const,
    );
    saveBlob(blob, fileName('report', 'html'));
    toast(`report saved, ${formatFileSize(blob.size)}${note ? `; ${note}` : ''}`);
  } catch (error) {
    if (!isAborted(error)) toast(`no report: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function turnTheme(): void {
  const now = nextTheme();
  toast(now === 'system' ? 'colours follow the system' : `${now} colours`);
}

function SearchBox() {
  const own = pageSearch.value;
  if (own?.text) {
    return (
      <button type="button" class="search-box" onClick={own.open} aria-label={`search of this page: ${own.text}`} title="the search of this page (/)">
        <Icon name="search" size={14} />
        <span class="grow cut strong">{own.text}</span>
        <span class="small soft">{own.count}</span>
        <kbd>/</kbd>
      </button>
    );
  }
  const what = view.value.run ? 'Search ops, buffers' : 'Search runs, modules';
  return (
    <button type="button" class="search-box" onClick={() => openPalette('')} aria-label={`${what}, Ctrl+K`}>
      <Icon name="search" size={14} />
      <span class="grow cut">{what}</span>
      <kbd>Ctrl K</kbd>
    </button>
  );
}

/** The heading of views whose first line is a toolbar or a picture, for those who cannot see which view it is. */
function QuietTitle() {
  const tool = openTool();
  if (!run.value || !(tool === 'trace' || tool === 'graph' || (tool === 'memory' && view.value.mode === 'report'))) return null;
  const title = tool === 'memory' ? 'Report' : toolInfo(tool)?.title;
  return (
    <h1 class="off-screen">
      {title} of {runTitle()}
    </h1>
  );
}

export function Header() {
  const open = view.value.run;
  return (
    <header class="header">
      <QuietTitle />
      <a
        class="brand"
        href={hrefOf({ run: null })}
        title="all runs (U)"
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          if (open) toRuns();
        }}
      >
        xprofd
      </a>
      {open ? (
        <Pickers />
      ) : (
        <span class="logdir">
          <span class="small soft">logdir</span>
          <span class="mono strong cut">{runs.value?.root ?? ''}</span>
        </span>
      )}
      <span class="grow" />
      <span class="tools">
        <SearchBox />
        <button type="button" class="icon-btn" onClick={copyLink} title="copy link to this view (Y)" aria-label="copy link">
          <Icon name="link" />
        </button>
        {open && !transport.inFile && (
          <button
            type="button"
            class="icon-btn"
            onClick={() => void saveReport()}
            title="Save as one file: the page and its data, to send or keep; opens without a server"
            aria-label="save as one file"
          >
            <Icon name="save" />
          </button>
        )}
        <button
          type="button"
          class="icon-btn"
          onClick={turnTheme}
          title={`colours: ${themeChoice.value}; click to change`}
          aria-label={`colours: ${themeChoice.value}`}
        >
          <Icon name="theme" />
        </button>
        <button type="button" class="icon-btn" onClick={openHelp} title="keys (?)" aria-label="keys and help">
          <Icon name="help" />
        </button>
      </span>
      <LoadLine />
    </header>
  );
}
