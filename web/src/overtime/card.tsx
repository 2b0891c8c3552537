/** The card of Over time: the difference of two instants, growth, the peak, the stack beside what was compiled, what is never freed. */
import type { AllocatorTrack, AllocStepsAnswer } from '../api/answers';
import { hrefOf, setView } from '../app/router';
import { CanvasPart } from '../trace/canvas_part';
import { durationText } from '../trace/time';
import { cssColor } from '../app/theme';
import { exactBytes, fixed, formatBytes, formatCount, pageUnit, plural, type Unit } from '../util/format';
import { type AllocDiff, a, b, diff, focused, heldAt, steps, tracks } from './state';
import { bytes, fitText, instant, percent, slopeText, STEP_WORDS, STEPS_WORDS, VERDICTS } from './words';

export function CardPart() {
  const t = focused.value;
  if (!t) return <aside class="ot-card" />;
  const s = steps.value;
  return (
    <aside class="ot-card" aria-label="card">
      <Difference t={t} />
      {s ? <Growth s={s} /> : null}
      {s && s.never.kept > 0 ? <Never s={s} /> : null}
      <Peak t={t} />
      {s?.stack ? <Stack s={s} /> : null}
    </aside>
  );
}

type Row = { title: string; a: number | null; b: number | null; share?: boolean; good?: 1 | -1 };

/** Memory in use at A, until the difference is loaded. */
function rowsOf(t: AllocatorTrack, d: AllocDiff | null): Row[] {
  if (d)
    return [
      { title: 'Stack', a: d.at_a.reserved_bytes[0], b: d.at_b.reserved_bytes[0], good: -1 },
      { title: 'Heap', a: d.at_a.heap_bytes[0], b: d.at_b.heap_bytes[0], good: -1 },
      { title: 'Free', a: d.at_a.available_bytes[0], b: d.at_b.available_bytes[0], good: 1 },
      { title: 'Largest free', a: d.at_a.largest_free_bytes[0], b: d.at_b.largest_free_bytes[0], good: 1 },
      { title: 'Fragmented', a: d.at_a.fragmentation[0], b: d.at_b.fragmentation[0], share: true, good: -1 },
    ];
  return [{ title: 'In use', a: heldAt.a.value[tracks.value.indexOf(t)] ?? null, b: null }];
}

function changeText(row: Row, unit: Unit): string {
  if (row.a === null || row.b === null) return '';
  const by = row.b - row.a;
  if (row.share) return Math.abs(by) < 0.0005 ? '0.0' : `${by > 0 ? '+' : '\u2212'}${fixed(Math.abs(by) * 100, 1)}`;
  return formatBytes(by, { unit, sign: true, withUnit: false });
}

function DifferenceHead() {
  const between = a.value !== null && b.value !== null ? durationText(b.value - a.value) : '';
  return (
    <thead>
      <tr>
        <td />
        <th scope="col">
          <i class="swatch ot-a" /> A
        </th>
        {b.value === null ? null : (
          <>
            <th scope="col">
              <i class="swatch ot-b" /> B
            </th>
            <th scope="col" class="soft">
              B − A
            </th>
          </>
        )}
      </tr>
      <tr>
        <td class="soft">time</td>
        <td>{instant(a.value)}</td>
        {b.value === null ? null : (
          <>
            <td>{instant(b.value)}</td>
            <td>{between}</td>
          </>
        )}
      </tr>
    </thead>
  );
}

function DifferenceRow({ row, unit }: { row: Row; unit: Unit }) {
  const by = row.a !== null && row.b !== null ? row.b - row.a : 0;
  const tone = !row.good || by === 0 ? '' : Math.sign(by) === row.good ? 'good' : 'bad';
  const value = (of: number | null) => (
    <td title={row.share ? undefined : exactBytes(of)}>
      <b>{row.share ? percent(of) : formatBytes(of, { unit, withUnit: false })}</b>
    </td>
  );
  return (
    <tr>
      <th scope="row">{row.title}</th>
      {value(row.a)}
      {b.value === null ? null : (
        <>
          {value(row.b)}
          <td class={tone}>{changeText(row, unit)}</td>
        </>
      )}
    </tr>
  );
}

