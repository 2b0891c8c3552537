import { signal } from '@preact/signals';
import { begin } from '../util/rest';
import type { Answers, Status } from './answers';
import type {
  BufferCard,
  Buffers,
  Card,
  Curve,
  Diff,
  ErrorBody,
  Live,
  MapBoxes,
  Modules,
  Oom,
  Progress,
  Range,
  Run,
  Runs,
  Scopes,
  Search,
  Steps,
  Summary,
  Tree,
  WhatIf,
} from './types';

/** A parameter that is undefined, null or '' is left out of the URL. */
export type Params = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  /** Calls with the same key: a newer one aborts the older, which then fails with code 'aborted'. */
  key?: string;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Do not show this call in the loading line (polling, prefetch). */
  quiet?: boolean;
  /** What the view lacks without this answer, where the view itself does not say so. */
  part?: string;
}

/** What a failed call throws. `code` is the server's, or 'aborted', 'bad_answer'. */
export class ApiError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status: number,
    readonly where: string | null = null,
    readonly offset: number | string | null = null,
    /** The whole of the server's error: some hold what is near, or what would do. */
    readonly body: unknown = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

export function isAborted(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'aborted';
}

/** What is being read, for the loading line: the newest progress of the calls under way, or null. */
export const progress = signal<Progress | null>(null);
/** Calls under way that are not quiet. */
export const inFlight = signal(0);
/** False after a call could not reach the server, true again after the next that did. */
export const reachable = signal(true);

/** Parts of the view whose answer failed, each with why: a strip names them. */
export const missing = signal<ReadonlyMap<string, string>>(new Map());

/** Runs that were gone when the page asked for a part of them: the page lacks that part. */
export const lost = new Set<string>();

function tell(part: string, why?: string): void {
  const now = new Map(missing.peek());
  if (why) now.set(part, why);
  else if (!now.delete(part)) return;
  missing.value = now;
}

/** The page is being left: the browser aborts running requests, and their errors must not be shown. */
let left = false;

/** A page that the browser kept is one again when it is shown. */
export function watchLeaving(): void {
  addEventListener('pagehide', () => {
    left = true;
  });
  addEventListener('pageshow', () => {
    left = false;
  });
}

const latest = new Map<string, AbortController>();
const reading = new Map<number, Progress>();
let serial = 0;

/** Which hosts alone are read of a run that the page shows in part (router: `only`); set when the page starts. */
export const parts = { of: (_run: string): string | undefined => undefined };

/** Relative on purpose: the page works below any proxy path. */
export function apiUrl(route: string, params: Params = {}): string {
  const query = new URLSearchParams();
  const only = params.run ? parts.of(String(params.run)) : undefined;
  for (const [name, value] of Object.entries(only ? { ...params, only } : params)) {
    if (value === undefined || value === null || value === '') continue;
    query.set(name, value === true ? '1' : value === false ? '0' : String(value));
  }
  const text = query.toString();
  return `api/v1/${route}${text ? `?${text}` : ''}`;
}

export function csvUrl(route: string, params: Params = {}): string {
  return apiUrl(route, { ...params, format: 'csv' });
}

/** Identifies this page, so that clients behind one proxy or tunnel take turns too (X-Xprofd-Page). */
const page = Math.random().toString(36).slice(2);

/** Where answers come from. A report in one file puts its own in this place (report_file/store.ts). */
export const transport = {
  ask: (url: string, init?: RequestInit): Promise<Response> => fetch(url, init),
  inFile: false,
  /** Whether it is of any use to ask about a run. */
  holds: (_run: string): boolean => true,
};

function showProgress(id: number, value: Progress | null): void {
  if (value) reading.set(id, value);
  else if (!reading.delete(id)) return;
  progress.value = [...reading.values()].pop() ?? null;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new ApiError('aborted', 'aborted', 0));
    });
  });
}

/** Delay before asking again after the n-th 202: quick at first (small files), then at most twice a second. */
export function backOff(attempt: number): number {
  return Math.min(500, 60 * 1.5 ** attempt);
}

async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as ErrorBody;
    return new ApiError(error.code, error.message, response.status, error.where ?? null, error.offset ?? null, error);
  } catch {
    return new ApiError('bad_answer', `the server answered ${response.status}`, response.status);
  }
}

/** How the body of an answer is read. */
type Read<T> = (response: Response) => Promise<T>;

