/** The box beside the pointer. What it says changes with the thing under it; where it stands is set without rendering. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, formatPercent } from '../util/format';
import { allocatorWords } from './allocator_track';
import { hovers, leadsToGaps, pointer } from './gestures';
import { type Counter, isRough, type Wait } from './boxes';
import { textOf } from './draw_counter';
import { type Place, placeAt } from './hits';
import type { TraceRows } from '../api/answers';
import { eventName } from './label_text';
import { hostOf, isTrack, type Item, processName, severalHosts, threadWords, usableRows } from './layout';
import { trackAt, trackWords } from './memory_track';
import { labelWidth, pixelTime, xToTime } from './scale';
import { boxesOf, names, rows, settings } from './state';
import { durationText, momentText, readStep, roughText } from './time';
import { lastAtOrBelow } from '../util/bisect';

interface Words {
  key: string;
  title: string;
  lines: string[];
}
const words = signal<Words | null>(null);
let element: HTMLElement | null = null;

function place(): void {
  if (!element) return;
  const box = element.parentElement?.getBoundingClientRect();
  if (!box) return;
  const x = pointer.x + box.left;
  const y = pointer.y + box.top;
  const { offsetWidth: w, offsetHeight: h } = element;
  element.style.left = `${x + 16 + w > innerWidth ? Math.max(4, x - w - 12) : x + 16}px`;
  element.style.top = `${y + 16 + h > innerHeight ? Math.max(4, y - h - 12) : y + 16}px`;
}

function labelWords(at: Place): Words | null {
  const r = rows.peek();
  const item = at.item;
  if (!r || !item) return null;
  const several = severalHosts(r);
  if (item.kind === 'host') {
    const { name, said } = r.hosts[r.processes.host[item.process]];
    return { key: `h${name}${item.open}`, title: name, lines: [said ?? '', item.open ? 'click to fold it' : 'click to open it'] };
  }
  if (item.kind === 'process') {
    const p = item.process;
    return {
      key: `p${p}`,
      title: several ? `${hostOf(r, p)} ${r.processes.name[p]}` : r.processes.name[p],
      lines: [
        `${formatCount(r.processes.event_count[p])} events in ${formatCount(usableRows(r, settings.peek().internal, p))} rows`,
        item.open ? 'click to fold it' : 'click to open it',
      ],
    };
  }
  if (item.kind === 'others') {
    const lines = [`${formatCount(item.idle)} without events in view`];
    if (item.more) lines.unshift(`${formatCount(item.more)} with events in view: click ${item.open ? 'hides' : 'shows'} them`);
    return { key: `o${item.process} ${item.more} ${item.idle} ${item.open}`, title: 'Other threads', lines };
  }
  if (item.kind !== 'row') return null;
  const k = item.at;
  if (isTrack(item.row))
    return {
      key: `r${item.row}`,
      title: r.rows.caption[k],
      lines: [...hostLine(r, item.process), `${r.rows.derived[k] ? 'derived' : 'measured'}: ${r.rows.how[k] ?? ''}`],
    };
  const lines = [...hostLine(r, item.process), `${formatCount(r.rows.events[k])} events, busy ${durationText(r.rows.busy_ps[k])}`];
  const thread = threadWords(r, k);
  if (thread) lines.push(thread);
  const device = r.rows.device_busy_ps[k];
  if (device !== null) lines.push(`on the device clock ${durationText(device)}`);
  lines.push(r.rows.derived[k] ? `derived: ${r.rows.how[k] ?? ''}` : 'measured: as in the file');
  if (item.deeper) lines.push(`${formatCount(item.deeper)} deeper levels share the strip below: zoom in, or click "deeper", for a lane each`);
  if (r.rows.cut[k]) lines.push('the file ends inside this line');
  if (r.rows.overflow[k]) lines.push(`${formatCount(r.rows.overflow[k])} events nested deeper than 4,096 are not shown`);
  return { key: `r${item.row} ${item.deeper}`, title: r.rows.caption[k], lines };
}

/** Of several hosts, which one, and how it came to stand there. */
function hostLine(r: TraceRows, process: number): string[] {
  if (!severalHosts(r)) return [];
  const host = r.hosts[r.processes.host[process]];
  return [`on ${host.name}${host.placed === 'clock' ? '' : ': not placed by its clock'}`];
}

function waitLine(w: Wait | undefined): string[] {
  if (!w) return [];
  return [
    w.hidden === 'fully'
      ? 'fully hidden: the core does not wait for it'
      : `the core waits ${durationText(w.wait)} for it${w.hidden === 'exposed' ? ': nothing is hidden' : ', the rest is hidden'}`,
  ];
}

