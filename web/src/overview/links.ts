/** Where the parts of the page lead: the operations behind a number in Ops, the time in Trace. */
import { type Change, hrefOf, setView } from '../app/router';
import { overview, split } from './state';
import type { OverviewLoss, OverviewVerdict } from '../api/answers';

/** Filters of Ops, in its words. */
const OF_LOSS: Partial<Record<OverviewLoss['kind'], string>> = {
  copies_in: 'bound:wait group:host',
  copies_out: 'bound:wait group:host',
  copies: 'bound:wait -group:coll',
  collectives: 'group:coll',
  infeed: 'bound:wait',
  waits: 'bound:wait',
  compute_loss: 'bound:compute',
  memory_loss: 'bound:hbm',
  latency: 'bound:latency',
  not_judged: 'bound:unknown',
};
const OF_VERDICT: Partial<Record<OverviewVerdict['kind'], string>> = {
  communication: 'bound:wait',
  memory: 'bound:hbm',
  compute: 'bound:compute',
};

const inOps = (filter: string): Change => ({ tool: 'ops', ofilter: filter });

export const lossChange = (kind: OverviewLoss['kind']): Change | null => {
  const filter = OF_LOSS[kind];
  return filter ? inOps(filter) : kind === 'idle' ? inTrace(null) : null;
};
const GAPS: Change = { tool: 'trace', panel: null, tt: 'gaps' };
const STEPS: Change = { tool: 'trace', panel: null, tt: 'steps' };

/** Host is not an operation of a chip: its gaps are in Trace. Input is of one host: the one that the verdict is of. */
export const verdictChange = ({ kind, host }: Pick<OverviewVerdict, 'kind' | 'host'>): Change => {
  const filter = OF_VERDICT[kind];
  const several = (overview.peek()?.hosts.length ?? 0) > 1;
  return filter ? inOps(filter) : kind === 'input' ? { tool: 'input', ...(several && host ? { host } : {}) } : GAPS;
};

/** What a finding of time is about, where that is not an operation: its place, and where to look at it. */
const OF_PLACE: Record<string, { word: string; change: Change }> = {
  steps: { word: 'gaps', change: GAPS },
  launches: { word: 'gaps', change: GAPS },
  collectives: { word: 'steps', change: STEPS },
  copies: { word: 'steps', change: STEPS },
  chips: { word: 'steps', change: STEPS },
  clock: { word: 'steps by both clocks', change: STEPS },
  input: { word: 'Input', change: { tool: 'input' } },
  peaks: { word: 'peaks', change: { tool: 'roofline' } },
};
export const placeOf = (place: string | null) => (place === null ? undefined : OF_PLACE[place]);

/** An expression of the server is 256 bytes long at most, and a filter has 64 of them; an address of 6,000 bytes passes everywhere. */
const EXPRESSION_BYTES = 240;
const FILTER_BYTES = 6000;
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** The operations of a finding in Ops, by their names: all of them, or the first `shown`, which are as many as an address takes. */
export function opsChange(names: readonly string[], module: string | null): { change: Change; shown: number } {
  if (names.length === 1) return { change: { tool: 'ops', osel: `${names[0]}:${module ?? ''}`, ofilter: null }, shown: 1 };
  const alternatives: string[] = [];
  let [text, used, shown] = ['', 0, 0];
  for (const name of names) {
    const plain = name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
    const bytes = bytesOf(plain) + 1;
    if (used + bytes > FILTER_BYTES) break;
    if (text && bytesOf(text) + bytes > EXPRESSION_BYTES) {
      alternatives.push(text);
      text = '';
      used += 16; // what stands around an expression
    }
    text += `${text ? '|' : ''}${plain}`;
    used += bytes;
    shown++;
  }
  const filter = [...alternatives, text].map((x) => `name:/^(${x})$/`).join(' | ');
  return { change: { ...inOps(filter), ...(module ? { module } : {}) }, shown };
}

/** What a line of the source made, in Ops. */
export const sourceChange = (file: string, line: number | null): Change =>
  inOps(`src:${file.slice(file.lastIndexOf('/') + 1)}${line === null ? '' : `:${line}`}`);

/** Trace, at a step of the chart. */
export function inTrace(row: number | null): Change {
  const steps = split.peek()?.steps;
  return row === null || !steps ? { tool: 'trace' } : { tool: 'trace', t0: steps.start_ps[row], t1: steps.end_ps[row] };
}

export const openTrace = (row: number | null): void => setView(inTrace(row), { push: true });

/** The operation, in Ops. */
export const opHref = (name: string, module: string | null): string =>
  hrefOf({ tool: 'ops', osel: `${name.replace(/^%/, '')}:${module ?? ''}`, ofilter: null });
