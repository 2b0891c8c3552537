/** Ops and Kinds: what is held at the chosen steps by op group, scope, computation, or by opcode with its origin. */
import { useEffect, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { call, isAborted } from '../api/client';
import { Choice } from '../memory/buffers';
import { change } from '../memory/state';
import { formatCount, plural } from '../util/format';
import { areaVariable, areaWords } from './colours';
import { BufferName, literalText } from './buffer_name';
import { baseGroups, basePlace } from './base_state';
import { besideOf, useBaseGroups } from './base_buffers_state';
import { baseOf, type BaseValues, differs, type Joined, joinGroups, nothing, restOf, sideWords, sumOf } from './base_join';
import { countCell, Lines, type Line } from './lines';
import { insideLines, isOpened, toggleBody } from './inside';
import { failed, filterInner, groups, inner, level, nameFilter, onlyDifferences, opsBy, originFilter, reportParams, type SplitBy, SPLITS } from './state';
import { baseGroupTimes, groupTimes, sumCells, timeCells, timeColumns } from './times_state';
import type { GroupRow, Groups } from './types';
import { toggled } from '../util/toggled';

const opened = signal<ReadonlySet<string>>(new Set());
const BY: SplitBy[] = ['op', 'scope', 'computation', 'opcode', 'class', 'dtype'];

const COUNTS = [
  { title: 'held', hint: 'buffers held at A', width: 60 },
  { title: 'count', hint: 'instructions of the whole program; one without its own buffer has 0 bytes, and one may have several buffers', width: 70 },
];

/** The buffers of opened groups. */
function useOpened(by: string): Map<string, Groups> {
  const [found, setFound] = useState(new Map<string, Groups>());
  const names = [...opened.value].join('\n');
  const params = JSON.stringify(reportParams.value);
  useEffect(() => {
    let stopped = false;
    setFound(new Map());
    for (const name of opened.peek())
      call<Groups>(
        'report/groups',
        { ...reportParams.peek(), inner: inner.peek(), by: 'buffer', within: name, within_by: by, level: level.peek(), px: 150, limit: 20 },
        { key: `report/open/${name}`, quiet: true },
      )
        .then((answer) => {
          if (!stopped) setFound((before) => new Map(before).set(name, answer));
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) failed.value = (error as Error).message;
        });
    return () => {
      stopped = true;
    };
  }, [names, params, by, inner.value]);
  return found;
}

function inside(row: GroupRow): string {
  const from = row.operand_types ? `; ${row.operand_types}` : '';
  return row.fused ? `${row.shape}${from}; ${plural(row.fused, 'instruction')} inside, no buffers (fused)` : `${row.shape ?? ''}${literalText(row)}${from}`;
}

/** "(bf16, bf16) → f32 ×12, (f32) → f32, 2 other lists". */
function typesOf(row: GroupRow): string {
  const lists = (row.types ?? []).map(({ text, count }) => (count > 1 ? `${text} \u00d7${formatCount(count)}` : text));
  if (row.types_left_out) lists.push(plural(row.types_left_out, 'other list'));
  return lists.join(', ');
}

function bufferLines(name: string, answer: Groups | undefined, base: Groups | undefined, columns: number): Line[] {
  if (!answer) return [];
  const beside = besideOf(answer.rows, base);
  const zeros = nothing({ at_bytes: answer.total.at_bytes, peak_bytes: 0, curve_bytes: answer.total.curve_bytes });
  const rows = [...answer.rows, ...(beside?.lone ?? []).map((row) => ({ ...row, ...zeros, held: [], body: null }))];
  const bases: (BaseValues | undefined)[] = beside
    ? [...beside.of, ...beside.lone.map((row) => ({ ...baseOf(row, basePlace.value ?? []), side: 'before' as const }))]
    : [];
  const cells = (...texts: string[]) => [...texts, ...Array.from({ length: columns - texts.length }, () => '')];
  const out: Line[] = rows.flatMap((row, k) => [
    {
      ...row,
      base: bases[k],
      id: `${name}/${k}`,
      depth: 1,
      label: k < answer.rows.length ? <BufferName row={row} /> : <code class="soft">{row.name}</code>,
      text: row.name,
      variable: '',
      what: [sideWords(bases[k]), inside(row)].filter(Boolean).join('; '),
      open: row.body ? isOpened(row) : null,
      sided: true,
      more: cells(formatCount(row.held[0] ?? 0), row.fused ? formatCount(row.fused) : ''),
      onToggle: () => toggleBody(row),
    },
    ...insideLines(row, `${name}/${k}`, 2, cells()),
  ]);
  const restBase = beside
    ? restOf(
        beside.total,
        bases.flatMap((one) => (one ? [one] : [])),
      )
    : undefined;
  const others = answer.left_out > 0 ? plural(answer.left_out, 'other buffer') : 'other buffers before';
  if (answer.left_out > 0 || restBase?.at.some((value) => value) || restBase?.peak)
    out.push({
      ...answer.rest,
      base: restBase,
      id: `${name}/rest`,
      depth: 1,
      label: <span class="soft">{others}</span>,
      text: others,
      variable: '',
      what: '',
      open: null,
      more: cells(),
    });
  return out;
}

