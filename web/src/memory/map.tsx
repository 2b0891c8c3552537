/** The address map with its legend, hover and hit test, and what lies under the pointer in words. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { hitBox, type IdRaster } from '../canvas/boxes';
import type { Scale } from '../canvas/view';
import { tickText } from './ticks';
import { exactBytes, formatBytes, formatCount } from '../util/format';
import type { MapBoxes } from '../api/types';
import { type BoxWords, fillColour, inkColour, legendOf, variableOf } from '../charts/colours';
import { drawMap, type MapInput, rasterOf } from './draw_map';
import { Later } from '../ui/later';
import { blockKey, dtypeOf } from './live_rows';
import { crosshair, hoverAt, useStepsCanvas } from './steps_canvas';
import type { ColourBy } from '../charts/colours';
import { change, colourBy, curve, hoverBuffer, inspect, inspected, map, openTab, pin, pinned, plot, usualColour, mapFolded, mapFull } from './state';
import { narrowed, twin, blockColours, overBoxes } from './lower_state';

/** Text of the search in the map ("/"); a plain text or /regex/ over names, shapes and scopes. */
const mapSearch = signal('');

export function blockOf(m: MapBoxes, block: number): { shape: string; scope: string } {
  return { shape: m.names[m.blocks.shape[block]] ?? '', scope: m.names[m.blocks.scope[block]] ?? '' };
}

function blockColour(m: MapBoxes, block: number): string | undefined {
  const { shape, scope } = blockOf(m, block);
  return blockColours.value.get(blockKey(shape, scope));
}

/** What joined boxes say of the largest of them. */
function mergedWords(m: MapBoxes, j: number): BoxWords {
  const { shape, scope } = blockOf(m, m.merged.block[j]);
  return {
    group: m.names[m.merged.group[j]] ?? '',
    class: m.names[m.merged.class[j]] ?? '',
    scope: scope.split('/')[0] ?? '',
    dtype: dtypeOf(shape),
    sizeShare: 0,
    block: blockColour(m, m.merged.block[j]),
  };
}

export function wordsOf(m: MapBoxes, k: number): BoxWords {
  const name = (id: number | null | undefined) => (id === null || id === undefined ? '' : (m.names[id] ?? ''));
  return {
    group: name(m.group[k]),
    class: name(m.class[k]),
    scope: name(m.scope[k]).split('/')[0] ?? '',
    dtype: name(m.dtype[k]),
    sizeShare: m.size_bytes[k] / Math.max(m.heap_bytes, 1),
    block: blockColour(m, m.block[k]),
  };
}

/** Matcher for a search text; an invalid /regex/ is taken as plain text. */
export function matcher(text: string): ((value: string) => boolean) | null {
  if (!text) return null;
  const regex = /^\/(.+)\/$/.exec(text);
  if (regex) {
    try {
      const r = new RegExp(regex[1], 'i');
      return (value) => r.test(value);
    } catch {
      // falls through to plain text
    }
  }
  const plain = text.toLowerCase();
  return (value) => value.toLowerCase().includes(plain);
}

function searchHits(m: MapBoxes | null, text: string): Set<number> | null {
  const match = matcher(text);
  if (!m || !match) return null;
  const hits = new Set<number>();
  for (let k = 0; k < m.n; k++) {
    const scope = m.scope[k];
    if (match(m.names[m.name[k]] ?? '') || match(m.names[m.shape[k]] ?? '') || (scope !== null && match(m.names[scope] ?? ''))) hits.add(m.buffer[k]);
  }
  return hits;
}

const under = signal<{ text: string[]; x: number; y: number } | null>(null);

function describe(m: MapBoxes, k: number): string[] {
  if (k >= m.n) {
    const j = k - m.n;
    const block = blockOf(m, m.merged.block[j]);
    return [
      `${formatCount(m.merged.count[j])} boxes smaller than a pixel, drawn as one`,
      `${formatBytes(m.merged.size_bytes[j], { unit: 'own' })} at ${formatBytes(m.merged.offset_bytes[j], { unit: 'own' })}`,
      `the largest is ${block.shape || 'without a shape'}${block.scope ? ` of ${block.scope}` : ''}`,
    ];
  }
  const name = m.names[m.name[k]] ?? '';
  const shape = m.names[m.shape[k]] ?? '';
  const lines = [
    `%${name}`,
    shape,
    `${formatBytes(m.size_bytes[k], { unit: 'own' })} at offset ${exactBytes(m.offset_bytes[k])} (0x${m.offset_bytes[k].toString(16)})`,
  ];
  lines.push(
    m.flags[k] & 1
      ? 'live all the time: not in the heap trace'
      : `steps ${formatCount(m.start_step[k])} to ${formatCount(m.end_step[k])}${m.flags[k] & 2 ? ', never freed' : ''}`,
  );
  if (m.flags[k] & 4) lines.push('other values share this storage at the same time');
  return lines;
}

