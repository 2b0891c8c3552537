import { computed } from '@preact/signals';
import { narrow, phone, small } from '../app/media';
import { hrefOf, setView, view } from '../app/router';
import { openRun, opensOn, runs } from '../app/state';
import { SeverityIcon } from '../ui/icons';
import { setStyle } from '../ui/size';
import { exactBytes, formatAge, formatCount, formatFileSize, formatTime } from '../util/format';
import { ChangeCell, deviceShort, Holds, isOver, PeakBar, peakText } from './cells';
import { toggleMark } from './state';
import { differsAt, nameIn, pathBehind } from './path_cut';
import type { Order, RunRow } from './rows';

export interface Column {
  id: Order | 'holds';
  title: string;
  num?: boolean;
}

export const COLUMNS: Column[] = [
  { id: 'when', title: 'when' },
  { id: 'name', title: 'run and path' },
  { id: 'hosts', title: 'hosts', num: true },
  { id: 'size', title: 'size', num: true },
  { id: 'holds', title: 'holds' },
  { id: 'module', title: 'largest module' },
  { id: 'device', title: 'device' },
  { id: 'peak', title: 'peak', num: true },
  { id: 'change', title: 'change', num: true },
];

/** Columns left out: by choice, "device" below 1024, where it joins the module, and more on a phone. */
export function hiddenColumns(): Set<string> {
  const hidden = new Set((view.value.hide ?? '').split(',').filter(Boolean));
  if (narrow.value) hidden.add('device');
  // Names of runs and of their programs come before what is beside them.
  if (small.value) for (const id of ['hosts', 'size', 'holds']) hidden.add(id);
  if (phone.value) for (const id of ['module', 'change']) hidden.add(id);
  return hidden;
}

function ModuleCell({ row }: { row: RunRow }) {
  const card = row.card;
  if (row.cardError) return <span class="soft">no readable module</span>;
  if (!card) return <span class="faint">…</span>;
  if (!card.module_name) return <span class="soft">none</span>;
  return (
    <>
      <span class="mono cut" title={card.module ?? undefined}>
        {card.module_name}
      </span>
      {card.other_modules > 0 && <span class="faint small">+{formatCount(card.other_modules)}</span>}
      {narrow.value && <span class="soft small">{deviceShort(card)}</span>}
    </>
  );
}

/** What stands before a name: the mark, and the hook of one that stands below another. */
const MARK_ROOM = 22;
const UNDER_ROOM = 16;
const labelsDiffer = computed(() => differsAt(runs.value?.label ?? []));

function Cell({ column, row, now, isMarked }: { column: Column; row: RunRow; now: number; isMarked: boolean }) {
  const card = row.card;
  switch (column.id) {
    case 'when':
      return <span title={formatTime(row.time)}>{formatAge(row.time, now)}</span>;
    case 'name':
      return (
        <>
          <button
            type="button"
            class="run-mark"
            tabIndex={-1}
            aria-pressed={isMarked}
            aria-label={`mark ${row.label}`}
            title={isMarked ? 'remove the mark (Space)' : 'mark; mark two runs to compare them (Space)'}
            onClick={() => toggleMark(row.id)}
          >
            {isMarked ? '◆' : '◇'}
          </button>
          <a class="run-name cut" href={hrefOf({ run: row.id, tool: opensOn(row.card).tool })} tabIndex={-1} title={row.id}>
            {row.under && <span class="soft">└ </span>}
            {nameIn(row.label, labelsDiffer.value.get(row.label) ?? 0, MARK_ROOM + (row.under ? UNDER_ROOM : 0))}
          </a>
          {/* A label that names a folder says where the run lies. */}
          <span class="run-path soft small" title={row.folder}>
            {row.label === row.name ? pathBehind(row.label, row.folder, MARK_ROOM + (row.under ? UNDER_ROOM : 0)) : ''}
          </span>
        </>
      );
    case 'hosts':
      return <span title={row.hosts.join(', ')}>{row.kind === 'dump' || row.kind === 'heap' ? row.kind : row.hosts.length || 'file'}</span>;
    case 'size':
      return <span title={exactBytes(row.size)}>{formatFileSize(row.size)}</span>;
    case 'holds':
      return <Holds id={row.id} card={card} />;
    case 'module':
      return <ModuleCell row={row} />;
    case 'device':
      return card ? (
        <span class="cut" title={card.device_type ?? undefined}>
          {deviceShort(card)}
        </span>
      ) : null;
    case 'peak':
      if (!card) return <span class="faint">{row.cardError ? 'unknown' : '…'}</span>;
      return (
        <>
          <span class={`${isOver(card) ? 'bad ' : ''}${card.peak_bytes === null ? 'soft' : 'strong'}`} title={exactBytes(card.peak_bytes)}>
            {peakText(card.peak_bytes)}
          </span>
          <PeakBar card={card} />
        </>
      );
    default:
      return <ChangeCell row={row} />;
  }
}

function ProblemLine({ row }: { row: RunRow }) {
  if (!row.problem) return null;
  const { severity, text, more, detail, of } = row.problem;
  // What in bold, then numbers and the way out.
  const cut = /^(.{4,90}?)(?=[:;,] )/.exec(text)?.[1] ?? '';
  return (
    <div role="gridcell" class={`problem ${severity === 'error' ? 'bad' : 'warn'}`} title={detail ? `${text}\n${detail}` : text}>
      <SeverityIcon severity={severity} size={11} />
      <span class="cut">
        {of && `${of}: `}
        <b>{cut}</b>
        {text.slice(cut.length)}
      </span>
      {more > 0 && <span class="small">+{formatCount(more)} more</span>}
    </div>
  );
}

/** How long a mouse rests on a row before its card is shown: what only crosses it shows nothing. */
const REST_MS = 180;
let resting: ReturnType<typeof setTimeout> | undefined;
/** Where the mouse was: a row that scrolls under it by the keyboard is not a row that it went to. */
const was = { x: -1, y: -1 };

function restOn(then: () => void) {
  return {
    onPointerMove: (event: PointerEvent) => {
      if (event.pointerType !== 'mouse' || (event.screenX === was.x && event.screenY === was.y)) return;
      was.x = event.screenX;
      was.y = event.screenY;
      clearTimeout(resting);
      resting = setTimeout(then, REST_MS);
    },
    onPointerLeave: () => clearTimeout(resting),
  };
}

interface RowProps {
  row: RunRow;
  index: number;
  top: number;
  selected: boolean;
  isMarked: boolean;
  columns: Column[];
  now: number;
}

export function TableRow({ row, index, top, selected, isMarked, columns, now }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid's key handler acts on the selected row
    <div
      class={`run-row${selected ? ' selected' : ''}${isMarked ? ' marked' : ''}${row.gone ? ' gone' : ''}${row.under ? ' under' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected}
      id={`run-${index}`}
      ref={setStyle('transform', `translateY(${top}px)`)}
      onClick={(event) => {
        const target = event.target as Element;
        if (target.closest('.run-mark, .holds a')) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) toggleMark(row.id);
        else openRun(row.id);
      }}
      // A pointer may rest on a row that was clicked: the run that opens has no selection.
      {...restOn(() => view.peek().run || setView({ sel: row.id }))}
    >
      <div class="run-cells">
        {columns.map((column) => (
          <div key={column.id} role="gridcell" class={`c-${column.id}${column.num ? ' num' : ''}`}>
            <Cell column={column} row={row} now={now} isMarked={isMarked} />
          </div>
        ))}
      </div>
      <ProblemLine row={row} />
    </div>
  );
}
