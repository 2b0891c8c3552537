/** The drawer of What if: result, ticked changes in their order, what would add. */
import { useEffect, useState } from 'preact/hooks';
import { exactBytes, formatBytes, formatPercent, plural } from '../util/format';
import { cellText } from '../memory/bytes';
import { pinned, summary } from '../memory/state';
import { turnDrawer } from '../memory/what_if_state';
import { Icon } from '../ui/icons';
import { ACTION_WORDS, ACTIONS, type Action } from './items';
import {
  changes,
  chooseAction,
  menuOf,
  missing,
  otherRows,
  plan,
  planProblem,
  rate,
  resetChanges,
  type Row,
  startWhatIf,
  tickChange,
  tickedRows,
} from './state';
import type { Plan, Tried } from './types';
import { costText, workText } from './words';

/** A fall as "−2,560.0"; a rise is red; below 0.05 MiB grey. */
function Fall({ bytes, soft, label }: { bytes: number; soft?: boolean; label?: string }) {
  const small = Math.abs(bytes) < 0.05 * 2 ** 20;
  const text = bytes === 0 ? '0' : bytes > 0 ? cellText(-bytes) : `+${cellText(-bytes)}`;
  return (
    <span class={`num ${soft || small ? 'faint' : bytes > 0 ? 'good' : 'bad'}`} title={exactBytes(-bytes)}>
      {label ? `${label} ` : ''}
      {text}
    </span>
  );
}

function DrawerHead({ on }: { on: number }) {
  return (
    <header class="wi-head">
      <b>What if</b>
      <span class="soft">{on > 0 ? `${on} of ${on + otherRows.value.length} ticked` : 'no changes'}</span>
      <span class="m-grow" />
      <AddPinned />
      <button type="button" class="btn-s" disabled={on === 0} onClick={resetChanges}>
        Reset
      </button>
      <button type="button" class="m-icon" title="close; changes are kept (Alt+W)" aria-label="close what if" onClick={turnDrawer}>
        <Icon name="close" size={14} />
      </button>
    </header>
  );
}

export function WhatIfDrawer() {
  useEffect(startWhatIf, []);
  const p = plan.value;
  const on = changes.value.length;
  const others = p ? [...otherRows.value.entries()].sort(([x], [y]) => (p.try.adds_bytes[y] ?? 0) - (p.try.adds_bytes[x] ?? 0)) : [];
  const union = summary.value?.live_is_union;
  return (
    <aside class="m-card wi" aria-label="what if">
      <DrawerHead on={on} />
      <div class="wi-scroll">
        {planProblem.value ? (
          <p class="m-note" role="alert">
            {planProblem.value}
          </p>
        ) : null}
        {p ? (
          <Result p={p} />
        ) : (
          <p class="m-note" aria-busy="true">
            computing …
          </p>
        )}
        <div class="wi-title">
          <span>Active changes, in order</span>
          <span>peak falls by</span>
        </div>
        {p ? tickedRows.value.map((row, i) => <RowView key={row.item.id} row={row} tried={p.rows} at={i} program={p.program_flops} ticked />) : null}
        {missing.value.map((change) => (
          <p key={change.id} class="m-note">
            {change.id} from the link is not in this program.{' '}
            <button type="button" class="link" onClick={() => tickChange(change, false)}>
              remove it
            </button>
          </p>
        ))}
        {on === 0 ? <p class="m-note">Tick a change below to see the headline, bar and curve with it.</p> : null}
        <div class="wi-title">
          <span>Other changes</span>
          <span>{on > 0 ? `on top of the ${on} active` : 'each alone'}</span>
        </div>
        {others.length > 1 && !union ? (
          <p class="wi-foot soft">Savings overlap: each one is for that change alone, so two together may save less than their sum.</p>
        ) : null}
        {union ? (
          <p class="m-note">Addresses overlap in this memory space, so only removing buffers can be computed. Tick them in the table of buffers.</p>
        ) : null}
        {p ? others.map(([i, row]) => <RowView key={row.item.id} row={row} tried={p.try} at={i} program={p.program_flops} ticked={false} />) : null}
        <p class="wi-foot soft">
          Live bytes are exact. The heap cannot be smaller than the lower bound; how well the compiler will pack it is unknown until it compiles.
        </p>
      </div>
    </aside>
  );
}

