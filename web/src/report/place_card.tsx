/** The pinned place: who it is, all tenants of the address, conflicts, and the heap at the step. */
import { toast } from '../app/toast';
import { cellText, sizeText } from '../memory/bytes';
import { OpName } from '../app/links';
import { change, stepCount, summary } from '../memory/state';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { baseHeap, heapPartner } from './base_buffers_state';
import { countCell } from './lines';
import { leafWords, rowVariable } from './colours';
import { addressText } from './draw_heap';
import { addToPlot, plotIds } from './plot_state';
import { heap, heapMode, pinPlace, place } from './heap_state';
import { stepA } from './state';
import type { Place, PlaceList } from './types';

export function Life({ start, end, row }: { start: number; end: number; row: string }) {
  const steps = Math.max(1, stepCount.value);
  const a = stepA.value;
  return (
    <span class="r-life" title={`steps ${start} to ${end - 1}`}>
      <i
        style={{
          left: `${(start / steps) * 100}%`,
          width: `${(Math.max(0, end - start) / steps) * 100}%`,
          background: `var(${rowVariable(row) || '--o-none'})`,
        }}
      />
      {a === null ? null : <b style={{ left: `${((a + 0.5) / steps) * 100}%` }} />}
    </span>
  );
}

interface TenantsProps {
  list: PlaceList;
  names: string[];
  most: number;
  now: number | null;
  links: boolean;
}

export function Tenants({ list, names, most, now, links }: TenantsProps) {
  const shown = Math.min(list.n, most);
  return (
    <>
      {Array.from({ length: shown }, (_, k) => (
        <div key={list.tenancy[k]} class={`r-tenant${list.tenancy[k] === now ? ' now' : ''}`} data-tenancy={list.tenancy[k]}>
          {links ? (
            <button type="button" class="m-op cut" title={names[list.name[k]]} onClick={() => pinPlace(list.tenancy[k], null)}>
              %{names[list.name[k]]}
            </button>
          ) : (
            <code class="cut">{names[list.name[k]]}</code>
          )}
          <Life start={list.start_step[k]} end={list.end_step[k]} row={names[list.row[k]]} />
          <span class="num" title={exactBytes(list.size_bytes[k])}>
            {cellText(list.size_bytes[k])}
          </span>
          {links ? null : (
            <span class="num soft">
              {list.start_step[k]}–{list.end_step[k]}
            </span>
          )}
        </div>
      ))}
      {list.count > shown ? <div class="soft">+{formatCount(list.count - shown)} more</div> : null}
    </>
  );
}

type Pinned = NonNullable<Place['pinned']>;

/** How large the pinned buffer is, where and when it lives, and what the peak would be without it. */
function PinnedFacts({ pinned }: { pinned: Pinned }) {
  const peak = summary.value?.peak.held_bytes ?? 0;
  return (
    <dl class="m-pairs">
      <dt>Size</dt>
      <dd title={exactBytes(pinned.size_bytes)}>{countCell(pinned.size_bytes, heapPartner.value?.(pinned.buffer), sizeText)}</dd>
      <dt>Address</dt>
      <dd>
        <code>{addressText(pinned.offset_bytes, true)}</code> {sizeText(pinned.offset_bytes)}
      </dd>
      <dt>End</dt>
      <dd>
        <code>{addressText(pinned.end_bytes, true)}</code> {sizeText(pinned.end_bytes)}
      </dd>
      <dt>Lives</dt>
      <dd>
        {formatCount(pinned.start_step)} – {formatCount(pinned.end_step)}{' '}
        <span class="soft">
          {formatCount(pinned.end_step - pinned.start_step)} of {plural(stepCount.value, 'step')}
        </span>
      </dd>
      <dt>Peak without it</dt>
      <dd>
        {formatBytes(peak - pinned.saving_bytes)} <span class="soft">{pinned.saving_bytes > 0 ? `\u2212${sizeText(pinned.saving_bytes)}` : 'the same'}</span>
      </dd>
    </dl>
  );
}

function Conflicts({ list, names }: { list: PlaceList; names: string[] }) {
  return (
    <>
      <h3>
        Conflicts <span class="soft">can never share its bytes</span>
      </h3>
      <p>
        <b>
          {plural(list.count, 'buffer')}, {formatBytes(list.total_bytes)}
        </b>{' '}
        are live during its lifetime; arguments conflict with everything.
      </p>
      <Tenants list={list} names={names} most={6} now={null} links={true} />
    </>
  );
}

export function PlaceCard() {
  const p = place.value;
  const now = heap.value;
  if (!p?.pinned || !now) return null;
  const { pinned } = p;
  return (
    <aside class="r-place" aria-label="pinned place">
      <h2>
        {pinned.instruction ? <OpName name={pinned.instruction} /> : pinned.name}
        <button type="button" class="btn-s" title="unpin (Esc)" onClick={() => pinPlace(null, null)}>
          ×
        </button>
      </h2>
      <p>
        <code>{pinned.shape}</code>
      </p>
      <p class="row">
        <span class="m-badge">
          <i class="r-swatch" style={{ background: `var(${rowVariable(pinned.row) || '--o-none'})` }} /> {leafWords(pinned.row)}
        </span>
        <button type="button" class="btn-s" title="its details: padding, source and savings" onClick={() => change({ mode: null, pin: pinned.buffer }, true)}>
          Card
        </button>
        <PlotButton buffer={pinned.buffer} />
      </p>
      <PinnedFacts pinned={pinned} />
      <h3>
        Tenants of 0x{p.offset_bytes.toString(16).padStart(9, '0')} <span class="soft">{formatCount(p.tenants.count)}, by step</span>
      </h3>
      <Tenants list={p.tenants} names={p.names} most={40} now={pinned.tenancy} links={true} />
      {p.conflicts ? <Conflicts list={p.conflicts} names={p.names} /> : null}
      <p class="row">
        <ModeButton mode="conflicts" text="Show conflicts" />
        <ModeButton mode="before" text="What held these bytes" />
      </p>
      <h3>
        Heap at step {now.step} <span class="soft">{plural(now.n + now.left_out, 'buffer')}</span>
      </h3>
      <dl class="m-pairs">
        <dt>In use</dt>
        <dd>{countCell(now.live_bytes, baseHeap.value?.live_bytes, formatBytes)}</dd>
        <dt>Largest hole</dt>
        <dd>{now.holes.largest === null ? 'none' : `${sizeText(now.holes.largest.size_bytes)} at ${addressText(now.holes.largest.offset_bytes, false)}`}</dd>
      </dl>
    </aside>
  );
}

/** Adds a buffer to the graph above. */
function PlotButton({ buffer }: { buffer: number }) {
  const there = plotIds.value.includes(buffer);
  return (
    <button
      type="button"
      class="btn-s"
      title={there ? 'already chosen; show the chosen buffers' : 'add it to the chosen buffers'}
      onClick={() => {
        const why = there ? '' : addToPlot(buffer);
        if (there) change({ graph: 'plot' });
        else if (why) toast(why);
      }}
    >
      Plot
    </button>
  );
}

function ModeButton({ mode, text }: { mode: 'conflicts' | 'before'; text: string }) {
  const on = heapMode.value === mode;
  return (
    <button type="button" class={`btn-s${on ? ' on' : ''}`} aria-pressed={on} onClick={() => change({ rmode: on ? null : mode })}>
      {text}
    </button>
  );
}
