/** Rows with a value at each chosen step, differences against A with signs and bars, and a small curve each. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copyText } from '../app/toast';
import { cellText } from '../memory/bytes';
import { exactBytes, formatCount } from '../util/format';
import { Letter } from './area_chart';
import { basePlace, stepWords } from './base_state';
import type { BaseValues } from './base_join';
import { asked, chosen } from './state';
import type { Values } from './types';

export interface Line extends Values {
  id: string;
  depth: number;
  label: ComponentChildren;
  /** For copying and for assistive technology. */
  text: string;
  variable: string;
  what: ComponentChildren;
  /** null: a leaf. */
  open: boolean | null;
  strong?: boolean;
  root?: boolean;
  /** Cells between the label and the curve. */
  more?: ComponentChildren[];
  onToggle?: () => void;
  /** Without numbers: nothing that could be added up. */
  blank?: boolean;
  /** Where it is there at one of two steps only, no difference is printed. */
  sided?: boolean;
  /** What the pinned baseline has; its differences stand beside each number. */
  base?: BaseValues;
}

interface LinesProps {
  label: string;
  first: string;
  lines: Line[];
  columns: number[];
  peakStep: number | null;
  /** Heads of Line.more. */
  more?: { title: string; hint: string; width: number }[];
  last: string;
  empty: string;
  /** The rows carry what the pinned baseline has. */
  baseline?: boolean;
}

export function signed(bytes: number): string {
  return bytes > 0 ? `+${cellText(bytes)}` : bytes < 0 ? `\u2212${cellText(-bytes)}` : '0';
}
const tone = (bytes: number) => (bytes > 0 ? 'r-grow' : bytes < 0 ? 'r-shrink' : 'soft');

/** Grid tracks: label, more, curve, a step each with its difference, bar, peak, sentence. */
function tracks(steps: number, more: LinesProps['more'], baseline: boolean): string {
  const number = baseline ? '86px 88px' : '86px';
  const differences = steps > 1 ? Array.from({ length: steps - 1 }, () => `${number} 88px`).join(' ') : '';
  return `minmax(220px, 300px) ${(more ?? []).map(({ width }) => `${width}px`).join(' ')} 150px ${number} ${differences} ${steps === 2 ? '112px' : ''} ${number} minmax(${steps > 3 ? 120 : 160}px, 1fr)`;
}

/** A number's difference to the pinned baseline. */
export function ToBase({ value, before, blank, where }: { value: number; before: number | null | undefined; blank?: boolean; where: string }) {
  const by = before === null || before === undefined ? null : value - before;
  return (
    <span
      role="gridcell"
      class={`num r-to-base ${by === null ? 'soft' : tone(by)}`}
      title={by === null ? (blank ? undefined : `difference unknown: ${where}`) : `before ${exactBytes(before ?? 0)}, now ${exactBytes(value)}, ${where}`}
    >
      {blank ? '' : by === null ? '–' : signed(by)}
    </span>
  );
}

/** A count with its difference to the baseline. */
export function countCell(value: number, before: number | null | undefined, text: (value: number) => string = formatCount): ComponentChildren {
  if (before === null || before === undefined) return text(value);
  const by = value - before;
  return (
    <span title={`before ${text(before)}, now ${text(value)}`}>
      {text(value)} <span class={tone(by)}>{by === 0 ? '\u00b10' : `${by > 0 ? '+' : '\u2212'}${text(Math.abs(by))}`}</span>
    </span>
  );
}

function isOneSided(line: Line, step: number): boolean {
  return Boolean(line.sided) && (line.at_bytes[step] === 0) !== (line.at_bytes[0] === 0);
}

function parentOf(lines: readonly Line[], at: number): number {
  for (let k = at - 1; k >= 0; k--) if (lines[k].depth < lines[at].depth) return k;
  return at;
}

/** Only the table scrolls, and only up and down: scrollIntoView moves a page that is wider than its window sideways, too. */
function showRow(box: HTMLElement | null): void {
  const row = box?.querySelector<HTMLElement>('.r-line-row.cursor');
  if (!box || !row) return;
  const head = box.querySelector<HTMLElement>('.r-line-head')?.offsetHeight ?? 0;
  const [area, own] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  const above = area.top + head - own.top;
  const below = own.bottom - (area.top + box.clientHeight);
  if (above > 0) box.scrollTop -= above;
  else if (below > 0) box.scrollTop += below;
}

