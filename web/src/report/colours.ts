/** Colours and words of categories: an op group keeps its colour, the kinds of copies have their own. */
import { CLASS_WORDS, GROUP_WORDS, hashName, variableOf } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';
import type { SplitBy } from './state';

const KINDS: Record<string, [variable: string, words: string]> = {
  arguments: ['--o-none', 'arguments'],
  outputs: ['--m-output', 'outputs'],
  constants: ['--m-const', 'constants'],
  tuples: ['--m-local', 'tuple tables'],
  compute: ['--o-elem', 'compute results'],
  space_copy: ['--o-move', 'copies between spaces'],
  relayout: ['--o-custom', 're-layout copies'],
  collectives: ['--o-coll', 'collectives'],
  host: ['--o-host', 'host transfers'],
};
const ROWS: Record<string, string> = { holes: '--hole', above: '--m-free', fragmentation: '--m-frag', own: '--m-temp', shared: '--m-param' };
const RESIDENT = new Set(['arguments', 'outputs', 'constants', 'tuples']);
const WHEEL = ['--o-matmul', '--o-elem', '--o-reduce', '--o-move', '--o-coll', '--o-host', '--o-custom', '--o-control', '--m-temp', '--m-output', '--m-local'];

/** Of a row of the tree or a leaf: "compute.matmul", "relayout". '' for sums. */
export function rowVariable(id: string): string {
  if (id.startsWith('compute.')) return groupVariable(id.slice(8));
  return KINDS[id]?.[0] ?? ROWS[id] ?? '';
}

export function leafWords(id: string): string {
  if (id.startsWith('compute.')) return `compute, ${(GROUP_WORDS[id.slice(8)] ?? id.slice(8)).replace('argument, no op', 'other')}`;
  return KINDS[id]?.[1] ?? id;
}

export function areaVariable(by: SplitBy, name: string, index: number): string {
  if (name === '') return '--m-free';
  if (by === 'op') return RESIDENT.has(name) ? KINDS[name][0] : groupVariable(name);
  if (by === 'kind') return KINDS[name]?.[0] ?? '--o-none';
  if (by === 'class') return variableOf('class', { group: '', class: name, scope: '', dtype: '', sizeShare: 0 });
  return by === 'dtype' ? variableOf('dtype', { group: '', class: '', scope: '', dtype: name, sizeShare: 0 }) : WHEEL[(hashName(name) + index) % WHEEL.length];
}

export function areaWords(by: SplitBy, name: string, joined: number): string {
  if (joined > 0) return `${joined} others`;
  if (by === 'op') return KINDS[name] && RESIDENT.has(name) ? KINDS[name][1] : name === 'none' ? 'other' : (GROUP_WORDS[name] ?? name);
  if (by === 'kind') return KINDS[name]?.[1] ?? name;
  if (by === 'class') return CLASS_WORDS[name] ?? name;
  return name || 'none';
}

/** Residents lie at the bottom of the stack, then the largest. */
export function isResident(by: SplitBy, name: string): boolean {
  return by === 'op' || by === 'kind' ? RESIDENT.has(name) : by === 'class' && name !== 'temporary';
}
