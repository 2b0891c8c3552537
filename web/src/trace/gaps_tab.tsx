/** When chips, rows or threads did nothing: the longest gaps, what ran around them, and meanwhile on other rows of the host. */
import { computed, effect, signal } from '@preact/signals';
import type { Answers, TraceRows } from '../api/answers';
import { csvUrl, apiUrl, call, isAborted, type Params } from '../api/client';
import { view } from '../app/router';
import { fileName } from '../app/exports';
import { type Column, VirtualTable, widthOf } from '../table/virtual';
import { formatCount, formatPercent } from '../util/format';
import { messageOf } from './api';
import { select } from './gestures';
import { eventName } from './label_text';
import { isTrack, isUsable, processName } from './layout';
import { rowName } from './rows_view';
import { change, frame, glideTo, plot, revealRow, rows, type Span, subject, tab, windowNow } from './state';
import { durationText, exactPs, momentText, spanText } from './time';

export type Gaps = Answers['trace/gaps'];

const answer = signal<Gaps | null>(null);
const problem = signal('');
const FEW = 100;
const MANY = 10_000;
/** Gaps narrower than this are brought into view before they are marked. */
const SEEN_PIXELS = 12;

/** What the list is about: "p3" a chip, or the rows of a process; "r12" a row; "rows" all rows; '' all chips, or rows where there is none. */
const of = computed(() => (/^(p\d{1,6}|r\d{1,9}|rows)$/.test(view.value.gof ?? '') ? (view.value.gof as string) : ''));
/** Of the window only; else of the whole trace, so that a gap one goes to does not change the list. */
const inView = computed(() => view.value.gin === '1');

/** The parameters that ask for what the address names. Pure. */
export function gapParams(asked: string): Params {
  if (asked === 'rows') return { by: 'row' };
  return asked.startsWith('p') ? { process: asked.slice(1) } : asked.startsWith('r') ? { rows: asked.slice(1), by: 'row' } : {};
}

const question = computed<string>(() => {
  const w = windowNow.value;
  const span = inView.value ? { from: Math.max(0, Math.round(w.from)), to: Math.max(1, Math.round(w.to)) } : {};
  return JSON.stringify({ ...subject.value, ...gapParams(of.value), ...span });
});

export function startGaps(): () => void {
  return effect(() => {
    if (!rows.value?.derived || tab.value !== 'gaps') return;
    const params = JSON.parse(question.value) as Params;
    call<Gaps>('trace/gaps', { ...params, limit: view.value.gmany === '1' ? MANY : FEW }, { key: 'trace/gaps', quiet: true, part: 'the gaps' })
      .then((found) => {
        answer.value = found;
        problem.value = '';
      })
      .catch((error: unknown) => {
        if (isAborted(error)) return;
        answer.value = null;
        problem.value = messageOf(error);
      });
  });
}

/** "np.asarray 1.124 s, Compile 804.951 ms": by gap, the largest first. Pure. */
export function meanwhileTexts(m: Pick<Gaps['meanwhile'], 'n' | 'unknown' | 'gap' | 'event' | 'name' | 'self_ps'>, gaps: number): string[] {
  const out: string[][] = Array.from({ length: gaps }, () => []);
  for (let k = 0; k < m.n; k++) out[m.gap[k]]?.push(`${eventName(m.name[k], m.event[k])} ${durationText(m.self_ps[k])}`);
  // The last ones may not have been looked for.
  return out.map((list, k) => (list.length ? list.join(', ') : k >= gaps - m.unknown ? 'not searched' : 'nothing'));
}

/** "idle 75.356 s, summed over 4 chips"; of one thing its own. Pure. */
export function idleText(g: Pick<Gaps, 'by' | 'of'>): string {
  const idle = g.of.idle_ps.reduce((sum, ps) => sum + ps, 0);
  return `idle ${durationText(idle)}${g.of.n > 1 ? `, summed over ${formatCount(g.of.n)} ${g.by === 'chip' ? 'chips' : 'rows'}` : ''}`;
}

/** The window that shows a gap: as it is where the gap is wide enough in it, else the gap in its middle. Pure. */
export function windowFor(gap: Span, now: Span, pixel: number): Span | null {
  const wide = gap.to - gap.from;
  if (gap.from >= now.from && gap.to <= now.to && wide >= SEEN_PIXELS * pixel) return null;
  return { from: gap.from - wide * 0.75, to: gap.to + wide * 0.75 };
}

function goTo(g: Gaps, k: number): void {
  const gap = { from: g.start_ps[k], to: g.start_ps[k] + g.duration_ps[k] };
  // What is listed of the window is in it: it stays.
  const next = inView.peek() ? null : windowFor(gap, frame, (frame.to - frame.from) / Math.max(plot.width, 1));
  if (next) glideTo(next, true);
  select(gap, true);
  const row = g.row[k];
  if (row !== null) revealRow(row);
}

function ofWords(r: TraceRows, g: Gaps, k: number): string {
  const row = g.row[k];
  return row === null ? processName(r, g.process[k]) : `${g.of.n > 1 && r.processes.n > 1 ? `${processName(r, g.process[k])}, ` : ''}${rowName(row)}`;
}

/** Rows named in the choice; beyond it the filter of the rows and the chips lead there. */
const MOST_ROWS = 400;

