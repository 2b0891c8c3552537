import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { compact, narrow } from '../app/media';
import { Hint, Watching } from '../app/foot';
import { registerKeys } from '../app/keys';
import { openOom, paletteText } from '../app/palette_state';
import { OOM_TEXT } from '../app/drop';
import { isProgram } from '../app/hlo_paste';
import { pasteOom } from '../app/oom_paste';
import { setView, view } from '../app/router';
import { loadRuns, newerRuns, openRun, runs, runsError } from '../app/state';
import { toast } from '../app/toast';
import { TOOLS } from '../app/tools';
import { Later } from '../ui/later';
import { formatCount } from '../util/format';
import { listen, together } from '../util/listen';
import { CardPane } from './card';
import { comparison, followCards, marked, selectedRow, shownRows, toggleMark, visibleRange } from './state';
import { Tree } from './side';
import { moveSelection, RunTable, selectedIndex } from './table';
import { FilterRow, Headline, openNewest, takeNewRuns } from './top';

function keysOfPage(field: { current: HTMLInputElement | null }): () => void {
  const listKeys = registerKeys('tables', {
    row_step: (_event, stroke) => moveSelection(selectedIndex() + (stroke === 0 ? -1 : 1)),
    row_ends: (_event, stroke) => moveSelection(stroke === 0 ? 0 : shownRows.value.length - 1),
    open_row: () => {
      const row = selectedRow.value;
      if (!row) return false;
      openRun(row.id);
    },
    sort: () => setView({ order: view.value.order === 'peak' ? '-peak' : 'peak' }),
  });
  const everywhere = registerKeys('everywhere', {
    search: () => field.current?.focus(),
    escape: () => {
      if (marked().length) setView({ mark: null });
      else if (view.value.q || view.value.chip || view.value.folder) setView({ q: null, chip: null, folder: null });
      else return false;
    },
  });
  const own = registerKeys('runs', {
    open_newest: openNewest,
    show_new: () => {
      if (!newerRuns.value) return false;
      takeNewRuns();
    },
    mark: () => {
      const row = selectedRow.value;
      if (row) toggleMark(row.id);
    },
    compare: () => {
      const row = selectedRow.value;
      const [first, second] = marked();
      if (first !== undefined && second !== undefined) return setView(comparison(first, second), { push: true });
      if (row && !marked().includes(row.id)) toggleMark(row.id);
      if (marked().length < 2) toast('pick the second: mark it with Space or its ◇');
    },
    look_again: () => void loadRuns(),
  });
  return () => {
    listKeys();
    everywhere();
    own();
  };
}

/** An error message or a program that is pasted anywhere on the page opens the box that reads it. */
function watchPaste(): () => void {
  return listen(window, {
    paste: (event) => {
      const target = event.target as HTMLElement | null;
      if (target?.closest?.('input, textarea') || paletteText.value !== null) return;
      const text = event.clipboardData?.getData('text') ?? '';
      if (!isProgram(text) && !OOM_TEXT.test(text)) return;
      event.preventDefault();
      openOom();
      pasteOom(text);
    },
  });
}

function Foot() {
  const [first, last] = visibleRange.value;
  return (
    <footer class="foot">
      <Hint caps={['↑', '↓']} text="select" />
      <Hint caps={['Enter']} text="open" />
      <Hint caps={['Shift', '1', '–', String(TOOLS.length)]} text="open in a tool" />
      <Hint caps={['Space']} text="mark," />
      <Hint caps={['C']} text="compare" />
      <Hint caps={['/']} text="filter" />
      <Hint caps={['?']} text="all keys" />
      <span class="grow" />
      <span>
        showing {formatCount(first)}–{formatCount(last)} of {formatCount(shownRows.value.length)}
      </span>
      <Watching />
    </footer>
  );
}

function RunList() {
  const field = useRef<HTMLInputElement>(null);
  // Before the list is seen, so that no key pressed at its sight is lost.
  useLayoutEffect(() => {
    return together([keysOfPage(field), followCards(), watchPaste()]);
  }, []);
  return (
    <>
      <main class="main start">
        <Headline />
        <FilterRow field={field} />
        <div class="start-body">
          {!narrow.value && <Tree />}
          <RunTable />
          {!compact.value && <CardPane />}
        </div>
      </main>
      <Foot />
    </>
  );
}

function EmptyList() {
  useEffect(() => together([watchPaste(), registerKeys('runs', { look_again: () => void loadRuns() })]), []);
  return (
    <>
      <Later part="EmptyPage" waiting={<main class="main" />} />
      <footer class="foot">
        <Hint caps={['Ctrl', 'V']} text="anywhere: paste a message" />
        <Hint caps={[]} text="or drop a text file that contains it" />
        <Hint caps={['R']} text="look again" />
        <Hint caps={['?']} text="all keys" />
        <span class="grow" />
        <Watching />
      </footer>
    </>
  );
}

/** The list of runs; the empty page when there is none. */
export function StartPage() {
  const list = runs.value;
  if (!list) {
    return (
      <main class="main empty-state">
        <h1>{runsError.value ? 'The list of runs could not be read' : 'Looking for profiles'}</h1>
        <p class="soft">{runsError.value?.message ?? 'rows appear as soon as the folder is read'}</p>
      </main>
    );
  }
  return list.n === 0 ? <EmptyList /> : <RunList />;
}
