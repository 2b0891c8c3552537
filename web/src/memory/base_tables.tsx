/** While a baseline is pinned: what its buffers, groups, scopes and programs have, beside those of the tables of the Viewer. */
import { computed, effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, call, type Params } from '../api/client';
import { follow } from '../api/follow';
import { view } from '../app/router';
import type { ComparedBuffers, GroupState } from './compare_types';
import type { Column } from '../table/virtual';
import { exactBytes } from '../util/format';
import { baseSummary, baseTables, type BaseTables } from './baseline_state';
import { GROUP_FILTER, query, tableAt, tableBy } from './buffers_state';
import type { BufferRow } from './buffers_state';
import { cellText } from './bytes';
import { Delta } from './delta';
import type { Group } from './groups';
import { pathOf } from './icicle';
import { type ModuleRow, moduleRows } from './modules_tab';
import { inspected, subject, summary } from './state';
import { scopeShown, treeBy, treeParams } from './lower_state';

/** Differing buffers that are named; the rest of a larger difference is not told apart from equal ones, and the column says so. */
const LIMIT = 20000;

interface Pairs {
  by: Map<number, { state: GroupState; before: number | null }>;
  left_out: number;
}
/** Of the buffers of both programs: those without an equal one. */
const pairs = signal<Pairs | null>(null);
/** Buffers that the baseline has too, but not at its peak. */
const entered = signal<ReadonlySet<number> | null>(null);
const groupsBefore = signal<Map<string, number> | null>(null);
const partsBefore = signal<Map<string, number> | null>(null);
const modulesBefore = signal<Map<string, number | null> | null>(null);

/** The run before as a subject. */
const baseSubject = computed<Params | null>(() => {
  const s = baseSummary.value;
  const { base, base_host, base_space, space } = view.value;
  return s ? { run: base, host: base_host, module: s.module.key, space: base_space ?? space } : null;
});

/** The same question of the baseline; a plan names buffers of the open program. */
const ofBase = (params: Params): Params => ({ ...params, ...baseSubject.value, plan: null });

/** Only the peaks are steps of both: what is at another step has no partner. */
const peakStep = computed(() => summary.value?.peak.step ?? null);
const atPeak = computed(() => inspected.value === peakStep.value);

const pathKey = (path: string[]) => path.join('\0');

/** The headline's badge says why a baseline has no answer; a table without it is whole by itself. */
const followBase = <A,>(name: string, question: () => Params | null, ask: (params: Params) => Promise<A>, take: (answer: A | null) => void) =>
  follow({ question, ask, take, fail: (error) => console.info(`before, ${name}:`, error) });

function pairParams(of: string): () => Params | null {
  return () => {
    const { base, base_module, base_host, base_space } = view.value;
    return baseSubject.value ? { ...subject.value, base_run: base, base_module, base_host, base_space, of, same: 0, limit: LIMIT } : null;
  };
}

function pairsOf(answer: ComparedBuffers | null): Pairs | null {
  if (!answer) return null;
  const { state, after_buffer, before_bytes } = answer.buffers;
  const by = new Map(state.flatMap((is, i) => (after_buffer[i] === null ? [] : [[after_buffer[i] as number, { state: is, before: before_bytes[i] }]])));
  return { by, left_out: answer.left_out };
}

