/** Left: search over the module, its computations as a tree whose rows add up, and what takes the longest. */
import { Fragment } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { setView } from '../app/router';
import { oneStop, treeKeys } from '../ui/arrows';
import { setStyle, shareWidth } from '../ui/size';
import { Icon } from '../ui/icons';
import { NameCut, SHORT } from '../ui/name_cut';
import { formatCount, formatPercent, plural } from '../util/format';
import type { HeavyList, Overview, TreeRows } from './api';
import { stripeOfGroup } from './draw';
import { ask, asked, earlierHits, FIELDS, field, hitAt, hits, hitsFrom, isRegex, moreHits, stepHit, why } from './search_state';
import { picked, showComputation } from './settings';
import { go, goLine } from './state';
import { levelOf, openRows, startTree, toggleRow } from './tree_state';
import { bytesText, cyclesShort, flopText, timeText } from './words';
import { themeVersion } from '../app/theme';
import { badgeBy, clockHz, estimatePs, halfOf, measured, overview } from './times_state';

const cyclesText = (cycles: number | null) => {
  const ps = estimatePs(cycles);
  return cycles === null ? '–' : ps === null ? cyclesShort(cycles) : timeText(ps);
};
const cyclesTip = (cycles: number | null) => (cycles === null ? undefined : `${formatCount(cycles)} cycles by the compiler’s estimate`);

export function Swatch({ group }: { group: string }) {
  void themeVersion.value;
  return (
    <i
      class="swatch"
      ref={(e) => {
        if (e) e.style.background = stripeOfGroup(group);
      }}
    />
  );
}

/* ---- search ---- */