/** S1.60: no difference is made up for what is on one side only. */
function sides(row: GroupRow): string {
  const [a, b] = row.at_bytes;
  if (b === undefined) return '';
  if (a > 0 && b === 0) return 'only at A';
  return a === 0 && b > 0 ? 'only at B' : '';
}

interface Shown {
  row: GroupRow;
  base: Joined<GroupRow>['base'] | undefined;
  before: GroupRow | null;
}

/** The groups of an answer beside those of the baseline, and which of them the filters leave. */
interface Table {
  g: Groups;
  by: string;
  kinds: boolean;
  all: Shown[];
  shown: Shown[];
  /** Where a baseline is pinned. */
  isJoined: boolean;
  baseTotal: BaseValues | undefined;
  columns: NonNullable<Parameters<typeof Lines>[0]['more']>;
}

function tableOf(g: Groups, by: string, kinds: boolean): Table {
  const joined = withBase(g);
  const word = nameFilter.value.toLowerCase();
  const all: Shown[] = joined ?? g.rows.map((row) => ({ row, base: undefined, before: null }));
  const shown = all.filter(
    ({ row, base }) =>
      (!kinds || !originFilter.value || row.origin === originFilter.value) &&
      (word === '' || inner.value !== '' || titleOf(by, row).toLowerCase().includes(word)) &&
      !(onlyDifferences.value && row.at_bytes.every((value) => value === row.at_bytes[0]) && !differs(row, base)),
  );
  const counts = joined ? COUNTS.map((one) => ({ ...one, width: 96 })) : COUNTS;
  return {
    g,
    by,
    kinds,
    all,
    shown,
    isJoined: joined !== null,
    baseTotal: joined && baseGroups.value ? baseOf(baseGroups.value.total, basePlace.value ?? []) : undefined,
    columns: [...counts, ...timeColumns(groupTimes.value)],
  };
}

/** Whether less is listed than the answer sums up. */
const isFiltered = ({ shown, all }: Table) => shown.length < all.length || inner.value !== '';
const basesOf = (shown: readonly Shown[]) => shown.flatMap(({ base }) => (base ? [base] : []));

/** How many buffers of a group the baseline holds at its step, and how many instructions it has; undefined: nothing to compare with. */
function countsBefore({ base, before }: Shown): { held: number | undefined; instructions: number | undefined } {
  if (!base) return { held: undefined, instructions: undefined };
  const none = base.side ? 0 : undefined;
  const place = basePlace.value?.[0];
  return {
    held: place == null ? undefined : before ? before.held[place] : none,
    instructions: before ? (before.instructions ?? undefined) : none,
  };
}

function toggle(name: string): void {
  opened.value = toggled(opened.peek(), name);
}

function groupLine({ by, kinds }: Table, shown: Shown): Line {
  const { row, base } = shown;
  const before = countsBefore(shown);
  const canOpen = row.at_bytes.some((value) => value > 0) || row.peak_bytes > 0 || base?.side === 'before' || (base?.peak ?? 0) > 0;
  return {
    ...row,
    base,
    id: row.name,
    depth: 0,
    label: <span>{titleOf(by, row)}</span>,
    text: titleOf(by, row),
    variable: by === 'op' || by === 'class' || by === 'dtype' ? areaVariable(by, row.name, 0) : '',
    what: [sideWords(base), sides(row), kinds ? row.origin : '', typesOf(row)].filter(Boolean).join(', '),
    sided: true,
    open: canOpen ? opened.value.has(row.name) : null,
    more: [
      countCell(row.held[0] ?? 0, before.held),
      row.instructions === null ? '' : countCell(row.instructions, before.instructions),
      ...timeCells(groupTimes.value, baseGroupTimes.value, row.name),
    ],
    onToggle: () => toggle(row.name),
  };
}

/** The groups that are not listed; none where all are, or where a filter says what is. */
function restLines(t: Table): Line[] {
  const { g, shown, baseTotal } = t;
  const isCut = g.left_out > 0 || (t.isJoined && (baseGroups.value?.left_out ?? 0) > 0);
  if (!isCut || isFiltered(t)) return [];
  return [
    {
      ...g.rest,
      base: baseTotal && restOf(baseTotal, basesOf(shown)),
      id: '(rest)',
      depth: 0,
      label: <span class="soft">{g.left_out > 0 ? plural(g.left_out, 'other group') : 'other groups before'}</span>,
      text: 'rest',
      variable: '',
      what: 'the smallest are not listed; CSV and JSON have all',
      open: null,
      more: t.columns.map(() => ''),
    },
  ];
}

