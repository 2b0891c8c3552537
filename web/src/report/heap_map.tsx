/** The address map of one step: the heap in rows, with the tenants of the place under the pointer. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { cssColor } from '../app/theme';
import { toast } from '../app/toast';
import { Drawing } from '../charts/drawing';
import { formatBytes, plural } from '../util/format';
import { boxScale, boxValues } from './box_colours';
import { addressAt, drawHeap, type HeapBox, heightOf, rowHighOf } from './draw_heap';
import { Tenants } from './place_card';
import { TipBox } from '../charts/tip';
import {
  askPlace,
  boxColour,
  boxScaleId,
  finder,
  heap,
  heapMode,
  hiddenRows,
  hovered,
  inHex,
  leavePlace,
  pinnedAddress,
  pinnedBuffer,
  pinnedTenancy,
  pinPlace,
  place,
  rowBytes,
} from './heap_state';
import { addToPlot } from './plot_state';
import { failed } from './state';
import type { Heap, PlaceList } from './types';

function boxesOf(now: Heap): HeapBox[] {
  const by = boxColour.value;
  const scale = boxScale(now, by, boxScaleId.value);
  const values = boxValues(now, by);
  return Array.from({ length: now.n }, (_, k) => ({
    tenancy: now.tenancy[k] ?? -1,
    offset: now.offset_bytes[k],
    size: now.size_bytes[k],
    name: now.names[now.name[k]],
    shape: now.names[now.shape[k]],
    row: now.names[now.row[k]],
    place: by === 'type' ? undefined : scale.place(values[k]),
  }));
}

function listed(list: PlaceList, names: string[]): HeapBox[] {
  return Array.from({ length: list.n }, (_, k) => ({
    tenancy: list.tenancy[k],
    offset: list.offset_bytes[k],
    size: list.size_bytes[k],
    name: names[list.name[k]],
    shape: '',
    row: names[list.row[k]],
  }));
}

/** What is drawn: who is live, or the pinned one with those that conflict with it or have its bytes at other times. */
function shown(now: Heap): HeapBox[] {
  const p = place.value;
  const live = boxesOf(now);
  if (heapMode.value === 'live' || !p?.pinned) return live;
  const list = heapMode.value === 'conflicts' ? p.conflicts : p.before;
  const there = new Set(live.map((box) => box.tenancy));
  const { pinned } = p;
  const own = { tenancy: pinned.tenancy, offset: pinned.offset_bytes, size: pinned.size_bytes, name: pinned.name, shape: pinned.shape, row: pinned.row };
  const others = list ? listed(list, p.names).filter((box) => !there.has(box.tenancy)) : [];
  return heapMode.value === 'before' ? [...live, ...others] : [...live, ...(there.has(own.tenancy) ? [] : [own]), ...others];
}

/** The height that the map has on the page. */
function useRoom(): { box: { current: HTMLDivElement | null }; room: number } {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  const there = heap.value !== null;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setRoom(element.clientHeight));
    observer.observe(element);
    setRoom(element.clientHeight);
    return () => observer.disconnect();
  }, [there]);
  return { box, room };
}

/** Whether a box is drawn back: the search does not find it, or it is not what the mode is about. */
function faintness(): (box: HeapBox) => boolean {
  const find = finder.value;
  const p = place.value;
  const meant = heapMode.value === 'live' || !p ? null : new Set(heapMode.value === 'conflicts' ? (p.conflicts?.all ?? []) : (p.before?.all ?? []));
  return (box) => (find ? !find.finds(`${box.name} ${box.shape}`) : false) || (meant ? !meant.has(box.tenancy) && box.tenancy !== pinnedTenancy.value : false);
}

/** What the drawing of the heap shows besides the boxes. */
function drawingOf(now: Heap, isFaint: (box: HeapBox) => boolean) {
  const pinned = pinnedTenancy.value;
  return {
    heap: now,
    rowBytes: rowBytes.value,
    isFaint,
    isHidden: (row: string) => hiddenRows.value.has(row),
    pinned,
    pinnedBuffer: pinned === null ? pinnedBuffer.value : null,
    address: pinned === null ? null : (pinnedAddress.value ?? place.value?.pinned?.offset_bytes ?? null),
    withHoles: heapMode.value === 'live' && !hiddenRows.value.has('holes'),
    inHex: inHex.value,
    font: `11px ${cssColor('--font')}`,
    mono: cssColor('--mono'),
  };
}

function plotHovered(event: MouseEvent): void {
  const p = hovered.peek()?.place.pinned;
  if (!p) return;
  event.preventDefault();
  const why = addToPlot(p.buffer);
  if (why) toast(why);
}

export function HeapMap() {
  const now = heap.value;
  const { box, room } = useRoom();
  const size = useRef({ width: 1, boxes: [] as HeapBox[] });
  if (!now)
    return (
      <p class="m-note" aria-busy={failed.value === ''}>
        {failed.value || '…'}
      </p>
    );
  const rowHigh = rowHighOf(now, rowBytes.value, room);
  const at = (x: number, y: number) => addressAt({ heap: now, rowBytes: rowBytes.value, rowHigh, width: size.current.width }, x, y);
  const isFaint = faintness();
  return (
    <div
      ref={box}
      class="r-map"
      role="group"
      aria-label="address map"
      style={{ '--high': `${heightOf(now, rowBytes.value, rowHigh)}px` }}
      onContextMenu={plotHovered}
    >
      <Drawing
        class="r-map-canvas"
        picture="heap at a step"
        tabIndex={0}
        label={`Heap at step ${now.step ?? 'none'}: ${plural(now.n, 'buffer')}, ${formatBytes(now.live_bytes)} of ${formatBytes(now.heap_bytes)}, ${plural(now.holes.n, 'hole')}; the table has the same`}
        draw={(g, width) => {
          size.current = { width, boxes: shown(now) };
          drawHeap(g, { ...drawingOf(now, isFaint), boxes: size.current.boxes, rowHigh, width });
        }}
        onMove={(x, y, event) => {
          const address = at(x, y);
          if (address === null) leavePlace();
          else askPlace(address, event.clientX, event.clientY);
        }}
        onLeave={leavePlace}
        onClick={(x, y) => {
          const address = at(x, y);
          if (address === null) return;
          const found = size.current.boxes.find((item) => item.offset <= address && address < item.offset + item.size && !isFaint(item));
          if (found) pinPlace(found.tenancy, address);
          else pinPlace(null, null);
        }}
      />
      <Hover />
    </div>
  );
}

/** All tenants of the place over the program; the one of this step first in bold. */
function Hover() {
  const at = hovered.value;
  if (!at) return null;
  const { tenants, pinned, offset_bytes: address } = at.place;
  const others = tenants.count - (pinned ? 1 : 0);
  return (
    <TipBox x={at.x} y={at.y}>
      <div class="r-tip">
        <div class="m-hover-head">
          {pinned ? `now %${pinned.name}, ` : 'free at this step, '}
          {plural(others, pinned ? 'other' : 'tenant')} over the program <span class="soft">0x{address.toString(16).padStart(9, '0')}</span>
        </div>
        <Tenants list={tenants} names={at.place.names} most={tenants.count > 12 ? 10 : 12} now={pinned?.tenancy ?? null} links={false} />
        <div class="soft">{pinned ? 'click to pin this address; right-click to plot it over all steps' : 'free at this step'}</div>
      </div>
    </TipBox>
  );
}
