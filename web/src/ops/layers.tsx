/** Layers: what repeats in a program, side by side, so that the layer that is slower than the others is seen, and which of its parts. */
import { useEffect } from 'preact/hooks';
import { view } from '../app/router';
import { Choice } from '../memory/buffers';
import { GROUP_WORDS } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';
import { Icon } from '../ui/icons';
import { Unread } from '../ui/unread';
import { formatPercent, plural } from '../util/format';
import { OpLink, Row } from './card';
import { LayerBars } from './layers_bars';
import { type Cell, cell, cellAnswer, cellClosed, cellTimes, type Layers, layers, layersFailure, partName, startLayers } from './layers_state';
import { LayersTable } from './layers_table';
import { PeaksLine } from './peaks_line';
import { medianOf, sumUnit, timeIn, type Unit } from './numbers';
import { RunBars } from './run_bars';
import { change, programName } from './state';

const FOUND: Record<string, string> = {
  scope: 'Scopes that differ only by a number',
  loop: 'Iterations of a loop',
  sequence: 'Equal sequences of operations (opcode, shape), one after another',
};

/** The ways to see the program as layers. */
export function WayChoice() {
  const a = layers.value;
  if (!a?.known) return null;
  const title = (k: number) => `${a.ways.name[k]} × ${a.ways.layers[k]}${a.ways.kind[k] === 'scope' ? '' : `, ${a.ways.kind[k]}`}`;
  const titles = Object.fromEntries(a.ways.name.map((name, k) => [name, title(k)]));
  return (
    <>
      <Choice label="by" value={a.ways.name[a.way ?? 0]} options={a.ways.name} titles={titles} onChange={(lby) => change({ lby, lcell: null, lopen: null })} />
      <Choice
        label="passes"
        value={view.value.lpass ?? 'apart'}
        options={['apart', 'together']}
        onChange={(lpass) => change({ lpass: lpass === 'apart' ? null : lpass, lcell: null, lopen: null })}
      />
    </>
  );
}

function Legend({ a }: { a: Layers }) {
  return (
    <span class="op-legend">
      {[...new Set(a.bars.group)].map((group) => (
        <span key={group}>
          <i class="swatch" style={{ background: `var(${groupVariable(group)})` }} /> {GROUP_WORDS[group] ?? group}
        </span>
      ))}
    </span>
  );
}

export function LayersView() {
  useEffect(startLayers, []);
  const a = layers.value;
  if (layersFailure.value && !a)
    return (
      <div class="op-empty">
        <p role="alert">{layersFailure.value.message}</p>
      </div>
    );
  if (!a)
    return (
      <div class="op-empty">
        <Unread what="the layers of this program" />
      </div>
    );
  if (!a.known)
    return (
      <div class="op-empty">
        <h2>No layers in this program</h2>
        <p>{a.reason}</p>
      </div>
    );
  const unit = sumUnit(a.step?.mean_ps ?? 0);
  return (
    <>
      <div class="op-left">
        <div class="op-line">
          <h1>Layers</h1>
          <span class="soft cut">
            operation time of one layer in one step of {programName(a.module ?? '')}, {unit.word}
            {a.no_steps
              ? `; no steps: ${a.no_steps}`
              : a.steps.length > 1
                ? `; line and ticks: the ${a.steps.length} steps`
                : '; one step, so there is no spread'}
          </span>
          <span class="m-grow" />
          <Legend a={a} />
        </div>
        <LayerBars a={a} unit={unit} />
        <div class="op-table op-layers">
          <LayersTable a={a} unit={unit} />
        </div>
      </div>
      {cellClosed.value ? null : <CellCard a={a} unit={unit} />}
    </>
  );
}

