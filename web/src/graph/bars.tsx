/** The bars above the drawing: position, contents and options. */
import { Pop } from '../memory/pop';
import { roomy } from '../app/media';
import { GROUP_WORDS } from '../charts/colours';
import { Icon } from '../ui/icons';
import { setStyle } from '../ui/size';
import { fixed, formatCount, plural } from '../util/format';
import { themeVersion } from '../app/theme';
import { fit } from './actions';
import { scale, shade } from './colours';
import { stripeOfGroup } from './draw';
import { around, drawing, phase } from './graph_state';
import { Exports } from './exports';
import { path, pathAsked, pathEnd, pathTo, pathWhy } from './path_state';
import {
  alsoPicked,
  COLOUR_WORDS,
  COLOURS,
  centre,
  change,
  colourBy,
  type ColourBy,
  everyOp,
  limit,
  merge,
  opened,
  picked,
  radius,
  RADIUS_MAX,
  setRadius,
  showComputation,
} from './settings';
import { go } from './state';
import { bytesText, timeText } from './words';
import { scopeParts } from '../memory/op_path';
import { ask } from './search_state';
import { badgeBy, hasMeasured, overview, saidOf, times } from './times_state';

function Crumbs() {
  const a = around.value;
  if (!a) return <span class="g-crumbs" />;
  const k = a.nodes.name.indexOf(picked.value || centre.value);
  const opName = k >= 0 ? a.nodes.op_name[k] : '';
  const scopes = scopeParts(opName).slice(1, -1).slice(-4);
  return (
    <nav class="g-crumbs" aria-label="where this is">
      <button type="button" class="g-crumb" title="draw the whole computation" onClick={() => showComputation(a.computation)}>
        {a.computation}
      </button>
      {scopes.map((part) => (
        <button type="button" key={part.prefix} class="g-crumb" title={`ops of ${part.prefix}`} onClick={() => ask(part.prefix)}>
          {part.name}
        </button>
      ))}
      {picked.value || centre.value ? (
        <span class="g-crumb here mono" title={opName}>
          {picked.value || centre.value}
        </span>
      ) : null}
    </nav>
  );
}

/** "8 of 2,070 ops · 2 far edges cut · laid out in 9 ms", with what can be added. */
function CountLine() {
  const a = around.value;
  const d = drawing.value;
  if (!a) return null;
  const { counts } = a;
  const whole = overview.value?.instructions;
  const parts: string[] = [];
  if (counts.left_out > 0)
    parts.push(`${formatCount(counts.shown - (counts.shown_in_bodies ?? 0))} of ${formatCount(counts.of)}${counts.of_is_least ? '+' : ''} nodes`);
  else parts.push(`${formatCount(counts.shown)}${whole ? ` of ${formatCount(whole)}` : ''} ops`);
  if (counts.cut_edges) parts.push(`${plural(counts.cut_edges, 'far edge')} cut`);
  if (counts.bodies_left_out) parts.push(`${plural(counts.bodies_left_out, 'body', 'bodies')} left out`);
  if (d && phase.value.kind === 'drawn') parts.push(`laid out in ${fixed(d.ms, 0)} ms`);
  return (
    <span class="g-count soft small">
      {parts.join(' · ')}
      {counts.left_out > 0 ? (
        <>
          {' · '}
          <button type="button" class="link" onClick={() => change({ lim: limit.value + 300, try: 1 })}>
            Show 300 more
          </button>
        </>
      ) : null}
      {a.notes.length ? (
        <>
          {' · '}
          <Pop label={plural(a.notes.length, 'note')} title="notes" class="link">
            {() => (
              <ul>
                {a.notes.slice(0, 50).map((note) => (
                  <li key={note}>{note}</li>
                ))}
                {a.notes.length > 50 ? <li class="faint">{formatCount(a.notes.length - 50)} more</li> : null}
              </ul>
            )}
          </Pop>
        </>
      ) : null}
    </span>
  );
}

export function CrumbBar() {
  return (
    <div class="g-bar g-crumb-bar">
      <button type="button" class="icon-btn g-back" aria-label="back" title="back" onClick={() => history.back()}>
        <Icon name="right" size={14} />
      </button>
      <button type="button" class="icon-btn" aria-label="forward" title="forward" onClick={() => history.forward()}>
        <Icon name="right" size={14} />
      </button>
      <Crumbs />
      <span class="grow" />
      <CountLine />
    </div>
  );
}

