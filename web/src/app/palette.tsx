import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../ui/icons';
import { formatBytes, formatCount } from '../util/format';
import { takeMessage } from './drop';
import { OomBox } from './oom_box';
import { filterBy, findInText, type Group, type Item, noMatch, parseAsked, type Scope, type Way } from './palette_items';
import {
  active,
  activeWay,
  ask,
  failedText,
  found,
  foundFor,
  grouped,
  isAnswered,
  itemsFor,
  kindsOf,
  only,
  scope,
  summaryText,
  TITLES,
  totalOf,
  ways,
} from './palette_search';
import { coverText, elsewhereSettled, stopElsewhere } from './palette_runs';
import { closePalette, enterWaits, oomOpen, paletteText, paletteWide } from './palette_state';
import { view } from './router';
import { needRuns } from './state';

function Marked({ text, part }: { text: string; part: string }) {
  const at = part ? text.toLowerCase().indexOf(part.toLowerCase()) : -1;
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + part.length)}</mark>
      {text.slice(at + part.length)}
    </>
  );
}

/** Beside a buffer: how much the peak falls without it. */
function Saves({ bytes }: { bytes: number | null | undefined }) {
  if (bytes === null || bytes === undefined) return null;
  return (
    <span class={`palette-saves cut small ${bytes > 0 ? 'good' : 'soft'}`}>
      {bytes > 0 ? `saves ${formatBytes(bytes, { unit: 'own' })}` : 'saves 0 at the peak'}
    </span>
  );
}

function Row({ item, index, part }: { item: Item; index: number; part: string }) {
  const on = index === active.value;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field's key handler acts on the active row
    <div
      class={`option palette-row${on ? ' active' : ''}`}
      role="option"
      tabIndex={-1}
      aria-selected={on}
      aria-disabled={Boolean(item.off)}
      onClick={() => pick(item)}
      onMouseMove={() => {
        if (active.value !== index) {
          active.value = index;
          ways.value = null;
        }
      }}
    >
      <Icon name={item.icon} size={14} />
      <span class={`palette-title cut${item.mono ? ' mono' : ''}`}>
        <Marked text={item.title} part={part} />
      </span>
      <span class="soft cut grow">
        <Marked text={item.detail} part={part} />
      </span>
      {item.size && <span class="num strong">{item.size}</span>}
      <Saves bytes={item.saves} />
      {item.side && <span class="side cut">{item.side}</span>}
      {item.caps?.map((cap) => (
        <kbd key={cap}>{cap}</kbd>
      ))}
      {on && ways.value && <Ways list={ways.value} />}
    </div>
  );
}

function Ways({ list }: { list: Way[] }) {
  return (
    <div class="popup palette-ways">
      {list.map((way, i) => (
        <button
          key={way.title}
          type="button"
          tabIndex={-1}
          class={`option${i === activeWay.value ? ' active' : ''}`}
          aria-disabled={Boolean(way.off)}
          title={way.off ?? undefined}
          onClick={(event) => {
            event.stopPropagation();
            if (!way.off) go(way.go);
          }}
        >
          <span class="title">{way.title}</span>
          <span class="side cut">{way.off ?? ''}</span>
        </button>
      ))}
    </div>
  );
}

function go(then: () => void): void {
  closePalette();
  then();
}

function pick(item: Item | undefined): void {
  if (item && !item.off) go(item.go);
}

function waysKey(event: KeyboardEvent, list: Way[]): boolean {
  if (event.key === 'ArrowDown') activeWay.value = Math.min(list.length - 1, activeWay.value + 1);
  else if (event.key === 'ArrowUp') activeWay.value = Math.max(0, activeWay.value - 1);
  else if (event.key === 'ArrowLeft' || event.key === 'Escape') ways.value = null;
  else if (event.key === 'Enter') {
    const way = list[activeWay.value];
    if (way && !way.off) go(way.go);
  } else return false;
  return true;
}

function listKey(event: KeyboardEvent, flat: Item[], raw: string): boolean {
  const item = flat[active.value];
  const field = event.target as HTMLInputElement;
  const atEnd = field.selectionStart === field.value.length && field.selectionEnd === field.value.length;
  if (event.key === 'ArrowDown') active.value = Math.min(flat.length - 1, active.value + 1);
  else if (event.key === 'ArrowUp') active.value = Math.max(0, active.value - 1);
  else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
    const { text } = parseAsked(raw);
    if (view.value.run && text) go(() => filterBy(text));
  } else if (event.key === 'Enter' && event.shiftKey) {
    const { text } = parseAsked(raw);
    if (view.value.run && text) go(() => findInText(text));
  } else if (event.key === 'Enter') {
    if (field.value === raw && isAnswered(raw)) pick(item);
    else enterWaits.value = true;
  } else if (event.key === 'Tab') nextGroup(flat, event.shiftKey);
  else if (event.key === 'ArrowRight' && atEnd && item?.ways) {
    ways.value = item.ways;
    activeWay.value = 0;
  } else return false;
  return true;
}

function nextGroup(flat: Item[], back: boolean): void {
  const now = flat[active.value]?.group;
  const starts = flat.map((item, i) => (i === 0 || flat[i - 1].group !== item.group ? i : -1)).filter((i) => i >= 0);
  const here = starts.findIndex((start) => flat[start].group === now);
  active.value = starts[(here + (back ? starts.length - 1 : 1)) % starts.length] ?? 0;
}