function SearchField({ box }: { box: { current: HTMLInputElement | null } }) {
  return (
    <label class="field">
      <Icon name="search" size={13} />
      <input
        ref={box}
        placeholder="find ops"
        aria-label="find ops in the module"
        value={asked.value}
        onInput={(event) => ask(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') stepHit(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            ask('');
            event.currentTarget.blur();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <select
        aria-label="field"
        value={field.value}
        onChange={(event) => setView({ gqf: event.currentTarget.value === 'all' ? null : event.currentTarget.value })}
      >
        {FIELDS.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <button
        type="button"
        class={`g-regex mono${isRegex.value ? ' on' : ''}`}
        aria-pressed={isRegex.value}
        aria-label="regular expression"
        title="regular expression"
        onClick={() => setView({ gqre: !isRegex.value })}
      >
        .*
      </button>
    </label>
  );
}

/** How many there are, and which one is chosen. */
function HitCount() {
  const found = hits.value;
  const at = hitAt.value;
  return (
    <p class="g-search-line small soft">
      <span role="status">
        {why.value ? (
          <span class="bad">{why.value}</span>
        ) : found ? (
          `${at >= 0 ? `${formatCount(hitsFrom.value + at + 1)} of ` : ''}${formatCount(found.total)} ${at >= 0 ? 'hits' : `${found.total === 1 ? 'hit' : 'hits'}${overview.value ? ` of ${formatCount(overview.value.instructions)}` : ''}`}`
        ) : (
          'looking'
        )}
      </span>
      <span class="grow" />
      <kbd>Enter</kbd> next
    </p>
  );
}

function SearchPart({ box }: { box: { current: HTMLInputElement | null } }) {
  const found = hits.value;
  const from = hitsFrom.value;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('li.on')?.scrollIntoView({ block: 'nearest' });
  }, [hitAt.value, from]);
  return (
    <section class="g-search">
      <SearchField box={box} />
      {asked.value.trim() ? <HitCount /> : null}
      {found?.ix.length ? (
        <ul class="g-hits" ref={list}>
          {from > 0 ? (
            <li>
              <button type="button" class="link g-more" onClick={earlierHits}>
                {formatCount(from)} before
              </button>
            </li>
          ) : null}
          {found.ix.map((ix, k) => (
            <li key={ix} class={found.name[k] === picked.value ? 'on' : ''}>
              <button
                type="button"
                class="g-row"
                aria-label={`${found.name[k]} line ${found.line[k]}, ${cyclesText(found.cycles[k])}`}
                title={`${found.opcode[k]} ${found.op_name[k]}`}
                onClick={() => go(found.name[k])}
              >
                <Swatch group={found.group[k]} />
                <NameCut name={found.name[k]} />
                <span class="faint">{found.line[k]}</span>
                <span class="num">{cyclesText(found.cycles[k])}</span>
              </button>
            </li>
          ))}
          {found.total > from + found.ix.length ? (
            <li>
              <button type="button" class="link g-more" onClick={moreHits}>
                {formatCount(found.total - from - found.ix.length)} more
              </button>
            </li>
          ) : null}
        </ul>
      ) : null}
    </section>
  );
}

/* ---- computations ---- */

function openRow(rows: TreeRows, k: number): void {
  const kind = rows.kind[k];
  const line = rows.line[k];
  if (kind === 'op') go(rows.label[k]);
  else if (kind === 'computation') showComputation(rows.label[k].replace(/^ENTRY /, ''));
  else if (rows.has_children[k]) toggleRow(rows.key[k]);
  else if (line) goLine(line - 1);
}

/** The button of a row's name: what it is, of an operation with its colour. */
function TreeName({ rows, k, entry }: { rows: TreeRows; k: number; entry: boolean }) {
  const op = rows.kind[k] === 'op';
  return (
    <button
      type="button"
      class="g-tree-name"
      tabIndex={-1}
      aria-label={op ? rows.label[k] : undefined}
      title={`${rows.label[k]}${rows.moved_bytes[k] !== null ? `, ${bytesText(rows.moved_bytes[k])} of results` : ''}${rows.flops[k] ? `, ${flopText(rows.flops[k])}` : ''}`}
      onClick={() => openRow(rows, k)}
    >
      {op ? <Swatch group={rows.group[k]} /> : null}
      {op ? (
        <NameCut name={rows.label[k]} />
      ) : (
        <span class={rows.kind[k] === 'computation' ? 'mono cut' : 'cut'}>{entry ? rows.label[k].slice(6) : rows.label[k]}</span>
      )}
      {entry ? <span class="g-tag">ENTRY</span> : null}
      {rows.kind[k] === 'fold' ? <span class="g-tag accent">×{rows.repeat[k]}</span> : null}
    </button>
  );
}

function TreeRow({ rows, k, depth, isOpen }: { rows: TreeRows; k: number; depth: number; isOpen: boolean }) {
  const key = rows.key[k];
  const op = rows.kind[k] === 'op';
  const isPicked = op && rows.label[k] === picked.value;
  return (
    <div
      class={`g-tree-row${isPicked ? ' on' : ''}`}
      role="treeitem"
      tabIndex={-1}
      aria-expanded={rows.has_children[k] ? isOpen : undefined}
      aria-selected={isPicked}
      aria-level={depth + 1}
      ref={setStyle('paddingLeft', `${6 + depth * 11}px`)}
    >
      {rows.has_children[k] ? (
        <button type="button" class="g-twist" tabIndex={-1} aria-label={isOpen ? 'fold' : 'open'} onClick={() => toggleRow(key)}>
          {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span class="g-twist" />
      )}
      <TreeName rows={rows} k={k} entry={depth === 0 && rows.kind[k] === 'computation' && rows.label[k].startsWith('ENTRY ')} />
      <span class="num faint">
        {op ? (rows.line[k] ?? '') : rows.repeat[k] > 1 && rows.ops_each[k] ? `${rows.repeat[k]} × ${formatCount(rows.ops_each[k])}` : formatCount(rows.ops[k])}
      </span>
      <span class="num" title={cyclesTip(rows.cycles[k])}>
        {cyclesText(rows.cycles[k])}
      </span>
    </div>
  );
}

function TreeLevel({ parent, depth }: { parent: string; depth: number }) {
  const rows = levelOf(parent);
  if (!rows) return depth ? <div class="g-row faint">reading</div> : null;
  return (
    <>
      {rows.key.map((key, k) => {
        const isOpen = openRows.value.has(key);
        return (
          <Fragment key={key}>
            <TreeRow rows={rows} k={k} depth={depth} isOpen={isOpen} />
            {isOpen ? <TreeLevel parent={key} depth={depth + 1} /> : null}
          </Fragment>
        );
      })}
      {rows.left_out > 0 ? <div class="g-row faint">{formatCount(rows.left_out)} more: find them by name above</div> : null}
    </>
  );
}

function TreePart() {
  useEffect(startTree, []);
  const o = overview.value;
  return (
    <section class="g-tree">
      <h3 aria-level={2}>
        Computations <span class="soft">{o ? formatCount(o.computations) : ''}</span>
        <span class="grow" />
        <span class="soft small">ops</span>
        <span class="soft small num">{clockHz.value ? 'est. time' : 'cycles'}</span>
      </h3>
      <div class="g-tree-box" role="tree" aria-label="computations" ref={oneStop} {...treeKeys}>
        <TreeLevel parent="" depth={0} />
      </div>
    </section>
  );
}

/* ---- heaviest ---- */

interface Heavy {
  list: HeavyList;
  /** "time a run", "est. time": what the numbers are. */
  unit: string;
  title: string;
  amount: (k: number) => number;
  text: (k: number) => string;
  tip: (k: number) => string | undefined;
}

/** By measured time where the program ran, else by the compiler's cycles, else by bytes. */
function heaviestOf(o: Overview): Heavy | null {
  const t = badgeBy.value === 'measured' ? measured.value : null;
  if (t?.heaviest?.n) {
    const list = t.heaviest;
    const all = list.self_ps.map(Number);
    const each = t.runs ? all.map((ps) => ps / Number(t.runs)) : all;
    return {
      list,
      unit: t.runs ? 'time a run' : 'time',
      title: 'Heaviest',
      amount: (k) => each[k],
      text: (k) => ({ none: timeText(each[k]), start: 'starts', done: `waits ${timeText(each[k])}` })[halfOf(list.ix[k])],
      tip: (k) =>
        `${halfOf(list.ix[k]) === 'start' ? `${timeText(each[k])}: starts a transfer; the chip waits for it at its done;  ` : ''}${formatPercent(all[k] / Number(t.all_self_ps), 1)} of the measured time of this program’s operations${t.runs ? `; mean of ${plural(t.runs, 'run')}` : ''}`,
    };
  }
  const list = o.heaviest;
  if (!list.name.length) return null;
  const byCycles = list.cycles.some((cycles) => cycles !== null);
  if (byCycles)
    return {
      list,
      unit: clockHz.value ? 'est. time' : 'est. cycles',
      title: 'Heaviest',
      amount: (k) => list.cycles[k] ?? 0,
      text: (k) => cyclesText(list.cycles[k]),
      tip: (k) => cyclesTip(list.cycles[k]),
    };
  return { list, unit: 'bytes', title: 'Largest', amount: () => 0, text: (k) => bytesText(list.moved_bytes[k]), tip: () => undefined };
}

function HeavyPart() {
  const heavy = overview.value && heaviestOf(overview.value);
  if (!heavy) return null;
  const { list } = heavy;
  const most = Math.max(...list.name.map((_, k) => heavy.amount(k)), 0);
  /** ".366" of the last that is like it. */
  const lastOf = (k: number) => (list.repeat[k] > 1 ? (list.last?.[k] ?? '').replace(/^.*(?=\.)/, '') : '');
  return (
    <section class="g-heavy">
      <h3 aria-level={2}>
        {heavy.title} <span class="soft small">repeats folded</span>
        <span class="grow" />
        <span class="soft small">{heavy.unit}</span>
      </h3>
      <ul>
        {list.name.map((name, k) => (
          <li key={name} class={name === picked.value ? 'on' : ''}>
            <button
              type="button"
              class="g-row"
              aria-label={`${name}${list.repeat[k] > 1 ? ` ×${list.repeat[k]}` : ''}, ${heavy.text(k)}`}
              title={[lastOf(k) ? `${name} … ${list.last?.[k]}` : name, list.label[k]].filter(Boolean).join('\n')}
              onClick={() => go(name)}
            >
              <Swatch group={list.group[k]} />
              {lastOf(k) && name.length + lastOf(k).length <= SHORT ? (
                <span class="mono cut">
                  {name}
                  <span class="faint"> … {lastOf(k)}</span>
                </span>
              ) : (
                <NameCut name={name} />
              )}
              {list.repeat[k] > 1 ? <span class="g-tag">×{list.repeat[k]}</span> : null}
              <span class="num" title={heavy.tip(k)}>
                {heavy.text(k)}
              </span>
              {most ? <i class="g-heavy-bar" ref={shareWidth(heavy.amount(k) / most)} /> : null}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function LeftColumn({ box }: { box: { current: HTMLInputElement | null } }) {
  return (
    <aside class="g-left" aria-label="program">
      <SearchPart box={box} />
      <TreePart />
      <HeavyPart />
    </aside>
  );
}
