/** Search: the field, names with their times, occurrences to jump to. */
import { type Column, VirtualTable } from '../table/virtual';
import { formatCount, plural } from '../util/format';
import { rowName } from './rows_view';
import { SaveTable } from './save_table';
import { eventName, shortName } from './label_text';
import {
  argsFailed,
  argsPercent,
  found,
  type FoundName,
  hitAt,
  openHit,
  PAGE,
  sameNames,
  searchFailed,
  searching,
  threadNames,
  stepHit,
  turn,
  wantsFocus,
} from './search_state';
import { change, find } from './state';
import { Swatch } from './swatch';
import { durationText, momentText } from './time';

let lastFocus = 0;

function Switch({ on, title, label, set }: { on: boolean; title: string; label: string; set: () => void }) {
  return (
    <button type="button" class={`btn-s${on ? ' on' : ''}`} aria-pressed={on} title={title} onClick={set}>
      {label}
    </button>
  );
}

/** A name with the found part marked. */
function Marked({ text }: { text: string }) {
  const f = find.value;
  if (!f.text) return <>{text}</>;
  let at = -1;
  let size = f.text.length;
  if (f.regex) {
    try {
      const match = new RegExp(f.text, f.letters ? '' : 'i').exec(text);
      if (match?.[0]) {
        at = match.index;
        size = match[0].length;
      }
    } catch {
      // PCRE2 and JavaScript write some things differently; then nothing is marked.
    }
  } else at = f.letters ? text.indexOf(f.text) : text.toLowerCase().indexOf(f.text.toLowerCase());
  if (at < 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <b class="t-hit">{text.slice(at, at + size)}</b>
      {text.slice(at + size)}
    </>
  );
}

type Found = NonNullable<typeof found.value>;

interface At {
  k: number;
}

const NAME_COLUMNS: Column<FoundName>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(120px, 3fr)',
    cell: (name) => (
      <>
        <Swatch group={name.group} thread={name.thread} /> <Marked text={shortName(name.caption) || 'no metadata'} />
      </>
    ),
    tip: (name) => [name.caption, name.program].filter(Boolean).join(' in '),
  },
  { id: 'count', title: 'Count', width: '70px', number: true, cell: (name) => formatCount(name.count) },
  { id: 'total', title: 'Total', width: '100px', number: true, cell: (name) => durationText(name.total) },
];

const hitColumns = (s: Found): Column<At>[] => [
  { id: 'n', title: '#', width: '56px', number: true, cell: ({ k }) => formatCount(s.offset + k + 1) },
  {
    id: 'event',
    title: 'Event',
    width: 'minmax(120px, 2fr)',
    cell: ({ k }) => <Marked text={eventName(s.names[s.hits.caption[k]], s.hits.event[k])} />,
    tip: ({ k }) => s.names[s.hits.caption[k]],
  },
  { id: 'start', title: 'Start', width: '150px', number: true, cell: ({ k }) => momentText(s.hits.start_ps[k]) },
  { id: 'duration', title: 'Duration', width: '100px', number: true, cell: ({ k }) => durationText(s.hits.duration_ps[k]) },
  { id: 'row', title: 'Row', width: 'minmax(100px, 1fr)', cell: ({ k }) => rowName(s.hits.row[k]) },
];

function SearchBar() {
  const f = find.value;
  const s = found.value;
  const focus = wantsFocus.value;
  return (
    <div class="row t-search-bar">
      <label class="field">
        <input
          ref={(element) => {
            if (element && focus > lastFocus) {
              lastFocus = focus;
              element.focus();
              element.select();
            }
          }}
          placeholder="search every event"
          aria-label="search events"
          value={f.text}
          onInput={(e) => change({ find: (e.currentTarget as HTMLInputElement).value || null })}
          onKeyDown={(e) => {
            if (e.key === 'Enter') {
              stepHit(e.shiftKey ? -1 : 1);
              e.preventDefault();
            } else if (e.key === 'Escape') {
              (e.currentTarget as HTMLInputElement).blur();
              e.stopPropagation();
            }
          }}
        />
      </label>
      <span class="t-n-of-m" role="status">
        {s && f.text ? `${hitAt.value >= 0 ? `${formatCount(s.offset + hitAt.value + 1)} of ` : ''}${formatCount(s.count)}` : searching.value ? '…' : ''}
      </span>
      <Switch on={f.regex} label=".*" title="regular expression (PCRE2)" set={() => change({ re: f.regex ? null : 1 })} />
      <Switch on={f.letters} label="Aa" title="match case" set={() => change({ case: f.letters ? null : 1 })} />
      <Switch
        on={f.args}
        label="arguments"
        title="also search all arguments, as name=value: HLO text and source lines appear at once, arguments of single events after a pass over the file"
        set={() => change({ args: f.args ? null : 1 })}
      />
      <Switch on={f.here} label="this window" title="only events in the window" set={() => change({ in: f.here ? null : 1 })} />
    </div>
  );
}

