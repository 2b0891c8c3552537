/** Modes, the windows one came through, steps, the colours of what is in view, and the menu of rows. */
import { apiUrl } from '../api/client';
import { fileName, pictures, savePicture } from '../app/exports';
import { Pop } from '../memory/pop';
import { formatCount } from '../util/format';
import { arrowsLeftOut } from './flow_state';
import { fit } from './gestures';
import { NORMAL, SIZE_WORDS } from './heights';
import { numbersText } from './ranges';
import { BarLegend, ColourChoice, Legend } from './legend';
import { dropped } from './colour_state';
import { all, change, crumbs, flowsShown, frame, glideTo, layout, rows, rowIndex, settings, subject, windowNow, mode, MODES, type Mode } from './state';
import { listed, marksOf, ownSteps, steps } from './steps_state';
import { spanText } from './time';
import { processName, rowTitle, usableRows } from './layout';
import type { ComponentChildren } from 'preact';
import type { TraceRows } from '../api/answers';

const SHAPES: Record<Mode, string> = {
  select: 'M4 2.5l8 7-4 .4-1.8 3.8z',
  pan: 'M8 2v12M2 8h12M8 2L6.4 3.8M8 2l1.6 1.8M8 14l-1.6-1.8M8 14l1.6-1.8M2 8l1.8-1.6M2 8l1.8 1.6M14 8l-1.8-1.6M14 8l-1.8 1.6',
  zoom: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4L14 14M5 7h4M7 5v4',
  measure: 'M2 5v6M14 5v6M2 8h12M4.5 6.5L2.5 8l2 1.5M11.5 6.5l2 1.5-2 1.5',
};

function Modes() {
  return (
    <span class="t-modes" role="group" aria-label="what dragging does">
      {MODES.map((m, k) => (
        <button
          key={m}
          type="button"
          class={`icon-btn${mode.value === m ? ' on' : ''}`}
          aria-pressed={mode.value === m}
          title={`${m} (${k + 1})`}
          aria-label={m}
          onClick={() => {
            mode.value = m;
          }}
        >
          <svg width="15" height="15" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.3" aria-hidden="true">
            <path d={SHAPES[m]} />
          </svg>
        </button>
      ))}
    </span>
  );
}

function Crumbs() {
  const w = windowNow.value;
  const a = all.value;
  const whole = w.from <= a.from && w.to >= a.to;
  return (
    <nav class="t-crumbs" aria-label="windows">
      <button type="button" class="link" onClick={() => glideTo(a, true)}>
        Trace
      </button>
      {crumbs.value.map((c) => (
        <span key={`${c.from}`}>
          <i>›</i>
          <button type="button" class="link" onClick={() => glideTo(c, true)}>
            {spanText(c.from, c.to)}
          </button>
        </span>
      ))}
      {whole ? null : (
        <span>
          <i>›</i>
          <b>{spanText(w.from, w.to)}</b>
        </span>
      )}
    </nav>
  );
}

/** The step before or after the one in the middle of the window. */
function goToStep(by: number): boolean {
  const s = listed.peek();
  const own = ownSteps.peek();
  if (!s || !own.length) return false;
  const middle = (frame.from + frame.to) / 2;
  let at = own.findIndex((k) => s.end_ps[k] > middle);
  if (at < 0) at = own.length - 1;
  const one = frame.to - frame.from < (s.end_ps[own[at]] - s.start_ps[own[at]]) * 3 && s.start_ps[own[at]] <= middle;
  // Several in view: the first of them, or the last.
  if (!one) at = by > 0 ? own.findIndex((k) => s.end_ps[k] > frame.from) - 1 : own.filter((k) => s.start_ps[k] < frame.to).length;
  const next = own[Math.min(Math.max(at + by, 0), own.length - 1)];
  fit(s.start_ps[next], s.end_ps[next]);
  return true;
}

function StepButtons() {
  if (!steps.value?.n) return null;
  const w = windowNow.value;
  const inside = marksOf(w).filter((m) => m.start < w.to && m.end > w.from);
  const middle = inside.filter((m) => (m.start + m.end) / 2 >= w.from && (m.start + m.end) / 2 <= w.to);
  const named = middle.length ? middle : inside;
  const first = named[0]?.number;
  const last = named[named.length - 1]?.last;
  const words = first === undefined ? 'steps' : first === last ? `step ${first}` : `steps ${first} \u2013 ${last}`;
  return (
    <span class="t-steps">
      <button type="button" aria-label="previous step" title="previous step" onClick={() => goToStep(-1)}>
        ‹
      </button>
      <span>{words}</span>
      <button type="button" aria-label="next step" title="next step" onClick={() => goToStep(1)}>
        ›
      </button>
    </span>
  );
}

interface RowChoiceProps {
  word: string;
  value: string;
  usual: string;
  options: [string, string][];
  /** null: the usual one. */
  onPick: (id: string | null) => void;
  children?: ComponentChildren;
}

function RowChoice({ word, value, usual, options, onPick, children }: RowChoiceProps) {
  return (
    <label>
      {word}{' '}
      <select
        class="btn-s"
        aria-label={`${word} of rows`}
        value={value}
        onChange={({ currentTarget }) => onPick(currentTarget.value === usual ? null : currentTarget.value)}
      >
        {options.map(([id, text]) => (
          <option key={id} value={id}>
            {text}
          </option>
        ))}
      </select>
      {children}
    </label>
  );
}

const ORDERS: [string, string][] = [
  ['file', 'as in the file'],
  ['busy', 'busiest first'],
  ['events', 'most events first'],
  ['name', 'by name'],
];
const SIZES = SIZE_WORDS.map((word, k): [string, string] => [String(k), word]);

