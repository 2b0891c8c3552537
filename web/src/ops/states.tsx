/** What Ops says where it has less than all. */
import { formatCount } from '../util/format';
import { ops } from './state';

/** Why parts of the table are empty: said once above it, not in every cell. */
export function notes(): string[] {
  const o = ops.value;
  if (!o) return [];
  const out: string[] = [];
  const { ops: c } = o;
  if (c.n > 0 && c.bound_reason.every((why) => why !== null && /HLO/.test(why))) out.push('no HLO in the profile: names, times and kernels only; scope, work and bound are unknown');
  if (o.other_hosts.length) out.push(`times of ${o.host ?? 'the first host of each program'}; ${o.other_hosts.join(', ')} ran it too: choose a host above`);
  if (o.total > c.n) out.push(`${formatCount(o.total - c.n)} operations are not listed, the shortest`);
  return out;
}
