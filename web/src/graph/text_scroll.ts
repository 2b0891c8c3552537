/** Which part of the text is on screen: it follows the selection, and is in the address as `tl`, the line at the top, where somebody scrolled. */
import { useEffect, useRef } from 'preact/hooks';
import { arrivals, beforeLeaving, setView, view } from '../app/router';
import { scrollFor, windowOf } from '../table/window';
import { Delayed } from '../util/rest';
import { rows, text, unfoldAt } from './state';

/** Height of a line, in pixels. */
export const ROW = 19;
const SAVE_MS = 200;

/** Where the text lies when a line is shown that was out of sight: the line in the upper third, among its surroundings. */
function topFor(element: HTMLElement, line: number, from: number): number {
  const r = rows.peek();
  if (!r || line < 0) return from;
  const row = r.rowOf(line);
  const height = element.clientHeight - ROW;
  if (from >= 0 && scrollFor(row, from + ROW, height, r.count, ROW) === from + ROW) return from;
  return scrollFor(Math.max(0, row - Math.floor(height / ROW / 3)), Number.MAX_SAFE_INTEGER, height, r.count, ROW);
}

/** `current`, `hit`: lines to follow. The answer: how another line is shown, and what to call when the text was scrolled. */
export function useTextScroll(scroller: { current: HTMLDivElement | null }, current: number, hit: number | undefined) {
  const state = useRef({ arrived: -1, line: current, saving: new Delayed() });
  state.current.line = current;
  const all = text.value;
  const line = (at: number, always = false) => {
    if (scroller.current && at >= 0) scroller.current.scrollTop = topFor(scroller.current, at, always ? -1 : scroller.current.scrollTop);
  };
  const save = () => {
    const element = scroller.current;
    const r = rows.peek();
    if (!element?.clientHeight || !r || state.current.arrived !== arrivals.peek()) return;
    const rowAt = (top: number) => windowOf(top + ROW / 2, element.clientHeight, r.count, ROW, 0).first;
    const row = rowAt(element.scrollTop);
    const usual = rowAt(topFor(element, state.current.line, 0));
    setView({ tl: row === usual ? null : r.lineOf(row) + 1 }, { push: false });
  };
  const scrolled = () => state.current.saving.ask(SAVE_MS, save);
  const came = arrivals.value;
  useEffect(() => {
    unfoldAt(current);
    const element = scroller.current;
    if (!element || !all) return;
    const r = rows.peek();
    const top = Number(view.peek().tl);
    if (state.current.arrived === came) {
      line(current);
      // A line that was in sight stays where it is: elsewhere than a link to it would show it.
      scrolled();
    } else if (r && Number.isInteger(top) && top >= 1 && top <= all.lines.length)
      element.scrollTop = scrollFor(r.rowOf(top - 1), Number.MAX_SAFE_INTEGER, element.clientHeight, r.count, ROW);
    else element.scrollTop = topFor(element, current, 0);
    state.current.arrived = came;
  }, [current, all, came]);
  useEffect(() => {
    if (hit !== undefined) line(hit);
  }, [hit]);
  useEffect(() => {
    const { saving } = state.current;
    const end = beforeLeaving(() => {
      if (!saving.waits) return;
      saving.cancel();
      save();
    });
    return () => {
      end();
      saving.cancel();
    };
  }, []);
  return { line, scrolled };
}
