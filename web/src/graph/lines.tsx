/** The text itself: any number of lines, only those on screen exist. The computation's first line stays at the top. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { copyText } from '../app/toast';
import { windowOf } from '../table/window';
import { useMeasure } from '../ui/size';
import type { Rows } from './fold';
import { Line } from './line';
import { find, folded, found, foundAt, here, isOpen, rows, text, toggleFold } from './state';
import { headAt, headOf, type Head, type HloText, topLevel } from './text';
import { ROW, useTextScroll } from './text_scroll';
import { showTextTip } from './text_tip';

/** The first line of the computation whose inside is at the top. */
function Sticky({ all, line, jump }: { all: HloText; line: number; jump: (line: number) => void }) {
  const head = headOf(all, line);
  if (!head || head.line >= line) return null;
  return (
    <div class="g-sticky">
      <span class="g-gutter">
        <button type="button" class="g-number" tabIndex={-1} title="go to the start of this computation" onClick={() => jump(head.line)}>
          {head.line + 1}
        </button>
        <button
          type="button"
          class="g-fold"
          tabIndex={-1}
          aria-expanded="true"
          aria-label="fold the computation"
          onClick={() => {
            toggleFold(head.line);
            jump(head.line);
          }}
        >
          ▾
        </button>
      </span>
      <span class="cut">
        <b>
          {head.entry ? 'ENTRY ' : ''}%{head.name}
        </b>{' '}
        {headWords(all, head)} <span class="faint">{(head.end - head.line - 1).toLocaleString('en-US')} instructions, in schedule order</span>
      </span>
    </div>
  );
}

const wordsKnown = new WeakMap<Head, string>();
/** "(115 parameters) -> (115-tuple) {" */
function headWords(all: HloText, head: Head): string {
  let words = wordsKnown.get(head);
  if (words === undefined) {
    const parameters = countParameters(all, head.line, head.end);
    const result = / -> (.*) \{$/.exec(all.lines[head.line])?.[1] ?? '';
    const parts = result.startsWith('(') ? `(${topLevel(result.slice(1, -1)).length.toLocaleString('en-US')}-tuple)` : result;
    words = `(${parameters.toLocaleString('en-US')} ${parameters === 1 ? 'parameter' : 'parameters'})${result ? ` -> ${parts}` : ''} {`;
    wordsKnown.set(head, words);
  }
  return words;
}
function countParameters(all: HloText, from: number, to: number): number {
  let count = 0;
  for (let i = from + 1; i < to; i++) if (/ parameter\(\d+\)/.test(all.lines[i])) count++;
  return count;
}

/** The rows on screen, wherever the text is scrolled. */
function shownLines(all: HloText, shown: Rows, from: number, to: number, width: number) {
  const current = here.value;
  const currentRow = current >= 0 ? shown.rowOf(current) : -1;
  const hits = found.value.lines;
  const hit = hitNow();
  const typed = find.value.trim().toLowerCase();
  const needle = /^\/.+\/$/.test(typed) ? '' : typed;
  const marked = new Set<number>();
  const firstLine = shown.lineOf(from);
  const lastLine = shown.lineOf(Math.max(from, to - 1));
  for (const line of hits) if (line >= firstLine && line <= lastLine) marked.add(line);
  const out = [];
  for (let row = from; row < to; row++) {
    const line = shown.lineOf(row);
    const isHead = all.lines[line].endsWith('{') ? headAt(all, line) : undefined;
    out.push(
      <Line
        key={line}
        all={all}
        index={line}
        on={line === current}
        hit={marked.has(line)}
        at={line === hit}
        needle={needle}
        open={isOpen.value}
        wrapped={row === currentRow && !isHead ? width : 0}
        head={isHead ? (folded.value.has(line) ? 'folded' : 'open') : ''}
        inside={isHead ? isHead.end - isHead.line - 1 : 0}
        hover={showTextTip}
      />,
    );
  }
  return out;
}

/** The line of the search's hit that is visited. */
function hitNow(): number | undefined {
  return foundAt.value >= 0 ? found.value.lines[foundAt.value] : undefined;
}

function copyCurrent(event: KeyboardEvent, all: HloText): void {
  if (event.code !== 'KeyC' || !event.shiftKey || event.ctrlKey || here.value < 0) return;
  event.preventDefault();
  void copyText(all.lines[here.value].trim(), 'line');
}

export function Lines() {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [box, setBox] = useState({ width: 800, height: 400 });
  /** Pixels by which the wrapped line is higher than a row. */
  const [extra, setExtra] = useState(0);
  const all = text.value;
  const shown = rows.value;
  const current = here.value;
  useMeasure(scroller, ({ clientWidth, clientHeight }) => setBox({ width: clientWidth, height: clientHeight }), []);
  const show = useTextScroll(scroller, current, hitNow());
  useLayoutEffect(() => {
    const whole = list.current?.querySelector<HTMLElement>('.g-line.whole');
    if (whole) setExtra(Math.max(0, whole.offsetHeight - ROW));
    else if (current < 0) setExtra(0);
  });
  if (!all || !shown) return null;
  const w = windowOf(scroll, box.height, shown.count, ROW);
  const currentRow = current >= 0 ? shown.rowOf(current) : -1;
  const past = currentRow >= 0 && currentRow < w.first ? extra : 0;
  const top = shown.lineOf(Math.min(shown.count - 1, Math.floor((scroll - past) / ROW)));
  return (
    <div class="g-lines-box">
      <Sticky all={all} line={top} jump={(line) => show.line(line, true)} />
      <div
        ref={scroller}
        class="g-lines"
        role="grid"
        tabIndex={0}
        aria-label="HLO text"
        aria-rowcount={all.lines.length}
        onScroll={(event) => {
          setScroll(event.currentTarget.scrollTop);
          show.scrolled();
          showTextTip(null, null);
        }}
        onKeyDown={(event) => copyCurrent(event, all)}
      >
        <div class="g-body" style={{ height: `${w.height + extra}px` }}>
          <div ref={list} style={{ transform: `translateY(${w.offset + past}px)` }}>
            {shownLines(all, shown, w.first, w.last, box.width)}
          </div>
        </div>
      </div>
    </div>
  );
}