function Radius() {
  const r = radius.value;
  return (
    <span class="g-radius" role="group" aria-label="radius">
      <span class="soft">Radius</span>
      <span class="g-stepper">
        <button type="button" aria-label="smaller radius" title="one step fewer (−)" aria-disabled={r === 0} onClick={() => setRadius(r - 1)}>
          −
        </button>
        <b role="status" aria-label={`radius ${r}`}>
          {r}
        </b>
        <button type="button" aria-label="larger radius" title="one step more (+)" aria-disabled={r === RADIUS_MAX} onClick={() => setRadius(r + 1)}>
          +
        </button>
      </span>
    </span>
  );
}

function Colour() {
  const set = (by: ColourBy) => change({ gc: by === 'group' ? null : by }, false);
  if (roomy.value)
    return (
      <span class="row">
        <span class="soft">Colour</span>
        <span class="segment" role="group" aria-label="colour">
          {COLOURS.map((by) => (
            <button type="button" key={by} class={by === colourBy.value ? 'on' : ''} aria-pressed={by === colourBy.value} onClick={() => set(by)}>
              {COLOUR_WORDS[by]}
            </button>
          ))}
        </span>
      </span>
    );
  return (
    <label title="colour">
      <span class="g-roomy">Colour</span>
      <select class="g-select" aria-label="colour" value={colourBy.value} onChange={(event) => set(event.currentTarget.value as ColourBy)}>
        {COLOURS.map((by) => (
          <option key={by} value={by}>
            {COLOUR_WORDS[by]}
          </option>
        ))}
      </select>
    </label>
  );
}

function BadgeChoice() {
  const t = times.value;
  const runs = t?.runs ? `, ${plural(t.runs, 'run')}` : '';
  return (
    <label title={hasMeasured.value ? undefined : (t?.reason ?? 'not run, so only the compiler’s estimates are known')}>
      <span class="g-roomy">Badge</span>
      <select
        class="g-select"
        aria-label="badge"
        value={badgeBy.value}
        onChange={(event) => change({ gb: event.currentTarget.value === 'measured' ? null : 'estimate' }, false)}
      >
        <option value="estimate">Compiler estimate</option>
        <option value="measured" disabled={!hasMeasured.value}>
          Average{runs}
        </option>
      </select>
    </label>
  );
}

function PathBox() {
  const from = picked.value || centre.value;
  return (
    <form
      class="g-path-form"
      onSubmit={(event) => {
        event.preventDefault();
        pathTo(String(new FormData(event.currentTarget).get('to') ?? '').trim());
      }}
    >
      <p>
        Shortest path from <b class="mono">{from}</b> to
      </p>
      <label class="field">
        <input name="to" class="mono" aria-label="end of the path" placeholder="name of an op" defaultValue={pathEnd.value} />
      </label>
      <p class="row">
        <button type="submit" class="btn filled">
          Find
        </button>
        {pathEnd.value ? (
          <button type="button" class="btn" onClick={() => pathTo('')}>
            Clear
          </button>
        ) : null}
      </p>
    </form>
  );
}