function Choice({ r }: { r: TraceRows }) {
  const chips = r.processes.name.map((_, p) => p).filter((p) => r.processes.kind[p] !== 'host' && r.rows.process.includes(p));
  const own = r.rows.row.map((_, at) => at).filter((at) => isUsable(r, at, false) && !r.rows.derived[at] && !isTrack(r.rows.row[at]));
  return (
    <select class="btn-s" aria-label="gaps of" value={of.value} onChange={(e) => change({ gof: (e.currentTarget as HTMLSelectElement).value || null })}>
      <option value="">{chips.length ? 'all chips' : 'all threads'}</option>
      {chips.length ? <option value="rows">all rows of operations</option> : null}
      {r.processes.name.map((_, p) =>
        r.rows.process.includes(p) ? (
          <option key={`p${p}`} value={`p${p}`}>
            {processName(r, p)}
          </option>
        ) : null,
      )}
      <optgroup label={own.length > MOST_ROWS ? `the first ${formatCount(MOST_ROWS)} of ${formatCount(own.length)} rows` : 'one row'}>
        {own.slice(0, MOST_ROWS).map((at) => (
          <option key={at} value={`r${r.rows.row[at]}`}>
            {processName(r, r.rows.process[at])}, {rowName(r.rows.row[at])}
          </option>
        ))}
      </optgroup>
    </select>
  );
}

function columnsOf(g: Gaps, r: TraceRows): Column<number>[] {
  const texts = g.duration_ps.map(durationText);
  const meanwhile = meanwhileTexts(g.meanwhile, g.n);
  const edge = (name: string, event: number | null, none: string) => (event === null ? none : eventName(name, event));
  const share = (k: number) => formatPercent(g.duration_ps[k] / Math.max(g.to_ps - g.from_ps, 1), 1);
  return [
    { id: 'of', title: 'Idle', width: 'minmax(90px, 1fr)', cell: (k) => ofWords(r, g, k), tip: (k) => ofWords(r, g, k) },
    { id: 'start', title: 'From', width: '148px', number: true, cell: (k) => momentText(g.start_ps[k]), tip: (k) => exactPs(g.start_ps[k]) },
    {
      id: 'length',
      title: 'For',
      width: widthOf(texts, 'For'),
      number: true,
      cell: (k) => texts[k],
      tip: (k) =>
        `${exactPs(g.duration_ps[k])}${g.whole_ps[k] === null ? '; the trace begins or ends here' : g.whole_ps[k] !== g.duration_ps[k] ? `; ${durationText(g.whole_ps[k])} including the part outside the window` : ''}`,
    },
    { id: 'share', title: 'Of time', width: '70px', number: true, cell: share },
    {
      id: 'before',
      title: 'Before',
      width: 'minmax(90px, 1.4fr)',
      cell: (k) => edge(g.before_name[k], g.before[k], 'the trace begins'),
      tip: (k) => g.before_name[k] || undefined,
    },
    {
      id: 'after',
      title: 'After',
      width: 'minmax(90px, 1.4fr)',
      cell: (k) => edge(g.after_name[k], g.after[k], 'the trace ends'),
      tip: (k) => g.after_name[k] || undefined,
    },
    {
      id: 'meanwhile',
      title: 'Meanwhile on other rows',
      width: 'minmax(150px, 4fr)',
      hint: 'the three names with the most self time inside the gap, on other rows of the host',
      cell: (k) => meanwhile[k],
      tip: (k) =>
        g.meanwhile.gap
          .flatMap((gap, i) => (gap === k ? [`${rowName(g.meanwhile.row[i])}: ${g.meanwhile.name[i]} ${durationText(g.meanwhile.self_ps[i])}`] : []))
          .join('\n'),
    },
  ];
}

export function GapsTab() {
  const g = answer.value;
  const r = rows.value;
  if (!r) return null;
  const asked = JSON.parse(question.value) as Params;
  return (
    <div class="t-fill t-gaps">
      <p class="t-sum">
        <b>Gaps</b> of <Choice r={r} />{' '}
        <button type="button" class={`btn-s${inView.value ? ' on' : ''}`} aria-pressed={inView.value} onClick={() => change({ gin: inView.value ? null : 1 })}>
          in view only
        </button>{' '}
        {g ? (
          <>
            {spanText(g.from_ps, g.to_ps)} · <b>{idleText(g)}</b> in {formatCount(g.n + g.left_out)} gaps, host-aligned, longest first
            {g.left_out ? (
              <>
                {' '}
                · the first {formatCount(g.n)}{' '}
                {g.n < MANY ? (
                  <button type="button" class="link" onClick={() => change({ gmany: 1 })}>
                    {g.n + g.left_out > MANY ? `up to ${formatCount(MANY)}` : 'all'}
                  </button>
                ) : null}
              </>
            ) : null}{' '}
          </>
        ) : (
          problem.value || 'Looking for gaps …'
        )}
        <span class="row">
          <a class="btn-s" href={csvUrl('trace/gaps', { ...asked, limit: MANY })} download={fileName('gaps', 'csv')}>
            CSV
          </a>
          <a class="btn-s" href={apiUrl('trace/gaps', { ...asked, limit: MANY })} download={fileName('gaps', 'json')}>
            JSON
          </a>
        </span>
      </p>
      {g ? (
        <VirtualTable
          label="gaps"
          columns={columnsOf(g, r)}
          count={g.n}
          rowAt={(k) => k}
          onOpen={(k) => goTo(g, k)}
          empty="no gaps: something ran all the time"
        />
      ) : null}
    </div>
  );
}
