/** Buffers: the heap at step A as address map or table, with search, types, and who shares bytes with whom. */
import { useEffect, useState } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { copyText } from '../app/toast';
import { cellText, sizeText } from '../memory/bytes';
import { Choice } from '../memory/buffers';
import { change, stepCount, summary } from '../memory/state';
import { type Column, VirtualTable } from '../table/virtual';
import { exactBytes, formatBytes, formatCount, pageUnit, plural } from '../util/format';
import { basePlace, stepWords } from './base_state';
import { baseHeap, bytesByRow, hasPartner, heapPartner, loneHeap, useBufferPairs } from './base_buffers_state';
import { heldBeforeWords } from './base_join';
import { leafWords, rowVariable } from './colours';
import { addressText } from './draw_heap';
import { withMeaning } from './glossary';
import { HeapMap } from './heap_map';
import { boxScale, BOX_COLOURS, boxValues, boxValueText } from './box_colours';
import { ScaleKey } from './scale_key';
import {
  asTable,
  boxColour,
  boxScaleId,
  finder,
  fullScreen,
  heap,
  heapMode,
  hiddenRows,
  hovered,
  inHex,
  nextChange,
  pinnedBuffer,
  pinnedTenancy,
  pinPlace,
  place,
  rowBytes,
  rowBytesOf,
  search,
  startHeap,
  type HeapMode,
} from './heap_state';
import { PlaceCard } from './place_card';
import { chooseStep, failed, stepA } from './state';
import { countCell, ToBase } from './lines';
import type { Heap } from './types';
import { toggled } from '../util/toggled';
import { Switch } from './switch';
import { together } from '../util/listen';

function keys(): () => void {
  return together([
    registerKeys('memory', {
      change_step: (_, stroke) => {
        const to = nextChange(stepA.peek() ?? 0, stroke === 0 ? -1 : 1);
        if (to !== null) chooseStep(to, false);
      },
      full_map: () => change({ rfull: fullScreen.peek() ? null : 1 }),
    }),
    registerKeys('everywhere', {
      table_twin: () => change({ rview: asTable.peek() ? null : 'table' }),
      escape: () => {
        if (fullScreen.peek()) change({ rfull: null });
        else if (search.peek()) change({ rq: null });
        else if (pinnedTenancy.peek() !== null || pinnedBuffer.peek() !== null) pinPlace(null, null);
        else return false;
      },
    }),
  ]);
}

export function BuffersLine() {
  const now = heap.value;
  const was = baseHeap.value;
  if (!now) return null;
  return (
    <span class="soft r-line-text">
      {countCell(now.n + now.left_out, was?.n === undefined ? undefined : was.n + was.left_out)} live at step {now.step} of{' '}
      {plural(now.tenancies, 'temporary', 'temporaries')}, {countCell(now.live_bytes, was?.live_bytes, formatBytes)} in a heap of{' '}
      {countCell(now.heap_bytes, was?.heap_bytes, formatBytes)}
      {pinnedBuffer.value !== null && pinnedTenancy.value === null ? (
        <b>
          {' '}
          {now.residents.buffer.includes(pinnedBuffer.value)
            ? ' the pinned buffer is always there, so it has no heap address'
            : ' the pinned buffer is not in the heap at this step'}
        </b>
      ) : null}
    </span>
  );
}

const MODES: [HeapMode, string][] = [
  ['live', 'Live at step'],
  ['before', 'What held these bytes'],
  ['conflicts', 'Conflicts'],
];

export function BuffersControls() {
  const now = heap.value;
  if (!now) return null;
  return (
    <div class="r-controls">
      <ViewSwitch />
      <Finder now={now} />
      <ModeSwitch now={now} />
      <span class="m-grow" />
      <ColourChoices />
      <AddressChoices now={now} />
      <Stepper />
      <button
        type="button"
        class="btn-s"
        aria-pressed={fullScreen.value}
        title="Shift F; Esc exits"
        onClick={() => change({ rfull: fullScreen.peek() ? null : 1 })}
      >
        {fullScreen.value ? 'Shrink' : 'Full'}
      </button>
      {boxColour.value === 'type' ? null : <BoxKey now={now} />}
      <Types now={now} />
    </div>
  );
}

function ViewSwitch() {
  return (
    <Switch
      label="map or table"
      value={asTable.value ? 'table' : 'map'}
      choices={[
        { id: 'map', text: 'Map', title: 'T' },
        { id: 'table', text: 'Table', title: 'T' },
      ]}
      onChange={(to) => change({ rview: to === 'map' ? null : to })}
    />
  );
}

