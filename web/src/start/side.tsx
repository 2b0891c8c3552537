import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { setView, view } from '../app/router';
import { runs } from '../app/state';
import { oneStop, treeKeys } from '../ui/arrows';
import { Icon, SeverityIcon } from '../ui/icons';
import { windowOf } from '../table/window';
import { setStyle, useMeasure } from '../ui/size';
import { formatCount, plural } from '../util/format';
import { allRows, freshRuns, textRows } from './state';
import { ancestors, type Folder, foldersOf, treeOf } from './tree';
import { toggled } from '../util/toggled';

/** Height of a row of the tree, as in start.css. */
const ROW = 22;

/** Folders that are open in the tree; those above the chosen one always are. */
const opened = signal<ReadonlySet<string>>(new Set());

function flip(path: string): void {
  opened.value = toggled(opened.value, path);
}

function FolderRow({ folder, isOpen, chosen }: { folder: Folder; isOpen: boolean; chosen: boolean }) {
  const indent = setStyle('paddingLeft', `${6 + folder.depth * 13}px`);
  return (
    <div
      class={`folder${chosen ? ' on' : ''}`}
      ref={indent}
      role="treeitem"
      tabIndex={-1}
      aria-level={folder.depth + 1}
      aria-posinset={folder.place}
      aria-setsize={folder.among}
      aria-expanded={folder.hasChildren ? isOpen : undefined}
      aria-selected={chosen}
    >
      {folder.hasChildren ? (
        <button type="button" class="turn" tabIndex={-1} aria-label={isOpen ? 'close' : 'open'} onClick={() => flip(folder.path)}>
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </button>
      ) : (
        <span class="turn" />
      )}
      <button
        type="button"
        tabIndex={-1}
        class={`folder-name cut${folder.moment ? ' mono' : ' strong'}`}
        title={folder.path}
        onClick={() => setView({ folder: chosen ? null : folder.path })}
        onKeyDown={(event) => {
          const wants = event.key === 'ArrowRight' ? !isOpen : event.key === 'ArrowLeft' ? isOpen : false;
          if (!wants || !folder.hasChildren) return;
          event.preventDefault();
          event.stopPropagation();
          flip(folder.path);
        }}
      >
        {folder.name}
        {folder.fresh && <i class="fresh" title="holds a new run" />}
      </button>
      <span class="soft num">{formatCount(folder.count)}</span>
    </div>
  );
}

function ScanFacts() {
  const list = runs.value;
  if (!list) return null;
  const { scan } = list;
  const notes: string[] = [];
  if (scan.links_skipped) notes.push(`${plural(scan.links_skipped, 'link')} not followed`);
  if (scan.unreadable_folders) notes.push(`${plural(scan.unreadable_folders, 'folder')} not readable`);
  if (scan.limit) notes.push(scan.limit);
  if (list.left_out) notes.push(`${plural(list.left_out, 'run')} not listed`);
  return (
    <div class="scan small soft">
      <p>Scanned in {formatCount(scan.took_ms)} ms</p>
      <p>
        {plural(scan.folders, 'folder')}, {plural(scan.files, 'file')}
      </p>
      {notes.map((note) => (
        <p key={note} class="row">
          <SeverityIcon severity="warning" size={11} /> {note}
        </p>
      ))}
    </div>
  );
}

/** Only the folders on screen are drawn: a thousand cost more than all else of the page. */
function FolderRows({ folders, open, chosen }: { folders: Folder[]; open: ReadonlySet<string>; chosen: string | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(600);
  useMeasure(box, (element) => setHeight(element.clientHeight), []);
  useLayoutEffect(() => {
    if (box.current) oneStop(box.current);
  }, []);
  // "All runs" above is a row too.
  const { first, last, offset, height: whole } = windowOf(scroll - ROW, height, folders.length, ROW);
  return (
    <div class="folders" role="tree" aria-label="folders" ref={box} {...treeKeys} onScroll={(event) => setScroll(event.currentTarget.scrollTop)}>
      <button
        type="button"
        role="treeitem"
        tabIndex={-1}
        aria-level={1}
        aria-posinset={1}
        aria-setsize={folders[0]?.among ?? 1}
        aria-selected={!chosen}
        class={`folder all${chosen ? '' : ' on'}`}
        onClick={() => setView({ folder: null })}
      >
        <Icon name="runs" size={12} />
        <span class="grow">All runs</span>
        <span class="num">{formatCount(textRows.value.length)}</span>
      </button>
      <div role="presentation" ref={setStyle('height', `${whole}px`)}>
        <div role="presentation" ref={setStyle('transform', `translateY(${offset}px)`)}>
          {folders.slice(first, last).map((folder) => (
            <FolderRow key={folder.path} folder={folder} isOpen={open.has(folder.path)} chosen={folder.path === chosen} />
          ))}
        </div>
      </div>
    </div>
  );
}

/** Folders as they are on disk; a click narrows the table. */
export function Tree() {
  const chosen = view.value.folder;
  useEffect(() => {
    // The way to the newest run is open at first.
    const rows = allRows.peek();
    if (opened.peek().size || !rows.length) return;
    const newest = rows.reduce((best, row) => (row.time > best.time ? row : best));
    opened.value = new Set(ancestors(newest.folder));
  }, [allRows.value.length > 0]);
  const open = new Set([...opened.value, ...ancestors(chosen ?? '').slice(0, -1)]);
  const folders = foldersOf(treeOf(textRows.value, freshRuns.value), open);
  return (
    <div class="start-tree">
      <FolderRows folders={folders} open={open} chosen={chosen} />
      <ScanFacts />
    </div>
  );
}

/** The tree as a picker, below 1024. */
export function allFolders(): Folder[] {
  const tree = treeOf(textRows.value, freshRuns.value);
  const everything = new Set(textRows.value.flatMap((row) => ancestors(row.folder)));
  return foldersOf(tree, everything);
}