/** What a counter holds at a time, and since when. */
function counterWords(item: Item, c: Counter, time: number): Words {
  const k = lastAtOrBelow(c.at, time);
  const title = rows.peek()?.rows.caption[item.at] ?? '';
  if (k < 0) return { key: `c${item.row} none`, title, lines: ['not known: no sample before'] };
  if (Number.isNaN(c.value[k])) return { key: `c${item.row} ${c.at[k]} unknown`, title, lines: ['not known: the sample has no number'] };
  const least = c.least?.[k] ?? c.value[k];
  const value = least < c.value[k] ? `${textOf(c, least)} to ${textOf(c, c.value[k])} in this pixel` : textOf(c, c.value[k]);
  return { key: `c${item.row} ${c.at[k]} ${value}`, title: `${title} ${value}`, lines: [`since ${momentText(c.at[k])}`] };
}

function wordsOf(at: Place): Words | null {
  const r = rows.peek();
  if (at.label) return labelWords(at);
  if (at.item?.kind === 'process' && at.item.open && leadsToGaps(at.item.process))
    return { key: `g${at.item.process}`, title: r ? processName(r, at.item.process) : '', lines: ['click to list its idle gaps', 'click its name to fold it'] };
  const { hit } = at;
  if (at.item?.kind === 'row' && isTrack(at.item.row)) {
    const runtime = allocatorWords(at.item.row, at.time);
    if (runtime) return { key: `a${at.item.row} ${runtime.title} ${runtime.lines.join()}`, ...runtime };
    const point = trackAt(at.item.row, at.time);
    return point && { key: `k${at.item.row} ${point.bytes} ${point.step} ${point.module}`, ...trackWords(point) };
  }
  const counter = at.item?.kind === 'row' ? boxesOf(at.item.row)?.counter : null;
  if (at.item && counter) return counterWords(at.item, counter, at.time);
  if (!hit) return null;
  const { lane, index } = hit;
  const name = names.get(lane.name[index]);
  if (hit.events > 1) {
    const share = Math.min(1, hit.busy / Math.max(pixelTime(), lane.end[index] - lane.start[index], 1));
    return {
      key: `m${lane.event[index]}-${hit.events}`,
      title: `${formatCount(hit.events)} events`,
      lines: [
        ...(r && at.item ? hostLine(r, at.item.process) : []),
        `${formatPercent(share, 1)} busy`,
        `longest ${eventName(name?.caption ?? '', lane.longest[index])}${lane.count[index] === 1 ? ` ${durationText(lane.busy[index])}` : ''}`,
        'click to zoom in on them',
      ],
    };
  }
  const start = lane.start[index];
  const length = lane.end[index] - start;
  const boxes = at.item ? boxesOf(at.item.row) : undefined;
  // Known to the grid of the picture only; a click asks for the event itself.
  const step = isRough(boxes, length) ? readStep(boxes?.q ?? 1) : 0;
  return {
    key: `e${lane.event[index]}`,
    title: name?.caption || eventName('', lane.event[index]),
    lines: [
      ...(r && at.item ? hostLine(r, at.item.process) : []),
      `${step ? roughText(length, step) : durationText(length)}${name?.wait ? ', waiting' : ''}`,
      `starts ${step ? `about ${momentText(start, step)}` : momentText(start)}`,
      ...waitLine(lane.waits?.get(index)),
    ],
  };
}

/** The time of the line at the pointer, on the ruler: to a quarter of a pixel, which is as well as it can be read. */
let clockElement: HTMLElement | null = null;
function showTime(): void {
  const ruler = document.querySelector('.t-ruler-canvas')?.getBoundingClientRect();
  if (!clockElement || !ruler) return;
  const shown = hovers() && pointer.x >= labelWidth();
  clockElement.hidden = !shown;
  if (!shown) return;
  clockElement.textContent = momentText(xToTime(pointer.x), readStep(pixelTime() / 4));
  const wide = clockElement.offsetWidth;
  clockElement.style.left = `${Math.max(ruler.left + labelWidth(), Math.min(ruler.left + pointer.x - wide / 2, ruler.right - wide))}px`;
  clockElement.style.top = `${ruler.top}px`;
}

export function showTip(): void {
  const next = hovers() ? wordsOf(placeAt(pointer.x, pointer.y)) : null;
  showTime();
  if (next?.key !== words.peek()?.key) words.value = next;
  place();
}

export function Tip() {
  const box = useRef<HTMLDivElement>(null);
  const said = words.value;
  useEffect(() => {
    element = box.current;
    place();
  });
  return (
    <>
      <span class="t-at" hidden ref={keepClock} />
      {said ? (
        <div class="m-hover t-tip" ref={box}>
          <div>
            <b>{said.title}</b>
          </div>
          {said.lines.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </div>
      ) : null}
    </>
  );
}

const keepClock = (element: HTMLElement | null) => {
  clockElement = element;
};
