/** What is inside: the matmul drawn to proportion, inner ops by kind, a collective. */
import { formatCount, plural } from '../util/format';
import { setStyle } from '../ui/size';
import { decimalText } from './numbers';
import { Section } from './section';
import type { Explanation } from './types';

type Matmul = NonNullable<Explanation['contains']['matmul']>;

function answerOf(d: Explanation): string {
  const { matmul, collective, kinds, instructions } = d.contains;
  const words: string[] = [];
  if (collective) words.push(collective.kind);
  if (matmul)
    words.push(
      `${matmul.is_convolution && matmul.batch > 1 ? '' : 'matmul '}${matmul.batch > 1 ? `${formatCount(matmul.batch)} × ` : ''}${matmul.m} × ${matmul.n} × ${matmul.k}`,
    );
  const others = kinds ? kinds.count.reduce((sum, count) => sum + count, kinds.others) - (matmul ? 1 : 0) : 0;
  if (others > 0) words.push(plural(others, matmul || collective ? 'other op' : 'op'));
  if (words.length === 0) words.push(instructions === null ? 'body not in the text' : 'nothing');
  return words.join(', ');
}

export function ContainsPart({ d }: { d: Explanation }) {
  const { body, instructions, kinds, matmul, collective, note } = d.contains;
  if (!body && !matmul && !collective && !note) return null;
  return (
    <Section id="contains" title="Contains" answer={answerOf(d)}>
      {collective ? (
        <p>
          <b>{collective.hidden ? 'A collective inside a fusion.' : 'A collective.'}</b> {collective.words}
        </p>
      ) : null}
      {collective?.groups ? (
        <code class="x-mono wrap">{collective.groups.length > 300 ? `${collective.groups.slice(0, 300)} …` : collective.groups}</code>
      ) : null}
      {matmul ? <MatmulPicture x={matmul} /> : null}
      {kinds ? (
        <ul class="x-kinds">
          {kinds.opcode.map((opcode, k) => (
            <li key={opcode}>
              <code>{opcode}</code> <span class="num">{formatCount(kinds.count[k])}</span>
            </li>
          ))}
          {kinds.others ? <li class="faint">and {formatCount(kinds.others)} of other kinds</li> : null}
        </ul>
      ) : null}
      {body && instructions !== null ? (
        <p class="soft">
          {plural(instructions, 'instruction')} in <code>{body}</code>, inputs included.
        </p>
      ) : null}
      {note ? <p class="soft">{note}</p> : null}
    </Section>
  );
}

/** m x k times k x n gives m x n; sides by their logarithm, so that long ones still fit. */
function MatmulPicture({ x }: { x: Matmul }) {
  const side = (size: number) => 8 + 7 * Math.log2(Math.max(1, size)) ** 0.85;
  const box = (name: string, high: number, broad: number, text: string) => (
    <span class="x-mat">
      <i
        ref={(element) => {
          setStyle('width', `${side(broad)}px`)(element);
          setStyle('height', `${side(high)}px`)(element);
        }}
      >
        {name}
      </i>
      <span class="faint">{text}</span>
    </span>
  );
  return (
    <div class="x-matmul">
      <p>
        {x.is_convolution ? 'Matmul expressed as a convolution:  ' : 'Matmul: '}
        {x.batch > 1 ? `${formatCount(x.batch)} times ` : ''}m {formatCount(x.m)}, n {formatCount(x.n)}, k {formatCount(x.k)}; {decimalText(x.flops, 'FLOP')}.
      </p>
      <div class="x-mats" aria-hidden="true">
        {box('', x.m, x.k, `${x.m} × ${x.k}`)}
        <span>·</span>
        {box('', x.k, x.n, `${x.k} × ${x.n}`)}
        <span>=</span>
        {box('', x.m, x.n, `${x.m} × ${x.n}`)}
      </div>
    </div>
  );
}