/** Of all groups, or of those that are shown. */
function sumValues(t: Table): Pick<Line, 'at_bytes' | 'peak_bytes' | 'curve_bytes'> {
  const { total } = t.g;
  const rows = t.shown.map(({ row }) => row);
  const add = (value: (row: GroupRow) => number) => rows.reduce((bytes, row) => bytes + value(row), 0);
  return {
    at_bytes: rows.length < t.g.rows.length ? total.at_bytes.map((_, s) => add((row) => row.at_bytes[s])) : total.at_bytes,
    peak_bytes: isFiltered(t) ? add((row) => row.peak_bytes) : total.peak_bytes,
    curve_bytes: isFiltered(t) ? total.curve_bytes.map((_, c) => add((row) => row.curve_bytes[c])) : total.curve_bytes,
  };
}

function sumWords(t: Table): string {
  if (inner.value) return `of groups that contain “${inner.value}”`;
  if (isFiltered(t)) return 'of the rows shown';
  return t.g.total.at_bytes[0] === t.g.live_bytes[0] ? '= live at A' : 'several values share addresses: the sum exceeds live memory';
}

function sumLine(t: Table): Line {
  const { g, all, shown, baseTotal } = t;
  const isPart = shown.length < all.length;
  const timeSum = (of: NonNullable<typeof groupTimes.value>) =>
    isPart ? shown.reduce((ps, { row }) => ps + (of.rows.get(row.name)?.self_ps ?? 0), 0) : of.total_ps;
  const times = groupTimes.value;
  const baseTimes = baseGroupTimes.value;
  return {
    ...sumValues(t),
    base: baseTotal && (isPart ? sumOf(basesOf(shown), g.total.at_bytes.length) : baseTotal),
    id: '(sum)',
    depth: 0,
    label: isFiltered(t) ? `sum of ${shown.length} of ${t.isJoined ? all.length : g.n}` : 'sum',
    text: 'sum',
    variable: '',
    strong: true,
    root: true,
    open: null,
    more: ['', '', ...sumCells(times, times ? timeSum(times) : 0, baseTimes && timeSum(baseTimes))],
    what: sumWords(t),
  };
}

export function GroupsTab({ kinds }: { kinds: boolean }) {
  const by = kinds ? 'signature' : opsBy.value;
  const found = useOpened(by);
  const baseFound = useBaseGroups(
    [...opened.value].map((name) => ({ id: name, params: { inner: inner.value, within: name, within_by: by, level: level.value } })),
    20,
  );
  const g = groups.value;
  if (!g)
    return (
      <p class="m-note" aria-busy={failed.value === ''}>
        {failed.value || '…'}
      </p>
    );
  const t = tableOf(g, by, kinds);
  const inside = ({ row: { name } }: Shown) => (opened.value.has(name) ? bufferLines(name, found.get(name), baseFound.get(name), t.columns.length) : []);
  return (
    <Lines
      label={kinds ? 'memory by kind of instruction' : `memory by ${SPLITS[opsBy.value]}`}
      first={kinds ? 'kind' : SPLITS[opsBy.value]}
      lines={[...t.shown.flatMap((one) => [groupLine(t, one), ...inside(one)]), ...restLines(t), sumLine(t)]}
      columns={g.columns}
      peakStep={g.peak_step}
      more={t.columns}
      last={kinds ? 'origin, types of operands and result' : by === 'opcode' ? 'types of operands and result' : ''}
      empty="nothing is live here"
      baseline={t.isJoined}
    />
  );
}

/** The groups beside those of the baseline; null without one. */
function withBase(g: Groups): Joined<GroupRow>[] | null {
  const b = baseGroups.value;
  const place = basePlace.value;
  return b && place && place.length === g.steps.length ? joinGroups(g, b, place) : null;
}

function titleOf(by: string, row: GroupRow): string {
  return by === 'signature' ? row.name : areaWords(by as SplitBy, row.name, 0);
}

export function GroupControls({ kinds }: { kinds: boolean }) {
  const origins = ['any', ...new Set((groups.value?.rows ?? []).map((row) => row.origin ?? 'compiler'))];
  if (originFilter.value && !origins.includes(originFilter.value)) origins.push(originFilter.value);
  return (
    <>
      <Choice
        label="filter"
        value={filterInner.value ? 'inner op' : kinds ? 'kind' : 'group'}
        options={[kinds ? 'kind' : 'group', 'inner op']}
        onChange={(by) => change({ rfilter: by === 'inner op' ? 'inner' : null })}
      />
      <input
        class="m-map-search"
        type="search"
        placeholder={filterInner.value ? 'inner op' : kinds ? 'kind' : 'group'}
        aria-label={filterInner.value ? 'only groups that contain an operation like this' : 'only rows whose name contains this'}
        value={nameFilter.value}
        onInput={(event) => change({ rname: event.currentTarget.value })}
      />
      {kinds ? (
        <Choice
          label="origin"
          value={originFilter.value || 'any'}
          options={origins}
          onChange={(origin) => change({ origin: origin === 'any' ? null : origin })}
        />
      ) : (
        <Choice label="by" value={opsBy.value} options={BY} titles={SPLITS} onChange={(by) => change({ rby: by === 'op' ? null : by })} />
      )}
    </>
  );
}
