/** Where the parts of the page lead: the operations behind a number in Ops, the time in Trace. */
import { type Change, hrefOf, setView } from '../app/router';
import { split } from './state';
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
/** Host is no operation of a chip: its gaps are in Trace. */
export const verdictChange = (kind: OverviewVerdict['kind']): Change => {
  const filter = OF_VERDICT[kind];
  return filter ? inOps(filter) : kind === 'input' ? { tool: 'input' } : { ...inTrace(null), panel: null, tt: 'gaps' };
};
export const verdictHref = (kind: OverviewVerdict['kind']) => hrefOf(verdictChange(kind));

/** Trace, at a step of the chart. */
export function inTrace(row: number | null): Change {
  const steps = split.peek()?.steps;
  return row === null || !steps ? { tool: 'trace' } : { tool: 'trace', t0: steps.start_ps[row], t1: steps.end_ps[row] };
}

export const openTrace = (row: number | null): void => setView(inTrace(row), { push: true });

/** The operation, in Ops. */
export const opHref = (name: string, module: string | null): string =>
  hrefOf({ tool: 'ops', osel: `${name.replace(/^%/, '')}:${module ?? ''}`, ofilter: null });
