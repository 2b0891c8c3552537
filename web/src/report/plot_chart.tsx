/** Chosen buffers: search, the graph by size or by address, and a legend that is the list. */
import { useRef, useState } from 'preact/hooks';
import { apiUrl, csvUrl } from '../api/client';
import { toast } from '../app/toast';
import { cellText, sizeText } from '../memory/bytes';
import { fileName } from '../app/exports';
import { change, hoverStep, stepCount } from '../memory/state';
import { TipBox } from '../charts/tip';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { Letter } from './area_chart';
import { leafWords } from './colours';
import { drawByAddress, drawBySize, hitByAddress, topOf } from './draw_plot';
import { inHex } from './heap_state';
import { addressRange } from './plot_stack';
import { addToPlot, findBuffers, matches, MOST_CHOSEN, plotByAddress, plotColour, plotIds, plotParams, plotted, takeFromPlot } from './plot_state';
import { asked, chosen, failed } from './state';
import { StepCanvas } from './step_canvas';
import type { Plot, PlotRow } from './types';
import { Switch } from './switch';

const WHY: Record<string, string> = {
  always: 'always there; its address is set at run time',
  no_events: 'in the heap throughout; no event gives its lifetime',
  never: 'no storage of its own',
  elsewhere: 'not in this memory space',
};

const TOP = 24;

function totalAt(step: number): number | null {
  const p = plotted.peek();
  const k = p?.steps.findIndex((item) => item.step === step) ?? -1;
  return p && k >= 0 ? p.total.at_bytes[k] : null;
}

export function PlotChart() {
  const p = plotted.value;
  const n = plotIds.value.length;
  const at = useRef({ y: 0, high: 100 });
  return (
    <div class="r-chart r-plot">
      {n === 0 ? (
        <div class="r-empty">
          <p>
            <b>No buffer is chosen.</b> Type part of a name, an operation, a shape or <code>/an expression/</code> on the right; Enter adds the highlighted
            buffer. "Plot" in the details, the tree or the address map also adds one.
          </p>
        </div>
      ) : (
        <StepCanvas
          picture="chosen buffers in program order"
          label={`${plural(n, 'chosen buffer')} in program order by ${plotByAddress.value ? 'address' : 'size'}; the list has the numbers`}
          watch={() => void [plotted.value, plotByAddress.value, inHex.value]}
          onMove={(_, y) => {
            at.current.y = y;
          }}
          draw={(g, _, height, scale, font) => {
            const now = plotted.peek();
            if (!now || now.rows.length === 0) return;
            at.current.high = height;
            const byAddress = plotByAddress.peek();
            const frame = {
              plot: now,
              scale,
              top: TOP,
              bottom: height - 22,
              maxBytes: Math.max(1, topOf(now, scale.window.from, scale.window.to)) * 1.06,
              chosen: chosen.peek(),
              valueAt: byAddress ? () => null : totalAt,
              hover: hoverStep.peek()?.step ?? null,
              font,
              inHex: inHex.peek(),
            };
            if (byAddress) drawByAddress(g, frame);
            else drawBySize(g, frame);
          }}
        />
      )}
      {n > 0 && p && plotByAddress.value && !addressRange(p) ? (
        <p class="r-over m-note">None of the chosen buffers has a compile-time address. Choose "by size" to see them.</p>
      ) : null}
      <PlotLegend />
      {p && n > 0 ? <PlotTip p={p} at={at.current} /> : null}
    </div>
  );
}

export function PlotSwitch() {
  return (
    <Switch
      label="chosen buffers by"
      value={plotByAddress.value ? 'address' : 'size'}
      choices={[
        { id: 'size', text: 'by size', title: 'height = bytes; each storage counts once, so the top is the sum' },
        { id: 'address', text: 'by address', title: 'a band from first to last address' },
      ]}
      onChange={(by) => change({ plotby: by === 'size' ? null : by })}
    />
  );
}

interface FoundProps {
  found: NonNullable<(typeof matches)['value']>;
  cursor: number;
  add: (at: number) => void;
}

function Found({ found, cursor, add }: FoundProps) {
  return (
    <div id="r-found" class="r-found" role="listbox" aria-label="buffers found">
      {found.note ? <p class="r-grow">{found.note}</p> : null}
      {found.rows.map((row, k) => (
        <button
          key={row.buffer}
          id={`r-found-${k}`}
          type="button"
          role="option"
          aria-selected={k === cursor}
          class={k === cursor ? 'on' : ''}
          tabIndex={-1}
          title={`${row.name} ${row.shape}`}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => add(k)}
        >
          <code class="cut">{row.name}</code>
          <span class="soft cut">{row.shape}</span>
          <b>{plotIds.value.includes(row.buffer) ? 'added' : cellText(row.bytes)}</b>
        </button>
      ))}
      <p class="soft">
        {found.total === 0
          ? 'no buffer of this memory space matches'
          : `${formatCount(found.total)} found, ${found.total > found.rows.length ? 'the largest first; ' : ''}Enter adds`}
      </p>
    </div>
  );
}