/** Repeats the request until it is answered: the server may be unreachable for a while (a closed tunnel, a proxy without its server). */
async function request<T>(url: string, stop: AbortSignal, id: number, options: CallOptions, read: Read<T>): Promise<T> {
  for (let attempt = 0, away = 0; ; ) {
    let response: Response;
    let answer: unknown;
    try {
      response = await transport.ask(url, { signal: stop, headers: { Accept: 'application/json', 'X-Xprofd-Page': page } });
      if (response.status === 502 || response.status === 504) throw new Error();
      if (response.ok) answer = response.status === 202 ? await response.json() : await read(response);
    } catch (error) {
      if (stop.aborted || left) throw new ApiError('aborted', 'aborted', 0);
      if (error instanceof SyntaxError || transport.inFile) throw new ApiError('bad_answer', 'the answer is not JSON', 500);
      reachable.value = false;
      await pause(Math.min(4000, 250 * 2 ** away++), stop);
      continue;
    }
    reachable.value = true;
    if (!response.ok) throw await errorOf(response);
    if (response.status !== 202) return answer as T;
    if (!options.quiet) showProgress(id, answer as Progress);
    options.onProgress?.(answer as Progress);
    await pause(backOff(attempt++), stop);
  }
}

/** One GET. Waits through 202 answers and while the server is away; throws ApiError. */
export async function call<T>(route: string, params: Params = {}, options: CallOptions = {}, read: Read<T> = (response) => response.json()): Promise<T> {
  const controller = new AbortController();
  if (options.key) {
    latest.get(options.key)?.abort();
    latest.set(options.key, controller);
  }
  if (options.signal?.aborted) controller.abort();
  options.signal?.addEventListener('abort', () => controller.abort());
  const id = ++serial;
  const end = begin();
  // peek: a call made inside an effect must not make that effect depend on the counter.
  if (!options.quiet) inFlight.value = inFlight.peek() + 1;
  try {
    const answer = await request<T>(apiUrl(route, params), controller.signal, id, options, read);
    if (options.part) tell(options.part);
    return answer;
  } catch (error) {
    // `where` is the run only where the run itself is not there.
    if (params.run && error instanceof ApiError && error.status === 404 && error.where === 'run') lost.add(String(params.run));
    // What the server refuses (4xx) is of the address, and said where it is asked.
    if (options.part && error instanceof ApiError && error.status >= 500) tell(options.part, error.message);
    throw error;
  } finally {
    if (!options.quiet) inFlight.value = inFlight.peek() - 1;
    showProgress(id, null);
    if (options.key && latest.get(options.key) === controller) latest.delete(options.key);
    end();
  }
}

/** The one POST: an HLO module that the server keeps in memory. The answer is its run. */
export async function sendProgram(text: Blob): Promise<string> {
  if (transport.inFile) throw new ApiError('bad_answer', 'a report file has no server to read a program', 0);
  const response = await transport.ask(apiUrl('paste'), {
    method: 'POST',
    body: text,
    headers: { 'Content-Type': 'text/x-hlo', Accept: 'application/json', 'X-Xprofd-Page': page },
  });
  if (!response.ok) throw await errorOf(response);
  return ((await response.json()) as { run: string }).run;
}

/** A body that is a text. */
export const callText = (route: string, params: Params = {}, options: CallOptions = {}): Promise<string> =>
  call(route, params, options, (response) => response.text());

/** Aborts the call with this key: its answer is no longer needed. */
export function abortCalls(key: string): void {
  latest.get(key)?.abort();
}

/** Routes that need no run. */
function free<T>(name: string) {
  return (params: Params = {}, options: CallOptions = {}) => call<T>(name, params, options);
}

/** Routes about a run. A view that is being left may ask once more when the run is gone: there is nothing to ask then. */
function route<T>(name: string) {
  return (params: Params = {}, options: CallOptions = {}) =>
    params.run ? call<T>(name, params, options) : Promise.reject<T>(new ApiError('aborted', 'no run is open', 0));
}

export const api = {
  status: free<Status>('status'),
  runs: free<Runs>('runs'),
  oom: free<Oom>('oom'),
  run: route<Run>('run'),
  card: route<Card>('card'),
  modules: route<Modules>('modules'),
  summary: route<Summary>('memory/summary'),
  curve: route<Curve>('memory/curve'),
  steps: route<Steps>('memory/steps'),
  scopes: route<Scopes>('memory/scopes'),
  map: route<MapBoxes>('memory/map'),
  live: route<Live>('memory/live'),
  diff: route<Diff>('memory/diff'),
  range: route<Range>('memory/range'),
  buffers: route<Buffers>('memory/buffers'),
  buffer: route<BufferCard>('memory/buffer'),
  tree: route<Tree>('memory/tree'),
  whatif: route<WhatIf>('memory/whatif'),
  doctor: route<Answers['doctor']>('doctor'),
  search: route<Search>('search'),
};