function Finder({ now }: { now: Heap }) {
  const found = finder.value;
  const matches = found && !found.wrong ? now.name.filter((name, k) => found.finds(`${now.names[name]} ${now.names[now.shape[k]]}`)).length : 0;
  return (
    <>
      <input
        class="m-map-search r-search"
        type="search"
        placeholder="name or /regex/"
        aria-label="find buffers of this step"
        aria-invalid={Boolean(found?.wrong)}
        title={found?.wrong}
        value={search.value}
        onInput={(event) => change({ rq: event.currentTarget.value })}
      />
      {found ? <span class={found.wrong ? 'r-grow' : 'soft'}>{found.wrong || plural(matches, 'match', 'matches')}</span> : null}
    </>
  );
}

function ModeSwitch({ now }: { now: Heap }) {
  const p = place.value;
  const counts: Record<HeapMode, string> = {
    live: String(now.step ?? ''),
    before: p?.before ? formatCount(p.before.count) : '',
    conflicts: p?.conflicts ? formatCount(p.conflicts.count) : '',
  };
  const unpinned = pinnedTenancy.value === null;
  return (
    <Switch
      label="what is shown"
      value={heapMode.value}
      choices={MODES.map(([id, title]) => {
        const off = id !== 'live' && unpinned;
        return { id, text: `${title} ${counts[id]}`, title: off ? 'click a buffer first to pin it' : undefined, off };
      })}
      onChange={(mode) => change({ rmode: mode === 'live' ? null : mode })}
    />
  );
}

function ColourChoices() {
  return (
    <>
      <Choice
        label="colour"
        value={boxColour.value}
        options={Object.keys(BOX_COLOURS)}
        titles={BOX_COLOURS}
        onChange={(by) => change({ rcol: by === 'type' ? null : by })}
      />
      {boxColour.value === 'type' ? null : (
        <Choice
          label="scale"
          value={boxScaleId.value}
          options={['relative', 'absolute', 'rank']}
          onChange={(id) => change({ rscale: id === 'relative' ? null : id })}
        />
      )}
    </>
  );
}

/** Bytes in a row of the map, and how addresses are written. */
function AddressChoices({ now }: { now: Heap }) {
  const own = rowBytesOf(now.heap_bytes);
  const sizes = [own / 4, own / 2, own, own * 2, own * 4].filter((bytes) => bytes >= 1).map(String);
  return (
    <>
      <Choice
        label="row"
        value={String(rowBytes.value)}
        options={sizes}
        titles={Object.fromEntries(sizes.map((bytes) => [bytes, formatBytes(Number(bytes), { unit: 'own' }).replace('.0', '')]))}
        onChange={(bytes) => change({ rrow: Number(bytes) === own ? null : bytes })}
      />
      <Choice
        label="addresses"
        value={inHex.value ? 'hex' : 'MiB'}
        options={['MiB', 'hex']}
        titles={{ MiB: pageUnit.value }}
        onChange={(unit) => change({ raddr: unit === 'hex' ? 'hex' : null })}
      />
    </>
  );
}

function Stepper() {
  const step = (by: 1 | -1) => {
    const a = stepA.peek();
    if (a !== null) chooseStep(Math.min(Math.max(0, a + by), stepCount.peek() - 1), false);
  };
  return (
    <span class="r-stepper">
      <button
        type="button"
        class="btn-s"
        aria-label="previous step"
        title="one event back (←); Shift jumps to the next change above 1 %"
        onClick={() => step(-1)}
      >
        ‹
      </button>{' '}
      step <b>{stepA.value}</b>{' '}
      <button type="button" class="btn-s" aria-label="next step" title="one event on (→); Shift jumps to the next change above 1 %" onClick={() => step(1)}>
        ›
      </button>
    </span>
  );
}

function BoxKey({ now }: { now: Heap }) {
  const by = boxColour.value;
  const at = hovered.value?.place.pinned?.tenancy;
  const k = at === undefined ? -1 : now.tenancy.indexOf(at);
  const scale = boxScale(now, by, boxScaleId.value);
  return (
    <span class="r-key" role="group" aria-label="colour key of the map">
      <ScaleKey scale={scale} text={(value) => boxValueText(by, value, sizeText)} hoveredAt={k < 0 ? null : scale.place(boxValues(now, by)[k])} />
    </span>
  );
}

