import type { ComponentChildren } from 'preact';
import { hrefOf, setView } from '../app/router';
import { opensOn } from '../app/state';
import { copyText } from '../app/toast';
import type { Card, Split } from '../api/types';
import { Icon } from '../ui/icons';
import { exactBytes, fixed, formatAge, formatAgo, formatBytes, formatCount, formatPercent, formatTime, plural, type Unit, unitFor } from '../util/format';
import { changeWords, isOver, peakText } from './cells';
import { CurvePair } from './curve';
import { allRows, comparison, marked, selectedRow, toggleMark } from './state';
import { pathKey, type RunRow } from './rows';
import { shareWidth } from '../ui/size';

interface Part {
  word: string;
  colour: string;
  bytes: number | null;
}

/** Parts of what is reserved, in the order of the bar: those that hold bytes, thread-local memory is outside of it. */
function partsOf(split: Split): Part[] {
  const all: Part[] = [
    { word: 'args', colour: 'param', bytes: split.argument_bytes },
    { word: 'outputs', colour: 'output', bytes: split.output_bytes },
    { word: 'const', colour: 'const', bytes: split.constant_bytes },
    { word: 'temps', colour: 'temp', bytes: split.temp_bytes },
    // a heap without events: nothing says what of it is live
    { word: 'untraced', colour: 'other', bytes: split.fragmentation_bytes === null ? split.untraced_bytes : 0 },
    { word: 'fragm.', colour: 'frag', bytes: split.fragmentation_bytes },
  ];
  return all.filter((part) => part.bytes);
}

/** Parts that are below this share of all stand together: their boxes are narrower than a pixel. */
const SMALL_SHARE = 0.003;

/** The parts with a word of their own, and what the rest is in sum, with their words for the hover. */
function wordsOf(parts: Part[], sum: number): { shown: Part[]; rest: Part[] } {
  const rest = parts.filter((part) => (part.bytes ?? 0) < sum * SMALL_SHARE);
  return rest.length < 2 ? { shown: parts, rest: [] } : { shown: parts.filter((part) => !rest.includes(part)), rest };
}

function SplitBar({ card, unit }: { card: Card; unit: Unit }) {
  if (!card.split || card.peak_bytes === null) return null;
  const parts = partsOf(card.split);
  const sum = parts.reduce((total, part) => total + (part.bytes ?? 0), 0);
  const whole = Math.max(card.capacity_bytes ?? 0, sum, 1);
  const { shown, rest } = wordsOf(parts, sum);
  const left = rest.reduce((total, part) => total + (part.bytes ?? 0), 0);
  return (
    <>
      <div
        class={`bar split-bar${isOver(card) ? ' over' : ''}`}
        role="img"
        aria-label={parts.map((p) => `${p.word} ${formatBytes(p.bytes, { unit })}`).join(', ')}
      >
        {parts.map((part) => (
          <i key={part.word} class={`fill-${part.colour}`} ref={shareWidth((part.bytes ?? 0) / whole)} />
        ))}
      </div>
      <div class="legend small">
        {shown.map((part) => (
          <span key={part.word} title={exactBytes(part.bytes)}>
            <i class={`swatch fill-${part.colour}`} /> {part.word} <b>{formatBytes(part.bytes, { unit, withUnit: false })}</b>
          </span>
        ))}
        {rest.length > 0 && (
          <span title={rest.map((part) => `${part.word} ${exactBytes(part.bytes)}`).join('\n')}>
            {rest.length} others <b>{formatBytes(left, { unit, withUnit: false })}</b>
          </span>
        )}
        {card.split.thread_local_bytes > 0 && (
          <span class="faint" title={`${exactBytes(card.split.thread_local_bytes)}, not in the bar; each thread that runs the program takes one copy`}>
            thread local <b>{formatBytes(card.split.thread_local_bytes, { unit })}</b> outside
          </span>
        )}
        {card.capacity_bytes === null && (
          <span class="faint" title={card.capacity_unknown ?? undefined}>
            capacity unknown
          </span>
        )}
      </div>
    </>
  );
}

function Block({ title, side, children }: { title: ComponentChildren; side?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="card-block">
      <h2 class="small">
        <span class="soft">{title}</span> <span class="faint side">{side}</span>
      </h2>
      {children}
    </section>
  );
}

function Peak({ card }: { card: Card }) {
  const unit = unitFor(card.peak_bytes);
  const share = card.capacity_bytes && card.peak_bytes !== null ? card.peak_bytes / card.capacity_bytes : null;
  return (
    <section class="card-block">
      <p class="row">
        <span class="mono strong grow cut" title={card.module ?? undefined}>
          {card.module_name ?? 'no module'}
        </span>
        <span class="small soft">
          {card.device_type ?? card.platform?.toUpperCase() ?? 'device unknown'}
          {card.device_count ? `, ${plural(card.device_count, 'device')}` : ''}
        </span>
      </p>
      <p class="card-peak">
        <b class={isOver(card) ? 'bad' : ''} title={exactBytes(card.peak_bytes)}>
          {peakText(card.peak_bytes)}
        </b>{' '}
        <span class="soft" title={card.capacity_from ? `${exactBytes(card.capacity_bytes)}, from ${card.capacity_from}` : undefined}>
          peak{share === null ? '' : `, ${formatPercent(share)} of ${formatBytes(card.capacity_bytes, { unit, withUnit: false })}`}
        </span>
      </p>
      <SplitBar card={card} unit={unit} />
    </section>
  );
}