/** The pinned buffer, as a change of its own. */
function AddPinned() {
  const at = pinned.value;
  const there = at !== null && changes.value.some((change) => change.id === String(at));
  return (
    <button
      type="button"
      class="btn-s"
      disabled={at === null || there}
      title={at === null ? 'pin a buffer first: click a box, a bar or a row' : there ? 'it is already selected' : 'add the pinned buffer'}
      onClick={() => tickChange({ id: String(at), action: 'drop', parts: 2 }, true)}
    >
      Add the pinned buffer
    </button>
  );
}

function Line({ title, value, side, tip }: { title: string; value: string; side: string; tip?: string }) {
  return (
    <div title={tip}>
      <dt>{title}</dt>
      <dd>{value}</dd>
      <dd class="soft">{side}</dd>
    </div>
  );
}

function Result({ p }: { p: Plan }) {
  const s = summary.value;
  if (!s) return null;
  const live = Math.max(1, s.peak.held_bytes - s.resident_bytes);
  const loose = s.live_is_union ? 1 : Math.max(1, s.heap_bytes / live);
  const reserved = p.resident_bytes + p.heap_at_least_bytes * loose;
  const redone = tickedRows.value.flatMap((row, i) => (row.change.action === 'recompute' && p.rows.changed[i] > 0 ? [p.rows.flops[i]] : []));
  const work = redone.some((flops) => flops === null) ? null : redone.reduce<number>((sum, flops) => sum + (flops ?? 0), 0);
  return (
    <dl class="wi-result">
      <Line
        title="Peak, live bytes"
        value={formatBytes(p.new_peak_bytes)}
        side={p.saving_bytes === 0 ? 'no change' : cellText(-p.saving_bytes)}
        tip={exactBytes(p.new_peak_bytes)}
      />
      <Line
        title="Heap, lower bound"
        value={`≥ ${formatBytes(p.heap_at_least_bytes)}`}
        side={`${cellText(s.heap_bytes)} now`}
        tip="the most temporaries live at once: no packing can be smaller"
      />
      <Line
        title="Reserved, packed as now"
        value={s.steps === 0 ? 'unknown' : `≈ ${formatBytes(reserved)}`}
        side={`+${formatPercent(loose - 1, 1)} fragmentation`}
        tip="an estimate, with the present share of fragmentation"
      />
      <Line
        title="Work added"
        value={redone.length === 0 ? 'none' : work === null ? 'unknown' : workText(work)}
        side={work && p.program_flops ? `${formatPercent(work / p.program_flops, 1)} of all` : ''}
      />
      {p.moved_bytes > 0 ? <Line title="Moved, out and back" value={formatBytes(p.moved_bytes)} side="" /> : null}
      <Rate />
    </dl>
  );
}

const RATE = 'xprofd.whatif.rate';

/** GB/s between device and host: nothing in a profile says it, so it is typed. */
function Rate() {
  const [text, setText] = useState(() => {
    try {
      return localStorage.getItem(RATE) ?? '';
    } catch {
      return '';
    }
  });
  const value = Number(text);
  const good = text.trim() !== '' && value > 0 && value < 1e5;
  useEffect(() => {
    rate.value = good ? value * 1e9 : null;
    try {
      if (good) localStorage.setItem(RATE, text);
      else localStorage.removeItem(RATE);
    } catch {
      // Storage may be blocked; the rate then lasts for this page.
    }
  }, [text]);
  return (
    <div title="to show the transfer time of offloads">
      <dt>
        <label for="wi-rate">Transfer rate, GB/s</label>
      </dt>
      <dd>
        <input
          id="wi-rate"
          inputMode="decimal"
          size={6}
          placeholder="not known"
          value={text}
          aria-invalid={text.trim() !== '' && !good}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </dd>
      <dd />
    </div>
  );
}

