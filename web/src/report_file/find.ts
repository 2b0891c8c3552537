/** Which recorded answer a question gets. Pure. */

export interface Route {
  /** Parameters that make another answer; others are not looked at. */
  takes: string[];
  /** Of those, the ones that need not be equal; `window`: from and to may be those of a wider one. */
  any: string[];
  /** What there is, in words. */
  holds: string[];
}

interface Recorded {
  route: string;
  /** Of the baseline when it is not the report's own. */
  run: string;
  params: Map<string, string>;
  block: number;
  line: number;
  /** 0 JSON, 1 text, 2 an error. */
  kind: number;
}

export interface Index {
  routes: Record<string, Route>;
  byRoute: Map<string, Recorded[]>;
  /** The run, program and memory space that a question without them means; the program by run, the space by run and program. */
  run: string;
  modules: Map<string, string | null>;
  spaces: Map<string, string>;
}

export interface Columns {
  n: number;
  route: string[];
  query: string[];
  block: number[];
  line: number[];
  kind: number[];
}

const placeKey = (run: string, module: string | undefined) => `${run}\0${module ?? ''}`;

/** `modules`: the default program of each run, the report's own first. */
export function indexOf(routes: Record<string, Route>, columns: Columns, modules: Map<string, string | null>): Index {
  const own = [...modules.keys()][0] ?? '';
  const byRoute = new Map<string, Recorded[]>();
  const spaces = new Map<string, string>();
  for (let i = 0; i < columns.n; i++) {
    const route = columns.route[i];
    const params = new Map(new URLSearchParams(columns.query[i]));
    const run = params.get('run') ?? own;
    params.delete('run');
    const list = byRoute.get(route) ?? [];
    list.push({ route, run, params, block: columns.block[i], line: columns.line[i], kind: columns.kind[i] });
    byRoute.set(route, list);
    // The main space of a program is recorded first.
    const of = placeKey(run, params.get('module'));
    const space = params.get('space');
    if (params.has('module') && space !== undefined && !spaces.has(of)) spaces.set(of, space);
  }
  return { routes, byRoute, run: own, modules, spaces };
}

/** The parameters that count. */
function wanted(route: Route, asked: URLSearchParams): Map<string, string> {
  const out = new Map<string, string>();
  for (const name of route.takes) {
    const value = asked.get(name);
    if (value !== null && value !== '') out.set(name, value);
  }
  return out;
}

/** What a question means that leaves this out. */
function meant(index: Index, key: string, recorded: Recorded): string | undefined {
  if (key === 'module') return index.modules.get(recorded.run) ?? undefined;
  // Who the partner of a program is was decided when the report was written.
  if (key === 'base_module') return recorded.params.get(key);
  return key === 'space' ? index.spaces.get(placeKey(recorded.run, recorded.params.get('module'))) : undefined;
}

const number = (text: string | undefined, other: number) => (text === undefined ? other : Number(text));

/** How much wider the recorded window is; null: it does not hold the asked one. */
function slack(recorded: Map<string, string>, asked: Map<string, string>): number | null {
  const from = number(recorded.get('from'), 0);
  const to = number(recorded.get('to'), Infinity);
  const askedFrom = number(asked.get('from'), 0);
  const askedTo = number(asked.get('to'), Infinity);
  if (from > askedFrom || to < askedTo) return null;
  return to === askedTo ? askedFrom - from : to - askedTo + askedFrom - from;
}

export function find(index: Index, name: string, asked: URLSearchParams): Recorded | null {
  const route = index.routes[name];
  if (!route) return null;
  const window = route.any.includes('window');
  const loose = new Set([...route.any, ...(window ? ['from', 'to'] : [])]);
  const want = wanted(route, asked);
  const run = asked.get('run') ?? index.run;
  let best: Recorded | null = null;
  let least = Infinity;
  for (const recorded of index.byRoute.get(name) ?? []) {
    if (recorded.run !== run) continue;
    const same = (key: string) => loose.has(key) || recorded.params.get(key) === (want.get(key) ?? meant(index, key, recorded));
    if (![...want.keys()].every(same) || ![...recorded.params.keys()].every(same)) continue;
    const wider = window ? slack(recorded.params, want) : 0;
    if (wider === null || (best && wider >= least)) continue;
    best = recorded;
    least = wider;
  }
  return best;
}
