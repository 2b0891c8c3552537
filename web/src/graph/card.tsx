/** The instruction that the address names: what it is, what it takes, who uses it. */
import { copyText } from '../app/toast';
import { apiUrl } from '../api/client';
import { hrefOf, view } from '../app/router';
import { ExplainToggle } from '../explain/toggle';
import { formatCount } from '../util/format';
import { go, goLine, here, text } from './state';
import { type HloText, type Instruction, instructionAt, usesOf } from './text';

const LISTED = 40;

function Names({ all, names }: { all: HloText; names: string[] }) {
  return (
    <ul class="g-names">
      {names.slice(0, LISTED).map((name, k) => {
        const line = all.defined.get(name);
        const inner = line === undefined ? null : instructionAt(all, line);
        return (
          <li key={k}>
            <button type="button" class="link mono" onClick={() => go(name)}>
              %{name}
            </button>
            <span class="mono faint cut" title={inner?.shape}>
              {inner ? `${inner.opcode} ${inner.shape}` : 'computation'}
            </span>
          </li>
        );
      })}
      {names.length > LISTED && <li class="faint">and {formatCount(names.length - LISTED)} more; find them by name above</li>}
    </ul>
  );
}

function Users({ all, instruction }: { all: HloText; instruction: Instruction }) {
  const lines = usesOf(all, instruction.name);
  const names = lines.map((line) => instructionAt(all, line)?.name ?? '').filter(Boolean);
  return (
    <section class="m-sec">
      <h3>
        Used by <span class="side">{formatCount(names.length)}</span>
      </h3>
      {names.length ? <Names all={all} names={names} /> : <p class="soft">{instruction.root ? 'nobody: it is the result' : 'nobody in this text'}</p>}
    </section>
  );
}

function About({ all, instruction }: { all: HloText; instruction: Instruction }) {
  const { run, host, module } = view.value;
  const dot = apiUrl('graph/dot', { run, host, module, node: instruction.name, radius: 2 });
  const source = all.lines[instruction.line].trim();
  return (
    <>
      <section class="m-sec">
        <div class="m-card-title">
          <code>%{instruction.name}</code>
          <button type="button" class="link" onClick={() => void copyText(source, 'instruction')}>
            copy
          </button>
        </div>
        <code class="m-shape">{instruction.shape}</code>
        <p>
          <b>{instruction.opcode}</b>
          {instruction.root ? ', the result of ' : ' in '}
          <button type="button" class="link mono" onClick={() => go(instruction.computation)}>
            {instruction.computation}
          </button>
        </p>
        <p class="row">
          <a class="btn btn-s" href={hrefOf({ tool: null, tab: 'buffers', filter: instruction.name, op: null, line: null })}>
            its buffers
          </a>
          <a class="btn btn-s" href={dot} download={`${instruction.name}.dot`}>
            neighbours as DOT
          </a>
        </p>
      </section>
      <section class="m-sec">
        <h3>
          Operands <span class="side">{formatCount(instruction.operands.length)}</span>
        </h3>
        {instruction.operands.length ? <Names all={all} names={instruction.operands} /> : <p class="soft">none</p>}
      </section>
      <Users all={all} instruction={instruction} />
      {instruction.others.length > 0 && (
        <section class="m-sec">
          <h3>Calls and order</h3>
          <Names all={all} names={instruction.others} />
        </section>
      )}
      {instruction.attributes.length > 0 && (
        <section class="m-sec">
          <h3>Attributes</h3>
          <ul class="g-attributes mono">
            {instruction.attributes.map((attribute, k) => (
              <li key={k}>{attribute.length > 400 ? `${attribute.slice(0, 400)} …` : attribute}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Computation({ all, line }: { all: HloText; line: number }) {
  const head = all.heads.find((item) => item.line === line);
  if (!head) return <p class="m-sec soft">This line defines nothing.</p>;
  const callers = usesOf(all, head.name).map((at) => instructionAt(all, at)?.name ?? '').filter(Boolean);
  return (
    <>
      <section class="m-sec">
        <div class="m-card-title">
          <code>{head.name}</code>
        </div>
        <p>{head.entry ? 'the entry computation' : 'a computation'}</p>
      </section>
      <section class="m-sec">
        <h3>
          Called by <span class="side">{formatCount(callers.length)}</span>
        </h3>
        {callers.length ? <Names all={all} names={callers} /> : <p class="soft">nobody</p>}
      </section>
    </>
  );
}

function Outline({ all }: { all: HloText }) {
  return (
    <section class="m-sec">
        <h3>
          Computations <span class="side">{formatCount(all.heads.length)}</span>
        </h3>
        <p class="soft">Click a name in the text for its operands and users.</p>
        <ul class="g-names">
          {[...all.heads].reverse().slice(0, 200).map((head) => (
            <li key={head.line}>
              <button type="button" class="link mono" onClick={() => goLine(head.line)}>
                {head.name}
              </button>
              <span class="faint">{head.entry ? 'entry' : `line ${formatCount(head.line + 1)}`}</span>
            </li>
          ))}
          {all.heads.length > 200 && <li class="faint">and {formatCount(all.heads.length - 200)} more; find them by name above</li>}
        </ul>
    </section>
  );
}

export function GraphCard() {
  const all = text.value;
  if (!all) return <aside class="g-card" aria-label="details" />;
  const line = here.value;
  const instruction = line >= 0 ? instructionAt(all, line) : null;
  const missing = line < 0 && view.value.op;
  return (
    <aside class="g-card" aria-label="details">
      {missing && (
        <p class="m-sec bad" role="alert">
          This program has nothing called <span class="mono">{view.value.op}</span>.
        </p>
      )}
      {instruction ? <About all={all} instruction={instruction} /> : line >= 0 ? <Computation all={all} line={line} /> : <Outline all={all} />}
      {instruction ? <ExplainToggle run={view.value.run} host={view.value.host} module={view.value.module} node={instruction.name} /> : null}
    </aside>
  );
}
