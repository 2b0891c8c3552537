/** Of the selected operation: what its program makes of it. Operands and consumers to jump to, its times, its HLO text. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, callText, isAborted } from '../api/client';
import type { Answers, TraceEvent } from '../api/answers';
import { hrefOf } from '../app/router';
import { toast } from '../app/toast';
import { formatBytes, formatCount, timesText } from '../util/format';
import { tellFailure, traceApi } from './api';
import { shortName } from './label_text';
import { jumpTo, subject } from './state';
import { durationText } from './time';

type Node = Answers['graph/node'];
type OpTimes = Answers['graph/times'];
type Ops = Pick<Node['operands'], 'total' | 'name' | 'shape' | 'size_bytes'>;

const node = signal<Node | null>(null);
const times = signal<OpTimes | null>(null);
const text = signal<string | null>(null);
const SHOWN = 12;

const paramsOf = (e: TraceEvent) => ({ ...subject.peek(), module: e.links?.module });

function loadNode(e: TraceEvent): void {
  node.value = times.value = text.value = null;
  if (!e.links?.instruction) return;
  const quiet = (error: unknown) => {
    if (!isAborted(error)) node.value = null;
  };
  call<Node>('graph/node', { ...paramsOf(e), node: e.links.instruction }, { key: 'trace/node', quiet: true, part: 'the operands of the operation' })
    .then((answer) => {
      node.value = answer;
    })
    .catch(quiet);
  call<OpTimes>('graph/times', { ...paramsOf(e), instruction: e.links.instruction }, { key: 'trace/times', quiet: true, part: 'the times of the operation' })
    .then((answer) => {
      times.value = answer;
    })
    .catch(() => {});
}

function loadText(e: TraceEvent): void {
  if (text.peek() !== null || !e.links) return;
  callText('graph/text', { ...paramsOf(e), instruction: e.links.instruction, format: 'expression' }, { key: 'trace/text', quiet: true })
    .then((words) => {
      text.value = words.trim();
    })
    .catch((error) => {
      if (!isAborted(error)) text.value = 'the text could not be read';
    });
}

/** The nearest event of an operand before this one, or of a consumer behind it. */
function jump(e: TraceEvent, name: string, dir: 'previous' | 'next'): void {
  traceApi
    .near({ ...subject.peek(), event: e.event, instruction: name, dir }, { key: 'trace/near', quiet: true })
    .then(({ found }) => {
      if (!found) toast(`${name} has no event ${dir === 'next' ? 'after' : 'before'} this one: it was not measured separately`);
      else jumpTo(found.event, found.start_ps, found.duration_ps, found.row);
    })
    .catch(tellFailure);
}

function List({ title, ops, e, dir }: { title: string; ops: Ops; e: TraceEvent; dir: 'previous' | 'next' }) {
  return (
    <>
      <dt class="soft">
        {title} {formatCount(ops.total)}
      </dt>
      <dd>
        <ul class="t-flow">
          {ops.name.slice(0, SHOWN).map((name, k) => (
            <li key={`${name} ${k}`}>
              <button type="button" class="link" title={`${name}: its nearest event ${dir === 'next' ? 'after' : 'before'}`} onClick={() => jump(e, name, dir)}>
                {shortName(name)}
              </button>
              <span class="soft" title={`${ops.shape[k]}, ${formatBytes(ops.size_bytes[k])}`}>
                {' '}
                {ops.shape[k].length > 44 ? `${ops.shape[k].slice(0, 43)}…` : ops.shape[k]} {formatBytes(ops.size_bytes[k])}
              </span>
            </li>
          ))}
        </ul>
        {ops.total > SHOWN ? (
          <a class="small" href={hrefOf({ module: e.links?.module, tool: 'graph', op: `%${e.links?.instruction}` })}>
            {formatCount(ops.total - SHOWN)} more in Graph
          </a>
        ) : null}
      </dd>
    </>
  );
}

function Times({ t }: { t: OpTimes }) {
  if (!t.known || !t.n) return t.reason ? <p class="soft small">{t.reason}</p> : null;
  const [count, mean] = [t.count[0], t.mean_ps[0]];
  const skew =
    (t.devices[0] ?? 1) > 1 ? `, ${durationText(t.fastest_device_mean_ps[0] ?? 0)} to ${durationText(t.slowest_device_mean_ps[0] ?? 0)} by device` : '';
  return (
    <p class="soft small" title={`least ${durationText(t.min_ps[0] ?? 0)}, most ${durationText(t.max_ps[0] ?? 0)}`}>
      {timesText(count)}, mean <b>{durationText(mean)}</b>, self {durationText((t.self_ps[0] ?? 0) / count)}
      {skew} ({t.clock} clock)
    </p>
  );
}

export function Operands({ e }: { e: TraceEvent }) {
  useEffect(() => loadNode(e), [e]);
  const n = node.value;
  if (!e.links?.instruction || !n) return null;
  return (
    <section class="t-card t-operands">
      <h3>
        In the program <span class="soft small">{shortName(e.links.instruction)}</span>
      </h3>
      <dl>
        <List title="Operands" ops={n.operands} e={e} dir="previous" />
        <List title="Consumers" ops={n.users} e={e} dir="next" />
      </dl>
      {times.value ? <Times t={times.value} /> : null}
      <details key={e.event} onToggle={(x) => (x.currentTarget as HTMLDetailsElement).open && loadText(e)}>
        <summary>HLO text</summary>
        <pre class="code-block t-hlo">{text.value ?? 'Reading …'}</pre>
      </details>
    </section>
  );
}
