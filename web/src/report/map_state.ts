/** Module and device map: what is a tile, which quantity, which scale; all in the address. Pure but for signals. */
import { computed, effect, signal } from '@preact/signals';
import { call, isAborted, type ApiError } from '../api/client';
import type { TraceAllocators } from '../api/answers';
import type { Modules } from '../api/types';
import { modules, run } from '../app/state';
import { view } from '../app/router';
import { subject, summary } from '../memory/state';
import { formatBytes } from '../util/format';
import { graphNow } from './state';
import { makeScale, type ScaleId } from './scales';

export type Quantity = 'peak' | 'reserved' | 'fragmentation' | 'arguments' | 'outputs' | 'constants' | 'temporaries';
export const QUANTITIES: Record<Quantity, string> = {
  peak: 'live at the peak',
  reserved: 'reserved',
  fragmentation: 'fragmentation',
  arguments: 'arguments',
  outputs: 'outputs',
  constants: 'constants',
  temporaries: 'temporaries at the peak',
};
export const SCALES: Record<ScaleId, string> = { relative: 'relative', absolute: 'absolute', rank: 'rank' };

export interface Tile {
  id: string;
  /** Its strip: a memory space, or a host. */
  strip: string;
  label: string;
  bytes: number;
  capacity: number | null;
  facts: [string, string | number][];
  module?: string;
  color?: number;
}

/** Tiles on screen at most; what is smaller is counted. */
export const MOST_TILES = 400;
const MOST_HOSTS = 32;

export const mapOf = computed<'modules' | 'devices'>(() => (view.value.mapof === 'devices' ? 'devices' : 'modules'));
export const mapShape = computed<'map' | 'bars'>(() => (view.value.mapshape === 'bars' ? 'bars' : 'map'));
export const scaleId = computed<ScaleId>(() => (view.value.scale && view.value.scale in SCALES ? (view.value.scale as ScaleId) : 'relative'));
export const quantity = computed<Quantity>(() => (view.value.mapq && view.value.mapq in QUANTITIES ? (view.value.mapq as Quantity) : 'peak'));
export const mapSpace = computed(() => (/^\d+$/.test(view.value.mapspace ?? '') ? Number(view.value.mapspace) : null));
/** Tiles that stand beside the open one, as columns. */
export const mapChosen = computed(() => (view.value.mods ?? '').split('|').filter(Boolean).slice(0, 7));

export interface SpaceRow {
  module: number;
  key: string;
  name: string;
  color: number;
  space: string;
  arguments: number;
  outputs: number;
  constants: number;
  temporaries: number | null;
  peak: number;
  reserved: number;
  fragmentation: number | null;
  /** Outside of what is reserved. */
  threadLocal: number;
  failed: boolean;
  runs: number | null;
}

/** One row for each memory space of each module, largest peak first. Its four classes add up to the peak. */
export function spaceRows(m: Modules): SpaceRow[] {
  const s = m.spaces;
  const rows = s.module.map((module, j) => ({
    module,
    key: m.key[module],
    name: m.name[module],
    color: s.color[j],
    space: s.name[j],
    arguments: s.argument_bytes[j] ?? 0,
    // those written into arguments are counted there
    outputs: (s.output_bytes[j] ?? 0) - (s.alias_bytes[j] ?? 0),
    constants: s.constant_bytes[j] ?? 0,
    temporaries: s.temp_bytes[j],
    peak: s.peak_bytes[j] ?? 0,
    reserved: s.reserved_bytes[j] ?? 0,
    fragmentation: s.fragmentation_bytes[j],
    threadLocal: s.thread_local_bytes[j] ?? 0,
    failed: m.failed_to_compile[module],
    runs: m.run_count[module],
  }));
  return rows.filter((row) => row.peak > 0 || row.reserved > 0).sort((a, b) => b.peak - a.peak || a.module - b.module || a.color - b.color);
}

export const allRows = computed<SpaceRow[]>(() => (modules.value ? spaceRows(modules.value) : []));
export const spacesThere = computed(() => {
  const found = new Map<number, string>();
  for (const row of allRows.value) found.set(row.color, row.space);
  return [...found].sort((a, b) => a[0] - b[0]);
});