/** Line below the bars for a path: its steps, or why there is none. */
export function PathLine() {
  if (!pathEnd.value && !pathAsked.value) return null;
  const p = path.value;
  return (
    <div class="g-path" role="region" aria-label="path">
      {pathAsked.value ? (
        <PathBox />
      ) : pathWhy.value ? (
        <span class="warn">{pathWhy.value}</span>
      ) : p?.ix?.length ? (
        <>
          <span class="soft">
            {plural(p.ix.length - 1, 'step')}
            {p.reversed ? '; the value flows the other way' : ''}:
          </span>
          {p.name.slice(0, 60).map((name, k) => (
            <span key={k} class="g-path-step">
              {k ? <span class="faint"> → </span> : null}
              <button type="button" class="link mono" title={`${p.opcode[k]} ${p.shape[k]}, line ${p.line[k]}`} onClick={() => go(name)}>
                {name}
              </button>
            </span>
          ))}
          {p.name.length > 60 ? <span class="faint"> and {formatCount(p.name.length - 60)} more</span> : null}
        </>
      ) : (
        <span class="soft">looking for a path to {pathEnd.value}</span>
      )}
      <span class="grow" />
      <button
        type="button"
        class="icon-btn"
        aria-label="close the path"
        onClick={() => {
          pathAsked.value = false;
          pathTo('');
        }}
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}

export function OptionBar() {
  const explicit = opened.value !== null;
  return (
    <div class="g-bar g-options" role="toolbar" aria-label="graph">
      <Radius />
      <label class="g-switch" title={explicit ? 'you opened or folded some; click to reset' : 'draw each fusion as one box'}>
        <input
          type="checkbox"
          role="switch"
          aria-checked={merge.value}
          checked={merge.value}
          onChange={(event) => change({ merge: event.currentTarget.checked, x: null })}
        />
        <i />
        Merge fusions
      </label>
      <label class="g-switch" title="draw every op, as XProf does: nothing is folded into edges or pairs">
        <input
          type="checkbox"
          role="switch"
          aria-checked={everyOp.value}
          checked={everyOp.value}
          onChange={(event) => change({ all: event.currentTarget.checked, x: null, more: null, keep: null })}
        />
        <i />
        Every op
      </label>
      <Colour />
      <BadgeChoice />
      <span class="grow" />
      <button
        type="button"
        class={`g-tool${pathEnd.value ? ' on' : ''}`}
        title="path to another op (P)"
        onClick={() => {
          pathAsked.value = !pathAsked.value;
        }}
      >
        <Icon name="path" size={14} /> <span>Path</span>
      </button>
      <button type="button" class="g-tool" title="fit the selection (F)" onClick={fit}>
        <Icon name="fit" size={14} /> <span>Fit</span>
      </button>
      <Exports />
    </div>
  );
}

const GROUPS = ['matmul', 'elem', 'reduce', 'move', 'coll', 'custom', 'host', 'control', 'none'];

function GroupLegend() {
  const a = around.value;
  void themeVersion.value;
  const used = new Set<string>(a?.nodes.group ?? []);
  return (
    <>
      {GROUPS.filter((group) => used.has(group)).map((group) => (
        <span key={group} class="g-key">
          <i
            class="swatch"
            ref={(e) => {
              if (e) e.style.background = stripeOfGroup(group);
            }}
          />{' '}
          {group === 'none' ? 'parameter, other' : GROUP_WORDS[group]}
        </span>
      ))}
    </>
  );
}

function ScaleLegend() {
  void themeVersion.value;
  const { text, why } = scale.value;
  if (why) return <span class="warn">{why}</span>;
  return (
    <span class="g-key">
      {COLOUR_WORDS[colourBy.value]}: 0
      <i
        class="g-ramp"
        ref={(e) => {
          if (e) e.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(shade).join(', ')})`;
        }}
      />{' '}
      {text}
    </span>
  );
}

/** Sum of what is selected. */
function Selection() {
  const d = drawing.value;
  const a = d?.scene.around;
  const also = alsoPicked.value;
  if (!d || !a || !also.length) return null;
  const main = d.scene.nodeOfName.get(picked.value) ?? -1;
  const all = new Set([...also.map((ix) => d.scene.nodeOfIx.get(ix) ?? -1), main].filter((k) => k >= 0));
  let bytes = 0;
  let amount = 0;
  let timed = 0;
  let clocked = true;
  for (const k of all) {
    bytes += a.nodes.size_bytes[k] ?? 0;
    const said = saidOf(a.nodes.ix[k], a.nodes.cycles[k], a.nodes.pair_ix[k]);
    if (said.amount !== null) {
      amount += said.amount;
      clocked = said.ps !== null;
      timed++;
    }
  }
  return (
    <span class="g-sum" role="status">
      <b>{plural(all.size, 'op')}</b> {bytesText(bytes)} of results
      {timed ? `, ${clocked ? timeText(amount) : `${formatCount(amount)} cycles`}${timed < all.size ? ` (${timed} timed)` : ''}` : ''}{' '}
      <button type="button" class="link" onClick={() => change({ gsel: null }, false)}>
        clear
      </button>
    </span>
  );
}

export function Legend() {
  return (
    <div class="g-legend small">
      {colourBy.value === 'group' ? <GroupLegend /> : <ScaleLegend />}
      <span class="grow" />
      <Selection />
      <span class="g-key faint" title="width of an arrow: under 1 MiB, under 32 MiB, more; a hollow head: under 4,096 elements">
        <i class="g-width" ref={setStyle('height', '1px')} />
        <i class="g-width" ref={setStyle('height', '2px')} />
        <i class="g-width" ref={setStyle('height', '3px')} /> {roomy.value ? 'under 1 MiB, under 32 MiB, more' : 'bytes'}
      </span>
    </div>
  );
}
