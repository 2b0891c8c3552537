/** The instruction's text, each part underlined and numbered; the sentence of each below. Pointing at one lights both. */
import { useState } from 'preact/hooks';
import { plural } from '../util/format';
import { Section } from './section';
import type { Explanation } from './types';

/** Colours repeat; number and position identify parts. */
const COLOURS = 6;
/** What a part's colour is: by its label, so that the same part looks alike for every op. */
const BY_LABEL: Record<string, number> = { name: 0, type: 1, dimensions: 2, order: 3, tiling: 4, memory: 5, operation: 1, kind: 6, body: 6 };

export const colourOf = (label: string, k: number) => BY_LABEL[label] ?? k % COLOURS;

export function TextPart({ d }: { d: Explanation }) {
  const [lit, light] = useState(0);
  const { segments, parts, left_out } = d.text;
  let next = 0;
  const numbered = parts.missing.map((missing) => (missing ? 0 : ++next));
  const over = (part: number) => ({ onMouseEnter: () => light(part), onMouseLeave: () => light(0) });
  return (
    <Section id="text" title="Text" answer={`in ${plural(next, 'part')}`}>
      <code class="x-line">
        {segments.text.map((text, k) => {
          const part = segments.part[k];
          if (!part) return <span key={k}>{text}</span>;
          return (
            <span key={k} class={`x-part c${colourOf(parts.label[part - 1], part)}${lit === part ? ' lit' : ''}`} {...over(part)}>
              <sup>{numbered[part - 1]}</sup>
              {text}
            </span>
          );
        })}
      </code>
      <dl class="x-parts">
        {parts.label.map((label, k) => (
          <div key={k} class={lit === k + 1 ? 'lit' : ''} {...over(k + 1)}>
            <dt>
              <i class={`x-no c${colourOf(label, k + 1)}`}>{numbered[k] || '–'}</i>
              {label}
            </dt>
            <dd>{parts.sentence[k]}</dd>
          </div>
        ))}
      </dl>
      {left_out ? <p class="faint">{plural(left_out, 'more attribute')} not listed</p> : null}
    </Section>
  );
}
