/** What Ops says where it has nothing to show, or less than all. */
import { formatCount } from '../util/format';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf, view } from '../app/router';
import { traceApi } from '../trace/api';
import { durationText } from '../trace/time';
import { change, MOST_ROWS, ops, programName } from './state';

/** Nothing matches here: how many operations do in the other programs of the run. */
export function NoOperations() {
  const [found, setFound] = useState<[string, number][]>([]);
  const { run, host, module, ofilter } = view.value;
  useEffect(() => {
    setFound([]);
    if (!module || !ofilter) return;
    const stop = new AbortController();
    traceApi
      .ops({ run, host, filter: ofilter, limit: MOST_ROWS }, { signal: stop.signal, quiet: true })
      .then((answer) => {
        const counts = new Map<string, number>();
        for (const key of answer.ops.module) counts.set(key, (counts.get(key) ?? 0) + 1);
        setFound([...counts]);
      })
      // Without the hint the sentence before it stands.
      .catch(() => {});
    return () => stop.abort();
  }, [run, host, module, ofilter]);
  return (
    <>
      no operation matches
      {found.map(([key, count]) => (
        <span key={key}>
          ;{' '}
          <a href={hrefOf({ module: key })}>
            {formatCount(count)} {count === 1 ? 'does' : 'do'} in {programName(key)}
          </a>
        </span>
      ))}
      {ofilter ? (
        <button type="button" class="link" onClick={() => change({ ofilter: null })}>
          clear the filter
        </button>
      ) : null}
    </>
  );
}

/** Why parts of the table are empty: said once above it, not in every cell. */
export function notes(): string[] {
  const o = ops.value;
  if (!o) return [];
  const out: string[] = [];
  if (o.filter_note) out.push(o.filter_note);
  const { ops: c } = o;
  if (c.n > 0 && c.bound_reason.every((why) => why !== null && /HLO/.test(why)))
    out.push('no HLO in the profile: names, times and kernels only; scope, work and bound are unknown');
  if (o.total > c.n) out.push(`${formatCount(o.total - c.n)} operations are not listed, the shortest`);
  return out;
}

/** Whose times these are where other hosts ran the programs too; all of them are read when asked, as that reads their events. */
export function HostsNote() {
  const o = ops.value;
  if (!o?.other_hosts.length) return null;
  const whose = `times of ${o.host ?? 'the first host of each program'}`;
  const all = o.other_hosts.length + 1;
  return (
    <p class="op-note">
      {o.hosts
        ? `${whose}; on all ${formatCount(o.hosts)} hosts ${durationText(o.hosts_self_ps)} in all steps, and which is slowest stands in its column `
        : `${whose}; ${o.other_hosts.join(', ')} ran it too: choose a host above, or `}
      <button type="button" class="link" onClick={() => change({ ohosts: o.hosts ? null : 1 })}>
        {o.hosts ? 'this host alone' : `compare all ${formatCount(all)}`}
      </button>
    </p>
  );
}
