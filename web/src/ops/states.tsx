/** What Ops says where it has nothing to show, or less than all. */
import { formatCount, plural } from '../util/format';
import { useEffect, useState } from 'preact/hooks';
import { hrefOf, view } from '../app/router';
import { traceApi } from '../trace/api';
import { change, MOST_ROWS, type Ops, ops, programName } from './state';

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
      // Without the hint, the previous sentence is shown.
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

/** What ran the operations: a host that computes itself has no chips. */
export const deviceWord = (o: Pick<Ops, 'on_cpu'> | null) => (o?.on_cpu ? 'CPU device' : 'chip');

/** "sums over 2 hosts, 8 chips", of one host "of worker0 alone"; nothing where the run has one host. */
export function whoseWords(o: Pick<Ops, 'host' | 'hosts' | 'quiet_hosts' | 'other_hosts' | 'chips' | 'on_cpu'>, what = 'sums'): string {
  if (o.host !== null) return o.other_hosts.length > 0 ? `of ${o.host} alone` : '';
  if (o.hosts.length === 0) return '';
  const quiet = o.quiet_hosts.length > 0 ? `; no operation on ${o.quiet_hosts.join(', ')}` : '';
  return `${what} over ${plural(o.hosts.length, 'host')}, ${plural(o.chips, deviceWord(o))}${quiet}`;
}

/** Whose times these are, in a run of several hosts. */
export function HostsNote() {
  const o = ops.value;
  const words = o ? whoseWords(o) : '';
  if (!o || !words) return null;
  return (
    <p class="op-note">
      {o.host === null ? `times are ${words}` : `times ${words}; ${o.other_hosts.join(', ')} ran it too: `}
      {o.host === null ? null : (
        <button type="button" class="link" onClick={() => change({ host: null })}>
          all hosts
        </button>
      )}
    </p>
  );
}
