/** One bar a layer: its passes outlined, kinds of work inside; below it a line from its least to its most over the steps. */
import { groupVariable } from '../memory/group_colour';
import { GROUP_WORDS } from '../charts/colours';
import { setStyle } from '../ui/size';
import { timeTicks } from '../trace/time';
import { inUnit, timeIn, type Unit } from './numbers';
import { cell, chooseCell, type Layers } from './layers_state';

interface Pass {
  phase: string | null;
  self: number;
  parts: { group: string; self: number }[];
}

/** The passes of a layer in their order, each with its kinds of work. */
export function passesOf(a: Layers, layer: number): Pass[] {
  const out: Pass[] = [];
  for (let k = 0; k < a.bars.n; k++) {
    if (a.bars.layer[k] !== layer) continue;
    let pass = out[out.length - 1];
    if (!pass || pass.phase !== a.bars.phase[k]) {
      pass = { phase: a.bars.phase[k], self: 0, parts: [] };
      out.push(pass);
    }
    pass.self += a.bars.self_ps[k];
    pass.parts.push({ group: a.bars.group[k], self: a.bars.self_ps[k] });
  }
  return out;
}

/** Time of a layer by step, in one span. */
const ticksOf = (a: Layers, layer: number): number[] => {
  const devices = a.steps.length ? a.spans / a.steps.length : 1;
  return a.ticks.self_ps.filter((_, k) => a.ticks.layer[k] === layer).map((self) => self / devices);
};

/** A pass of a layer: as wide as it took, its kinds of work inside. */
function PassBox({ pass, spans, unit, width }: { pass: Pass; spans: number; unit: Unit; width: string }) {
  const text = (self: number) => `${timeIn(self / spans, unit)} ${unit.word}`;
  return (
    <div class="op-pass" ref={setStyle('width', width)} title={`${pass.phase ?? 'no pass'} ${text(pass.self)}`}>
      {pass.parts.map(({ group, self }) => (
        <i
          key={group}
          style={{ background: `color-mix(in srgb, var(${groupVariable(group)}) 60%, var(--bg))` }}
          ref={setStyle('width', `${(self / pass.self) * 100}%`)}
          title={`${GROUP_WORDS[group] ?? group} ${text(self)}`}
        />
      ))}
      {pass.phase ? (
        <span class="cut">
          {pass.phase} {inUnit(pass.self / spans, { ...unit, digits: 2 })}
        </span>
      ) : null}
    </div>
  );
}

/** A line from the least to the most over the steps, each step a tick. */
function Spread({ a, layer, at }: { a: Layers; layer: number; at: (ps: number) => string }) {
  const [least, most] = [a.layers.min_ps[layer], a.layers.max_ps[layer]];
  if (least === null || most === null) return null;
  return (
    <div class="op-spread" aria-hidden="true">
      <i
        class="op-spread-line"
        ref={(e) => {
          if (e) {
            e.style.left = at(least);
            e.style.width = at(most - least);
          }
        }}
      />
      {ticksOf(a, layer).map((self, k) => (
        <i key={k} class="op-spread-tick" ref={setStyle('left', at(self))} />
      ))}
    </div>
  );
}

export function LayerBars({ a, unit }: { a: Layers; unit: Unit }) {
  const end = Math.max(...a.layers.mean_ps, ...a.layers.max_ps.map((most) => most ?? 0), 1);
  const at = (ps: number) => `${(ps / end) * 100}%`;
  const ticks = timeTicks(0, end, 7).at;
  return (
    <div class="op-bars">
      {a.layers.name.map((name, layer) => (
        <div key={name} class={`op-bars-row${cell.value?.layer === layer ? ' on' : ''}`}>
          <button type="button" class="link cut" title={`the whole of ${name}`} onClick={() => chooseCell({ part: 0, layer })}>
            {name}
          </button>
          <div class="op-track">
            {passesOf(a, layer).map((pass) => (
              <PassBox key={pass.phase} pass={pass} spans={a.spans} unit={unit} width={at(pass.self / a.spans)} />
            ))}
            <Spread a={a} layer={layer} at={at} />
          </div>
          <span class="soft num">
            {a.layers.min_ps[layer] === null
              ? ''
              : `${inUnit(a.layers.min_ps[layer], { ...unit, digits: 1 })} to ${inUnit(a.layers.max_ps[layer], { ...unit, digits: 1 })}`}
          </span>
          <b class="num">{timeIn(a.layers.mean_ps[layer], unit)}</b>
        </div>
      ))}
      <div class="op-bars-row op-bars-axis">
        <span />
        <div class="op-track">
          {ticks.map((tick) => (
            <span key={tick} ref={setStyle('left', at(tick))}>
              {inUnit(tick, { ...unit, digits: 0 })}
            </span>
          ))}
        </div>
        <span class="soft num">{a.steps.length > 1 ? `${a.steps.length} steps` : ''}</span>
        <span class="soft num">mean</span>
      </div>
    </div>
  );
}
