/** The text of an instruction in its parts; what the chosen part means stands below. */
import { useEffect, useState } from 'preact/hooks';
import { colourOf } from '../explain/text_part';
import type { Explanation } from '../explain/types';

export function HloText({ d }: { d: Explanation }) {
  const [lit, light] = useState(0);
  useEffect(() => light(0), [d]);
  const { segments, parts } = d.text;
  return (
    <>
      <code class="op-hlo">
        {segments.text.map((text, k) => {
          const part = segments.part[k];
          if (!part) return <span key={k}>{text}</span>;
          const label = parts.label[part - 1];
          return (
            <button
              key={k}
              type="button"
              class={`x-part c${colourOf(label, part)}${lit === part ? ' lit' : ''}`}
              aria-pressed={lit === part}
              title={label}
              onClick={() => light(lit === part ? 0 : part)}
            >
              {text}
            </button>
          );
        })}
      </code>
      {lit ? (
        <p class="op-part" role="status">
          <b>{parts.label[lit - 1]}</b> {parts.sentence[lit - 1]}
        </p>
      ) : null}
    </>
  );
}
