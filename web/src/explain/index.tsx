/**
 * Explain this op: one panel about one instruction, in Graph, Trace and Memory. It loads its own data; everything it shows is
 * text of the answer. Sections fold and keep their answer in the header.
 */
import { useEffect, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { ApiError, type CallOptions, call, isAborted } from '../api/client';
import { hrefOf, view } from '../app/router';
import { copyText } from '../app/toast';
import { standOf } from '../app/open_tool';
import { Icon } from '../ui/icons';
import { exactBytes, formatCount } from '../util/format';
import { ContainsPart } from './contains_part';
import { ExpectedPart, type Measured } from './expected_part';
import { ListPart, RepeatsPart, SourcePart } from './lists_part';
import { hasDevices, MeshPart, typedSharding } from './mesh_part';
import { KernelPart } from './kernel_part';
import { bytesText, decimal, decimalText, timeText } from './numbers';
import { type Expectation, expectation, peaksInUse } from './peaks';
import { sayOpen } from './section';
import { ShapePart } from './shape_part';
import { TextPart } from './text_part';
import type { Explanation, Times } from './types';

interface ExplainProps {
  run?: string;
  host?: string;
  module?: string;
  /** Id or name of the instruction. */
  node: string;
  /** It is not yet known that there is such an instruction: what was shown stays, nothing is asked. */
  wait?: boolean;
  onClose?: () => void;
  /** Shown without its own head inside details that have one. */
  bare?: boolean;
}

/** What is wrong with the mesh or the sharding of the address: they are left out then. */
type State = { d: Explanation | null; error: ApiError | null; times: Times | null; problem: string };
const EMPTY: State = { d: null, error: null, times: null, problem: '' };

/** With the mesh and the sharding of the address; one that is none is said beside its box, and the rest is explained without it. */
async function ask(
  params: Record<string, string | undefined>,
  mesh: string | undefined,
  sharding: string | undefined,
  options: CallOptions,
): Promise<[Explanation, string]> {
  let problem = '';
  for (const more of [{ mesh, sharding }, ...(sharding ? [{ mesh }] : []), ...(mesh ? [{}] : [])]) {
    try {
      return [await call<Explanation>('graph/explain', { ...params, ...more }, options), problem];
    } catch (error) {
      if (!Object.values(more).some(Boolean) || !(error instanceof ApiError) || error.status !== 400) throw error;
      problem ||= error.message;
    }
  }
  throw new ApiError('internal', problem, 0);
}

export function Explain({ run, host, module, node, wait, onClose, bare }: ExplainProps) {
  const [state, setState] = useState<State>(EMPTY);
  const { mesh } = view.value;
  const sharding = typedSharding(bareName(node));
  useEffect(() => {
    if (wait) return;
    const stop = new AbortController();
    const params = { run, host, module, node };
    const options = { signal: stop.signal, quiet: true };
    setState((old) => ({ ...old, error: null }));
    ask(params, mesh, sharding, options)
      .then(([d, problem]) => {
        setState({ d, error: null, times: null, problem });
        // Measured times come after: the panel does not wait for the trace.
        return call<Times>('graph/times', { run, host, module }, options).then((times) => setState({ d, error: null, times, problem }));
      })
      .catch((error: unknown) => {
        if (isAborted(error)) return;
        const why = error instanceof ApiError ? error : new ApiError('internal', String(error), 0);
        setState((old) => (old.d && old.d.name === bareName(node) ? old : { ...EMPTY, error: why }));
      });
    return () => stop.abort();
  }, [run, host, module, node, wait, mesh, sharding]);
  if (state.error)
    return (
      <div class="x-panel" role="alert">
        <Head name={bareName(node)} group="none" onClose={onClose} />
        <p class="x-problem">{state.error.message}</p>
      </div>
    );
  if (!state.d)
    return (
      <div class="x-panel" aria-busy="true">
        <Head name={bareName(node)} group="none" onClose={onClose} />
      </div>
    );
  return <Panel d={state.d} times={state.times} problem={state.problem} onClose={onClose} bare={bare} />;
}

const bareName = (name: string) => name.replace(/^%/, '');

function measuredOf(d: Explanation, times: Times | null): Measured {
  if (d.pasted) return { seconds: null, words: 'no trace for a pasted line' };
  if (!times) return { seconds: null, words: 'no times from the trace' };
  const at = times.known && times.ix ? times.ix.indexOf(Number((d as { ix?: number }).ix)) : -1;
  if (at < 0) return { seconds: null, words: times.known ? 'has no events of its own in this trace' : (times.reason ?? 'not run') };
  const seconds = (k: (number | string | null)[] | undefined) => Number(k?.[at] ?? 0) * 1e-12;
  const count = times.count?.[at] ?? 0;
  const done = times.done?.[at];
  const waits = done ? { seconds: seconds(times.wait_mean_ps), done } : undefined;
  return {
    seconds: seconds(times.mean_ps),
    waits,
    words: `mean of ${formatCount(count)}, ${timeText(seconds(times.min_ps))} to ${timeText(seconds(times.max_ps))}`,
  };
}

export function Panel({
  d,
  times,
  problem = '',
  onClose,
  bare,
}: {
  d: Explanation;
  times: Times | null;
  problem?: string;
  onClose?: () => void;
  bare?: boolean;
}) {
  useEffect(sayOpen, []);
  const use = peaksInUse(d.expected.peaks, d.device_type ?? '');
  const x = expectation(d.expected, use.values);
  const measured = measuredOf(d, times);
  return (
    <div class={bare ? 'x-panel bare' : 'x-panel'}>
      <Head name={d.name} group={d.group} badge={badgeOf(d)} tag={d.pasted ? 'pasted text' : undefined} onClose={onClose} />
      {d.op_name ? (
        <p class="x-opname cut" title={d.op_name}>
          {d.op_name}
        </p>
      ) : null}
      <Links d={d} />
      <Four d={d} x={x} />
      <TextPart d={d} />
      <ExpectedPart d={d} use={use} x={x} measured={measured} />
      <ContainsPart d={d} />
      <KernelPart d={d} />
      {hasDevices(d) ? <MeshPart d={d} problem={problem} /> : null}
      <ListPart d={d} id="operands" title="Operands" list={d.operands} />
      {d.users ? <ListPart d={d} id="users" title="Users" list={d.users} /> : null}
      <ShapePart d={d} />
      <RepeatsPart d={d} clock={use.values.clock_hz} />
      {hasDevices(d) ? null : <MeshPart d={d} problem={problem} />}
      <SourcePart d={d} />
    </div>
  );
}

const GROUPS: Record<string, string> = {
  matmul: 'matmul',
  elem: 'elementwise',
  reduce: 'reduce',
  move: 'data movement',
  control: 'control',
  host: 'host transfer',
  custom: 'custom call',
};

function badgeOf(d: Explanation): { text: string; red: boolean } | undefined {
  const collective = d.contains.collective;
  if (collective) return { text: `collective · ${collective.kind}`, red: true };
  const words = GROUPS[d.group];
  return words ? { text: words, red: false } : undefined;
}

interface HeadProps {
  name: string;
  group: string;
  badge?: { text: string; red: boolean };
  tag?: string;
  onClose?: () => void;
}

function Head({ name, group, badge, tag, onClose }: HeadProps) {
  return (
    <div class="x-title">
      <i class={`swatch g-${group}`} aria-hidden="true" />
      <code title={name}>{name}</code>
      {badge ? <span class={badge.red ? 'x-badge red' : 'x-badge'}>{badge.text}</span> : null}
      {tag ? <span class="x-badge x-tag">{tag}</span> : null}
      {onClose ? (
        <button type="button" class="m-icon" title="close (Esc)" aria-label="close the explanation" onClick={onClose}>
          <Icon name="close" size={14} />
        </button>
      ) : null}
    </div>
  );
}

function ToolLink({ d, tool, title, change }: { d: Explanation; tool: string; title: string; change: Record<string, string | null | undefined> }) {
  if (d.pasted) return <span class="faint">{title} (needs a run)</span>;
  const stand = standOf(tool);
  if (!stand.open)
    return (
      <span class="faint" title={stand.reason ?? ''}>
        {title}
      </span>
    );
  return <a href={hrefOf({ module: d.module, tool, ...change })}>{title}</a>;
}

function Links({ d }: { d: Explanation }) {
  const s = d.source;
  const at = s?.file ? `${s.file}${s.line === null ? '' : `:${s.line}`}` : '';
  const op = `%${d.name}`;
  let source: ComponentChildren = (
    <span class="faint cut" title="the program holds no source lines">
      Source (no metadata)
    </span>
  );
  if (at)
    source = (
      <button type="button" class="link cut" title={`${at}: click copies it`} onClick={() => void copyText(at, 'source line')}>
        {at.replace(/^.*[\\/]/, '')}
      </button>
    );
  return (
    <p class="x-links">
      <ToolLink d={d} tool="graph" title="Graph" change={{ op }} />
      <ToolLink d={d} tool="memory" title="Memory" change={{ op }} />
      <ToolLink d={d} tool="trace" title="Trace" change={{ op }} />
      <ToolLink d={d} tool="ops" title="Ops" change={{ op, osel: null }} />
      {source}
      <button type="button" class="link x-copy" onClick={() => void copyText(d.text.segments.text.join(''), 'text')}>
        Copy
      </button>
    </p>
  );
}

function Cell({ label, value, note, title }: { label: string; value: string; note: string; title?: string }) {
  return (
    <div title={title}>
      <span class="soft">{label}</span>
      <b>{value}</b>
      <span class="soft cut">{note}</span>
    </div>
  );
}

/** A pasted line has a wide sheet: room for the exact bytes. */
function spaceOf(d: Explanation, bytes: number | null, space: string | undefined): string {
  return [d.pasted && bytes !== null ? `${formatCount(bytes)} B` : '', space ?? ''].filter(Boolean).join(', ') || '–';
}

function Four({ d, x }: { d: Explanation; x: Expectation }) {
  const e = d.expected;
  const input = d.operands.size_bytes.every((bytes) => bytes !== null) ? d.operands.size_bytes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) : null;
  const factor = d.output.unpadded_bytes ? d.output.size_bytes / d.output.unpadded_bytes : 1;
  const [work, prefix] = e.flops === null ? ['–', ''] : decimal(e.flops);
  return (
    <div class="x-four">
      <Cell
        label="Output"
        value={bytesText(d.output.size_bytes)}
        note={spaceOf(d, d.output.size_bytes, d.output.space)}
        title={exactBytes(d.output.size_bytes)}
      />
      {!e.flops ? (
        <Cell label="Input" value={input === null ? '–' : bytesText(input)} note={spaceOf(d, input, d.operands.space[0])} title={exactBytes(input)} />
      ) : (
        <Cell label="Work" value={work} note={`${prefix}FLOP`} title={`${formatCount(e.flops)} FLOP, ${e.rule}`} />
      )}
      {e.cycles !== null ? (
        <>
          <Cell label="Roofline" value={x.roofline === null ? '–' : timeText(x.roofline)} note={x.bound ?? 'no peaks'} />
          <Cell
            label="Estimate"
            value={x.cycles === null ? (e.cycles < 1e6 ? formatCount(e.cycles) : decimalText(e.cycles, '').trim()) : timeText(x.cycles)}
            note={x.cycles === null ? 'cycles' : x.roofline ? `${Math.round((x.roofline / x.cycles) * 100)} % of roof` : 'by cycles'}
            title={`${formatCount(e.cycles)} cycles by the compiler’s estimate`}
          />
        </>
      ) : (
        <>
          <Cell
            label="Padding"
            value={`${factor.toFixed(2)}×`}
            note={factor > 1 ? bytesText(d.output.size_bytes - (d.output.unpadded_bytes ?? 0)) : 'tiles fit exactly'}
          />
          <Cell label="Expected" value={x.roofline === null ? '–' : timeText(x.roofline)} note={x.bound ?? 'no peaks'} />
        </>
      )}
    </div>
  );
}
