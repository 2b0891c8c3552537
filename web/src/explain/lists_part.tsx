/** Operands, users, the same op in other layers, source. */
import { hrefOf } from '../app/router';
import { copyText } from '../app/toast';
import { formatCount } from '../util/format';
import { setStyle } from '../ui/size';
import { bytesText, timeText } from './numbers';
import { Section } from './section';
import type { Explanation, Neighbours } from './types';

const SHOWN = 40;

/** Type and dimensions without the layout, and the layout. */
function splitShape(shape: string): [string, string] {
  const at = shape.indexOf('{');
  return at < 0 || shape.startsWith('(')
    ? [shape, '']
    : [
        shape.slice(0, at),
        shape
          .slice(at + 1, -1)
          .replace(/^[\d,]*:?/, '')
          .replace(/S\(\d+\)/, ''),
      ];
}

function OpLink({ d, name }: { d: Explanation; name: string }) {
  if (d.pasted) return <code>{name}</code>;
  return (
    <a class="x-op mono" href={hrefOf({ tool: 'graph', module: d.module, op: `%${name}` })}>
      {name}
    </a>
  );
}

export function ListPart({ d, id, title, list }: { d: Explanation; id: string; title: string; list: Neighbours }) {
  const known = list.size_bytes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
  const whole = id === 'operands' && !list.left_out && list.size_bytes.every((bytes) => bytes !== null);
  const answer = `${formatCount(list.total)}${whole && list.total ? ` · ${bytesText(known)}` : ''}`;
  const more = list.total - Math.min(list.name.length, SHOWN);
  return (
    <Section id={id} title={title} answer={answer}>
      {list.total === 0 ? <p class="soft">{id === 'users' ? 'None: it is the result, or only its side effect matters.' : 'None.'}</p> : null}
      <ul class="x-list">
        {list.name.slice(0, SHOWN).map((name, k) => {
          const [shape, layout] = splitShape(list.shape[k] ?? '');
          return (
            <li key={k}>
              <span class="faint num">{id === 'operands' ? k : ''}</span>
              <i class={`swatch g-${list.group?.[k] ?? 'none'}`} aria-hidden="true" />
              <span class="x-who">
                <OpLink d={d} name={name} />
                {list.label?.[k] ? <span class="soft cut"> {list.label[k]}</span> : null}
                <code class="soft cut" title={list.shape[k]}>
                  {shape.length > 60 ? `${shape.slice(0, 60)}…` : shape} {layout}
                </code>
              </span>
              <span class="num">
                {list.size_bytes[k] === null ? '' : bytesText(list.size_bytes[k])} <span class="soft">{list.space[k]}</span>
              </span>
            </li>
          );
        })}
      </ul>
      {more > 0 ? <p class="faint">{formatCount(more)} more; the text has all</p> : null}
    </Section>
  );
}

export function RepeatsPart({ d, clock }: { d: Explanation; clock: number | null }) {
  const r = d.repeats;
  if (!r || r.total === 0) return null;
  const own = d.expected.cycles;
  const longest = Math.max(own ?? 0, ...r.cycles.map((cycles) => cycles ?? 0));
  const words = (cycles: number | null) => (cycles === null ? 'no estimate' : clock ? timeText(cycles / clock) : `${formatCount(cycles)} cycles`);
  return (
    <Section id="repeats" title="Repeats" answer={`${formatCount(r.total)} similar in this computation`}>
      <ul class="x-repeats">
        {r.name.map((name, k) => (
          <li key={name} class={r.cycles[k] === own ? '' : 'differs'}>
            <OpLink d={d} name={name} />
            <span class="x-bar">
              <i class="x-fill-control" ref={setStyle('width', `${longest && r.cycles[k] ? ((r.cycles[k] ?? 0) / longest) * 100 : 0}%`)} />
            </span>
            <span class="num">{words(r.cycles[k])}</span>
          </li>
        ))}
      </ul>
      {r.left_out ? <p class="faint">and {formatCount(r.left_out)} more</p> : null}
    </Section>
  );
}

export function SourcePart({ d }: { d: Explanation }) {
  const s = d.source;
  if (!s) return null;
  const at = s.file ? `${s.file}${s.line === null ? '' : `:${s.line}`}` : '';
  return (
    <Section id="source" title="Source" answer={s.file ? `${s.file.replace(/^.*[\\/]/, '')}${s.line === null ? '' : `:${s.line}`}` : 'none recorded'}>
      {at ? (
        <p>
          <code class="wrap">{at}</code>{' '}
          <button type="button" class="link" onClick={() => void copyText(at, 'source line')}>
            copy
          </button>
        </p>
      ) : (
        <p class="soft">The profile has no source line for this op.</p>
      )}
      <ul class="x-frames mono">
        {s.frames.slice(0, 24).map((frame, k) => (
          <li key={k} class="cut" title={`${frame.file}:${frame.line} ${frame.function}`}>
            {frame.file.replace(/^.*[\\/]/, '')}:{frame.line} <span class="faint">{frame.function}</span>
          </li>
        ))}
      </ul>
      {s.frames.length > 24 ? <p class="faint">{formatCount(s.frames.length - 24)} more frames</p> : null}
    </Section>
  );
}
