/** Keys of the timeline: the table of keys names them, here is what they do. */
import { registerKeys } from '../app/keys';
import { announce, toast } from '../app/toast';
import { tellFailure, traceApi } from './api';
import { followFlow } from './flow_state';
import {
  fit,
  hideRow,
  markHere,
  panByKey,
  rowUnderPointer,
  setMarks,
  showAll,
  toggleHost,
  toggleOthers,
  togglePinned,
  toggleProcess,
  zoomByKey,
  pointer,
  resizeRow,
} from './gestures';
import { placeAt } from './hits';
import { rowName } from './rows_view';
import { stepHit, wantsFocus } from './search_state';
import { pickedSpan } from './selection_state';
import {
  boxesOf,
  change,
  crumbs,
  frame,
  glideTo,
  hover,
  jumpTo,
  layout,
  marks,
  panelOpen,
  picked,
  pick,
  place,
  range,
  reveal,
  selected,
  settings,
  subject,
  tab,
  tableShown,
  dragRange,
  mode,
  MODES,
} from './state';
import { durationText } from './time';
import { hitLane } from './boxes';
import { together } from '../util/listen';

function near(dir: 'next' | 'previous', by: 'row' | 'name'): boolean {
  const event = picked.peek();
  if (event === null) return false;
  traceApi
    .near({ ...subject.peek(), event, dir, by }, { key: 'trace/near', quiet: true })
    .then(({ found }) => {
      if (found) jumpTo(found.event, found.start_ps, found.duration_ps, found.row);
      else toast(`no ${dir} event ${by === 'row' ? 'on this row' : 'of this name on this row'}`);
    })
    .catch(tellFailure);
  return true;
}

/** The event of the row above or below at the same time; else the row itself comes into view. */
function stepRow(by: number): boolean {
  const l = layout.peek();
  const s = selected.peek();
  if (!l || !s) {
    const box = document.querySelector('.t-rows');
    if (!box) return false;
    box.scrollTop += by * 40;
    return true;
  }
  const shown = [...l.pinned, ...l.items].filter((i) => i.row >= 0 && (i.kind === 'row' || !i.open));
  let at = shown.findIndex((i) => i.row === s.row);
  const middle = s.start_ps + s.duration_ps / 2;
  for (at += by; at >= 0 && at < shown.length; at += by) {
    const lane = boxesOf(shown[at].row)?.lanes[0];
    const hit = lane ? hitLane(lane, middle, frame.from, frame.to) : null;
    if (!lane || !hit) continue;
    // The one that covers the time, else the nearest in view.
    let best = hit.index;
    for (let k = 0; k < lane.n; k++) {
      if (lane.start[k] > frame.to || lane.end[k] < frame.from) continue;
      const far = (j: number) => Math.max(0, lane.start[j] - middle, middle - lane.end[j]);
      if (far(k) < far(best)) best = k;
    }
    hover.end();
    pick(lane.longest[best], false);
    reveal.row(shown[at].row);
    announce(rowName(shown[at].row));
    return true;
  }
  return true;
}

function fitSelection(): void {
  const r = range.peek();
  const s = selected.peek();
  if (r) {
    // All of the picture at first; again with some room on both sides.
    const fills = Math.abs(frame.from - r.from) < 1 && Math.abs(frame.to - r.to) < 1;
    if (fills) fit(r.from, r.to);
    else glideTo(r, true);
  } else if (s) fit(s.start_ps, s.start_ps + s.duration_ps);
  else showAll();
}

function back(): boolean {
  const last = crumbs.peek()[crumbs.peek().length - 1];
  if (last) glideTo(last, true);
  else showAll();
  return true;
}

function chartKeys() {
  return registerKeys('charts', {
    zoom: (_, stroke) => zoomByKey(stroke === 0, false),
    zoom_fast: (_, stroke) => zoomByKey(stroke === 0, true),
    pan: (_, stroke) => panByKey(stroke === 1, false),
    pan_fast: (_, stroke) => panByKey(stroke === 1, true),
    fit: fitSelection,
    reset: showAll,
    previous_range: back,
    measure: () => {
      markHere(pickedSpan());
      const list = marks.peek();
      if (list.length > 1) announce(`${list.length} marks, ${durationText(list[list.length - 1] - list[0])} from first to last`);
    },
    mode: (_, stroke) => {
      mode.value = MODES[stroke % MODES.length];
    },
  });
}

function actOnRow(work: (row: number) => void): boolean {
  const row = rowUnderPointer() ?? selected.peek()?.row ?? null;
  if (row === null) return false;
  work(row);
  return true;
}

function traceKeys() {
  return registerKeys('trace', {
    event_step: (_, stroke) => near(stroke === 0 ? 'previous' : 'next', 'row'),
    same_name: (_, stroke) => near(stroke === 0 ? 'previous' : 'next', 'name'),
    row_step: (_, stroke) => stepRow(stroke === 0 ? -1 : 1),
    follow_flow: (_, stroke) => {
      if (picked.peek() === null) return false;
      followFlow(stroke === 1, (end) => {
        if (end) jumpTo(end.event, end.start_ps, end.duration_ps, end.row);
        else toast(stroke === 1 ? 'no flow leads on from this event' : 'no flow leads to this event');
      });
      return true;
    },
    fold_group: () => {
      const item = pointer.inside ? placeAt(pointer.x, pointer.y).item : null;
      const process = item?.process ?? selected.peek()?.process;
      if (process === undefined) return false;
      if (item?.kind === 'others') toggleOthers(process);
      else if (item?.kind === 'host') toggleHost(process);
      else toggleProcess(process);
      return true;
    },
    gaps: () => change({ tt: 'gaps', panel: null }, true),
    unmark,
    pin_row: () => actOnRow(togglePinned),
    hide_row: () => actOnRow(hideRow),
    row_height: (_, stroke) =>
      actOnRow((row) => {
        if (!resizeRow(row, stroke === 0 ? 1 : -1)) announce(stroke === 0 ? 'rows are already at their tallest' : 'rows are already at their shortest');
      }),
  });
}

function everywhereKeys() {
  return registerKeys('everywhere', {
    search: () => {
      change({ tt: 'search', panel: null });
      wantsFocus.value++;
    },
    next_match: () => stepHit(1),
    previous_match: () => stepHit(-1),
    table_twin: () => change({ table: tableShown.peek() ? null : 1 }),
    card: () => change({ panel: panelOpen.peek() ? '0' : null }),
    escape: () => {
      if (dragRange.peek()) dragRange.value = null;
      else if (range.peek()) change({ r0: null, r1: null });
      else if (picked.peek() !== null || place.peek()) pick(null);
      else if (tab.peek() === 'search') change({ find: null, tt: null });
      else if (settings.peek().filter) change({ rows: null });
      else return false;
      return true;
    },
  });
}

/** The last mark; with a range, those inside of it. */
function unmark(): boolean {
  const r = range.peek();
  const list = marks.peek();
  if (!list.length) return false;
  setMarks(r && list.some((m) => m >= r.from && m <= r.to) ? list.filter((m) => m < r.from || m > r.to) : list.slice(0, -1));
  return true;
}

export function startKeys(): () => void {
  return together([chartKeys(), traceKeys(), everywhereKeys()]);
}