export const measured = signal<{ run: string; rows: { host: string; answer: TraceAllocators }[]; hostsLeftOut: number; problem: string } | null>(null);

/** Peak in use of each allocator of a device, as the runtime reported it. */
export function deviceTiles(rows: { host: string; answer: TraceAllocators }[]): Tile[] {
  return rows.flatMap(({ host, answer }) =>
    answer.tracks.map((track) => ({
      id: `${host}|${track.allocator}|${track.process}`,
      strip: host,
      label: /^\d+$/.test(track.allocator) ? `device ${track.allocator}` : track.allocator,
      bytes: track.most_bytes,
      capacity: track.capacity_bytes,
      facts: [
        ['host', host],
        ['events', track.events],
      ] as [string, string | number][],
    })),
  );
}

export const tiles = computed<Tile[]>(() => {
  if (mapOf.value === 'devices') return measured.value ? deviceTiles(measured.value.rows) : [];
  const capacity = summary.value?.capacity_bytes ?? modules.value?.capacity_bytes ?? null;
  return allRows.value
    .filter((row) => (mapSpace.value === null || row.color === mapSpace.value) && row[quantity.value] !== null)
    .map((row) => ({
      id: `${row.key}@${row.color}`,
      strip: row.space,
      label: row.name,
      bytes: row[quantity.value] ?? 0,
      // the capacity that is known is that of the main memory
      capacity: row.color === 0 ? capacity : null,
      facts: [
        ['runs', row.runs ?? 'unknown'],
        ...(row.threadLocal > 0 ? [['thread-local, not included', formatBytes(row.threadLocal, { unit: 'own' })]] : []),
      ] as [string, string | number][],
      module: row.key,
      color: row.color,
    }));
});
/** Modules of the map whose quantity no heap event tells: they have no tile. */
export const untoldTiles = computed(() =>
  mapOf.value === 'devices'
    ? 0
    : allRows.value.filter((row) => (mapSpace.value === null || row.color === mapSpace.value) && row[quantity.value] === null).length,
);
/** The largest that there is room for; modules by size, devices in their own order, as they stand in the machine. */
export const shownTiles = computed(() => {
  const largest = [...tiles.value].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_TILES);
  if (mapOf.value !== 'devices') return largest;
  const shown = new Set(largest);
  return tiles.value.filter((tile) => shown.has(tile));
});
export const mapScale = computed(() => {
  const capacities = tiles.value.map((tile) => tile.capacity).filter((bytes): bytes is number => bytes !== null);
  return makeScale(
    scaleId.value,
    tiles.value.map((tile) => tile.bytes),
    capacities.length ? Math.max(...capacities) : null,
  );
});

/** Asks what the runtime's allocators of each host had in use; a run without a trace has none. */
export function startMap(): () => void {
  return effect(() => {
    const now = run.value;
    if (graphNow.value !== 'modules' || !now || measured.peek()?.run === now.id) return;
    const hosts = now.hosts.filter((host) => host.format === 'xplane');
    const rows: { host: string; answer: TraceAllocators }[] = [];
    const done = (problem: string) => {
      measured.value = { run: now.id, rows, hostsLeftOut: Math.max(0, hosts.length - MOST_HOSTS), problem };
    };
    const next = (k: number): void => {
      if (k >= Math.min(hosts.length, MOST_HOSTS)) {
        done('');
        return;
      }
      call<TraceAllocators>('trace/allocators', { run: subject.peek().run, host: hosts[k].name, px: 1 }, { key: 'report/allocators', quiet: true })
        .then((answer) => {
          if (answer.tracks.length > 0) rows.push({ host: hosts[k].name, answer });
          next(k + 1);
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) done((error as ApiError).message);
        });
    };
    next(0);
  });
}

/** Why there is no device map, or ''. */
export const noDevices = computed(() => {
  const m = measured.value;
  if (!m) return 'reading allocation events …';
  if (m.rows.length > 0) return '';
  return m.problem || 'this profile has no allocation events (host tracer level 2 and above records them); the compiler’s numbers are the same on all devices';
});