function startFollowing(): () => void {
  const compared = (key: string) => (params: Params) => call<ComparedBuffers>('compare/buffers', params, { key, quiet: true });
  const stops = [
    followBase('buffers', pairParams('program'), compared('base/program'), (answer) => {
      pairs.value = pairsOf(answer);
    }),
    followBase('peaks', pairParams('peak'), compared('base/peak'), (answer) => {
      const b = answer?.buffers;
      entered.value = b ? new Set(b.after_buffer.filter((buffer, i): buffer is number => buffer !== null && b.state[i] === 'into_the_peak')) : null;
    }),
    followBase(
      'groups',
      () => {
        const s = baseSummary.value;
        const step = tableAt.value === 'all' ? 'all' : tableAt.value === String(peakStep.value) ? String(s?.peak.step ?? '') : '';
        if (!baseSubject.value || tableBy.value === 'none' || view.value[GROUP_FILTER[tableBy.value]] || !step) return null;
        return { ...ofBase(query.value), at: step, offset: 0, limit: 1 };
      },
      (params) => api.buffers(params, { key: 'base/groups', quiet: true }),
      (answer) => {
        const g = answer?.groups;
        groupsBefore.value = g
          ? new Map(g.name.map((name, k) => [typeof name === 'number' ? (answer.names[name] ?? '') : String(name), g.size_bytes[k]]))
          : null;
      },
    ),
    followBase(
      'parts',
      () => {
        const s = baseSummary.value;
        return baseSubject.value && s && atPeak.value && scopeShown() ? { ...ofBase(treeParams.value), by: treeBy.value, at: s.peak.step } : null;
      },
      (params) => api.tree(params, { key: 'base/tree', quiet: true }),
      (answer) => {
        partsBefore.value = answer ? new Map(Array.from({ length: answer.n }, (_, k) => [pathKey(pathOf(answer, k)), answer.size_bytes[k]])) : null;
      },
    ),
    followBase(
      'programs',
      () => (baseSubject.value && view.value.base !== view.value.run ? { run: view.value.base } : null),
      (params) => api.modules(params, { key: 'base/modules', quiet: true }),
      (answer) => {
        modulesBefore.value = answer ? peaksByName(moduleRows(answer)) : null;
      },
    ),
    effect(() => {
      baseTables.value = baseSummary.value ? TABLES : null;
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    baseTables.value = null;
  };
}

const programKey = (row: ModuleRow) => `${row.name}\0${row.color ?? ''}`;

/** Peaks by name and memory space; a name that several programs have says nothing. */
function peaksByName(rows: ModuleRow[]): Map<string, number | null> {
  const out = new Map<string, number | null>();
  for (const row of rows) out.set(programKey(row), out.has(programKey(row)) ? null : row.peak);
  return out;
}

function bufferWord(row: BufferRow): { text: string; class: string; tip: string } | null {
  const p = pairs.value;
  if (!p || row.buffer === null) return null;
  const found = p.by.get(row.buffer);
  if (found?.state === 'only_after') return { text: 'new', class: 'bad', tip: `not in the program before; now ${exactBytes(row.size)}` };
  const by = found && found.before !== null ? row.size - found.before : 0;
  if (by !== 0)
    return {
      text: `${by > 0 ? '+' : ''}${cellText(by)}`,
      class: by > 0 ? 'bad' : 'good',
      tip: `before ${exactBytes(found?.before)}, now ${exactBytes(row.size)}`,
    };
  if (atPeak.value && entered.value?.has(row.buffer)) return { text: 'new at peak', class: 'bad', tip: 'the program before has it too, but not at its peak' };
  return {
    text: '\u00b10',
    class: 'faint',
    tip: p.left_out > 0 ? `equal, or one of ${p.left_out} smaller differences not listed` : 'the program before has an equal one',
  };
}

const NO_PAIR = <span class="faint">none</span>;

const TABLES: BaseTables = {
  buffer: {
    id: 'baseline',
    title: 'vs before',
    width: '92px',
    number: true,
    hint: 'its size minus the size of its match in the program before: same class, opcode, shape and scope, or all but the shape',
    cell: (row) => {
      const word = bufferWord(row);
      return word ? <span class={`m-delta ${word.class}`}>{word.text}</span> : null;
    },
    tip: (row) => bufferWord(row)?.tip,
  },
  group: {
    id: 'baseline',
    title: 'vs before',
    width: '92px',
    number: true,
    hint: 'at both peaks, or over all steps; other steps of two programs cannot be compared',
    cell: (group: Group) => (groupsBefore.value ? <Delta before={groupsBefore.value.get(group.name) ?? 0} after={group.bytes} /> : NO_PAIR),
    tip: (group: Group) =>
      groupsBefore.value
        ? `before ${exactBytes(groupsBefore.value.get(group.name) ?? 0)}, now ${exactBytes(group.bytes)}`
        : 'this step has no match in the program before',
  },
  part: (path) => (partsBefore.value ? (partsBefore.value.get(pathKey(path)) ?? 0) : null),
  module: {
    id: 'baseline',
    title: 'vs before',
    width: '92px',
    number: true,
    hint: 'its peak minus the peak of the program of the same name in the run before',
    cell: (row) => {
      const before = modulesBefore.value?.get(programKey(row));
      return typeof before === 'number' && row.peak !== null ? <Delta before={before} after={row.peak} /> : NO_PAIR;
    },
    tip: (row) =>
      modulesBefore.value?.has(programKey(row))
        ? `before ${exactBytes(modulesBefore.value.get(programKey(row)))}`
        : 'the run before has no program of this name',
  } satisfies Column<ModuleRow>,
};

/** Nothing to see: it keeps the tables' columns up to date as long as a baseline is pinned. */
export function BaseTablesFollow() {
  useEffect(startFollowing, []);
  return null;
}
