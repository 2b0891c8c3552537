/** One line of the source: what was made there and is still alive, over the files of the series, by size, and from where it was called. */
import { hrefOf } from '../app/router';
import { copyText } from '../app/toast';
import { byteTicks } from '../canvas/axis';
import { Row } from '../ops/card';
import { instant } from '../overtime/words';
import { Icon } from '../ui/icons';
import { fixed, formatBytes, formatCount, formatPercent, ownUnit } from '../util/format';
import { held } from './beside_state';
import { change, current, type Lines, sizes, stacks, summary } from './state';
import { HEAP_KEYS_OFF, traced } from './traced_state';
import { changeText, exactText, perWord, valueText, whole } from './words';

const [WIDE, HIGH, LEFT, TOP] = [296, 104, 44, 18];
const LABELLED = 6; // files; of more only the last has its value at its point

/** What the files of the series gain from one to the next. */
function Slope({ l }: { l: Lines }) {
  const [slope, r2] = [l.rows.per_step[0], l.rows.r2[0]];
  if (slope === null) return null;
  return (
    <p class="soft">
      <b class={l.rows.growth[0] === 'grows' ? 'hp-more' : ''}>
        {changeText(slope, l.unit)} {perWord(l)}
      </b>{' '}
      over {formatCount(l.rows.values[0].length)} files{r2 === null ? '' : `, R\u00b2 ${fixed(r2, 3)}`}
    </p>
  );
}

/** The values over the files of the series, from 0. */
function Curve({ l }: { l: Lines }) {
  const values = l.rows.values[0];
  const at = l.series.step.map((step, i) => step ?? i);
  if (values.length < 2) return null;
  const ticks = l.unit === 'bytes' ? byteTicks(Math.max(...values, 1), 3) : [0, Math.max(...values, 1)];
  const most = Math.max(...values, ...ticks, 1);
  const [from, to] = [at[0], at[at.length - 1]];
  const x = (i: number) => LEFT + 18 + ((at[i] - from) / (to - from || 1)) * (WIDE - LEFT - 40);
  const height = (value: number) => TOP + (1 - Math.max(0, value) / most) * (HIGH - TOP - 8);
  const y = (i: number) => height(values[i]);
  const unit = ownUnit(Math.max(...values));
  const short = (value: number) => (l.unit === 'bytes' ? formatBytes(value, { unit, withUnit: false }) : valueText(value, l.unit));
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        Over the files of this folder <span class="side">{l.unit === 'bytes' ? unit : l.unit === 'ns' ? 'time' : ''}</span>
      </h3>
      <svg
        class={l.rows.growth[0] === 'grows' ? 'hp-curve hp-more' : 'hp-curve'}
        viewBox={`0 0 ${WIDE} ${HIGH}`}
        role="img"
        aria-label={l.series.name.map((name, i) => `${name}: ${valueText(values[i], l.unit)}`).join(', ')}
      >
        {ticks.map((tick) => (
          <g key={tick} class="hp-tick">
            <line x1={LEFT} x2={WIDE} y1={height(tick)} y2={height(tick)} />
            <text x={LEFT - 4} y={height(tick) + 4} text-anchor="end">
              {short(tick)}
            </text>
          </g>
        ))}
        <polyline points={values.map((_, i) => `${x(i)},${y(i)}`).join(' ')} />
        {values.map((value, i) => (
          <circle key={l.series.name[i]} cx={x(i)} cy={y(i)} r="3">
            <title>{`${l.series.name[i]}: ${exactText(value, l.unit)}`}</title>
          </circle>
        ))}
        {values.map((value, i) =>
          values.length <= LABELLED || i === values.length - 1 ? (
            <text key={l.series.name[i]} class="hp-value" x={Math.min(x(i), WIDE - 18)} y={y(i) - 7} text-anchor="middle">
              {short(value)}
            </text>
          ) : null,
        )}
      </svg>
      <div class="t-bin-ends">
        <span>{l.series.step[0] === null ? l.series.name[0] : `step ${from}`}</span>
        <span>{l.series.step[0] === null ? l.series.name.at(-1) : `step ${to}`}</span>
      </div>
      <Slope l={l} />
    </section>
  );
}

function Sizes({ l }: { l: Lines }) {
  if (!l.rows.n || l.unit !== 'bytes') return null;
  return (
    <section class="m-sec">
      <h3 class="op-h3">By size of one</h3>
      {l.rows.label.map((label, i) => (
        <div key={label} class="hp-size">
          <span>{l.rows.size_bytes[i] === null ? 'size unknown' : `${formatCount(l.rows.count[i])} × ${label}`}</span>
          <b class="num">{valueText(l.rows.value[i], l.unit)}</b>
          {l.rows.change[i] === null ? null : <span class={l.rows.change[i] > 0 ? 'num hp-more' : 'num soft'}>{changeText(l.rows.change[i], l.unit)}</span>}
        </div>
      ))}
      {l.total > l.rows.n ? <p class="faint">{formatCount(l.total - l.rows.n)} more sizes</p> : null}
    </section>
  );
}