/** What the cell costs, and what its layer would take without it. */
function Cost({ a, at, mean, unit }: { a: Layers; at: Cell; mean: number; unit: Unit }) {
  const whole = a.layers.mean_ps[at.layer];
  const others = a.layers.mean_ps.filter((_, layer) => layer !== at.layer);
  const text = (ps: number) => `${timeIn(ps, unit)} ${unit.word}`;
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        Cost <span class="side">{a.steps.length > 1 ? `mean of ${a.steps.length} steps` : 'one step'}</span>
      </h3>
      {at.part === 0 ? null : (
        <Row name="Of this layer">
          <b>{timeIn(mean, unit)}</b> of {text(whole)}, {formatPercent(mean / whole)}
        </Row>
      )}
      <Row name="Of the step’s op time">{formatPercent(a.step ? mean / a.step.mean_ps : null, 1)}</Row>
      {at.part === 0 ? (
        <Row name="This layer">
          <b>{text(whole)}</b>
        </Row>
      ) : (
        <Row name="Without it, the layer">
          <b class="good">{text(whole - mean)}</b>
        </Row>
      )}
      {others.length ? <Row name={`Mean of the other ${others.length}`}>{text(others.reduce((x, y) => x + y, 0) / others.length)}</Row> : null}
    </section>
  );
}

function Largest({ a, here, unit }: { a: Layers; here: NonNullable<Layers['chosen']>; unit: Unit }) {
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        Largest <span class="side">mean, {unit.word}</span>
      </h3>
      {here.largest.name.slice(0, 12).map((op, k) => (
        <div key={op} class="op-largest">
          <i class="swatch" style={{ background: `var(${groupVariable(here.largest.group[k])})` }} />
          <button
            type="button"
            class="link mono cut"
            title={`${op}: show it among the operations`}
            onClick={() => change({ oview: null, osel: `${op}:${a.module}`, module: view.value.module ?? null })}
          >
            {op}
          </button>
          <OpLink tool="trace" title="Trace" name={op} module={a.module ?? ''} />
          <span class="num">{timeIn(here.largest.mean_ps[k], unit)}</span>
        </div>
      ))}
      {here.largest.n > 12 ? <p class="faint">{plural(here.ops - 12, 'more operation')}</p> : null}
    </section>
  );
}

function CellCard({ a, unit }: { a: Layers; unit: Unit }) {
  const at = cell.value;
  if (!at) return null;
  const c = cellAnswer.value?.chosen;
  const here = c && c.part === at.part && c.layer === at.layer ? c : null;
  const mine = cellTimes(a).get(`${at.part}.${at.layer}`);
  const name = at.part === 0 ? a.layers.name[at.layer] : `${partName(a, at.part)} in ${a.layers.name[at.layer]}`;
  return (
    <aside class="op-card" aria-label="part of a layer">
      <section class="m-sec">
        <div class="m-card-title">
          <h2>{name}</h2>
          <button type="button" class="m-icon" title="close (Esc)" aria-label="close the details" onClick={() => change({ lcell: '-' })}>
            <Icon name="close" size={14} />
          </button>
        </div>
        {a.parts.layers[at.part] === 1 && mine ? <p class="soft">only this layer has it</p> : null}
        {mine ? null : <p class="soft">this layer does not have it</p>}
        {mine ? <span class="op-badge">{plural(mine.ops, 'operation')}</span> : null}
      </section>
      {mine ? <Cost a={a} at={at} mean={mine.mean_ps} unit={unit} /> : null}
      <section class="m-sec">
        <h3 class="op-h3">Roofline</h3>
        <Row name="Reached here" tip="expected time of its operations at the peaks over their measured time; those without a roofline are left out">
          <b>{formatPercent(here?.roofline_share, 1)}</b>
        </Row>
        <Row name="Reached by all layers">{formatPercent(a.parts.roofline_share[at.part], 1)}</Row>
        <PeaksLine />
      </section>
      {here && a.steps.length > 1 ? <BySteps a={a} self={here.step_ps} unit={{ ...unit, digits: 1 }} /> : null}
      {here?.largest.n ? <Largest a={a} here={here} unit={unit} /> : null}
      <section class="m-sec">
        <h3 class="op-h3">How layers are found</h3>
        <p class="soft">
          {FOUND[a.ways.kind[a.way ?? 0]]}: <code>{a.ways.name[a.way ?? 0]}</code>, {plural(a.layers.n, 'layer')}. A layer without a part shows “none”, not 0.
        </p>
      </section>
    </aside>
  );
}

function BySteps({ a, self, unit }: { a: Layers; self: number[]; unit: Unit }) {
  const devices = a.spans / a.steps.length;
  const times = self.map((ps) => ps / devices);
  return <RunBars title="By step" runs={times.map((ps, k) => ({ name: `step ${a.steps[k]}`, ps }))} median={medianOf(times)} clock={a.clock} unit={unit} />;
}