function Against({ row }: { row: RunRow }) {
  const curve = row.card?.curve;
  const before = 'before' in row.change ? row.change.before : null;
  const words = changeWords(row.change);
  const delta = row.change.kind === 'delta' ? row.change : null;
  const old = before?.card?.peak_bytes;
  return (
    <Block
      title={before ? 'Change since the previous run' : 'Live memory in program order'}
      side={before ? `${before.folder.split('/').pop()}, ${formatAge(before.time, row.time)} older` : ''}
    >
      {before && (
        <p class="card-change" title={words.title}>
          <b class={words.tone}>{words.text}</b>{' '}
          <span class="soft">
            {delta && old ? `${fixed((delta.bytes / old) * 100, 0)} %, from ${peakText(old)}` : row.change.kind === 'other' ? row.change.reason : ''}
          </span>
        </p>
      )}
      {curve && curve.n > 0 ? (
        <>
          <CurvePair now={curve} before={before?.card?.curve ?? null} label={`live memory of ${row.label}${before ? `, dashed: ${before.label}` : ''}`} />
          <p class="row small soft">
            <span class="grow cut" title={before?.id}>
              {before ? `dashed: ${before.label}` : '0'}
            </span>
            <span>{before ? '0 to 100 % of steps' : plural(row.card?.steps ?? 0, 'step')}</span>
          </p>
        </>
      ) : (
        <p class="soft">no heap trace, so no curve</p>
      )}
    </Block>
  );
}

const toolHref = (row: RunRow, tool: 'memory' | 'graph' | 'trace') => hrefOf({ run: row.id, tool });

/** What Memory shows of a run. */
function memoryText(card: Card): string {
  if (card.kind === 'heap') return plural(card.files.length + (card.files_left_out ?? 0), 'heap file');
  return card.steps === null ? 'over time' : plural(card.steps, 'step');
}