function Search() {
  const [text, setText] = useState('');
  const [cursor, setCursor] = useState(0);
  const found = text === '' ? null : matches.value;
  const full = plotIds.value.length >= MOST_CHOSEN;
  const add = (at: number) => {
    const row = found?.rows[at];
    if (!row) return;
    const why = addToPlot(row.buffer);
    if (why) toast(why);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = (found?.rows.length ?? 1) - 1;
    if (event.key === 'ArrowDown') setCursor(Math.min(last, cursor + 1));
    else if (event.key === 'ArrowUp') setCursor(Math.max(0, cursor - 1));
    else if (event.key === 'Enter') add(cursor);
    else if (event.key === 'Escape') setText('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const combo: Record<string, unknown> = {
    role: 'combobox',
    'aria-expanded': found !== null,
    'aria-controls': 'r-found',
    'aria-activedescendant': found?.rows[cursor] ? `r-found-${cursor}` : undefined,
  };
  return (
    <div class="r-find">
      <input
        class="m-map-search"
        type="search"
        {...combo}
        aria-label="add buffers to the graph"
        placeholder={full ? `${MOST_CHOSEN} are on the graph` : 'add: name, shape or /regex/'}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setCursor(0);
          findBuffers(event.currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {found ? <Found found={found} cursor={cursor} add={add} /> : null}
    </div>
  );
}

function Row({ p, row, k }: { p: Plot; row: PlotRow; k: number }) {
  const twin = row.same_as === null ? '' : `shares its bytes with ${p.rows[row.same_as].name}: counted once`;
  return (
    <div class={`r-chosen${asked.value.length > 1 ? ' two' : ''}`} data-buffer={row.buffer}>
      <i style={{ background: plotColour(row.same_as ?? k) }} />
      <button
        type="button"
        class="m-op cut"
        title={`${row.name} ${row.shape}: ${twin || WHY[row.state] || leafWords(row.row)}`}
        onClick={() => change(row.tenancy !== null ? { rtab: 'buffers', rpin: row.tenancy } : { mode: null, pin: row.buffer }, true)}
      >
        {row.name}
      </button>
      <b title={twin || exactBytes(row.at_bytes[0] ?? 0)}>{row.same_as !== null ? '=' : cellText(row.at_bytes[0] ?? 0)}</b>
      {asked.value.length > 1 ? (
        <b title={row.at_bytes[1] === undefined ? '' : exactBytes(row.at_bytes[1])}>{row.same_as !== null ? '=' : cellText(row.at_bytes[1] ?? 0)}</b>
      ) : null}
      <button type="button" class="r-x" aria-label={`remove ${row.name}`} title="remove it" onClick={() => takeFromPlot(row.buffer)}>
        ×
      </button>
      {twin || WHY[row.state] ? <span class="soft r-why">{twin || WHY[row.state]}</span> : null}
    </div>
  );
}

function PlotLegend() {
  const p = plotted.value;
  const rows = p?.rows ?? [];
  return (
    <aside class="r-legend r-plot-legend" aria-label="chosen buffers">
      <Search />
      <div class="r-legend-head">
        <b>{plural(rows.length, 'buffer')}</b>
        <span class="soft">
          {asked.value.slice(0, 2).map((part, k) => (
            <span key={part}>
              {' '}
              <Letter index={k} /> {chosen.value[k] === null ? part : formatCount(chosen.value[k])}
            </span>
          ))}
        </span>
      </div>
      <div class="r-legend-list">{p ? rows.map((row, k) => <Row key={row.buffer} p={p} row={row} k={k} />) : null}</div>
      {failed.value ? <p class="r-grow">{failed.value}</p> : null}
      {p && rows.length > 0 ? (
        <>
          <div class={`r-chosen r-sum${asked.value.length > 1 ? ' two' : ''}`} title={exactBytes(p.total.at_bytes[0])}>
            <i class="r-line" />
            <span class="cut">sum, each storage once</span>
            <b>{cellText(p.total.at_bytes[0])}</b>
            {asked.value.length > 1 ? <b>{cellText(p.total.at_bytes[1] ?? 0)}</b> : null}
            <span />
          </div>
          {p.pieces_left_out > 0 ? (
            <p class="r-grow">
              {formatCount(p.pieces_left_out)} more stretches are not drawn (only the first {formatCount(p.pieces.n)} are); the numbers include them.
            </p>
          ) : null}
          <div class="row">
            <span class="soft">{sizeText(p.total.peak_bytes)} at the peak</span>
            <span class="m-grow" />
            <a class="btn-s" href={csvUrl('report/plot', plotParams.value)} download={fileName('report.plot', 'csv')}>
              CSV
            </a>
            <a class="btn-s" href={apiUrl('report/plot', plotParams.value)} download={fileName('report.plot', 'json')}>
              JSON
            </a>
          </div>
        </>
      ) : null}
    </aside>
  );
}

/** What is held at the step under the pointer; by address also who lies under it. */
function PlotTip({ p, at: pointer }: { p: Plot; at: { y: number; high: number } }) {
  const at = hoverStep.value;
  if (!at || stepCount.value === 0) return null;
  const bytes = p.rows.map(() => 0);
  for (let i = 0; i < p.pieces.n; i++) if (p.pieces.from_step[i] <= at.step && at.step < p.pieces.to_step[i]) bytes[p.pieces.of[i]] += p.pieces.size_bytes[i];
  const under = plotByAddress.value ? hitByAddress(p, { top: TOP, bottom: pointer.high - 22 }, at.step, pointer.y) : null;
  const held = p.rows.map((_, k) => k).filter((k) => bytes[k] > 0);
  return (
    <TipBox x={at.x} y={at.y}>
      <div class="m-hover-head">
        step {formatCount(at.step)}: {formatBytes(bytes.reduce((sum, value) => sum + value, 0))} in {formatCount(held.length)} of {formatCount(p.rows.length)}
      </div>
      {held.map((k) => (
        <div key={p.rows[k].buffer} class={`r-tip-row${k === under ? ' strong' : ''}`}>
          <i style={{ background: plotColour(k) }} />
          <span>
            {p.rows[k].name} <span class="soft">{p.rows[k].shape}</span>
          </span>
          <b>{cellText(bytes[k])}</b>
        </div>
      ))}
      {held.length === 0 ? <div class="soft">none is live here</div> : null}
    </TipBox>
  );
}