export function Lines(props: LinesProps) {
  const { lines } = props;
  const box = useRef<HTMLDivElement>(null);
  const [cursor, setCursor] = useState(0);
  const steps = asked.value.length;
  const baseline = Boolean(props.baseline) && basePlace.value !== null;
  const style = { gridTemplateColumns: tracks(steps, props.more, baseline), minWidth: baseline ? `${1000 + 182 * steps}px` : undefined };
  const largest = Math.max(1, ...lines.map((line) => Math.abs((line.at_bytes[1] ?? 0) - line.at_bytes[0])));
  const at = Math.min(cursor, Math.max(0, lines.length - 1));
  useEffect(() => {
    showRow(box.current);
  }, [at]);
  // The Tab key goes on to what the row under the cursor holds, not to that of all rows.
  useLayoutEffect(() => {
    for (const one of box.current?.querySelectorAll<HTMLElement>('.r-line-row :is(a, button:not(.r-fold))') ?? [])
      one.tabIndex = one.closest('.cursor') ? 0 : -1;
  });
  const go = (next: number) => {
    setCursor(Math.max(0, Math.min(lines.length - 1, next)));
    box.current?.focus({ preventScroll: true });
  };
  const onClick = (event: MouseEvent) => {
    const id = (event.target as HTMLElement).closest<HTMLElement>('[data-row]')?.dataset.row;
    if (id !== undefined) setCursor(lines.findIndex((line) => line.id === id));
  };
  return (
    <div
      class="r-lines"
      role="treegrid"
      aria-label={props.label}
      aria-activedescendant={lines.length > 0 ? `r-line-${at}` : undefined}
      tabIndex={0}
      ref={box}
      onKeyDown={(event) => onKey(event, lines, at, go)}
      onClick={onClick}
    >
      <LinesHead {...props} baseline={baseline} style={style} />
      {lines.length === 0 ? <p class="m-note">{props.empty}</p> : null}
      {lines.map((line, k) => (
        <LineRow key={line.id} {...props} line={line} index={k} cursor={k === at} baseline={baseline} largest={largest} style={style} />
      ))}
    </div>
  );
}

function onKey(event: KeyboardEvent, lines: readonly Line[], at: number, go: (next: number) => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).closest('input, select')) return;
  const line = lines[at];
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key];
  if (to !== undefined) go(to);
  else if ((event.key === 'Enter' || event.key === ' ') && (event.target as HTMLElement).closest('a, button:not(.r-fold)')) return;
  else if (line && (event.key === 'Enter' || event.key === ' ')) line.onToggle?.();
  else if (line && event.key === 'ArrowRight' && line.open === false) line.onToggle?.();
  else if (line?.open && event.key === 'ArrowRight' && lines[at + 1]?.depth > line.depth) go(at + 1);
  else if (line && event.key === 'ArrowLeft' && line.open) line.onToggle?.();
  else if (line && event.key === 'ArrowLeft') go(parentOf(lines, at));
  else if (line && event.key === 'c') copyText([line.text, ...line.at_bytes.map(String)].join('\t'), line.text);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

interface RowStyle {
  baseline: boolean;
  style: { gridTemplateColumns: string; minWidth: string | undefined };
}

function LinesHead({ first, more, peakStep, last, baseline, style }: Pick<LinesProps, 'first' | 'more' | 'peakStep' | 'last'> & RowStyle) {
  return (
    <div class="r-line-head" role="row" style={style}>
      <span role="columnheader">{first}</span>
      {(more ?? []).map(({ title, hint }) => (
        <span role="columnheader" key={title} class="num" title={hint}>
          {title}
        </span>
      ))}
      <span role="columnheader" title="each row has its own scale">
        over program order
      </span>
      {asked.value.map((part, k) => (
        <StepHead key={part} part={part} k={k} baseline={baseline} />
      ))}
      {asked.value.length === 2 ? <span role="gridcell" /> : null}
      <span role="columnheader" class="num">
        peak {peakStep === null ? '' : formatCount(peakStep)}
      </span>
      {baseline ? (
        <span role="columnheader" class="num" title="peak vs peak">
          vs before
        </span>
      ) : null}
      <span role="columnheader">{last}</span>
    </div>
  );
}

/** Heads of a chosen step: its values, those against the baseline, those against A. */
function StepHead({ part, k, baseline }: { part: string; k: number; baseline: boolean }) {
  return (
    <>
      <span role="columnheader" class="num" title={part === String(chosen.value[k]) ? `step ${part}` : `the highest step of ${part}`}>
        <Letter index={k} /> {chosen.value[k] === null ? part : formatCount(chosen.value[k])}
      </span>
      {baseline ? (
        <span role="columnheader" class="num" title={`${stepWords(k)}; growth is red with +, shrinkage green with \u2212`}>
          vs before
        </span>
      ) : null}
      {k > 0 ? (
        <span role="columnheader" class="num strong" title="growth is red with +, shrinkage green with −; colours show direction, not good or bad">
          {String.fromCharCode(65 + k)} − A
        </span>
      ) : null}
    </>
  );
}

interface LineRowProps extends Pick<LinesProps, 'more' | 'columns'>, RowStyle {
  line: Line;
  index: number;
  cursor: boolean;
  /** Of all rows, the largest difference between the two steps, in bytes. */
  largest: number;
}

