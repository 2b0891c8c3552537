/** The Memory Viewer: headline, charts on one x axis, tabs below, the card at the right. */
import { effect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { compact } from '../app/media';
import { registerKeys } from '../app/keys';
import type { Window1 } from '../canvas/view';
import { Card } from './card';
import { Chart } from './chart';
import { panByKey, showAll, zoomByKey } from './gestures';
import { Headline } from './headline';
import { followHover } from './hover';
import { AddressMap } from './map';
import { Minimap, StepAxis } from './minimap';
import { OomStrip } from './oom_strip';
import { followRange, RangeBox } from './range_box';
import { ScopeStrip } from './strip';
import { failure, gesture, hoverStep, inspect, range, setWindow, stepCount, subject, summary, windowNow, dragMode, mapFolded, mapFull } from './state';
import { Tabs } from './tabs';
import { changeCount, drawerOpen, turnDrawer } from './what_if_state';
import { Later } from '../ui/later';
import { listen, together } from '../util/listen';
import './../styles/memory_charts.css';
import './../styles/memory.css';
import { Unread } from '../ui/unread';

/** Where keys zoom: the step under the pointer, else the middle. */
function anchor(): number {
  const at = hoverStep.peek();
  const w = windowNow.peek();
  return at ? Math.min(1, Math.max(0, (at.step - w.from) / (w.to - w.from))) : 0.5;
}

interface Past {
  windows: Window1[];
  /** The one that Backspace goes back to. */
  back: Window1 | null;
}

const isSame = (a: Window1 | null, b: Window1): boolean => a?.from === b.from && a.to === b.to;

/** Windows that were left, by whatever means, for Backspace; those of another program are forgotten. */
function pastWindows(past: Past): () => void {
  let [of, last]: [string, Window1 | null] = ['', null];
  return effect(() => {
    const now = `${JSON.stringify(subject.value)} ${stepCount.value}`;
    // While a hand moves it, the window is on its way.
    if (gesture.value) return;
    const { from, to } = windowNow.value;
    const w = { from, to };
    if (now !== of) past.windows = [];
    else if (last && !isSame(last, w) && !isSame(past.back, w)) past.windows = [...past.windows.slice(-49), last];
    past.back = null;
    [of, last] = [now, w];
  });
}

function chartKeys(past: Past): () => void {
  return registerKeys('charts', {
    zoom: (_, stroke) => zoomByKey(stroke === 0, false, anchor()),
    zoom_fast: (_, stroke) => zoomByKey(stroke === 0, true, anchor()),
    pan: (_, stroke) => panByKey(stroke === 1, false),
    pan_fast: (_, stroke) => panByKey(stroke === 1, true),
    fit: () => {
      if (range.peek()) {
        setWindow(range.peek() as { from: number; to: number });
        range.value = null;
      } else showAll();
    },
    reset: showAll,
    previous_range: () => {
      const w = past.windows.pop();
      if (!w) return false;
      past.back = w;
      setWindow(w);
      return true;
    },
    // The digits alone choose the mode of the tool.
    mode: (_, stroke) => {
      if (stroke < 4) return false;
      dragMode.value = stroke === 5 ? 'pan' : stroke === 6 ? 'zoom' : 'select';
    },
  });
}

function memoryKeys(): () => void {
  return registerKeys('memory', {
    peak: () => inspect(summary.peek()?.peak.step ?? null),
    what_if: turnDrawer,
    fold_map: () => {
      mapFolded.value = !mapFolded.peek();
    },
  });
}

function escapeKey(): () => void {
  return registerKeys('everywhere', {
    escape: () => {
      if (mapFull.peek()) mapFull.value = false;
      else if (range.peek()) range.value = null;
      else return false;
      return true;
    },
  });
}

export function MemoryView() {
  useEffect(() => {
    const past: Past = { windows: [], back: null };
    return together([followHover(), followRange(), pastWindows(past), chartKeys(past), memoryKeys(), escapeKey()]);
  }, []);
  const s = summary.value;
  if (failure.value && !s) return <Later part="ErrorState" error={failure.value} />;
  return (
    <div class={`memory${s ? '' : ' memory-loading'}`}>
      {s ? null : <Unread what="peak, chart, addresses and buffers of this program" />}
      <OomStrip />
      {changeCount.value > 0 ? <Later part="WhatIfHead" waiting={<Headline />} /> : <Headline />}
      <div class="m-main">
        <div class="m-left">
          {s && s.steps === 0 ? <NoTrace /> : <Charts />}
          <Splitter />
          {compact.value && <Later part="PinnedRow" optional />}
          <Tabs />
        </div>
        {drawerOpen.value ? <Later part="WhatIfDrawer" /> : <Card />}
      </div>
    </div>
  );
}

function Charts() {
  return (
    <div class="m-charts">
      <RangeBox />
      <Chart />
      <ScopeStrip />
      <AddressMap />
      <StepAxis />
      <Minimap />
    </div>
  );
}

export function NoTrace() {
  const s = summary.value;
  if (!s) return null;
  const temps = s.heap_bytes;
  return (
    <div class="m-empty">
      <b>{temps > 0 ? 'No heap trace in this memory space' : 'No temporaries in this memory space'}</b>
      <p>
        {temps > 0
          ? 'The compiler recorded no heap simulation for it, so there is no curve and no address map. Classes, totals and buffers below are complete. A compiler that keeps heap_simulator_traces records one.'
          : 'The curve would be flat: what is here is live during the whole program. Buffers and totals are below.'}
      </p>
    </div>
  );
}

/** The edge between charts and tabs: drag to move, double click to reset; kept per browser. */
export function Splitter({ name = 'memory' }: { name?: string }) {
  const key = `xprofd.${name}.split`;
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = bar.current;
    const left = element?.parentElement;
    if (!element || !left) return;
    const apply = (px: number | null) => {
      if (px === null) left.style.removeProperty('--charts');
      else left.style.setProperty('--charts', `${px}px`);
    };
    try {
      const stored = Number(localStorage.getItem(key));
      if (stored > 150) apply(stored);
    } catch {
      // storage may be blocked; the default height is used
    }
    let drag: { y: number; h: number } | null = null;
    const press = (e: MouseEvent) => {
      drag = { y: e.clientY, h: left.firstElementChild?.getBoundingClientRect().height ?? 300 };
      e.preventDefault();
    };
    const move = (e: MouseEvent) => {
      if (drag) apply(Math.max(180, drag.h + e.clientY - drag.y));
    };
    const release = (e: MouseEvent) => {
      if (!drag) return;
      apply(Math.max(180, drag.h + e.clientY - drag.y));
      drag = null;
      // the height reached: the layout may not have given all that was asked for
      const px = Math.round(left.firstElementChild?.getBoundingClientRect().height ?? 300);
      apply(px);
      try {
        localStorage.setItem(key, String(px));
      } catch {
        // as above
      }
    };
    const clear = () => {
      apply(null);
      try {
        localStorage.removeItem(key);
      } catch {
        // as above
      }
    };
    return listen(element, { mousedown: press, dblclick: clear }, { mousemove: move, mouseup: release });
  }, []);
  return <div ref={bar} class="m-split" role="separator" aria-orientation="horizontal" title="drag to enlarge the charts; double click to reset" />;
}