function Names({ s }: { s: Found }) {
  const list = sameNames(s.by_name, threadNames(s));
  return (
    <>
      <p class="t-sum">
        {plural(list.length + s.by_name.left_out, 'name')}, {plural(s.count, 'event')}, {durationText(s.total_ps)} ({s.clock}); {s.covered}
        {argsPercent.value === null ? null : <b class="t-args"> searching the args of single events: {argsPercent.value} %</b>}
        {argsFailed.value ? <b class="warn"> args of single events were not searched: {argsFailed.value}</b> : null}
        {s.problem ? <b class="warn"> {s.problem}</b> : null}{' '}
        <SaveTable
          name="names"
          head={['name', 'program', 'count', 'total_ps']}
          lines={() => list.map((name) => [name.caption, name.program, name.count, name.total])}
        />
        {s.stopped && !s.problem ? <b class="warn"> The expression reached its limit: more may match.</b> : null}
      </p>
      <VirtualTable
        label="names found"
        columns={NAME_COLUMNS}
        count={list.length}
        rowAt={(k) => list[k]}
        onOpen={(name) => change({ find: name.caption })}
        empty={
          find.value.here
            ? 'nothing in this window: search the whole trace'
            : 'nothing has this name; the search reads every name in the file, also in folded and idle rows'
        }
      />
      {s.by_name.left_out ? (
        <p class="t-sum">{formatCount(s.by_name.left_out)} more names, with less time; the rows mark the names listed and the occurrences listed</p>
      ) : null}
    </>
  );
}

function Occurrences({ s }: { s: Found }) {
  return (
    <>
      <VirtualTable
        label="occurrences"
        columns={hitColumns(s)}
        count={s.hits.n}
        rowAt={(k) => ({ k })}
        onOpen={({ k }) => openHit(k)}
        rowClass={({ k }) => (k === hitAt.value ? 'on' : '')}
        reveal={hitAt.value}
      />
      <p class="t-sum">
        <SaveTable
          name="occurrences"
          head={['event', 'name', 'start_ps', 'duration_ps', 'row']}
          lines={() => s.hits.event.map((event, k) => [event, s.names[s.hits.caption[k]], s.hits.start_ps[k], s.hits.duration_ps[k], rowName(s.hits.row[k])])}
        />
      </p>
      {s.count > s.hits.n ? (
        <p class="t-sum">
          {formatCount(s.offset + 1)} to {formatCount(s.offset + s.hits.n)} of {formatCount(s.count)} in time{' '}
          <button type="button" class="link" onClick={() => void turn(-1, false)}>
            previous {formatCount(PAGE)}
          </button>{' '}
          <button type="button" class="link" onClick={() => void turn(1, false)}>
            next {formatCount(PAGE)}
          </button>
        </p>
      ) : null}
    </>
  );
}

export function SearchTab() {
  const s = found.value;
  return (
    <div class="t-search">
      <div class="t-search-left">
        <SearchBar />
        {s ? (
          <Names s={s} />
        ) : (
          <p class="t-note">{find.value.text ? (searchFailed.value ?? 'Searching …') : 'Type part of a name. The whole trace is searched.'}</p>
        )}
      </div>
      <div class="t-search-right">{s && s.hits.n > 0 ? <Occurrences s={s} /> : null}</div>
    </div>
  );
}