/** The map as it is drawn, and which of its boxes is at a place. */
class MapDrawing {
  private drawn: MapInput | null = null;
  private size = { width: 0, height: 0 };
  /** Of what is drawn, filled when the pointer asks. */
  private raster: IdRaster | null = null;
  private coloured: { map: MapBoxes; by: ColourBy; blocks: unknown; variables: string[]; merged: string[] } | null = null;

  draw = (g: CanvasRenderingContext2D, width: number, height: number, scale: Scale): void => {
    const m = map.peek();
    if (!m) return;
    const { variables, merged } = this.colours(m);
    this.drawn = {
      map: m,
      curve: curve.peek(),
      scale,
      top: 2,
      bottom: height - 2,
      font: `11px ${getComputedStyle(g.canvas).fontFamily}`,
      mono: `11px ${cssColor('--mono')}`,
      bytesText: (b) => formatBytes(b, { withUnit: false }),
      tickText,
      fillOf: (k) => fillColour(variables[k]),
      inkOf: (k) => inkColour(variables[k]),
      mergedFillOf: (j) => fillColour(merged[j]),
      least: colourBy.peek() === 'block' ? 0.25 : 1,
      over: overBoxes.peek(),
      pinned: pinned.peek(),
      hovered: hoverBuffer.peek(),
      hits: searchHits(m, mapSearch.peek()) ?? narrowed.peek(),
    };
    this.size = { width, height };
    this.raster = null;
    drawMap(g, this.drawn, {
      soft: cssColor('--fg-soft'),
      fg: cssColor('--fg'),
      rule: cssColor('--rule'),
      hole: cssColor('--hole'),
      accent: cssColor('--accent'),
      sunk: cssColor('--bg-sunk'),
    });
    crosshair(g, scale, height);
  };

  /** Variables of the boxes and of the joined ones, kept until the map or its colouring changes. */
  private colours(m: MapBoxes): { variables: string[]; merged: string[] } {
    const by = colourBy.peek();
    if (this.coloured?.map !== m || this.coloured.by !== by || this.coloured.blocks !== blockColours.peek())
      this.coloured = {
        map: m,
        by,
        blocks: blockColours.peek(),
        variables: Array.from({ length: m.n }, (_, k) => variableOf(by, wordsOf(m, k))),
        merged: Array.from({ length: m.merged.n }, (_, j) => variableOf(by, mergedWords(m, j))),
      };
    return this.coloured;
  }

  /** Index of the box at the pointer: below m.n one of the boxes, above one of the joined ones, -1 none. */
  boxAt(x: number, y: number): number {
    if (this.drawn) this.raster ??= rasterOf(this.size.width, this.size.height, this.drawn);
    return this.raster ? hitBox(this.raster, x, y) : -1;
  }
}

function watch(): void {
  void [map.value, curve.value, pinned.value, hoverBuffer.value, inspected.value, mapSearch.value, narrowed.value];
  void [colourBy.value, blockColours.value, overBoxes.value];
}

export function AddressMap() {
  const canvas = useStepsCanvas(() => {
    const drawing = new MapDrawing();
    const boxAt = (e: MouseEvent): number => {
      const box = (canvas.current as HTMLCanvasElement).getBoundingClientRect();
      return drawing.boxAt(e.clientX - box.left, e.clientY - box.top);
    };
    return {
      picture: 'addresses',
      draw: drawing.draw,
      resized: (_, height) => {
        plot.value = { ...plot.peek(), mapHeight: Math.max(40, height) };
      },
      watch,
      click: (e, step) => {
        const k = boxAt(e);
        const m = map.peek();
        if (m && k >= 0 && k < m.n) pin(m.buffer[k] === pinned.peek() ? null : m.buffer[k]);
        else if (m && k >= m.n) openMerged(m, k - m.n);
        else inspect(step);
      },
      hover: (event, step) => {
        const m = map.peek();
        const k = event ? boxAt(event) : -1;
        hoverBuffer.value = m && k >= 0 && k < m.n ? m.buffer[k] : null;
        under.value = event && m && k >= 0 ? { text: describe(m, k), x: event.clientX, y: event.clientY } : null;
        hoverAt(k < 0 ? event : null, step);
      },
    };
  });
  const m = map.value;
  const folded = mapFolded.value;
  return (
    <div class={`m-map${mapFull.value ? ' m-map-full' : ''}${folded ? ' m-map-folded' : ''}${twin.value ? ' m-twin' : ''}`}>
      <MapLegend />
      {twin.value && !folded ? <Later part="MapTwin" /> : null}
      <canvas
        ref={canvas}
        class="m-map-canvas"
        tabIndex={0}
        role="application"
        aria-label={m ? `Address map: ${formatCount(m.n)} boxes, heap of ${formatBytes(m.heap_bytes)}` : 'Address map'}
      />
      <UnderPointer />
    </div>
  );
}