function Difference({ t }: { t: AllocatorTrack }) {
  const d = b.value === null ? null : diff.value;
  const unit = pageUnit.value;
  return (
    <section>
      <header>
        <h2>{b.value === null ? 'At A' : 'B compared with A'}</h2>
        <span class="soft">
          {t.title}, {unit}
        </span>
      </header>
      <table class="ot-numbers">
        <DifferenceHead />
        <tbody>
          {rowsOf(t, d).map((row) => (
            <DifferenceRow key={row.title} row={row} unit={unit} />
          ))}
        </tbody>
      </table>
      {d ? (
        <p class="soft">
          Between: {formatCount(d.between.allocated)} allocated, {formatCount(d.between.freed)} freed, {formatCount(d.between.freed_of_first)} of them live at
          the earlier instant.{' '}
          <button type="button" class="link" onClick={() => setView({ tab: 'live', at: 'diff' })}>
            List
          </button>
        </p>
      ) : b.value === null ? (
        <p class="soft">Ctrl-click to set B and see the difference here.</p>
      ) : null}
    </section>
  );
}

function drawGrowth(g: CanvasRenderingContext2D, width: number, height: number, s: AllocStepsAnswer): void {
  const least = s.least_bytes;
  const known = least.filter((size): size is number => size !== null);
  if (known.length < 2) return;
  const k = s.growth.allocator.indexOf(s.allocator ?? -1);
  const slope = s.growth.slope_bytes[k] ?? 0;
  const start = s.growth.intercept_bytes[k] ?? 0;
  const low = known.reduce((x, y) => Math.min(x, y));
  const high = Math.max(
    known.reduce((x, y) => Math.max(x, y)),
    low + 1,
  );
  const x = (i: number) => 3 + (i / Math.max(1, s.n - 1)) * (width - 6);
  const y = (size: number) => height - 4 - ((size - low) / (high - low)) * (height - 8);
  g.strokeStyle = cssColor('--fg-soft');
  g.beginPath();
  let open = false;
  for (let i = 0; i < s.n; i++) {
    const size = least[i];
    if (size === null) open = false;
    else if (open) g.lineTo(x(i), y(size));
    else {
      g.moveTo(x(i), y(size));
      open = true;
    }
  }
  g.stroke();
  g.strokeStyle = cssColor(s.growth.verdict[k] === 'leak' ? '--bad' : '--accent');
  g.lineWidth = 2;
  g.beginPath();
  g.moveTo(x(0), y(start + slope * s.number[0]));
  g.lineTo(x(s.n - 1), y(start + slope * s.number[s.n - 1]));
  g.stroke();
  g.lineWidth = 1;
}

function Growth({ s }: { s: AllocStepsAnswer }) {
  const g = s.growth;
  const k = g.allocator.indexOf(s.allocator ?? -1);
  if (k < 0) return null;
  const word = STEP_WORDS[s.what];
  const leak = g.verdict[k] === 'leak';
  const full = g.full_in_steps[k];
  const capacity = tracks.value[g.allocator[k]]?.capacity_bytes ?? null;
  const r2 = g.r2[k];
  return (
    <section>
      <header>
        <h2>Growth over {STEPS_WORDS[s.what]}</h2>
        <span class="soft">
          lowest of {plural(g.steps[k], word, STEPS_WORDS[s.what])}
          {s.what === 'runs' && s.program ? ` of ${s.program}` : ''}
        </span>
      </header>
      <CanvasPart
        class="ot-spark"
        label={`lowest in use of each ${word}, ${VERDICTS[g.verdict[k]]}`}
        watch={() => void steps.value}
        draw={(c, width, height) => steps.peek() && drawGrowth(c, width, height, steps.peek() as AllocStepsAnswer)}
      />
      <p>
        <b class={leak ? 'bad' : ''}>
          {leak ? `${slopeText(g.slope_bytes[k])} a ${word}` : g.verdict[k] === 'no_growth' ? 'No growth' : `Too few ${STEPS_WORDS[s.what]} to tell`}
        </b>{' '}
        <span class="soft">{fitText(leak ? null : g.slope_bytes[k], word, r2, leak ? 3 : 2)}</span> {leak ? <span class="m-badge bad">leak</span> : null}
      </p>
      {leak ? (
        <p>
          {full === null
            ? 'Capacity unknown, so when it fills up is unknown.'
            : `At this rate the ${bytes(capacity)} fill up in ${plural(Math.round(full), word, STEPS_WORDS[s.what])}.`}
        </p>
      ) : null}
      {s.what === 'tenths' ? <p class="soft">No step markers and no program runs are known: time is divided into ten equal parts.</p> : null}
      {g.n > 1 && g.slope_bytes.some((slope) => slope !== null) ? (
        <ul class="ot-all">
          {g.allocator.slice(0, 16).map((of, i) => (
            <li key={of}>
              {g.title[i]} <span class="num">{fitText(g.slope_bytes[i], '', g.r2[i], 2) || VERDICTS[g.verdict[i]]}</span>
            </li>
          ))}
          {g.n > 16 ? <li class="soft">{formatCount(g.n - 16)} more in the JSON of trace/allocators/steps</li> : null}
        </ul>
      ) : null}
    </section>
  );
}

