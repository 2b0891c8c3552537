// What is typed, pressed and written into the address.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { source } from '../../support/program.mjs';

const LONG = 'a very long text that nobody would type '.repeat(250);

/** None of these holds a word that the checks look for. */
export const TEXTS = [
  ...['fusion', 'dot', 'param', 'jit_', 'f32', 'train', 'copy', 'w1', 'main', 'while', 'all-reduce', 'host', 'xla', 'e', '0', '%fusion.1', '%', '#'],
  ...['/f32.*512/', '/(/', '/[a-/', '/a{2,1}/', '/(a|b)*c/', '/^$/', '"', "'", '\\', '&run=x', '<b>x</b>', '../..', '=1+1', '😀 ünï', '\u202eabc', ' ', '   fusion   dot '],
  ...['size>1MiB', 'size<1k', 'peak>10GiB', 'size>', '>0', '<', 'size>=abc', '1e308', '-1', '0.5', '99999999999999999999', '16GiB', '1.5gb', '12 parsecs', '100', '3', '-', '3-5', '10..20'],
  ...['f32[128,512]{1,0:T(8,128)}', 'bf16[0]', 'f32[', '%add.1 = f32[8]{0} add(f32[8]{0} %a, f32[8]{0} %b)', 'data=2,model=4', 'flops=1e12', 'x=0', 'zzzzqqq no such thing'],
  LONG,
];

/** What a calm user types: none of it is refused. */
export const PLAIN = ['fusion', 'dot', 'param', 'jit_', 'f32', 'train', 'copy', 'w1', 'main', 'e', '0', 'all-reduce', 'zzzzqqq'];
export const PLAIN_PALETTE = ['%fusion', '#param', '@jit', ':1', '>theme', '>copy', '>files', 'dot', 'host', ''];

export const PALETTE = ['%fusion', '#param', '@jit', ':1', ':99999', ':-1', ':x', '>theme', '>', '>copy', '>files', '>paste', '>explain', 'dot', '/f32/', '/(/', 'host', 'peak>1k', 'zzzqqq', '%', '', LONG.slice(0, 400)];

export const PASTED = [
  'RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 20.5G of 15.75G hbm. Exceeded hbm capacity by 4.75G.',
  'nothing of use',
  '%fusion.1 = f32[128,512]{1,0:T(8,128)} fusion(f32[128,512]{1,0} %p0), kind=kLoop, calls=%fused_computation',
];

/** Values for keys of the address that cannot be or hardly can. */
const ODD = ['1', '0', '-1', '2.5', '1e9', '99999999999999999999', 'abc', '%fusion.1', '/(/', 'all', 'x'.repeat(3000), '%E0%A4%A', '1,2,3', ';;', '0x10', 'true', '-', '1-2', '..'];
const KEYS_OF_ADDRESS = [
  ...'b base base_host base_module base_space by c chip chipof class clip colour comp config desc diffs dtype filter fold folder form from'.split(' '),
  ...'from_slot gb gc gq gqf gqre gsel gt gv gw hbm hide host inside instructions keep layers level lim line lines mapof mapq mapshape'.split(' '),
  ...'mapspace mark merge mesh meta mini mode mods module more only op open order origin pathfrom pathto peaks pin plot plotby q r raddr rby'.split(' '),
  ...'rcol rfilter rfull rhide rmode rname rows rpin rq rrow rscale rtab rview same scale sel shape shard side sort space split state step'.split(' '),
  ...'steps tab table tby tf tfind tl tn to to_slot tof tool top total treeby troot trows try tshape tsort unit w x xs axis'.split(' '),
];

const TOOLS = ['memory', 'memory', 'trace', 'trace', 'graph', 'graph', 'doctor', 'files', 'ops', 'nonsense', null];
const MODES = ['report', 'report', 'compare', 'compare', null, null];
const TABS = ['step', 'buffers', 'scope', 'peaks', 'modules', 'findings', 'groups', 'details', 'transfers', 'spaces', 'text', 'nonsense'];

/** The address with something in it changed; `known`: {run, module} that exist. */
export function changedHash(random, hash, known) {
  const view = new URLSearchParams(hash.replace(/^#/, ''));
  const put = (key, value) => (value === null || value === undefined ? view.delete(key) : view.set(key, value));
  switch (random.weighted({ tool: 6, mode: 6, tab: 3, run: 3, module: 3, base: 4, odd: 4, less: 2, op: 2, start: 1 })) {
    case 'tool': put('tool', random.of(TOOLS)); break;
    case 'mode': put('tool', null); put('mode', random.of(MODES)); break;
    case 'tab': put('tab', random.of(TABS)); break;
    case 'run': put('run', random.chance(0.9) ? random.of(known.runs) : 'no/such/run'); break;
    case 'module': put('module', random.chance(0.9) ? random.of(known.modules) : 'no_such_module(1)'); break;
    case 'base':
      put('base', random.chance(0.9) ? random.of(known.runs) : 'no/such/run');
      put('base_module', random.chance(0.4) ? random.of(known.modules) : null);
      break;
    case 'odd': put(random.of(KEYS_OF_ADDRESS), random.of(ODD)); break;
    case 'less': put(random.of([...view.keys()]) ?? 'tab', null); break;
    case 'op': put('op', random.of(['%fusion.1', 'fusion', '%dot.1', '%no.such', '%while', '%copy.1', '%tuple.1'])); break;
    default: return '#';
  }
  return `#${view}`;
}

/** The address of another tool, mode or baseline that is there. */
export function calmHash(random, hash, known) {
  const view = new URLSearchParams(hash.replace(/^#/, ''));
  if (!view.has('run')) return random.of(known.hashes);
  const [key, value] = random.of([['tool', random.of(['trace', 'graph', 'doctor', 'files'])], ['mode', random.of(['report', 'compare'])], ['base', view.get('run')]]);
  view.set(key, value);
  if (key !== 'tool') view.delete('tool');
  return `#${view}`;
}

/** Every key of the help page, as playwright names them: read from the page's own table. */
export function documentedKeys() {
  const text = readFileSync(join(source, 'web/src/app/key_table.ts'), 'utf8');
  const keys = new Set(['Tab', 'Shift+Tab', 'Escape', 'Control+KeyK', 'PageDown', 'PageUp']);
  for (const [, code, more = ''] of text.matchAll(/\bat\('(\w+)'(?:, \{([^}]*)\})?\)/g)) {
    const held = [['ctrl', 'Control'], ['alt', 'Alt'], ['shift', 'Shift']].filter(([name]) => more.includes(`${name}: true`)).map(([, key]) => key);
    keys.add([...held, code].join('+'));
  }
  for (const [, key] of text.matchAll(/\bsign\('(.)'/g)) keys.add(key);
  for (const digit of [1, 2, 3, 4, 5, 6, 7]) for (const held of ['', 'Shift+', 'Alt+']) keys.add(`${held}Digit${digit}`);
  if (keys.size < 60) throw new Error(`the key table of the page is written in another way: ${keys.size} keys found`);
  return [...keys];
}
