/** What the colours of the boxes stand for: the choice, and what of it is in view. */
import { useEffect, useRef } from 'preact/hooks';
import { cssColor, themeVersion } from '../app/theme';
import { formatCount } from '../util/format';
import { COLOURED_BY, WHEEL } from './colour_by';
import { told, seen, dropped } from './colour_state';
import { WORDS, variableOfGroup } from './palette';
import { palette } from './palette_now';
import { change, colouredBy } from './state';

export function ColourChoice() {
  return (
    <select
      class="btn-s t-colours"
      aria-label="colours of boxes"
      title="what the colours of the boxes mean"
      value={colouredBy.value}
      onChange={(e) => {
        const by = (e.currentTarget as HTMLSelectElement).value;
        change({ colours: by === 'category' ? null : by });
        // Keys are for the picture again.
        (e.currentTarget as HTMLSelectElement).blur();
      }}
    >
      {COLOURED_BY.map((by) => (
        <option key={by} value={by}>
          by {by}
        </option>
      ))}
    </select>
  );
}

/** Where a colour stands for nothing: why. */
const NONE = {
  name: 'no name: the file gives none',
  scope: 'no scope: the file has no op_name path (tf_op) for these',
  step: 'no step: outside the steps of its chip. A host thread gets its step from the work it starts; see the details of an event',
};
/** Named beside the picture, as far as there is room; all of them when one points at their number. */
const TOLD = 6;

/** By name, scope or step: those with most time in view. */
function Told({ by }: { by: 'name' | 'scope' | 'step' }) {
  void themeVersion.value;
  // What was drawn last may be by something else yet.
  const { list, more } = told.value.by === by ? told.value : { list: [], more: 0 };
  const some = list.filter((met) => met.text);
  const count = some.length + more;
  const shared =
    by === 'step'
      ? `${WHEEL} colours, by the number of the step`
      : `${WHEEL} colours, from the letters of the ${by}: the same in every run; two ${by}s may share a colour`;
  return (
    <span class="t-told" title={`${shared}. This applies only to the rows; the map above and the panel below are coloured by category.`}>
      <span class="t-key" title={some.map((met) => met.text).join('\n')}>
        {formatCount(count)} {count === 1 ? by : `${by}s`}
      </span>
      {some.length < list.length ? (
        <span class="t-key" title={NONE[by]}>
          <i
            class="swatch"
            ref={(e) => {
              if (e) e.style.background = palette().strong[0];
            }}
          />{' '}
          no {by}
        </span>
      ) : null}
      {some.slice(0, TOLD).map((met) => (
        <span key={met.text} class="t-key" title={met.text}>
          <i
            class="swatch"
            ref={(e) => {
              if (e) e.style.background = palette().strong[met.colour];
            }}
          />{' '}
          {shortText(met.text)}
        </span>
      ))}
    </span>
  );
}

/** The end of a path says most. */
function shortText(text: string): string {
  const last = text.slice(text.lastIndexOf('/') + 1) || text;
  return last.length > 22 ? `${last.slice(0, 21)}\u2026` : last;
}

/** The legend in the bar: one line, the rest of it is behind the button, which says how many. */
export function BarLegend() {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    const legend = box.current?.querySelector<HTMLElement>('.t-legend');
    if (!legend) return;
    const count = () => {
      const keys = [...legend.querySelectorAll<HTMLElement>('.t-key')].filter((key) => key.offsetParent !== null);
      const bottom = legend.getBoundingClientRect().bottom;
      const right = legend.getBoundingClientRect().right;
      dropped.value = keys.filter((key) => key.getBoundingClientRect().top >= bottom || key.getBoundingClientRect().right > right + 1).length;
    };
    const sizes = new ResizeObserver(count);
    sizes.observe(legend);
    const entries = new MutationObserver(count);
    entries.observe(legend, { childList: true, subtree: true, characterData: true });
    count();
    return () => {
      sizes.disconnect();
      entries.disconnect();
    };
  }, []);
  return (
    <span class="t-bar-legend" ref={box}>
      <Legend />
    </span>
  );
}

function Key({ group }: { group: string }) {
  return (
    <span class="t-key">
      <i
        class="swatch"
        ref={(e) => {
          if (e) e.style.background = cssColor(variableOfGroup(group));
        }}
      />{' '}
      {WORDS[group] ?? group}
    </span>
  );
}

export function Legend() {
  const s = seen.value;
  void themeVersion.value;
  const by = colouredBy.value;
  // One grey for both: told once.
  const [first, ...others] = s.groups.filter((group) => group !== 'none' || !s.groups.includes('thread'));
  return (
    <span class="t-legend">
      {by !== 'category' ? <Told by={by} /> : first ? <Key group={first} /> : null}
      {s.wait ? (
        <span class="t-key">
          <i class="swatch t-hatch" /> waiting
        </span>
      ) : null}
      {s.clock ? (
        <span class="t-key" title="the host-aligned clock jumps inside the event: this part is longer than the device measured">
          <i class="swatch t-dots" /> clock drift
        </span>
      ) : null}
      {by === 'category' ? others.map((group) => <Key key={group} group={group} />) : null}
      <span class="t-key t-dots-key" title="rows as in the file">
        <i class="t-dot" /> measured
      </span>
      <span class="t-key t-dots-key" title="rows derived from other rows: hover a ring to see how">
        <i class="t-dot t-ring" /> derived
      </span>
    </span>
  );
}