/** Which group of types a leaf belongs to: each is in one. */
const GROUP_OF: [group: string, leaf: RegExp][] = [
  ['results', /^compute/],
  ['moved', /^(space_copy|relayout|collectives|host)$/],
  ['free', /^holes$/],
  ['user', /^(arguments|outputs|constants)$/],
];
export function typeGroup(leaf: string): string {
  return GROUP_OF.find(([, pattern]) => pattern.test(leaf))?.[0] ?? 'other';
}

/** Check boxes of the types that lie in the heap; an unticked one leaves its place empty. */
function Types({ now }: { now: Heap }) {
  const was = baseHeap.value ? bytesByRow(baseHeap.value).set('holes', baseHeap.value.holes_bytes) : null;
  const bytes = bytesByRow(now);
  for (const id of was?.keys() ?? []) if (id !== 'holes' && !bytes.has(id)) bytes.set(id, 0);
  const order = ['user', 'results', 'moved', 'other', 'free'];
  const entries = [...bytes].sort((a, b) => order.indexOf(typeGroup(a[0])) - order.indexOf(typeGroup(b[0])) || b[1] - a[1]);
  entries.push(['holes', now.holes_bytes]);
  const toggle = (id: string) => {
    change({ rhide: [...toggled(hiddenRows.peek(), id)].join('|') });
  };
  return (
    <span class="r-types">
      {entries.map(([id, size], k) => (
        <label key={id} class="r-check" title={`${typeGroup(id)}: ${exactBytes(size)}`}>
          {k === 0 || typeGroup(entries[k - 1][0]) !== typeGroup(id) ? <span class="soft">{typeGroup(id)}:</span> : null}
          <input type="checkbox" checked={!hiddenRows.value.has(id)} onChange={() => toggle(id)} />
          <i style={{ background: `var(${rowVariable(id) || '--o-none'})` }} />
          {id === 'holes' ? 'holes' : leafWords(id)} <b>{countCell(size, was ? (was.get(id) ?? 0) : undefined, cellText)}</b>
          {id === 'holes' ? ` in ${formatCount(now.holes.n + now.holes.left_out)}` : ''}
        </label>
      ))}
    </span>
  );
}

export function BuffersPane() {
  useBufferPairs(true);
  useEffect(() => together([startHeap(), keys()]), []);
  const s = summary.value;
  if (s && s.steps === 0)
    return (
      <p class="m-note">
        This memory space has no heap trace, so there is no address map. A compiler that keeps heap_simulator_traces records one. Details, Ops and Kinds are
        complete without it.
      </p>
    );
  return (
    <div class={`r-buffers${fullScreen.value ? ' r-full' : ''}`}>
      {fullScreen.value ? <BuffersControls /> : null}
      <div class="r-buffers-main">
        {asTable.value ? <HeapTable /> : <HeapMap />}
        <PlaceCard />
      </div>
    </div>
  );
}

/** `of`: the heap it lies in; the baseline's where it has no partner in ours. */
type Row = { k: number; of: Heap; name: string; shape: string; row: string };
type SortId = 'address' | 'size' | 'first' | 'last' | 'name';

/** What lies in the heap, ours first, without the hidden types and what the search leaves out. */
function rowsOf(now: Heap): Row[] {
  const rows: Row[] = [];
  const found = finder.value;
  const put = (of: Heap, k: number) => {
    const row = { k, of, name: of.names[of.name[k]], shape: of.names[of.shape[k]], row: of.names[of.row[k]] };
    if (!hiddenRows.value.has(row.row) && (!found || found.finds(`${row.name} ${row.shape}`))) rows.push(row);
  };
  for (let k = 0; k < now.n; k++) put(now, k);
  const base = baseHeap.value;
  if (base) for (const k of loneHeap(now)) put(base, k);
  return rows;
}

const SORT_KEYS: Record<SortId, (row: Row) => number | string> = {
  address: ({ k, of }) => of.offset_bytes[k],
  size: ({ k, of }) => of.size_bytes[k],
  first: ({ k, of }) => of.start_step[k],
  last: ({ k, of }) => of.end_step[k],
  name: ({ name }) => name,
};

function sortRows(rows: Row[], id: SortId, down: boolean): Row[] {
  const key = SORT_KEYS[id];
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.k - b.k) * (down ? -1 : 1));
}

function number(id: string, title: string, text: (k: number, of: Heap) => string, sort?: SortId, tip?: (k: number, of: Heap) => string): Column<Row> {
  return {
    id,
    title,
    width: '104px',
    number: true,
    sort,
    cell: (row) => text(row.k, row.of),
    tip: tip ? (row) => tip(row.k, row.of) : undefined,
  };
}

