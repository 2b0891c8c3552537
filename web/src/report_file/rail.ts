/** The answers about the server, which a report has none of: made of the run. */
import type { Head } from './store';

type Json = Record<string, unknown>;
interface Host {
  name: string;
  size_bytes: number;
}

export function runsAnswer(head: Head, run: Json): Json {
  const hosts = (run.hosts as Host[] | undefined) ?? [];
  const column = <T>(value: T) => [value];
  const cut = head.run.lastIndexOf('/');
  return {
    generation: 1,
    root: '',
    root_problem: null,
    scan: { ms: 0, folders: 0, files: head.file_count, links_skipped: 0, unreadable_folders: 0, limit: null },
    n: 1,
    left_out: 0,
    id: column(head.run),
    folder: column(cut < 0 ? '' : head.run.slice(0, cut)),
    name: column(head.run.slice(cut + 1)),
    kind: column(run.kind ?? 'file'),
    mtime_ms: column(null),
    size_bytes: column(hosts.reduce((sum, host) => sum + host.size_bytes, 0)),
    fingerprint: column(run.fingerprint ?? null),
    hosts: column(hosts.map((host) => host.name)),
    problem: column(null),
    found: [],
    looked_for: [],
    samples: [],
  };
}

export function statusAnswer(head: Head, run: Json): Json {
  return {
    name: 'xprofd',
    version: head.version,
    api: 1,
    root: '',
    generation: 1,
    store: { memory_bytes: 0, memory_limit_bytes: 0, runs_loaded: 1, runs_held: 1, loads: 1, evictions: 0 },
    tools: run.tools ?? [],
  };
}