function LineRow({ line, index, cursor, more, columns, baseline, largest, style }: LineRowProps) {
  return (
    <div
      id={`r-line-${index}`}
      role="row"
      aria-level={line.depth + 1}
      aria-expanded={line.open === null ? undefined : line.open}
      class={`r-line-row${cursor ? ' cursor' : ''}${line.strong ? ' strong' : ''}${line.root ? ' r-root' : ''}`}
      style={style}
      data-row={line.id}
    >
      <LineLabel line={line} />
      {(line.more ?? []).map((cell, m) => (
        <span role="gridcell" key={more?.[m].title} class="num">
          {cell}
        </span>
      ))}
      <SmallCurve line={line} columns={columns} />
      {asked.value.map((part, s) => (
        <StepCells key={part} line={line} s={s} baseline={baseline} />
      ))}
      {asked.value.length === 2 ? <Bar by={(line.at_bytes[1] ?? 0) - line.at_bytes[0]} largest={largest} /> : null}
      <span role="gridcell" class="num" title={exactBytes(line.peak_bytes)}>
        {line.blank ? '' : cellText(line.peak_bytes)}
      </span>
      {baseline ? <ToBase value={line.peak_bytes} before={line.base?.peak} blank={line.blank} where="peak vs peak" /> : null}
      <span role="gridcell" class="r-what cut" title={typeof line.what === 'string' ? line.what : undefined}>
        {line.what}
      </span>
    </div>
  );
}

function LineLabel({ line }: { line: Line }) {
  return (
    <span role="gridcell" class="r-label" style={{ paddingLeft: `${line.depth * 13}px` }}>
      {line.open === null ? (
        <i class="r-fold" />
      ) : (
        <button type="button" class="r-fold" tabIndex={-1} aria-label={`${line.open ? 'close' : 'open'} ${line.text}`} onClick={line.onToggle}>
          {line.open ? '▾' : '▸'}
        </button>
      )}
      {line.variable ? <i class="r-swatch" style={{ background: `var(${line.variable})` }} /> : null}
      <span class="cut" title={line.text}>
        {line.label}
      </span>
    </span>
  );
}

/** A row's cells of a chosen step. */
function StepCells({ line, s, baseline }: { line: Line; s: number; baseline: boolean }) {
  const bytes = line.at_bytes[s] ?? 0;
  const by = bytes - line.at_bytes[0];
  const oneSided = isOneSided(line, s);
  return (
    <>
      <span role="gridcell" class="num" title={exactBytes(bytes)}>
        {line.blank ? '' : cellText(bytes)}
      </span>
      {baseline ? <ToBase value={bytes} before={line.base?.at[s]} blank={line.blank} where={stepWords(s)} /> : null}
      {s > 0 ? (
        <span role="gridcell" class={`num ${tone(by)}`} title={oneSided ? 'only at one of the two steps, so there is no difference' : exactBytes(by)}>
          {line.blank || oneSided ? '' : signed(by)}
        </span>
      ) : null}
    </>
  );
}

function Bar({ by, largest }: { by: number; largest: number }) {
  const width = (Math.abs(by) / largest) * 48;
  return (
    <span role="gridcell" class="r-bar" aria-hidden="true">
      <i />
      {by !== 0 ? <b class={by > 0 ? 'r-bar-grow' : 'r-bar-shrink'} style={{ width: `${Math.max(1, width)}%` }} /> : null}
    </span>
  );
}

const WIDTH = 150;
const HEIGHT = 15;

function SmallCurve({ line, columns }: { line: Line; columns: number[] }) {
  const n = line.curve_bytes.length;
  const most = Math.max(1, ...line.curve_bytes);
  if (n === 0) return <span role="gridcell" />;
  const x = (k: number) => (k / n) * WIDTH;
  let path = `M0 ${HEIGHT}`;
  line.curve_bytes.forEach((value, k) => {
    const y = (HEIGHT - (Math.max(0, value) / most) * HEIGHT).toFixed(1);
    path += `L${x(k).toFixed(1)} ${y}L${x(k + 1).toFixed(1)} ${y}`;
  });
  path += `L${WIDTH} ${HEIGHT}Z`;
  const place = (step: number) => {
    const k = columns.findIndex((column) => column >= step);
    return x((k < 0 ? n - 1 : k) + 0.5);
  };
  return (
    <span role="gridcell" aria-hidden="true" class="r-curve">
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="presentation">
        <path d={path} fill={line.variable ? `var(${line.variable})` : 'var(--base)'} opacity="0.62" />
        {chosen.value.map((step, k) =>
          step === null ? null : (
            <path
              key={asked.value[k]}
              d={`M${place(step).toFixed(1)} 0V${HEIGHT}`}
              stroke={`var(${k === 0 ? '--sel-a' : k === 1 ? '--sel-b' : '--fg-soft'})`}
              stroke-width="1.4"
            />
          ),
        )}
      </svg>
    </span>
  );
}