/** Size against the heap before; nothing where there is none. */
function baseColumns(now: Heap): Column<Row>[] {
  const base = baseHeap.value;
  const partner = heapPartner.value;
  if (!partner || !basePlace.value) return [];
  const before = (row: Row) => (row.of === base ? row.of.size_bytes[row.k] : (partner(now.buffer[row.k]) ?? null));
  const own = (row: Row) => (row.of === now ? row.of.size_bytes[row.k] : 0);
  return [
    {
      id: 'baseline',
      title: 'vs before',
      width: '104px',
      number: true,
      hint: `size minus the size of its match in the heap before, ${stepWords(0)}; differences add up to that of live memory`,
      cell: (row) => <ToBase value={own(row)} before={before(row)} where={stepWords(0)} />,
    },
  ];
}

function columnsOf(now: Heap): Column<Row>[] {
  const typeOf = (row: Row) => (row.of === now ? leafWords(row.row) : `${heldBeforeWords(hasPartner(row.of.buffer[row.k]))}, ${leafWords(row.row)}`);
  return [
    {
      id: 'name',
      title: 'buffer',
      width: 'minmax(160px, 2fr)',
      sort: 'name',
      cell: (row) => <code class="cut">{row.name}</code>,
      tip: (row) => withMeaning(row.name),
    },
    { id: 'shape', title: 'shape', width: 'minmax(140px, 2fr)', cell: (row) => <code class="cut">{row.shape}</code>, tip: (row) => row.shape },
    { id: 'row', title: 'type', width: 'minmax(110px, 1fr)', cell: (row) => <span class="cut">{typeOf(row)}</span>, tip: typeOf },
    number('hex', 'address', (k, of) => addressText(of.offset_bytes[k], true), 'address'),
    number(
      'at',
      pageUnit.value,
      (k, of) => addressText(of.offset_bytes[k], false),
      'address',
      (k, of) => exactBytes(of.offset_bytes[k]),
    ),
    number(
      'end',
      'end',
      (k, of) => addressText(of.offset_bytes[k] + of.size_bytes[k], false),
      undefined,
      (k, of) => exactBytes(of.offset_bytes[k] + of.size_bytes[k]),
    ),
    number(
      'size',
      'size',
      (k, of) => cellText(of.size_bytes[k]),
      'size',
      (k, of) => exactBytes(of.size_bytes[k]),
    ),
    ...baseColumns(now),
    number(
      'padding',
      'padding',
      (k, of) => `${boxValueText('padding', of.size_bytes[k] > 0 ? (100 * (of.size_bytes[k] - of.unpadded_bytes[k])) / of.size_bytes[k] : 0, sizeText)}`,
      undefined,
      (k, of) => exactBytes(of.size_bytes[k] - of.unpadded_bytes[k]),
    ),
    number('tenants', 'tenants', (k, of) => formatCount(of.tenants[k])),
    number('first', 'first step', (k, of) => formatCount(of.start_step[k]), 'first'),
    number('last', 'last step', (k, of) => formatCount(of.end_step[k] - 1), 'last'),
  ];
}

function HeapTable() {
  const now = heap.value;
  const [sort, setSort] = useState<{ id: SortId; down: boolean }>({ id: 'address', down: false });
  if (!now)
    return (
      <p class="m-note" aria-busy={failed.value === ''}>
        {failed.value || '…'}
      </p>
    );
  const rows = sortRows(rowsOf(now), sort.id, sort.down);
  const isPinned = (row: Row) => row.of === now && now.tenancy[row.k] === pinnedTenancy.value;
  return (
    <VirtualTable<Row>
      label={`heap at step ${now.step}`}
      columns={columnsOf(now)}
      count={rows.length}
      rowAt={(index) => rows[index] ?? null}
      sort={sort.id}
      descending={sort.down}
      onSort={(id) => setSort({ id: id as SortId, down: sort.id === id ? !sort.down : id === 'size' })}
      rowClass={(row) => (isPinned(row) ? 'pinned' : '')}
      reveal={pinnedTenancy.value === null ? -1 : rows.findIndex(isPinned)}
      onOpen={(row) => {
        if (row.of === now) pinPlace(now.tenancy[row.k], null);
      }}
      onCopy={(row) => copyText([row.name, row.shape, addressText(row.of.offset_bytes[row.k], true), row.of.size_bytes[row.k]].join('\t'), row.name)}
      empty={finder.value ? 'no buffer at this step matches' : 'nothing is in the heap at this step'}
    />
  );
}
