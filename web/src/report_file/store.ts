/** Answers the page from what the file holds, as the server would; what is not there is an error that says so. */
import { signal } from '@preact/signals';
import type { ToolState } from '../api/answers';
import { lines, unpack } from './blocks';
import { type Columns, find, type Index, indexOf, type Route } from './find';
import { type RunHeld, runsAnswer, statusAnswer } from './about_server';

interface OfRun {
  run: string;
  label: string;
  files: { name: string; size_bytes: number }[];
  file_count: number;
  module: string | null;
}

/** What the report's run is compared with. */
interface Base extends OfRun {
  /** The program at whose comparison the page opens. */
  opens: string;
  /** Which programs have no partner in it: a line, or nothing. */
  alone: string;
}

export interface Head extends OfRun {
  schema: number;
  version: string;
  limit_bytes: number;
  /** Of `xprofd report --diff`. */
  base: Base | null;
  /** Only this program was recorded. */
  one_module: boolean;
  space: string | null;
  routes: Record<string, Route>;
  held: { what: string; held: number; left_out: number }[];
  answers: Columns;
}

/** What the view on screen asked for in vain, in words. */
export const missed = signal<string[]>([]);

let head: Head;
let index: Index;

export async function openStore(): Promise<Head> {
  const text = await unpack('report-head');
  if (text === null) throw new Error('this file holds only the page of a report, without the data of a profile');
  head = JSON.parse(text) as Head;
  index = indexOf(head.routes, head.answers, new Map([head, ...(head.base ? [head.base] : [])].map((of) => [of.run, of.module])));
  return head;
}

const json = (value: unknown, status = 200) => new Response(typeof value === 'string' ? value : JSON.stringify(value), { status });

/** What is asked for, where no answer of its kind is ever recorded. */
const KINDS: [RegExp, string][] = [
  [/^compare/, 'a comparison needs both profiles (xprofd report AFTER --diff=BEFORE, xprofd diff BEFORE AFTER, or Compare on the served page)'],
  [/^(graph\/)?(search|find|path|match)/, 'free search needs the whole program'],
  [/^trace\/(event|search|near|flows|same|collective)/, 'details of single events need the whole trace'],
  [/^memory\/whatif/, 'only single buffers were tried, not combinations'],
  [/^memory\/(diff|range|steps)/, 'only recorded steps and windows are in it'],
  [/^graph\//, 'this part of the program was not recorded'],
];

function held(route: string, run: string): string {
  const known = [head.run, ...(head.base ? [head.base.run] : [])];
  if (!known.includes(run)) return `it only holds ${known.length > 1 ? 'the runs' : 'the run'} ${known.join(' and ')}`;
  if (run !== head.run && route.startsWith('trace/')) return 'it holds the programs of the “before” run, but not its trace';
  const holds = head.routes[route]?.holds ?? [];
  if (holds.length > 0) return `it holds ${holds.join(', ')}`;
  return KINDS.find(([pattern]) => pattern.test(route))?.[1] ?? 'a report holds no answers of this kind';
}

function missing(route: string, run: string): Response {
  const what = held(route, run);
  const message = `not in this report: ${what}; open the profile with xprofd to see it`;
  if (!missed.peek().includes(message)) missed.value = [...missed.peek(), message];
  return json({ error: { code: 'not_in_report', message, where: route, offset: null } }, 404);
}

/** A run itself, for what the page asks about the server. */
async function runAnswer(run: string): Promise<Record<string, unknown>> {
  const found = find(index, 'run', new URLSearchParams({ run }));
  return found ? JSON.parse((await lines(found.block))[found.line]) : {};
}

export async function isMeasured(run: string): Promise<boolean> {
  const { tools } = (await runAnswer(run)) as { tools?: ToolState[] };
  return tools?.some(({ id, available }) => id === 'overview' && available) ?? false;
}

async function runsHeld(): Promise<RunHeld[]> {
  const all: OfRun[] = head.base ? [head, head.base] : [head];
  return Promise.all(all.map(async (of) => ({ id: of.run, file_count: of.file_count, run: await runAnswer(of.run) })));
}

async function answer(url: string): Promise<Response> {
  const at = new URL(url, 'http://report/');
  const route = at.pathname.replace(/^\/api\/v1\//, '');
  if (route === 'runs') return json(runsAnswer(await runsHeld()));
  if (route === 'status') return json(statusAnswer(head.version, await runsHeld()));
  const found = find(index, route, at.searchParams);
  if (!found) return missing(route, at.searchParams.get('run') ?? head.run);
  const line = (await lines(found.block))[found.line];
  if (found.kind === 1) return json(JSON.parse(line) as string);
  return json(line, found.kind === 2 ? 404 : 200);
}

/** In the place of fetch. Once the effects of a new view have run: one of them forgets what the view before lacked. */
export async function ask(url: string, init?: RequestInit): Promise<Response> {
  await null;
  if (init?.signal?.aborted) throw new DOMException('aborted', 'AbortError');
  return answer(url);
}