/** What was found, by kind; a click shows one alone. */
function Kinds({ raw }: { raw: string }) {
  const kinds = kindsOf(raw);
  if (kinds.length < 2 && !only.value) return null;
  const show = (group: Group | null) => {
    only.value = group;
    active.value = 0;
    ask(raw);
  };
  return (
    <span class="chips">
      <button type="button" class={`chip${only.value ? '' : ' on'}`} aria-pressed={!only.value} onClick={() => show(null)}>
        All <b>{formatCount(kinds.reduce((sum, { count }) => sum + count, 0))}</b>
      </button>
      {kinds.map(({ group, count }) => (
        <button key={group} type="button" class={`chip${only.value === group ? ' on' : ''}`} aria-pressed={only.value === group} onClick={() => show(group)}>
          {TITLES[group].split(' ')[0]} <b>{formatCount(count)}</b>
        </button>
      ))}
    </span>
  );
}

function Scopes() {
  const ofRun: [Scope, string][] = [
    ['module', 'this module'],
    ['run', 'this run'],
  ];
  const choices: [Scope, string][] = [...(view.value.run ? ofRun : []), ['all', 'all runs']];
  return (
    <span class="chips">
      {choices.map(([id, title]) => (
        <button
          key={id}
          type="button"
          class={`chip${scope.value === id ? ' on' : ''}`}
          aria-pressed={scope.value === id}
          onClick={() => {
            // On the list of runs there is nothing else to search: a second click turns it off.
            scope.value = id === 'all' && scope.value === 'all' ? 'module' : id;
            ask(paletteText.value ?? '');
          }}
        >
          {title}
        </button>
      ))}
    </span>
  );
}

function SearchField({ raw, flat, summary }: { raw: string; flat: Item[]; summary: string }) {
  const field = useRef<HTMLInputElement>(null);
  // The field that stood here before this part of the page came has what was typed meanwhile.
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(raw.length, raw.length);
  }, []);
  return (
    <label class="palette-head">
      <Icon name="search" />
      <input
        ref={field}
        value={raw}
        placeholder="name of an op, buffer, module, run or action"
        aria-label="search everything"
        onPaste={(event) => {
          if (takeMessage(event.clipboardData?.getData('text') ?? '')) event.preventDefault();
        }}
        onInput={(event) => {
          paletteText.value = event.currentTarget.value;
          active.value = 0;
          ways.value = null;
          enterWaits.value = false;
          ask(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          const done = ways.value ? waysKey(event, ways.value) : listKey(event, flat, raw);
          if (!done) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class="soft small">{summary}</span>
      <kbd>Esc</kbd>
    </label>
  );
}

function GroupHead({ entry, raw, text }: { entry: ReturnType<typeof grouped>[number]; raw: string; text: string }) {
  return (
    <div class="palette-group">
      <span class="strong">{TITLES[entry.group]}</span>
      {entry.items.some((item) => item.holds) && <span class="soft">hold the result of an operation of that name</span>}
      <span class="grow" />
      {!only.value && entry.items.length < Math.max(entry.total, text ? totalOf(entry.group) : 0) && (
        <button
          type="button"
          class="link"
          onClick={() => {
            only.value = entry.group;
            ask(raw);
          }}
        >
          all {formatCount(Math.max(entry.total, totalOf(entry.group)))}
        </button>
      )}
    </div>
  );
}

function SearchPalette() {
  const raw = paletteText.value ?? '';
  const { text } = parseAsked(raw);
  const items = itemsFor(raw);
  const groups = grouped(items);
  const flat = groups.flatMap((entry) => entry.items);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('.palette-row.active')?.scrollIntoView({ block: 'nearest' });
  }, [active.value]);
  const answered = isAnswered(raw),
    enter = enterWaits.value;
  useEffect(() => {
    if (!enter || !isAnswered(raw)) return;
    enterWaits.value = false;
    pick(flat[active.value]);
  });
  const settled = answered && elsewhereSettled();
  let index = 0;
  return (
    <>
      <SearchField raw={raw} flat={flat} summary={summaryText(items, text)} />
      <div class="palette-scope">
        <span class="grow">
          {text && <Kinds raw={raw} />}
          <span class="soft small" role="status">
            {coverText()}
          </span>
        </span>
        <Scopes />
      </div>
      <div class="palette-list" role="listbox" aria-label="results" ref={list}>
        {flat.every((item) => item.ofText) && text && settled && <p class="palette-none soft">{failedText.value || noMatch(text, found.value, scope.value)}</p>}
        {groups.map((entry) => (
          <div key={entry.group}>
            <GroupHead entry={entry} raw={raw} text={text} />
            {entry.items.map((item) => (
              <Row key={index} item={item} index={index++} part={text} />
            ))}
          </div>
        ))}
      </div>
      <PaletteFoot />
    </>
  );
}

function PaletteFoot() {
  return (
    <div class="help-foot">
      <kbd>↑</kbd>
      <kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>Tab</kbd> next group <kbd>→</kbd> all ways to open
      <kbd>Ctrl Enter</kbd> filter the page
      <span class="grow" />
      <span class="mono">&gt;</span> actions <span class="mono">%</span> ops <span class="mono">#</span> buffers <span class="mono">@</span> modules{' '}
      <span class="mono">:</span> step
    </div>
  );
}

/** Contents of the box: the search, or the field for an error message. */
export function PaletteInside() {
  useLayoutEffect(() => {
    needRuns();
    active.value = 0;
    only.value = null;
    ways.value = null;
    found.value = null;
    foundFor.value = '';
    const wide = paletteWide.value;
    if (wide) scope.value = 'run';
    if (paletteText.value) ask(paletteText.value);
    return () => {
      stopElsewhere();
      if (wide) scope.value = 'module';
    };
  }, []);
  return oomOpen.value ? <OomBox dialog /> : <SearchPalette />;
}
