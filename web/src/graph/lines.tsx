/** The text itself: any number of lines, only those on screen exist. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { scrollFor, windowOf } from '../table/window';
import { formatCount } from '../util/format';
import { find, found, foundAt, go, goLine, here, text } from './state';
import { type Piece, pieces } from './text';

const ROW = 17;

function PieceView({ piece, needle }: { piece: Piece; needle: string }) {
  if (piece.kind === 'name' || piece.kind === 'defined') {
    const name = piece.text.replace(/^%/, '');
    return (
      <button type="button" class={`g-${piece.kind}`} tabIndex={-1} onClick={() => go(name)}>
        {piece.text}
      </button>
    );
  }
  const at = needle ? piece.text.toLowerCase().indexOf(needle) : -1;
  if (at >= 0)
    return (
      <span class={`g-${piece.kind}`}>
        {piece.text.slice(0, at)}
        <mark>{piece.text.slice(at, at + needle.length)}</mark>
        {piece.text.slice(at + needle.length)}
      </span>
    );
  return <span class={`g-${piece.kind}`}>{piece.text}</span>;
}

/** Very long lines (configs, large constants) are cut on screen; the copy and the download are whole. */
const SHOWN = 4000;

function Line({ index, hit, on }: { index: number; hit: boolean; on: boolean }) {
  const all = text.value;
  const source = all?.lines[index] ?? '';
  const typed = find.value.trim().toLowerCase();
  const needle = typed.startsWith('/') ? '' : typed;
  const cut = source.length > SHOWN;
  return (
    <div class={`g-line${on ? ' on' : ''}${hit ? ' hit' : ''}`} role="row" aria-rowindex={index + 1} aria-selected={on}>
      <button type="button" class="g-number" tabIndex={-1} title="link to this line" onClick={() => goLine(index)}>
        {index + 1}
      </button>
      <span role="gridcell" class="g-source">
        {all && pieces(cut ? source.slice(0, SHOWN) : source, all.defined).map((piece, k) => <PieceView key={k} piece={piece} needle={needle} />)}
        {cut && <span class="faint"> … {formatCount(source.length - SHOWN)} more characters</span>}
      </span>
    </div>
  );
}

export function Lines() {
  const scroller = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(400);
  const count = text.value?.lines.length ?? 0;
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    setHeight(element.clientHeight);
    return () => observer.disconnect();
  }, []);
  const show = (line: number) => {
    const element = scroller.current;
    if (!element || line < 0) return;
    const height = element.clientHeight;
    if (scrollFor(line, element.scrollTop, height, count, ROW) === element.scrollTop) return;
    // What was out of sight comes to the upper third, where its surroundings are seen.
    const above = Math.max(0, line - Math.floor(height / ROW / 3));
    element.scrollTop = scrollFor(above, Number.MAX_SAFE_INTEGER, height, count, ROW);
  };
  const current = here.value;
  useEffect(() => show(current), [current, count]);
  const hits = found.value.lines;
  const hit = foundAt.value >= 0 ? hits[foundAt.value] : undefined;
  useEffect(() => {
    if (hit !== undefined) show(hit);
  }, [hit]);
  const w = windowOf(scroll, height, count, ROW);
  const marked = new Set(hits.filter((line) => line >= w.first && line < w.last));
  const rows = [];
  for (let i = w.first; i < w.last; i++) rows.push(<Line key={i} index={i} hit={marked.has(i)} on={i === current || i === hit} />);
  return (
    <div
      ref={scroller}
      class="g-lines"
      role="grid"
      tabIndex={0}
      aria-label="HLO text"
      aria-rowcount={count}
      onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
    >
      <div class="g-body" style={{ height: `${w.height}px` }}>
        <div style={{ transform: `translateY(${w.offset}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
