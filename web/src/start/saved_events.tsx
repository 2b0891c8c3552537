/** Events that the files of a run still hold: one bar a thread, host by host, on one axis; what is missing is said. */
import type { TraceRows } from '../api/answers';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Host, Run } from '../api/types';
import type { TraceWindow } from '../api/types_trace';
import { themeVersion } from '../app/theme';
import { Surface } from '../canvas/surface';
import { traceApi } from '../trace/api';
import { durationText, tickText, timeTicks } from '../trace/time';
import { formatCount, plural } from '../util/format';

/** More than these are said, not drawn: this page tells where a file stops, the Trace page shows all. */
const HOSTS = 4;
const ROWS = 10;
const ROW_HEIGHT = 16;
const COLUMNS = 900;

interface Line {
  row: number;
  caption: string;
  events: number;
  cut: boolean;
  /** Pairs of left and right, 0 to 1 of the axis, with the group that gives the colour. */
  bars: { from: number; to: number; group: string }[];
}

interface Saved {
  host: string;
  lines: Line[];
  left_out: number;
  span_ps: number;
}

function barsOf(row: number, answer: TraceWindow, span: number): Line['bars'] {
  const bars: Line['bars'] = [];
  let box = 0;
  for (let d = 0; d < answer.depths.n; d++) {
    let start = answer.from_ps;
    for (let k = 0; k < answer.depths.boxes[d]; k++, box++) {
      start += answer.box.start[box] * answer.quantum_ps;
      if (answer.depths.row[d] !== row || answer.depths.depth[d] !== 0) continue;
      const length = answer.box.length[box] * answer.quantum_ps;
      bars.push({ from: start / span, to: (start + length) / span, group: answer.names.group[answer.box.name[box]] });
    }
  }
  return bars;
}

async function load(run: string, host: string, stop: AbortSignal): Promise<{ rows: TraceRows; chosen: number[] }> {
  const rows = await traceApi.rows({ run, host, derived: 0 }, { signal: stop, quiet: true });
  const chosen = rows.rows.row
    .map((_, i) => i)
    .filter((i) => !rows.rows.derived[i] && !rows.rows.hidden[i] && rows.rows.events[i] > 0)
    .sort((a, b) => rows.rows.events[b] - rows.rows.events[a])
    .slice(0, ROWS)
    .sort((a, b) => a - b);
  return { rows, chosen };
}

async function saved(run: string, hosts: Host[], stop: AbortSignal): Promise<Saved[]> {
  const all = await Promise.all(hosts.map((host) => load(run, host.name, stop)));
  const span = Math.max(1, ...all.map(({ rows }) => rows.end_ps));
  return Promise.all(
    all.map(async ({ rows, chosen }, i) => {
      const list = chosen.map((at) => rows.rows.row[at]);
      const answer = list.length
        ? await traceApi.window({ run, host: hosts[i].name, rows: list.join(','), from: 0, to: span, px: COLUMNS, flat: 1 }, { signal: stop, quiet: true })
        : null;
      const drawn = chosen.map((at) => ({
        row: rows.rows.row[at],
        caption: rows.rows.caption[at] || 'no name',
        events: rows.rows.events[at],
        cut: Boolean(rows.rows.cut[at]),
        bars: answer ? barsOf(rows.rows.row[at], answer, span) : [],
      }));
      const others = rows.rows.row.filter((_, k) => !rows.rows.derived[k] && !rows.rows.hidden[k] && rows.rows.events[k] > 0).length;
      return { host: hosts[i].name, lines: drawn, left_out: others - drawn.length, span_ps: span };
    }),
  );
}

function Bars({ line }: { line: Line }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = themeVersion.value;
  useEffect(() => {
    if (!canvas.current) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (group: string) => style.getPropertyValue(`--o-${group}`).trim() || style.getPropertyValue('--o-none').trim();
    const surface = new Surface(canvas.current, (g, width, height) => {
      for (const { from, to, group } of line.bars) {
        g.fillStyle = colour(group);
        g.fillRect(from * width, 2, Math.max(1, (to - from) * width), height - 4);
      }
    });
    return () => surface.close();
  }, [line, theme]);
  return <canvas ref={canvas} class="saved-bars" role="img" aria-label={`${line.caption}: ${plural(line.events, 'event')}`} />;
}

/** Marks of the axis: each number, and its place as a share of the axis. */
function ticks(span: number): { at: number; text: string }[] {
  const found = timeTicks(0, span, 7);
  return found.at.map((ps) => ({ at: ps / span, text: tickText(found, ps) }));
}

function Missing({ host }: { host: Host }) {
  if (host.complete) return null;
  const missing = (host.whole_bytes ?? host.size_bytes) - host.size_bytes;
  return (
    <div class="saved-line bad">
      <span class="saved-name">not there</span>
      <span class="saved-missing">
        {missing > 0 ? `the ${formatCount(missing)} bytes after the cut and every line in them` : 'the events in the damaged bytes'}
      </span>
    </div>
  );
}

/** The lines of a host, then what is missing of its files. */
function HostEvents({ one, hosts }: { one: Saved; hosts: Host[] }) {
  return (
    <div>
      {one.lines.map((line, k) => (
        <div key={line.row} class="saved-line" style={{ height: `${ROW_HEIGHT}px` }}>
          <b class="saved-host cut">{k === 0 ? one.host : ''}</b>
          <span class="saved-name cut" title={`${line.caption}, ${plural(line.events, 'event')}${line.cut ? ', cut' : ''}`}>
            {line.caption}
          </span>
          <Bars line={line} />
        </div>
      ))}
      {hosts
        .filter((host) => host.name === one.host)
        .map((host) => (
          <Missing key={host.file} host={host} />
        ))}
      {one.left_out > 0 && <p class="small soft saved-more">and {plural(one.left_out, 'thread')} with fewer events; the Trace page shows all</p>}
    </div>
  );
}

export function SavedEvents({ open }: { open: Run }) {
  const [list, setList] = useState<Saved[] | null>(null);
  const [failed, setFailed] = useState('');
  const hosts = open.hosts.filter((host) => host.planes.some((plane) => plane.events > 0)).slice(0, HOSTS);
  const key = `${open.id} ${open.fingerprint}`;
  useEffect(() => {
    const stop = new AbortController();
    setList(null);
    setFailed('');
    if (hosts.length)
      saved(open.id, hosts, stop.signal).then(
        (answer) => !stop.signal.aborted && setList(answer),
        (error) => !stop.signal.aborted && setFailed(error instanceof Error ? error.message : String(error)),
      );
    return () => stop.abort();
  }, [key]);
  if (!hosts.length) return null;
  const span = list?.[0]?.span_ps ?? 0;
  return (
    <section class="saved">
      <h2>
        Saved events{' '}
        <span class="soft small">
          {failed
            ? failed
            : list
              ? `${durationText(span)}; a file stores one thread after another, so truncation loses threads, not the end of the trace`
              : 'being read …'}
        </span>
      </h2>
      {list?.map((one) => (
        <HostEvents key={one.host} one={one} hosts={hosts} />
      ))}
      {span > 0 && (
        <div class="saved-axis" aria-hidden="true">
          {ticks(span).map((tick) => (
            <span key={tick.text} style={{ left: `${tick.at * 100}%` }}>
              {tick.text}
            </span>
          ))}
        </div>
      )}
      {open.hosts.length > HOSTS && (
        <p class="small soft">
          the first {HOSTS} of {plural(open.hosts.length, 'host')}
        </p>
      )}
    </section>
  );
}