function InIt({ row, card }: { row: RunRow; card: Card }) {
  const files = `${plural(card.files.length + (card.files_left_out ?? 0), 'file')}, ${formatCount(card.files.reduce((sum, file) => sum + file.size_bytes, 0))} B`;
  const modules = card.module === null ? card.other_modules : card.other_modules + 1;
  const lines: ['memory' | 'graph' | 'trace', string, string][] = [
    ['memory', 'Memory', memoryText(card)],
    ['graph', 'Graph', `${plural(modules, 'module')}, ${formatCount(card.instructions)} instructions`],
    ['trace', 'Trace', plural(card.events, 'event')],
  ];
  return (
    <Block title="In it" side={<span title={card.files.map((file) => `${file.name} ${exactBytes(file.size_bytes)}`).join('\n')}>{files}</span>}>
      {lines.map(([id, title, text]) => (
        <p key={id} class={`in-it${card.holds[id] === null ? '' : ' soft'}`} title={card.holds[id] ?? undefined}>
          <Icon name={id} size={14} /> {card.holds[id] === null ? <a href={toolHref(row, id)}>{title}</a> : title}{' '}
          <span class={`grow num soft${card.holds[id] ? ' small' : ''}`}>{card.holds[id]?.split(/[;:(]/)[0] ?? text}</span>
        </p>
      ))}
    </Block>
  );
}

function Siblings({ row }: { row: RunRow }) {
  const key = pathKey(row.folder);
  const rows = allRows.value
    .filter((other) => pathKey(other.folder) === key && other.card?.module_name === row.card?.module_name)
    .sort((a, b) => b.time - a.time)
    .slice(0, 8);
  if (rows.length < 2) return null;
  const most = Math.max(...rows.map((other) => other.card?.peak_bytes ?? 0), 1);
  const unit = unitFor(row.card?.peak_bytes, true);
  return (
    <Block title={`Runs of ${key || 'the logdir'}`} side={`peak, ${unit}`}>
      {rows.map((other) => (
        <a key={other.id} class="sibling" href={hrefOf({ sel: other.id })} title={other.id}>
          <span class={`mono cut${other.id === row.id ? ' strong' : ''}`}>{other.label}</span>
          <span class="bar">
            <i class={other.card && isOver(other.card) ? 'fill-over' : 'fill-temp'} ref={shareWidth((other.card?.peak_bytes ?? 0) / most)} />
          </span>
          <span class={`num${other.id === row.id ? ' strong' : ''}`}>{formatBytes(other.card?.peak_bytes, { unit, withUnit: false })}</span>
        </a>
      ))}
    </Block>
  );
}

function Compare({ a, b }: { a: RunRow; b: RunRow }) {
  const [one, two] = [a.card, b.card];
  const delta = one?.peak_bytes != null && two?.peak_bytes != null ? two.peak_bytes - one.peak_bytes : null;
  const lines: [string, (card: Card) => string][] = [
    ['module', (card) => card.module_name ?? 'none'],
    ['device', (card) => card.device_type ?? card.platform?.toUpperCase() ?? 'unknown'],
    ['peak', (card) => peakText(card.peak_bytes)],
    ['arguments', (card) => formatBytes(card.split?.argument_bytes, { unit: unitFor(card.peak_bytes) })],
    ['temporaries', (card) => formatBytes(card.split?.temp_bytes, { unit: unitFor(card.peak_bytes) })],
    ['steps', (card) => formatCount(card.steps)],
    ['instructions', (card) => formatCount(card.instructions)],
  ];
  return (
    <>
      <section class="card-block">
        <p class="card-title">Two marked runs</p>
        {[a, b].map((run, i) => (
          <p key={run.id} class="soft cut" title={run.id}>
            <b>{'AB'[i]}</b> {run.label}
          </p>
        ))}
        {delta !== null && (
          <p class="card-change">
            <b class={delta < 0 ? 'good' : delta > 0 ? 'bad' : ''}>{formatBytes(delta, { unit: unitFor(Math.abs(delta)), sign: true })}</b>{' '}
            <span class="soft">from A to B</span>
          </p>
        )}
        <p class="row card-actions">
          <a class="btn filled" href={hrefOf(comparison(a.id, b.id))} title="compares curves, groups, buffers and HLO text of both programs">
            Compare these two <kbd>C</kbd>
          </a>
          <button type="button" class="btn" onClick={() => setView({ mark: null })}>
            Unmark both
          </button>
        </p>
      </section>
      <section class="card-block compare">
        {lines.map(([word, read]) => (
          <p key={word} class="compare-line">
            <span class="soft">{word}</span>
            <span class="cut num">{one ? read(one) : '…'}</span>
            <span class="cut num">{two ? read(two) : '…'}</span>
          </p>
        ))}
        {one?.curve && two?.curve && <CurvePair now={two.curve} before={one.curve} label="live memory of B, dashed: A" />}
      </section>
    </>
  );
}

/** What a run opens on, and what else can be done with it from here. */
function CardActions({ row, marks }: { row: RunRow; marks: string[] }) {
  const { card } = row;
  const { tool, title } = opensOn(card);
  const measured = card?.holds.trace === null;
  return (
    <p class="row card-actions">
      <a class="btn filled" href={hrefOf({ run: row.id, tool })}>
        {title} {/* room for four */ !measured && <kbd>Enter</kbd>}
      </a>
      {measured && (
        <a class="btn" href={toolHref(row, 'trace')}>
          Trace
        </a>
      )}
      {card?.kind === 'heap' ? null : card?.holds.graph ? (
        <button type="button" class="btn" aria-disabled="true" title={card.holds.graph}>
          Graph
        </button>
      ) : (
        <a class="btn" href={toolHref(row, 'graph')}>
          Graph
        </a>
      )}
      <button type="button" class="btn" onClick={() => toggleMark(row.id)} title="mark this run; mark two to compare them here">
        {marks.includes(row.id) ? 'Unmark' : marks.length === 1 ? 'Compare' : 'Mark'}
      </button>
    </p>
  );
}

/** The selected run without opening it; two marked runs side by side. */
export function CardPane() {
  const marks = marked();
  const pair = marks.length === 2 ? marks.map((id) => allRows.value.find((row) => row.id === id)) : [];
  if (pair[0] && pair[1]) {
    return (
      <aside class="start-card" aria-label="two marked runs">
        <Compare a={pair[0]} b={pair[1]} />
      </aside>
    );
  }
  const row = selectedRow.value;
  if (!row) return <aside class="start-card soft">Choose a run to see what is in it.</aside>;
  const { card } = row;
  return (
    <aside class="start-card" aria-label="selected run">
      <section class="card-block">
        <p class="row">
          <span class="card-title grow cut" title={row.id}>
            {row.label}
          </span>
          <button type="button" class="icon-btn" aria-label="copy the path" title="copy the path" onClick={() => void copyText(row.id, 'path')}>
            <Icon name="copy" size={14} />
          </button>
        </p>
        <p class="card-where soft" title={`${row.folder}\n${formatTime(row.time)}`}>
          <span class="cut">{row.folder.split('/').join(' / ')}</span>
          <span>
            {row.folder && '· '}
            {formatTime(row.time).slice(11, 16)}, {formatAgo(row.time, Date.now())}
          </span>
        </p>
        <CardActions row={row} marks={marks} />
      </section>
      {card && (
        <>
          {card.kind === 'heap' ? null : (
            <>
              <Peak card={card} />
              <Against row={row} />
            </>
          )}
          <InIt row={row} card={card} />
          <Siblings row={row} />
        </>
      )}
      {!card && <section class="card-block soft">{row.cardError ?? 'being read …'}</section>}
    </aside>
  );
}