function Never({ s }: { s: AllocStepsAnswer }) {
  const n = s.never;
  return (
    <section>
      <header>
        <h2>{s.cut ? 'Not freed in the capture' : 'Never freed'}</h2>
        <span class="soft">
          {formatCount(n.kept)} of {formatCount(n.made)} made in {STEPS_WORDS[s.what]}
        </span>
      </header>
      <ul class="ot-all">
        {n.op.slice(0, 4).map((op, k) => (
          <li key={k}>
            <span class="mono">
              {op || 'no name'} <span class="soft">{n.shape[k]}</span>
            </span>{' '}
            <span class="num">
              <b>{bytes(n.size_bytes[k])}</b> ×{formatCount(n.count[k])}
            </span>
          </li>
        ))}
      </ul>
      <p class="soft">
        {formatCount(n.freed_in_step)} freed in their step, {formatCount(n.freed_later)} in a later one.{' '}
        <button type="button" class="link" onClick={() => setView({ tab: 'never' })}>
          List
        </button>
      </p>
    </section>
  );
}

function Peak({ t }: { t: AllocatorTrack }) {
  const rows: [string, string, string?][] = [
    ['Stack + heap', bytes(t.most_bytes), instant(t.most_at_ps)],
    ['Heap alone', bytes(t.heap_most_bytes), t.heap_most_at_ps === null ? undefined : instant(t.heap_most_at_ps)],
    ['Since the process began', bytes(t.peak_ever_bytes)],
    ['Time within 1 % of the peak', durationText(t.near_peak_ps)],
    ['Before the capture', bytes(t.before_bytes)],
    ['Frees of unknown arrays', formatCount(t.unknown_frees)],
    ...(t.without_address ? [['Events without an address', formatCount(t.without_address)] as [string, string]] : []),
    ...(t.replaced ? [['Frees that were lost', formatCount(t.replaced)] as [string, string]] : []),
  ];
  return (
    <section>
      <header>
        <h2>Peak of {t.title}</h2>
        <span class="soft">in this capture</span>
      </header>
      <dl>
        {rows.map(([title, value, more]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <b>{value}</b> {more ? <span class="soft">{more}</span> : null}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Stack({ s }: { s: AllocStepsAnswer }) {
  const stack = s.stack;
  if (!stack) return null;
  return (
    <section>
      <header>
        <h2>Stack and the compiler</h2>
        <span class="soft cut" title={stack.program}>
          {stack.program}
        </span>
      </header>
      <dl>
        <div>
          <dt>Stack, measured</dt>
          <dd title={exactBytes(stack.measured_bytes)}>
            <b>{bytes(stack.measured_bytes)}</b>
          </dd>
        </div>
        <div>
          <dt>
            Temporaries, <a href={hrefOf({ mode: null, module: stack.program, tab: null, a: null, b: null, from: null, to: null })}>compiled</a>
          </dt>
          <dd title={exactBytes(stack.compiled_bytes)}>
            <b>{bytes(stack.compiled_bytes)}</b>
          </dd>
        </div>
        <div>
          <dt>{stack.beyond_bytes < 0 ? 'Less than compiled' : 'Reserved beyond them'}</dt>
          <dd title={exactBytes(stack.beyond_bytes)}>
            <b>{bytes(Math.abs(stack.beyond_bytes))}</b>
          </dd>
        </div>
      </dl>
    </section>
  );
}