function Stack({ l }: { l: Lines }) {
  const frames = [...(l.rows.stack[0] ?? [])].reverse();
  if (!frames.length) return null;
  const own = frames.filter((frame) => frame.own);
  const shown = own.length ? own : frames;
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        Stack <span class="side">outermost first{own.length < frames.length ? `, ${formatCount(frames.length - own.length)} of libraries left out` : ''}</span>
      </h3>
      {shown.map((frame, i) => (
        <div key={i} class="cut" title={`${frame.file ?? ''}${frame.line ? `:${frame.line}` : ''}`}>
          <span class="mono op-name">{frame.label}</span> {frame.function}
          {frame.start_line ? <span class="soft">, from line {frame.start_line}</span> : null}
        </div>
      ))}
    </section>
  );
}

/** Opens Trace where a run of the same folder has the line among its events; greyed with the reason where none has. */
function TraceButton() {
  const found = traced.value;
  return found?.run ? (
    <a class="btn-s" title={found.why} href={hrefOf({ run: found.run, tool: 'trace', mode: null, ev: found.event, ...HEAP_KEYS_OFF })}>
      Trace
    </a>
  ) : (
    <button type="button" class="btn-s" disabled title={found ? found.why : 'looking for a trace of this line'}>
      Trace
    </button>
  );
}

/** Links to Over time of a run whose allocator once held what a device holds here; nothing where there is none. */
function BesideRun() {
  const found = held.value;
  if (!found.length) return null;
  return (
    <section class="m-sec" aria-label="beside a run">
      <h3 class="op-h3">Beside a run</h3>
      {found.map((one) => (
        <p key={one.device} class="soft">
          <b>{one.device}</b> holds {formatBytes(one.bytes, { unit: 'own' })} here. The allocator{' '}
          <a href={hrefOf({ run: one.run, tool: 'memory', mode: 'time', al: String(one.allocator), a: String(one.at_ps), ...HEAP_KEYS_OFF })}>
            {one.title} of {one.run}
          </a>{' '}
          held {one.heap === one.bytes ? 'as much' : formatBytes(one.heap, { unit: 'own' })} at {instant(one.at_ps)}.
        </p>
      ))}
      <p class="faint">Matched by bytes alone, to within 1 %: the file records no time.</p>
    </section>
  );
}

export function HeapCard() {
  const row = current.value;
  const s = summary.value;
  const l = stacks.value;
  if (!row || !s || !l || l.rows.n !== 1 || l.rows.key[0] !== row.key) return null;
  const c = l.rows;
  return (
    <aside class="op-card hp-card" aria-label="line">
      <section class="m-sec">
        <div class="m-card-title">
          <h2>
            <code class="strong">{c.label[0]}</code>
          </h2>
          <button type="button" class="m-icon" title="copy the place" aria-label="copy the place" onClick={() => void copyText(row.key, 'place')}>
            <Icon name="copy" size={14} />
          </button>
          <button type="button" class="m-icon" title="close (Esc)" aria-label="close the details" onClick={() => change({ hline: '-' })}>
            ×
          </button>
        </div>
        <p class="soft cut" title={c.file[0] ?? ''}>
          {c.function[0] ?? ''} · {c.file[0] ?? ''}
        </p>
        <p class="row">
          {s.format === 'jax' ? <span class="hp-badge hp-kind">{c.executables[0] ? 'executable' : 'buffer'}</span> : null}
          {c.growth[0] === 'grows' ? <span class="hp-badge">grows</span> : null}
          <span class="m-grow" />
          {s.unit === 'ns' ? null : <TraceButton />}
        </p>
      </section>
      <section class="m-sec">
        <Row name={whole(s) === 'live' ? 'Made here, still live' : s.type} tip={exactText(c.value[0], l.unit)}>
          <b>{valueText(c.value[0], l.unit)}</b>
        </Row>
        <Row name="Share of the file">{formatPercent(s.value ? c.value[0] / s.value : null, 1)}</Row>
        {l.against === null ? null : (
          <Row name={`Since ${s.base_step === null ? l.against : `step ${s.base_step}`}`}>
            <b class={(c.change[0] ?? 0) > 0 ? 'hp-more' : ''}>{changeText(c.change[0], l.unit)}</b>
          </Row>
        )}
        <Row name="Count">
          {formatCount(c.count[0])}
          {c.base_count[0] === null ? '' : ` (${c.count[0] - c.base_count[0] > 0 ? '+' : ''}${formatCount(c.count[0] - c.base_count[0])})`}
        </Row>
      </section>
      <BesideRun />
      <Curve l={l} />
      {sizes.value ? <Sizes l={sizes.value} /> : null}
      <Stack l={l} />
      {s.format === 'jax' ? (
        <p class="m-sec soft">
          The file records where a buffer was made. It does not record what holds the buffer, or shapes. Look for code that stores the result of{' '}
          {c.line[0] === null ? 'this place' : `line ${c.line[0]}`}.
        </p>
      ) : null}
    </aside>
  );
}
