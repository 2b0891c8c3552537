import { useEffect, useRef, useState } from 'preact/hooks';
import { narrow } from '../app/media';
import { hrefOf, setView, view } from '../app/router';
import { labelOf, newCount, newerRuns, newestIndex, openRun, runs, showNewRuns } from '../app/state';
import { Icon } from '../ui/icons';
import { Picker } from '../ui/picker';
import { formatAgo, formatCount, plural } from '../util/format';
import { listen } from '../util/listen';
import { saveText } from '../app/exports';
import { rowsToCsv, rowsToJson } from './export';
import { CHIPS, type Chip } from './filter';
import { allRows, cardsMissing, comparison, folderRows, freshRuns, marked, shownRows } from './state';
import { allFolders } from './side';
import { COLUMNS, hiddenColumns } from './run_row';

export function openNewest(): void {
  const list = runs.value;
  if (list?.n) openRun(list.id[newestIndex(list)]);
}

export function takeNewRuns(): void {
  const before = new Set(runs.value?.id ?? []);
  const fresh = (newerRuns.value?.id ?? []).filter((id) => !before.has(id));
  showNewRuns();
  freshRuns.value = new Set(fresh);
}

/** What marked runs lead to, said where it can be done: one waits for the second, two are compared. */
function Marked() {
  const [first, second] = marked();
  if (first === undefined) return null;
  return (
    <span class="marked-runs row">
      {second === undefined ? (
        <span class="soft" role="status">
          {labelOf(first)} is marked: pick the second
        </span>
      ) : (
        <a class="btn" href={hrefOf(comparison(first, second))} title={`${labelOf(first)} before, ${labelOf(second)} after`}>
          Compare these two <kbd>C</kbd>
        </a>
      )}
      <button type="button" class="icon-btn" aria-label="remove the marks" title="remove the marks (Esc)" onClick={() => setView({ mark: null })}>
        <Icon name="close" size={13} />
      </button>
    </span>
  );
}

export function Headline() {
  const list = runs.value;
  const rows = allRows.value;
  if (!list) return null;
  const folders = new Set(list.folder).size;
  const problems = rows.filter((row) => row.problem).length;
  const fresh = newCount();
  const gone = newerRuns.value && !fresh;
  return (
    <div class="start-headline">
      <h1>{plural(list.n, 'run')}</h1>
      <span class="soft grow cut">
        in {plural(folders, 'folder')}, newest {formatAgo(list.mtime_ms[newestIndex(list)], Date.now())}
        {problems > 0 && ` · ${formatCount(problems)} with a problem`}
      </span>
      <Marked />
      {newerRuns.value && (
        <button type="button" class="pill" onClick={takeNewRuns}>
          <i class="fresh" />
          {gone ? 'the list changed, show' : `${plural(fresh, 'new run')}, show`} <kbd>N</kbd>
        </button>
      )}
      <button type="button" class="btn filled" onClick={openNewest}>
        Open the newest <kbd>O</kbd>
      </button>
    </div>
  );
}

function ChipButton({ chip }: { chip: Chip }) {
  const count = folderRows.value.filter((row) => chip.test(row)).length;
  const on = (view.value.chip ?? '') === chip.id;
  // A run is read when it is seen, or when a chip, a filter or an order asks for all.
  const open = cardsMissing.value > 0 && chip.id !== '' && chip.id !== 'problem';
  if (!count && !on && chip.id && !open) return null;
  return (
    <button
      type="button"
      class={`chip${on ? ' on' : ''}`}
      aria-pressed={on}
      title={open ? `so far: ${plural(cardsMissing.value, 'run')} not read yet; click to read all` : undefined}
      onClick={() => setView({ chip: on ? null : chip.id })}
    >
      {(chip.id === 'trace' || chip.id === 'memory') && <Icon name={chip.id} size={13} />}
      {chip.id === 'problem' && (
        <span class="bad">
          <Icon name="error" size={12} />
        </span>
      )}
      {chip.title}{' '}
      <span class="count">
        {formatCount(count)}
        {open && '+'}
      </span>
    </button>
  );
}

function ColumnsMenu() {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    return listen(window, {
      pointerdown: (event) => {
        if (!root.current?.contains(event.target as Node)) setOpen(false);
      },
    });
  }, [open]);
  const hidden = new Set((view.value.hide ?? '').split(',').filter(Boolean));
  const flip = (id: string) => {
    if (!hidden.delete(id)) hidden.add(id);
    setView({ hide: [...hidden].join(',') });
  };
  const shut = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !open) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  const shown = COLUMNS.length - hiddenColumns().size;
  return (
    <div class="picker" ref={root}>
      <button type="button" class="btn quiet" aria-expanded={open} onClick={() => setOpen(!open)} onKeyDown={shut}>
        Columns {shown < COLUMNS.length && `${shown} of ${COLUMNS.length}`} ▾
      </button>
      {open && (
        <fieldset class="popup right menu" onKeyDown={shut}>
          <legend class="off-screen">columns</legend>
          {COLUMNS.filter((column) => column.id !== 'name').map((column) => (
            <label key={column.id} class="option">
              <input type="checkbox" checked={!hidden.has(column.id)} onChange={() => flip(column.id)} />
              {column.title}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  );
}

function FolderPicker() {
  const folders = allFolders();
  return (
    <Picker
      label="folder"
      value={view.value.folder ?? 'all folders'}
      current={view.value.folder ?? ''}
      items={[{ key: '', title: 'all folders' }, ...folders.map((folder) => ({ key: folder.path, title: folder.path, side: formatCount(folder.count) }))]}
      onPick={(key) => setView({ folder: key })}
    />
  );
}

export function FilterRow({ field }: { field: { current: HTMLInputElement | null } }) {
  const byPath = view.value.order === 'path';
  return (
    <div class="start-filter">
      <label class="field">
        <Icon name="search" size={13} />
        <input
          ref={field}
          value={view.value.q ?? ''}
          placeholder="name, module, device, peak>10GiB"
          aria-label="filter the runs"
          onInput={(event) => setView({ q: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation();
            if (view.value.q) setView({ q: null });
            else event.currentTarget.blur();
          }}
        />
        <kbd>/</kbd>
      </label>
      {narrow.value && <FolderPicker />}
      <span class="chips grow">
        {CHIPS.map((chip) => (
          <ChipButton key={chip.id} chip={chip} />
        ))}
      </span>
      <span class="segment">
        <button type="button" class={byPath ? '' : 'on'} aria-pressed={!byPath} onClick={() => setView({ order: null })}>
          Newest
        </button>
        <button type="button" class={byPath ? 'on' : ''} aria-pressed={byPath} onClick={() => setView({ order: 'path' })}>
          By path
        </button>
      </span>
      <ColumnsMenu />
      <button type="button" class="btn quiet" onClick={() => saveText(rowsToCsv(shownRows.value), 'runs.csv')}>
        CSV
      </button>
      <button type="button" class="btn quiet" onClick={() => saveText(rowsToJson(shownRows.value), 'runs.json', 'application/json')}>
        JSON
      </button>
    </div>
  );
}