/** The merged ones as rows: the table, filtered to the steps of the cell, smallest last. */
function openMerged(m: MapBoxes, j: number): void {
  change({ tab: 'buffers', at: String(m.merged.start_step[j]), sort: 'size' });
  openTab('buffers');
}

function UnderPointer() {
  const box = useRef<HTMLDivElement>(null);
  const at = under.value;
  useEffect(() => {
    if (!box.current || !at) return;
    const w = box.current.offsetWidth;
    const h = box.current.offsetHeight;
    box.current.style.left = `${at.x + 16 + w > window.innerWidth ? at.x - w - 12 : at.x + 16}px`;
    box.current.style.top = `${at.y + 14 + h > window.innerHeight ? at.y - h - 10 : at.y + 14}px`;
  });
  if (!at) return null;
  return (
    <div class="m-hover" ref={box} role="status">
      {at.text.map((line, k) => (
        <div key={line} class={k === 0 ? 'm-hover-head' : ''}>
          {line}
        </div>
      ))}
    </div>
  );
}

const COLOURS: { id: ColourBy; label: string }[] = [
  { id: 'group', label: 'op group' },
  { id: 'class', label: 'class' },
  { id: 'scope', label: 'scope' },
  { id: 'dtype', label: 'dtype' },
  { id: 'size', label: 'size' },
  { id: 'block', label: 'shape and scope' },
];

function MapSearch({ hits }: { hits: Set<number> | null }) {
  return (
    <input
      class="m-map-search"
      type="search"
      placeholder="find"
      title="text or /regex/; Enter for the next match"
      aria-label="Find buffers in the map"
      value={mapSearch.value}
      onInput={(e) => {
        mapSearch.value = (e.currentTarget as HTMLInputElement).value;
      }}
      onKeyDown={(e) => {
        if (e.key === 'Enter' && hits && hits.size > 0) nextHit([...hits], e.shiftKey);
        if (e.key === 'Escape') mapSearch.value = '';
      }}
    />
  );
}

function ColourChoice() {
  return (
    <label class="btn-s">
      <span class="w-long">colour:</span>{' '}
      <select
        aria-label="colour by"
        value={colourBy.value}
        onChange={(e) => {
          const value = (e.currentTarget as HTMLSelectElement).value;
          change({ colour: value === usualColour.peek() ? null : value });
        }}
      >
        {COLOURS.map((c) => (
          <option key={c.id} value={c.id}>
            {c.label}
          </option>
        ))}
      </select>
    </label>
  );
}

function MapLegend() {
  const m = map.value;
  const entries =
    m && colourBy.value !== 'block'
      ? legendOf(
          colourBy.value,
          Array.from({ length: Math.min(m.n, 2000) }, (_, k) => wordsOf(m, k)),
        )
      : [];
  void themeVersion.value;
  const hits = searchHits(m, mapSearch.value);
  return (
    <div class="m-legend">
      <b>Addresses</b>
      <span class="m-keys">
        {colourBy.value === 'block' ? <Later part="BlockKeys" /> : null}
        {entries.map((e) => (
          <span class="m-key" key={e.label} title={e.label}>
            <i class="k-box" style={{ background: fillColour(e.variable) }} /> <span>{e.label}</span>
          </span>
        ))}
        <span class="m-key">
          <i class="k-box" style={{ background: cssColor('--hole') }} /> <span>hole</span>
        </span>
      </span>
      <MapSearch hits={hits} />
      {hits ? <span class="m-count">{hits.size === 0 ? 'no buffer matches' : `${hits.size} found`}</span> : null}
      {m && m.merged_count > 0 ? (
        <button type="button" class="btn-s" title="boxes smaller than a pixel are merged; click for the table" onClick={() => openTab('buffers')}>
          {formatCount(m.merged_count)} merged
        </button>
      ) : null}
      {m && m.limit !== null && m.n >= m.limit ? <span class="m-count">the {formatCount(m.n)} largest one by one</span> : null}
      <ColourChoice />
      <button
        type="button"
        class="btn-s"
        aria-label={mapFull.value ? 'exit full screen' : 'full screen'}
        onClick={() => {
          mapFull.value = !mapFull.value;
        }}
      >
        {mapFull.value ? 'close' : 'full'}
      </button>
    </div>
  );
}

/** Enter in the search pins the next match, Shift+Enter the one before. */
function nextHit(hits: number[], back: boolean): void {
  const at = pinned.peek() === null ? -1 : hits.indexOf(pinned.peek() as number);
  const next = (at + (back ? -1 : 1) + hits.length) % hits.length;
  pin(hits[next] ?? null);
}
