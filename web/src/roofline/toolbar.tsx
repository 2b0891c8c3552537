/** The tool bar of Roofline: operations or programs, colour and size of the points, what the colours mean, exports. */
import { view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { GROUP_WORDS } from '../charts/colours';
import { Choice } from '../memory/buffers';
import { savePicture } from '../app/exports';
import { change, ops, question } from '../ops/state';
import { Downloads, FilterBox, StepsMenu } from '../ops/toolbar';
import { colourOf, COLOURS, MEMORIES, SIZES } from './points';
import { colour, programs, roofline, limitOf, setRange } from './state';

const COLOUR_WORDS: Record<string, string> = { group: 'op group', program: 'program', bound: 'bound', scope: 'scope', layer: 'layer' };
const SIZE_WORDS: Record<string, string> = { self: 'self time', lost: 'time to win', none: 'all alike' };
const MEMORY_NAMES: Record<string, string> = { hbm: 'HBM', vmem_read: 'VMEM read', vmem_write: 'VMEM write', cmem_read: 'CMEM read', cmem_write: 'CMEM write' };

function Pick({ label, at, all, words }: { label: string; at: ViewKey; all: readonly string[]; words: Record<string, string> }) {
  return (
    <Choice
      label={label}
      value={view.value[at] ?? all[0]}
      options={[...all]}
      titles={words}
      onChange={(one) => change({ [at]: one === all[0] ? null : one })}
    />
  );
}

/** What occurs among the points. */
export function Legend() {
  const c = ops.value?.ops;
  if (!c || programs.value) return null;
  const seen = new Map<string, string>();
  for (let k = 0; k < c.n; k++) {
    if (c.place[k] !== 'point') continue;
    const { variable, label } = colourOf(c, k, colour.value);
    if (!seen.has(label)) seen.set(label, variable);
  }
  const shown = [...seen].slice(0, 8);
  return (
    <span class="rf-legend">
      {shown.map(([label, variable]) => (
        <span key={label}>
          <i class="swatch" style={{ background: `var(${variable})` }} /> {colour.value === 'group' ? (GROUP_WORDS[label] ?? label) : label}
        </span>
      ))}
      {seen.size > shown.length ? <span class="soft">{seen.size - shown.length} more</span> : null}
    </span>
  );
}

export function ToolBar({ field }: { field: { current: HTMLInputElement | null } }) {
  const table = roofline.value?.roofs;
  const memories = MEMORIES.filter((one) => one === 'hbm' || (table?.limit.some((limit) => limit === limitOf(one)) ?? false));
  const pick = (rkind: string | null) => () => change({ rkind, rx: null, ry: null });
  return (
    <div class="op-toolbar" role="toolbar" aria-label="roofline">
      <span class="segment" role="group" aria-label="points are">
        <button type="button" class={programs.value ? '' : 'on'} aria-pressed={!programs.value} onClick={pick(null)}>
          Operations
        </button>
        <button type="button" class={programs.value ? 'on' : ''} aria-pressed={programs.value} onClick={pick('programs')}>
          Programs
        </button>
      </span>
      <FilterBox field={field} />
      <StepsMenu />
      {programs.value ? null : (
        <>
          <Pick label="colour" at="rcolour" all={COLOURS} words={COLOUR_WORDS} />
          <Pick label="size" at="rsize" all={SIZES} words={SIZE_WORDS} />
        </>
      )}
      {memories.length > 1 && !programs.value ? <Pick label="bytes of" at="rmem" all={memories} words={MEMORY_NAMES} /> : null}
      <span class="m-grow" />
      <button type="button" class="btn-s" title="the whole chart (0)" onClick={() => setRange(null)}>
        Fit
      </button>
      <button type="button" class="btn-s" onClick={() => savePicture('roofline')}>
        PNG
      </button>
      <Downloads route="trace/ops" params={question.value} name="roofline" />
    </div>
  );
}