function FoldButtons({ processes }: Pick<TraceRows, 'processes'>) {
  return (
    <span class="row">
      <button type="button" class="btn-s" onClick={() => change({ open: numbersText(processes.name.map((_, k) => k)) })}>
        open all
      </button>
      <button type="button" class="btn-s" onClick={() => change({ open: 'none' })}>
        fold all
      </button>
      <button
        type="button"
        class="btn-s"
        onClick={() => change({ open: null, others: null, top: null, hide: null, rows: null, rowsby: null, h: null, high: null })}
      >
        reset
      </button>
    </span>
  );
}

function RowsMenu() {
  const l = layout.value;
  const r = rows.value;
  if (!l || !r) return null;
  const s = settings.value;
  const label = (
    <>
      Rows <b>{formatCount(l.shown)}</b> of {formatCount(usableRows(r, s.internal))}
    </>
  );
  return (
    <Pop label={label} title="rows: filter, order, hidden ones" class="btn-s" boxClass="t-rows-menu">
      {() => (
        <>
          <label class="field">
            <input
              placeholder="only rows named …"
              aria-label="filter rows by name"
              value={s.filter}
              onInput={(e) => change({ rows: (e.currentTarget as HTMLInputElement).value || null })}
            />
          </label>
          <RowChoice word="order" value={s.order} usual="file" options={ORDERS} onPick={(rowsby) => change({ rowsby })} />
          <RowChoice word="height" value={String(s.size)} usual={String(NORMAL)} options={SIZES} onPick={(high) => change({ high })}>
            {' '}
            <span class="soft">of one row: + and − at its name</span>
          </RowChoice>
          <label>
            <input type="checkbox" checked={s.internal} onChange={() => change({ internal: s.internal ? null : 1 })} /> rows XProf does not show (
            {formatCount(r.hidden_count)} events)
          </label>
          <FoldButtons processes={r.processes} />
          {s.hidden.size ? <Hidden /> : null}
        </>
      )}
    </Pop>
  );
}

function Hidden() {
  const r = rows.value;
  if (!r) return null;
  const hidden = [...settings.value.hidden];
  const put = (row: number) => change({ hide: numbersText(hidden.filter((k) => k !== row)) || null });
  return (
    <div>
      <b>{formatCount(hidden.length)} hidden</b>
      <ul class="t-hidden">
        {hidden.slice(0, 200).map((row) => {
          const at = rowIndex.value.get(row) ?? -1;
          if (at < 0) return null;
          return (
            <li key={row}>
              <button type="button" class="link" onClick={() => put(row)}>
                show {processName(r, r.rows.process[at])}, {rowTitle(r, at).filter(Boolean).join(' ')}
              </button>
            </li>
          );
        })}
      </ul>
      {hidden.length > 200 ? <p>{formatCount(hidden.length - 200)} more</p> : null}
    </div>
  );
}

function shownRows(): string {
  const l = layout.peek();
  return l ? numbersText([...l.pinned, ...l.items].filter((i) => i.kind === 'row').map((i) => i.row)) : '';
}

function SaveMenu() {
  const w = windowNow.value;
  const part = { ...subject.value, from: Math.max(0, Math.round(w.from)), to: Math.round(w.to) };
  void layout.value;
  return (
    <Pop label="Save" title="save what is shown" class="btn-s">
      {(close) => (
        <ul class="m-menu">
          <li>
            <button
              type="button"
              class="link"
              onClick={() => {
                savePicture('trace');
                close();
              }}
            >
              picture (PNG)
            </button>
          </li>
          {pictures.value
            .filter((name) => name !== 'trace')
            .map((name) => (
              <li key={name}>
                <button
                  type="button"
                  class="link"
                  onClick={() => {
                    savePicture(name);
                    close();
                  }}
                >
                  {name} (PNG)
                </button>
              </li>
            ))}
          <li>
            <a href={apiUrl('trace/export', { ...part, derived: 1 })} download={fileName('window.trace', 'json')}>
              this window, all rows (Chrome JSON)
            </a>
          </li>
          <li>
            <a href={apiUrl('trace/export', { ...part, rows: shownRows(), derived: 1 })} download={fileName('rows.trace', 'json')}>
              this window, rows shown (Chrome JSON)
            </a>
          </li>
          <li>
            <a href={apiUrl('trace/export', { ...subject.value, derived: 1 })} download={fileName('trace', 'json')}>
              the whole trace (Chrome JSON)
            </a>
          </li>
        </ul>
      )}
    </Pop>
  );
}

export function Toolbar() {
  const flow = ['all', 'off'].includes(flowsShown.value) ? flowsShown.value : 'of selection';
  const next = { all: 'off', off: null, 'of selection': 'all' }[flow];
  const more = flow === 'all' ? arrowsLeftOut.value : 0;
  return (
    <div class="t-bar">
      <Modes />
      <Crumbs />
      <StepButtons />
      <span class="grow" />
      <BarLegend />
      <Pop
        label={
          dropped.value ? (
            <>
              Legend <b>+{formatCount(dropped.value)}</b>
            </>
          ) : (
            'Legend'
          )
        }
        title={`what colours and patterns of the boxes mean${dropped.value ? `; ${formatCount(dropped.value)} more than there is room for here` : ''}`}
        class={`btn-s t-legend-pop${dropped.value ? ' more' : ''}`}
        boxClass="t-legend-box"
      >
        {() => <Legend />}
      </Pop>
      <ColourChoice />
      <button
        type="button"
        class="btn-s"
        title={`arrows from what starts an event to what it starts: of the selection, all in view, none${more ? `; ${formatCount(more)} more than are drawn` : ''}`}
        onClick={() => change({ flows: next })}
      >
        Flows <b>{flow}</b>
      </button>
      <RowsMenu />
      <SaveMenu />
    </div>
  );
}
