/** The answers about the server, which a report has none of: made of the runs it holds. */

type Json = Record<string, unknown>;
interface Host {
  name: string;
  size_bytes: number;
}

export interface RunHeld {
  id: string;
  file_count: number;
  /** The answer about it. */
  run: Json;
}

const hostsOf = ({ run }: RunHeld) => (run.hosts as Host[] | undefined) ?? [];
/** The run that another is compared with lies nowhere: "base:" is not a folder. */
const plainId = (id: string) => id.replace(/^base:/, '');

export function runsAnswer(held: RunHeld[]): Json {
  const column = <T>(value: (of: RunHeld) => T) => held.map(value);
  const cut = (id: string) => plainId(id).lastIndexOf('/');
  return {
    generation: 1,
    root: '',
    root_problem: null,
    scan: { ms: 0, folders: 0, files: held.reduce((sum, of) => sum + of.file_count, 0), links_skipped: 0, unreadable_folders: 0, limit: null },
    n: held.length,
    left_out: 0,
    id: column((of) => of.id),
    folder: column(({ id }) => (cut(id) < 0 ? '' : plainId(id).slice(0, cut(id)))),
    name: column(({ id }) => plainId(id).slice(cut(id) + 1)),
    // Two profiles of two folders may be called the same: the ids in this file differ.
    label: column(({ id, run }) => (held.some((other) => other.id !== id && other.run.label === run.label) ? id : (run.label ?? plainId(id)))),
    lead: column(() => null),
    kind: column(({ run }) => run.kind ?? 'file'),
    mtime_ms: column(() => null),
    size_bytes: column((of) => hostsOf(of).reduce((sum, host) => sum + host.size_bytes, 0)),
    fingerprint: column(({ run }) => run.fingerprint ?? null),
    hosts: column((of) => hostsOf(of).map((host) => host.name)),
    problem: column(() => null),
    found: [],
    looked_for: [],
    samples: [],
  };
}

export function statusAnswer(version: string, held: RunHeld[]): Json {
  return {
    name: 'xprofd',
    version,
    api: 1,
    root: '',
    generation: 1,
    store: { memory_bytes: 0, memory_limit_bytes: 0, runs_loaded: held.length, runs_held: held.length, loads: held.length, evictions: 0 },
    tools: held[0]?.run.tools ?? [],
  };
}
