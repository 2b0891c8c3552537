/** The same memory as XProf, JAX and XLA's report count it, side by side, with the definitions in words. */
import type { Summary } from '../api/types';
import { exactBytes, fixed, formatBytes } from '../util/format';
import { sizeText } from './bytes';

interface Line {
  what: string;
  bytes: number | null;
  words: string;
}

/** a - b; null when either is unknown. */
const less = (a: number | null, b: number | null) => (a === null || b === null ? null : a - b);

const ownLines = (s: Summary): Line[] => [
  { what: 'peak', bytes: s.peak.held_bytes, words: 'arguments, outputs, constants and the temporaries live at the highest step' },
  { what: 'reserved', bytes: s.reserved_bytes, words: 'the same with the whole heap, live or not' },
  { what: 'fragmentation', bytes: s.split.fragmentation_bytes, words: 'reserved minus peak' },
  { what: 'without padding', bytes: s.peak.unpadded_bytes, words: 'values only, including arguments' },
  { what: 'padding', bytes: less(s.peak.held_bytes, s.peak.unpadded_bytes), words: 'of temporaries and arguments' },
  { what: 'thread local', bytes: s.split.thread_local_bytes, words: 'not in peak or reserved; each thread that runs the program takes one copy' },
];

const xprofLines = (xprof: Summary['xprof']): Line[] => [
  { what: 'Peak memory allocation', bytes: xprof.peak_bytes, words: 'its heap simulation plus what is always there' },
  { what: 'with fragmentation', bytes: xprof.total_bytes, words: 'sum of the allocations of this memory space' },
  { what: 'without padding', bytes: xprof.unpadded_peak_bytes, words: 'padding removed from temporaries only' },
  { what: 'padding', bytes: less(xprof.peak_bytes, xprof.unpadded_peak_bytes), words: 'of temporaries only' },
  { what: 'total argument size', bytes: xprof.argument_bytes, words: 'allocations of entry parameters' },
  { what: 'temporaries', bytes: xprof.temp_bytes, words: 'peak minus what is always there' },
  {
    what: `temporaries with fragmentation${xprof.fragmentation_percent === null ? '' : ` (${fixed(xprof.fragmentation_percent, 2)} %)`}`,
    bytes: xprof.temp_with_fragmentation_bytes,
    words: 'allocations minus what is always there',
  },
];

const jaxLines = (jax: Summary['jax']): Line[] => [
  { what: 'argument_size_in_bytes', bytes: jax.argument_bytes, words: 'all arguments' },
  { what: 'output_size_in_bytes', bytes: jax.output_bytes, words: 'all outputs, those written into arguments too' },
  { what: 'alias_size_in_bytes', bytes: jax.alias_bytes, words: 'outputs written into arguments: counted twice above' },
  { what: 'temp_size_in_bytes', bytes: jax.temp_bytes, words: 'temporary allocations, including fragmentation' },
  { what: 'peak_memory_in_bytes', bytes: jax.peak_bytes, words: 'the peak the compiler reports' },
];

const hostLines = (jax: Summary['jax']): Line[] => [
  { what: 'host_argument_size_in_bytes', bytes: jax.host_argument_bytes, words: 'arguments in host memory' },
  { what: 'host_output_size_in_bytes', bytes: jax.host_output_bytes, words: 'outputs in host memory' },
  { what: 'host_alias_size_in_bytes', bytes: jax.host_alias_bytes, words: 'outputs written into arguments' },
  { what: 'host_temp_size_in_bytes', bytes: jax.host_temp_bytes, words: 'temporaries in host memory' },
];

export function NumbersBox({ s }: { s: Summary }) {
  const { xprof, jax } = s;
  const host = [jax.host_argument_bytes, jax.host_output_bytes, jax.host_temp_bytes].some((bytes) => (bytes ?? 0) > 0);
  return (
    <>
      <Block title="Here" lines={ownLines(s)} />
      <Block title="XProf" note={xprof.error ? `XProf fails with: ${xprof.error}` : undefined} lines={xprofLines(xprof)} />
      {xprof.differs.length > 0 ? (
        <ul class="m-differs">
          {xprof.differs.map((item) => (
            <li key={item.what}>
              <b>{item.what.replace(/_bytes$/, '').replace(/_/g, ' ')}</b>: here {formatBytes(item.ours)}, XProf {formatBytes(item.xprof)}. {item.reason}.
            </li>
          ))}
        </ul>
      ) : (
        <p class="faint">xprofd and XProf show the same numbers here.</p>
      )}
      <Block title="JAX, compiled.memory_analysis()" lines={jaxLines(jax)} />
      {host ? <Block title="JAX, on the host" lines={hostLines(jax)} /> : null}
      {s.xla_report ? (
        <Block
          title="XLA, memory-usage-report"
          lines={[{ what: 'total', bytes: s.xla_report.total_bytes, words: 'all allocations of this memory space, including thread-local ones' }]}
        />
      ) : null}
    </>
  );
}

function Block({ title, lines, note }: { title: string; lines: Line[]; note?: string }) {
  return (
    <table class="m-lines">
      <caption>{title}</caption>
      <tbody>
        {note ? (
          <tr>
            <td colSpan={3} class="bad">
              {note}
            </td>
          </tr>
        ) : null}
        {lines.map((line) => (
          <tr key={line.what}>
            <th scope="row">{line.what}</th>
            <td class="num" title={exactBytes(line.bytes)}>
              {sizeText(line.bytes)}
            </td>
            <td class="faint">{line.words}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
