/** Map of all modules by memory space, or of devices as measured: tiles coloured by one of three scales, or bars by class. */
import { signal } from '@preact/signals';
import { apiUrl, csvUrl } from '../api/client';
import { view } from '../app/router';
import { Choice } from '../memory/buffers';
import { cellText, sizeText } from '../memory/bytes';
import { csvText, fileName, saveText } from '../app/exports';
import { change, subject, summary } from '../memory/state';
import { TipBox } from '../charts/tip';
import { exactBytes, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import {
  allRows,
  mapChosen,
  mapOf,
  mapScale,
  mapShape,
  mapSpace,
  MOST_TILES,
  noDevices,
  quantity,
  QUANTITIES,
  scaleId,
  SCALES,
  shownTiles,
  spacesThere,
  tiles,
  type Quantity,
  type SpaceRow,
  type Tile,
} from './map_state';
import { measured, untoldTiles } from './map_state';
import { ScaleKey } from './scale_key';
import { placeColour, rankOf } from './scales';
import { Switch } from './switch';

const hovered = signal<{ tile: Tile; x: number; y: number } | null>(null);

const keep = () => ({
  graph: view.peek().graph ?? null,
  mapof: view.peek().mapof ?? null,
  mapshape: view.peek().mapshape ?? null,
  scale: view.peek().scale ?? null,
  mapq: view.peek().mapq ?? null,
  mapspace: view.peek().mapspace ?? null,
  mods: view.peek().mods ?? null,
  rtab: view.peek().rtab ?? null,
});

function openId(): string {
  const s = summary.value;
  return s ? `${s.module.key}@${s.space.color}` : '';
}

/** A click opens the module and space; with Ctrl it stands beside the open one. */
function choose(tile: Tile, add: boolean): void {
  if (tile.module === undefined) return;
  if (!add) {
    change({ module: tile.module, space: tile.color, ...keep() }, true);
    return;
  }
  const next = mapChosen.peek().includes(tile.id) ? mapChosen.peek().filter((id) => id !== tile.id) : [...mapChosen.peek(), tile.id];
  change({ mods: next.join('|') });
}

function MapSwitches({ devices }: { devices: boolean }) {
  return (
    <>
      <Switch
        label="map of"
        value={mapOf.value}
        choices={[
          { id: 'modules', text: 'modules', title: 'from the compiler: the same on all devices of a program' },
          {
            id: 'devices',
            text: 'devices',
            title: noDevices.value || 'peak in use of each allocator, as reported by the runtime',
            off: noDevices.value !== '' && !devices,
          },
        ]}
        onChange={(of) => change({ mapof: of === 'modules' ? null : of })}
      />
      <Switch
        label="shape of the map"
        value={mapShape.value}
        choices={[
          { id: 'map', text: 'map' },
          {
            id: 'bars',
            text: 'bars',
            title: devices ? 'the runtime does not record the class of its bytes' : 'one bar per module, stacked by class',
            off: devices,
          },
        ]}
        onChange={(shape) => change({ mapshape: shape === 'map' ? null : shape })}
      />
    </>
  );
}

export function MapControls() {
  const devices = mapOf.value === 'devices';
  return (
    <>
      <MapSwitches devices={devices} />
      {devices ? null : (
        <Choice
          label="bytes"
          value={quantity.value}
          options={Object.keys(QUANTITIES)}
          titles={QUANTITIES}
          onChange={(next) => change({ mapq: next === 'peak' ? null : next })}
        />
      )}
      {devices ? null : (
        <Choice
          label="space"
          value={mapSpace.value === null ? 'all' : String(mapSpace.value)}
          options={['all', ...spacesThere.value.map(([color]) => String(color))]}
          titles={Object.fromEntries(spacesThere.value.map(([color, name]) => [String(color), name]))}
          onChange={(next) => change({ mapspace: next === 'all' ? null : next })}
        />
      )}
      {mapShape.value === 'bars' && !devices ? null : (
        <Choice
          label="scale"
          value={scaleId.value}
          options={Object.keys(SCALES)}
          titles={SCALES}
          onChange={(next) => change({ scale: next === 'relative' ? null : next })}
        />
      )}
    </>
  );
}

export function ModuleMap() {
  const at = hovered.value;
  const bars = mapShape.value === 'bars' && mapOf.value === 'modules';
  const left = tiles.value.length - shownTiles.value.length;
  return (
    <div class="r-chart">
      <div class="r-mapside">
        {tiles.value.length === 0 ? (
          <p class="m-note">{mapOf.value === 'devices' ? noDevices.value : 'no module of this run has a buffer assignment'}</p>
        ) : bars ? (
          <Bars />
        ) : (
          <Strips />
        )}
        {bars ? null : <Key hoveredAt={at ? mapScale.value.place(at.tile.bytes) : null} />}
        {left > 0 && !bars ? (
          <p class="soft">
            {formatCount(left)} smaller ones are not drawn (at most {MOST_TILES}); scale and ranks include them.
          </p>
        ) : null}
        {untoldTiles.value > 0 && !bars ? (
          <p class="soft">{plural(untoldTiles.value, 'memory space')} without heap events not drawn: what is live there is unknown.</p>
        ) : null}
        {mapOf.value === 'devices' && (measured.value?.hostsLeftOut ?? 0) > 0 ? (
          <p class="soft">{formatCount(measured.value?.hostsLeftOut)} further hosts were not read.</p>
        ) : null}
      </div>
      <Chosen />
      {at ? <Tip tile={at.tile} x={at.x} y={at.y} /> : null}
    </div>
  );
}

function Strips() {
  const names = [...new Set(shownTiles.value.map((tile) => tile.strip))];
  const few = shownTiles.value.length <= 48;
  return (
    <div class="r-strips" role="group" aria-label={`map of ${mapOf.value}`}>
      {names.map((name) => (
        <div key={name} class="r-strip">
          <span class="soft cut" title={name}>
            {name}
          </span>
          <div class={`r-tiles${few ? ' few' : ''}`}>
            {shownTiles.value
              .filter((tile) => tile.strip === name)
              .map((tile) => (
                <OneTile key={tile.id} tile={tile} few={few} share={shareOf(tile)} />
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}

/** Of the bytes of its strip: a tile is as wide as that. */
function shareOf(tile: Tile): number {
  const all = shownTiles.value.filter((other) => other.strip === tile.strip).reduce((sum, other) => sum + other.bytes, 0);
  return all > 0 ? tile.bytes / all : 0;
}

function OneTile({ tile, few, share }: { tile: Tile; few: boolean; share: number }) {
  const place = mapScale.value.place(tile.bytes);
  const open = tile.id === openId();
  const chosen = mapChosen.value.includes(tile.id);
  const over = tile.capacity !== null && tile.bytes > tile.capacity;
  return (
    <button
      type="button"
      class={`r-tile${open ? ' open' : ''}${chosen ? ' chosen' : ''}${over ? ' over' : ''}${place > 0.8 ? ' dark' : ''}`}
      data-tile={tile.id}
      style={{ background: placeColour(place), flexGrow: share, flexBasis: `${share * 100}%` }}
      aria-label={`${tile.label}, ${tile.strip}: ${formatBytes(tile.bytes)}${over ? ', more than the capacity' : ''}`}
      aria-pressed={open || chosen}
      onClick={(event) => choose(tile, event.ctrlKey || event.metaKey)}
      onMouseMove={(event) => {
        hovered.value = { tile, x: event.clientX, y: event.clientY };
      }}
      onMouseLeave={() => {
        hovered.value = null;
      }}
      onFocus={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        hovered.value = { tile, x: box.right, y: box.bottom };
      }}
      onBlur={() => {
        hovered.value = null;
      }}
    >
      {few ? (
        <>
          <span class="cut">{tile.label}</span>
          <b>{cellText(tile.bytes)}</b>
        </>
      ) : null}
    </button>
  );
}

/** The colour key: ends of the scale, the capacity, and a tick at the tile under the pointer. */
function Key({ hoveredAt }: { hoveredAt: number | null }) {
  const scale = mapScale.value;
  return (
    <div class="r-key" role="group" aria-label="colour key">
      <ScaleKey scale={scale} text={sizeText} hoveredAt={hoveredAt} />
      <span class="soft cut">
        tile width is proportional to bytes, at least 18 pixels; {scale.note}
        {scale.id === 'relative' && scale.to > scale.from && sizeText(scale.from) === sizeText(scale.to)
          ? `, ${formatBytes(scale.to - scale.from, { unit: 'own' })} apart`
          : ''}
      </span>
      <span class="m-grow" />
      <button type="button" class="btn-s" onClick={saveTiles}>
        CSV
      </button>
      <a class="btn-s" href={apiUrl('modules', { run: subject.value.run, hbm: subject.value.hbm })} download={fileName('report.map', 'json')}>
        JSON
      </a>
    </div>
  );
}

function saveTiles(): void {
  const values = tiles.peek().map((tile) => tile.bytes);
  const rows = tiles.peek().map((tile) => [tile.strip, tile.label, tile.module ?? '', tile.bytes, tile.capacity, rankOf(tile.bytes, values)]);
  saveText(
    csvText([mapOf.peek() === 'devices' ? 'host' : 'space', mapOf.peek() === 'devices' ? 'device' : 'module', 'key', 'bytes', 'capacity_bytes', 'rank'], rows),
    fileName(`report.map.${mapOf.peek()}`, 'csv'),
  );
}

function Tip({ tile, x, y }: { tile: Tile; x: number; y: number }) {
  const values = tiles.value.map((other) => other.bytes);
  return (
    <TipBox x={x} y={y}>
      <div class="m-hover-head">{tile.label}</div>
      <div>
        {tile.strip}, {mapOf.value === 'devices' ? 'peak in use' : QUANTITIES[quantity.value]}: <b>{formatBytes(tile.bytes)}</b>{' '}
        <span class="soft">{exactBytes(tile.bytes)}</span>
      </div>
      <div>{tile.capacity === null ? 'capacity unknown' : `${formatPercent(tile.bytes / tile.capacity, 1)} of ${formatBytes(tile.capacity)}`}</div>
      <div>
        rank {formatCount(rankOf(tile.bytes, values))} of {formatCount(values.length)}
      </div>
      {tile.facts.map(([name, value]) => (
        <div key={name} class="soft">
          {name} {typeof value === 'number' ? formatCount(value) : value}
        </div>
      ))}
      {tile.module === undefined ? null : <div class="soft">click to open, Ctrl-click to compare with the open one</div>}
    </TipBox>
  );
}

const PARTS: [Quantity, string][] = [
  ['arguments', '--m-param'],
  ['outputs', '--m-output'],
  ['constants', '--m-const'],
  ['temporaries', '--m-temp'],
];

/** One bar a module: its four classes, which add up to its peak. */
function Bars() {
  const rows = allRows.value.filter((row) => mapSpace.value === null || row.color === mapSpace.value).slice(0, MOST_TILES);
  const most = Math.max(1, ...rows.map((row) => row.peak));
  return (
    <>
      <div class="r-bars-key">
        {PARTS.map(([part, variable]) => (
          <span key={part}>
            <i class="r-swatch" style={{ background: `var(${variable})` }} /> {part}
          </span>
        ))}
        <span class="soft">each bar is one module’s peak{rows.some((row) => row.threadLocal > 0) ? '; without thread-local memory' : ''}</span>
        <span class="m-grow" />
        <a class="btn-s" href={csvUrl('modules', { run: subject.value.run, hbm: subject.value.hbm })} download={fileName('modules', 'csv')}>
          CSV
        </a>
      </div>
      <div class="r-bars">
        {rows.map((row) => (
          <OneBar key={`${row.key}@${row.color}`} row={row} most={most} />
        ))}
      </div>
    </>
  );
}

function OneBar({ row, most }: { row: SpaceRow; most: number }) {
  const id = `${row.key}@${row.color}`;
  const parts = PARTS.filter(([part]) => (row[part] ?? 0) > 0);
  return (
    <button
      type="button"
      class={`r-modbar${id === openId() ? ' open' : ''}`}
      data-tile={id}
      title={`${row.name}, ${row.space}: ${parts.map(([part]) => `${part} ${exactBytes(row[part])}`).join(', ')}; peak ${exactBytes(row.peak)}`}
      onClick={(event) =>
        choose(
          { id, strip: row.space, label: row.name, bytes: row.peak, capacity: null, facts: [], module: row.key, color: row.color },
          event.ctrlKey || event.metaKey,
        )
      }
    >
      <code class="cut">{row.name}</code>
      <span class="soft">{row.space}</span>
      <span class="r-modbar-line">
        {parts.map(([part, variable]) => (
          <i key={part} style={{ width: `${((row[part] ?? 0) / most) * 100}%`, background: `var(${variable})` }} />
        ))}
      </span>
      <b>{cellText(row.peak)}</b>
    </button>
  );
}

const LINES: [Quantity | 'threadLocal', string][] = [
  ['peak', 'peak'],
  ['arguments', 'arguments'],
  ['outputs', 'outputs'],
  ['constants', 'constants'],
  ['temporaries', 'temporaries'],
  ['fragmentation', 'fragmentation'],
  ['reserved', 'reserved'],
  ['threadLocal', 'thread local, outside'],
];

const idOf = (row: SpaceRow) => `${row.key}@${row.color}`;

function ChosenHead({ row, first }: { row: SpaceRow; first: boolean }) {
  const takeAway = () =>
    change({
      mods: mapChosen
        .peek()
        .filter((id) => id !== idOf(row))
        .join('|'),
    });
  return (
    <th class="num" title={`${row.name}, ${row.space}`}>
      <span class="cut">{row.name}</span>
      <span class="soft">
        {row.space}
        {first ? null : (
          <button type="button" class="r-x" aria-label={`remove ${row.name}`} onClick={takeAway}>
            ×
          </button>
        )}
      </span>
    </th>
  );
}

/** `by`: its difference to the open module, null of itself and where either is unknown. */
function ChosenCell({ bytes, by }: { bytes: number | null; by: number | null }) {
  return (
    <td class="num" title={exactBytes(bytes)}>
      {cellText(bytes)}
      {by === null ? null : (
        <small class={by > 0 ? 'r-grow' : by < 0 ? 'r-shrink' : 'soft'}>{by === 0 ? '0' : `${by > 0 ? '+' : '\u2212'}${cellText(Math.abs(by))}`}</small>
      )}
    </td>
  );
}

/** The open module and those set beside it, a column each; differences against the open one. */
function Chosen() {
  const ids = [openId(), ...mapChosen.value.filter((id) => id !== openId())];
  const columns = ids.map((id) => allRows.value.find((row) => idOf(row) === id)).filter((row): row is SpaceRow => row !== undefined);
  if (columns.length === 0 || mapOf.value === 'devices') return null;
  return (
    <aside class="r-legend r-plot-legend r-compare-modules" aria-label="chosen modules">
      <table>
        <thead>
          <tr>
            <td />
            {columns.map((row, k) => (
              <ChosenHead key={idOf(row)} row={row} first={k === 0} />
            ))}
          </tr>
        </thead>
        <tbody>
          {LINES.map(([part, words]) => (
            <tr key={part}>
              <th>{words}</th>
              {columns.map((row, k) => {
                const [bytes, first] = [row[part], columns[0][part]];
                return <ChosenCell key={idOf(row)} bytes={bytes} by={k === 0 || bytes === null || first === null ? null : bytes - first} />;
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="soft r-hint">
        {columns.length > 1 ? plural(columns.length, 'module') : `peak ${sizeText(columns[0].peak)}; Ctrl-click another tile to compare`}
      </p>
    </aside>
  );
}