function RowView({ row, tried, at, program, ticked }: { row: Row; tried: Tried; at: number; program: number | null; ticked: boolean }) {
  const { item, change } = row;
  if (at >= tried.n) return null;
  const no = tried.impossible[at];
  const open = menuOf.value === item.id;
  const cost = costText(
    { action: change.action, moved: tried.moved_bytes[at], flops: tried.flops[at], bytes: tried.size_bytes[at], parts: change.parts },
    program,
    rate.value,
  );
  return (
    <div class={`wi-row${ticked ? ' on' : ''}`} data-id={item.id}>
      <input
        type="checkbox"
        checked={ticked}
        aria-label={`${item.count} ${item.code}: ${ACTION_WORDS[change.action]}`}
        onChange={(event) => tickChange(change, event.currentTarget.checked)}
      />
      <span class="wi-name cut" title={`${item.code}\n${item.from}`}>
        {item.count} <code>{item.code}</code>
      </span>
      <button
        type="button"
        class="wi-action"
        aria-expanded={open}
        aria-label={`change: ${ACTION_WORDS[change.action]}`}
        onClick={() => {
          menuOf.value = open ? null : item.id;
        }}
      >
        {ACTION_WORDS[change.action]}
        {change.action === 'shard' ? ` ${change.parts}` : ''} <span aria-hidden="true">{open ? '▴' : '▾'}</span>
      </button>
      <b>{no ? <span class="faint">cannot</span> : <Fall bytes={tried.adds_bytes[at]} />}</b>
      <span class="wi-from cut" title={no ?? `${item.from}; ${cost}`}>
        {no ?? [item.from, cost].filter(Boolean).join(' · ')}
        {tried.changed[at] < tried.count[at] && !no ? `; ${plural(tried.count[at] - tried.changed[at], 'buffer')} cannot` : ''}
      </span>
      <span class="wi-alone">{no ? null : <Fall bytes={tried.alone_bytes[at]} label="alone" soft />}</span>
      {open ? <Menu row={row} program={program} /> : null}
    </div>
  );
}

/** All seven actions with what each would do; those that cannot be say why. */
function Menu({ row, program }: { row: Row; program: number | null }) {
  const menu = plan.value?.menu;
  const { item, change } = row;
  if (!menu || menu.buffer[0] !== Math.min(...item.buffers) || menu.count[0] !== new Set(item.buffers).size) return <div class="wi-menu" aria-busy="true" />;
  const line = (action: Action, at: number) => {
    const no = menu.impossible[at];
    const on = change.action === action;
    const cost = costText({ action, moved: menu.moved_bytes[at], flops: menu.flops[at], bytes: menu.size_bytes[at], parts: change.parts }, program, rate.value);
    return (
      <div key={action} class={`wi-choice${on ? ' on' : ''}${no ? ' off' : ''}`}>
        <button
          type="button"
          role="menuitemradio"
          aria-checked={on}
          aria-disabled={no !== null}
          onClick={() => (no ? undefined : chooseAction(item.id, action, change.parts))}
        >
          <span aria-hidden="true">{on ? '✓' : ''}</span> {ACTION_WORDS[action]}
        </button>
        {action === 'shard' && !no ? <Parts parts={change.parts} onParts={(parts) => chooseAction(item.id, 'shard', parts)} /> : <span />}
        {no ? <span /> : <Fall bytes={menu.adds_bytes[at]} />}
        <span class="faint cut" title={no ?? cost}>
          {no ?? cost}
        </span>
      </div>
    );
  };
  return (
    <div class="wi-menu" role="menu" aria-label={`what to do with ${item.code}`}>
      {ACTIONS.map(line)}
    </div>
  );
}

/** What is typed stays while answers come in; it counts with Enter or when the field is left. */
function Parts({ parts, onParts }: { parts: number; onParts: (parts: number) => void }) {
  const [text, setText] = useState<string | null>(null);
  return (
    <input
      inputMode="numeric"
      size={4}
      aria-label="number of parts"
      value={text ?? String(parts)}
      onInput={(event) => setText(event.currentTarget.value)}
      onChange={(event) => {
        const typed = Math.round(Number(event.currentTarget.value));
        setText(null);
        if (typed >= 2 && typed <= 65_536) onParts(typed);
      }}
    />
  );
}
