/** A against B: what changed, by scope, operation or source; the changes of the rows add up to the change of the whole. */
import { useEffect, useMemo } from 'preact/hooks';
import { small } from '../app/media';
import { view } from '../app/router';
import { newestIndex, runs } from '../app/state';
import { type Column, VirtualTable } from '../table/virtual';
import { Choice } from '../memory/buffers';
import { GROUP_WORDS } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';
import { setStyle } from '../ui/size';
import { Unread } from '../ui/unread';
import { fixed, formatCount, formatPercent, plural } from '../util/format';
import {
  allSteps,
  comparison,
  comparisonFailure,
  kind,
  operations,
  type OpsComparison,
  programs,
  startComparison,
  stopComparing,
  WAYS,
  type Way,
  way,
} from './compare_state';
import { signedIn, sumUnit, timeIn, type Unit } from './numbers';
import { change, programName } from './state';

const WAY_WORDS: Record<Way, string> = { scope: 'by scope', group: 'by scope, opcode, shape', operation: 'by operation', source: 'by source' };
const PHASE: Record<string, string> = { forward: 'fwd ', backward: 'bwd ', recompute: 'redo ' };

function rowName({ rows }: OpsComparison, k: number, by: Way): string {
  if (by === 'source') return rows.source[k] || 'no source recorded';
  if (by === 'operation') return rows.name_after[k] ?? rows.name_before[k] ?? '';
  const scope = `${PHASE[rows.phase[k] ?? ''] ?? ''}${rows.scope[k]}`.trim() || 'no scope';
  return by === 'group' ? [scope, rows.opcode[k], rows.shape[k]].filter(Boolean).join(', ') : scope;
}

/** A is B's baseline: nothing, other steps of this run, another program of it, another run. */
export function CompareChoice() {
  const now = view.value.oview === 'compare' ? kind.value : 'none';
  const others = (runs.value?.id ?? []).filter((id) => id !== view.value.run);
  const words: Record<string, string> = { none: 'none', steps: 'steps of this run', program: 'another program', run: 'another run' };
  const options = ['none', 'steps', ...(programs.value.length > 1 || now === 'program' ? ['program'] : []), ...(others.length || now === 'run' ? ['run'] : [])];
  const pick = (to: string) => {
    if (to === 'none') stopComparing();
    else if (to === 'steps') change({ oview: 'compare', base: null, base_module: null, base_host: null }, true);
    else if (to === 'program') change({ oview: 'compare', base: null, base_module: programs.peek().find((key) => key !== view.peek().module) ?? null }, true);
    else change({ oview: 'compare', base: others[newestIndex(runs.peek() as never)] ?? others[0], base_module: null, asteps: null, osteps: null }, true);
  };
  return <Choice label="compare with" value={now} options={options} titles={words} onChange={pick} />;
}

function StepChoice({ side, steps }: { side: 'A' | 'B'; steps: number[] }) {
  const key = side === 'A' ? 'asteps' : 'osteps';
  const now = view.value[key] ?? '';
  const options = ['', ...steps.map(String), ...(now && !steps.map(String).includes(now) ? [now] : [])];
  const titles = Object.fromEntries(options.map((step) => [step, step ? `step${/[-,]/.test(step) ? 's' : ''} ${step}` : `all ${steps.length || ''} steps`]));
  return <Choice label={side} value={now} options={options} titles={titles} onChange={(value) => change({ [key]: value || null })} />;
}

/** Which runs, programs and steps A and B are. */
export function SideChoices() {
  const others = (runs.value?.id ?? []).filter((id) => id !== view.value.run);
  return (
    <>
      {kind.value === 'run' ? (
        <Choice label="run A" value={view.value.base ?? ''} options={others} onChange={(base) => change({ base, base_module: null, asteps: null })} />
      ) : null}
      {kind.value === 'program' ? (
        <Choice
          label="program A"
          value={view.value.base_module ?? ''}
          options={programs.value}
          titles={Object.fromEntries(programs.value.map((key) => [key, programName(key)]))}
          onChange={(base_module) => change({ base_module, asteps: null })}
        />
      ) : null}
      <StepChoice side="A" steps={allSteps.value.before} />
      <StepChoice side="B" steps={allSteps.value.after} />
    </>
  );
}

const stepWords = (steps: number[], whole: boolean): string => (whole ? 'whole trace' : steps.length === 1 ? `step ${steps[0]}` : `${steps.length} steps`);

export function CompareView() {
  useEffect(startComparison, []);
  const a = comparison.value;
  if (comparisonFailure.value && !a)
    return (
      <div class="op-empty">
        <p role="alert">{comparisonFailure.value.message}</p>
      </div>
    );
  if (!a)
    return (
      <div class="op-empty">
        <Unread what="the differences" />
      </div>
    );
  if (!a.known || !a.before || !a.after)
    return (
      <div class="op-empty">
        <h2>These two cannot be compared</h2>
        <p>{a.reason}</p>
      </div>
    );
  return (
    <>
      <div class="op-left">
        <div class="op-line">
          <h1>What changed</h1>
          <span class="soft cut">
            self time of {programName(a.after.module)}, {sumUnit(a.before.self_ps).word}; rows add up to the change
          </span>
          <span class="m-grow" />
          <span class="segment" role="group" aria-label="what a row is">
            {WAYS.map((one) => (
              <button
                key={one}
                type="button"
                class={way.value === one ? 'on' : ''}
                aria-pressed={way.value === one}
                onClick={() => change({ cby: one === 'scope' ? null : one })}
              >
                {WAY_WORDS[one]}
              </button>
            ))}
          </span>
        </div>
        {a.notes.map((note) => (
          <p key={note} class="op-note warn">
            {note}
          </p>
        ))}
        <div class="op-table op-changes">
          <Changes a={a} />
        </div>
      </div>
      <ChangeCard a={a} />
    </>
  );
}

function ChangeBar({ ps, most }: { ps: number; most: number }) {
  return (
    <span class={`op-change ${ps < 0 ? 'fell' : 'grew'}`} aria-hidden="true">
      <i ref={setStyle('width', `${most > 0 ? (Math.abs(ps) / most) * 100 : 0}%`)} />
    </span>
  );
}

const changeClass = (ps: number) => (ps < 0 ? 'op-fell' : ps > 0 ? 'op-grew' : 'soft');
const factor = (before: number | null, after: number | null): string => (before && after !== null ? `${fixed(after / before, 2)}x` : before ? 'gone' : 'new');

type Side = NonNullable<OpsComparison['before']>;

const pairText = (before: number, after: number) => (before === after ? formatCount(after) : `${formatCount(before)} → ${formatCount(after)}`);

/** What a row is, and how many operations are in it. */
function rowColumns(a: OpsComparison, before: Side, after: Side, thin: boolean): Column<number>[] {
  const r = a.rows;
  const listed = r.change_ps.reduce((x, y) => x + y, 0) + a.rest_ps;
  const name = a.by as Way;
  return [
    { id: 'rank', title: '#', width: '38px', number: true, cell: (_k, index) => <span class="faint">{formatCount(index + 1)}</span> },
    {
      id: 'name',
      title: WAY_WORDS[name].replace(/^by /, ''),
      width: thin ? 'minmax(90px, 3fr)' : 'minmax(200px, 3fr)',
      cell: (k) => <code class="cut">{rowName(a, k, name)}</code>,
      tip: (k) => rowName(a, k, name),
      sum: (
        <span class="cut">
          {plural(a.total, 'row')}, {plural(after.ops, 'operation')}
          {listed === a.change_ps && after.self_ps - before.self_ps === a.change_ps ? <span class="good"> ✓ adds up</span> : null}
        </span>
      ),
    },
    {
      id: 'ops',
      title: 'ops',
      hint: 'operations in A and in B',
      width: '76px',
      number: true,
      cell: (k) => <span class="soft">{pairText(r.ops_before[k], r.ops_after[k])}</span>,
      sum: pairText(before.ops, after.ops),
    },
  ];
}

/** Its time on both sides, and the change. */
function timeColumns({ rows: r, change_ps }: OpsComparison, before: Side, after: Side, unit: Unit): Column<number>[] {
  const most = Math.max(...r.change_ps.map(Math.abs), 0);
  const side = (id: string, letter: string, of: Side, ps: readonly (number | null)[]): Column<number> => ({
    id,
    title: `${letter} ${stepWords(of.steps, of.whole)}`,
    width: '92px',
    number: true,
    cell: (k) => (ps[k] === null ? <span class="op-unknown">none</span> : timeIn(ps[k], unit)),
    sum: timeIn(of.self_ps, unit),
  });
  return [
    side('before', 'A', before, r.before_ps),
    side('after', 'B', after, r.after_ps),
    {
      id: 'change',
      title: 'B − A',
      hint: 'the largest change first',
      width: '76px',
      number: true,
      cell: (k) => <b class={changeClass(r.change_ps[k])}>{signedIn(r.change_ps[k], unit)}</b>,
      sum: <span class={changeClass(change_ps)}>{signedIn(change_ps, unit)}</span>,
    },
    { id: 'bar', title: '', hint: 'change', width: '190px', cell: (k) => <ChangeBar ps={r.change_ps[k]} most={most} /> },
    {
      id: 'factor',
      title: 'B / A',
      width: '64px',
      number: true,
      cell: (k) => <span class="soft">{factor(r.before_ps[k], r.after_ps[k])}</span>,
      sum: factor(before.self_ps, after.self_ps),
    },
    {
      id: 'share',
      title: 'share of A',
      width: '76px',
      number: true,
      cell: (k) => <span class="soft">{formatPercent(before.self_ps > 0 ? (r.before_ps[k] ?? 0) / before.self_ps : null, 1)}</span>,
      sum: '100 %',
    },
  ];
}

function columnsOf(a: OpsComparison, unit: Unit, thin: boolean): Column<number>[] {
  const { before, after } = a;
  if (!before || !after) return [];
  const columns = [...rowColumns(a, before, after, thin), ...timeColumns(a, before, after, unit)];
  for (const column of columns) if (SORTED[column.id]) column.sort = column.id;
  // A phone has room for both sides and the change.
  return thin ? columns.filter(({ id }) => ['name', 'before', 'after', 'change'].includes(id)) : columns;
}

/** What a column sorts by; a name from A to Z at first, a number from the largest. */
const SORTED: Record<string, (a: OpsComparison, k: number) => string | number> = {
  name: (a, k) => rowName(a, k, a.by as Way),
  ops: (a, k) => a.rows.ops_after[k],
  before: (a, k) => a.rows.before_ps[k] ?? -1,
  after: (a, k) => a.rows.after_ps[k] ?? -1,
  change: (a, k) => a.rows.change_ps[k],
  factor: (a, k) => (a.rows.before_ps[k] ? (a.rows.after_ps[k] ?? 0) / (a.rows.before_ps[k] as number) : Number.POSITIVE_INFINITY),
  share: (a, k) => a.rows.before_ps[k] ?? -1,
};

/** Rows in the order of the address; the server's, the largest change first, without one. */
function ordered(a: OpsComparison, sort: string, descending: boolean): number[] {
  const rows = Array.from({ length: a.rows.n }, (_, k) => k);
  const of = SORTED[sort];
  if (!of) return rows;
  const by = (x: number, y: number) => {
    const [p, q] = [of(a, x), of(a, y)];
    return p < q ? -1 : p > q ? 1 : 0;
  };
  return rows.sort((x, y) => (descending ? by(y, x) : by(x, y)) || x - y);
}

function sortChanges(id: string): void {
  const { csort, cdesc } = view.peek();
  const down = csort === id ? cdesc === '0' : id !== 'name';
  change({ csort: id, cdesc: down ? null : 0 });
}

function Changes({ a }: { a: OpsComparison }) {
  const unit = sumUnit(a.before?.self_ps ?? 0);
  const columns = useMemo(() => columnsOf(a, unit, small.value), [a, small.value]);
  const { csort = '', cdesc } = view.value;
  const rows = useMemo(() => ordered(a, csort, cdesc !== '0'), [a, csort, cdesc]);
  return (
    <VirtualTable<number>
      label="what changed"
      columns={columns}
      count={a.rows.n}
      rowAt={(index) => rows[index] ?? null}
      sort={csort}
      descending={cdesc !== '0'}
      onSort={sortChanges}
      sums
      fit={`${a.by} ${small.value}`}
      empty="nothing ran in either"
    />
  );
}

/** Both sides by kind of work: two bars of one scale, and each kind's change; the changes add up to that of the whole. */
function Kinds({ a, unit }: { a: OpsComparison; unit: Unit }) {
  const { kinds: c } = a;
  const most = Math.max(a.before?.self_ps ?? 0, a.after?.self_ps ?? 0, 1);
  const bar = (name: string, sizes: number[]) => (
    <div class="op-kind-bar">
      <b>{name}</b>
      <span>
        {sizes.map((ps, k) => (
          <i
            key={c.group[k]}
            title={`${GROUP_WORDS[c.group[k]] ?? c.group[k]} ${timeIn(ps, unit)} ${unit.word}`}
            style={{ background: `var(${groupVariable(c.group[k])})` }}
            ref={setStyle('width', `${(ps / most) * 100}%`)}
          />
        ))}
      </span>
    </div>
  );
  const short = { ...unit, digits: 2 };
  return (
    <section class="m-sec op-kinds" aria-label="by op group">
      <h3 class="op-h3">
        By op group <span class="side">{unit.word}</span>
      </h3>
      {bar('A', c.before_ps)}
      {bar('B', c.after_ps)}
      {c.group.map((group, k) => (
        <div key={group} class="op-mover">
          <span class="cut">
            <i class="swatch" style={{ background: `var(${groupVariable(group)})` }} /> {GROUP_WORDS[group] ?? group}
          </span>
          <span class="num">
            {timeIn(c.before_ps[k], short)} → <b>{timeIn(c.after_ps[k], short)}</b>{' '}
            <b class={changeClass(c.after_ps[k] - c.before_ps[k])}>{signedIn(c.after_ps[k] - c.before_ps[k], short)}</b>
          </span>
        </div>
      ))}
    </section>
  );
}

/** Operations with the largest changes of one sign. */
function Most({ title, a, sign }: { title: string; a: OpsComparison; sign: 1 | -1 }) {
  const unit = { size: 1e6, word: 'µs', digits: 0 };
  const { rows: r } = a;
  const found = r.change_ps
    .map((_, k) => k)
    .filter((k) => Math.sign(r.change_ps[k]) === sign && r.state[k] === 'both')
    .sort((x, y) => sign * (r.change_ps[y] - r.change_ps[x]))
    .slice(0, 9);
  if (!found.length) return null;
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {title} <span class="side">µs, A → B</span>
      </h3>
      {found.map((k) => (
        <div key={k} class="op-mover">
          <button
            type="button"
            class="link mono cut"
            title={`${r.name_before[k]} → ${r.name_after[k]}: show it among the operations`}
            onClick={() => showOp(a, r.name_after[k] as string)}
          >
            {r.name_after[k]}
          </button>
          <span class="num">
            {timeIn(r.before_ps[k], unit)} → {timeIn(r.after_ps[k], unit)} <b class={changeClass(r.change_ps[k])}>{signedIn(r.change_ps[k], unit)}</b>
          </span>
        </div>
      ))}
    </section>
  );
}

/** The operation of B among all, with the steps of B. */
const showOp = (a: OpsComparison, name: string): void => change({ oview: null, osel: `${name}:${a.after?.module}` }, true);

const LONE = 12;

function ChangeCard({ a }: { a: OpsComparison }) {
  const { before, after } = a;
  if (!before || !after) return null;
  const unit = sumUnit(before.self_ps);
  const short = { ...unit, digits: 2 };
  const each = operations.value;
  const lone = a.unpaired;
  return (
    <aside class="op-card" aria-label="change">
      <section class="m-sec">
        <h2 class="off-screen">The change</h2>
        <p class="op-change-head">
          <span class="soft">{timeIn(before.self_ps, short)}</span> →{' '}
          <b>
            {timeIn(after.self_ps, short)} {unit.word}
          </b>{' '}
          <span class={changeClass(a.change_ps)}>
            {signedIn(a.change_ps, short)} ({signedIn(before.self_ps > 0 ? a.change_ps / before.self_ps : 0, { size: 0.01, word: '%', digits: 0 })} %)
          </span>
        </p>
        <p class="soft">
          Operation time of one step on one device, {after.clock} clock. A: {sideWords(before)}. B: {sideWords(after)}.
        </p>
      </section>
      <Kinds a={a} unit={unit} />
      {each ? <Most title="Fell most" a={each} sign={-1} /> : null}
      {each ? <Most title="Grew most" a={each} sign={1} /> : null}
      <section class="m-sec">
        <h3 class="op-h3">
          In no pair <span class="side">{formatCount(a.unpaired_total)}</span>
        </h3>
        {a.unpaired_total === 0 ? (
          <p class="soft">
            none: {plural(before.ops, 'operation')} in A and {formatCount(after.ops)} in B
          </p>
        ) : (
          lone.name.slice(0, LONE).map((name, k) => (
            <div key={`${lone.side[k]} ${name}`} class="op-mover">
              <code class="cut" title={[lone.scope[k], lone.opcode[k], lone.shape[k]].filter(Boolean).join(', ')}>
                {name}
              </code>
              <span class="num">
                <span class="soft">only in {lone.side[k] === 'before' ? 'A' : 'B'}</span> {timeIn(lone.self_ps[k], unit)}
              </span>
            </div>
          ))
        )}
        {a.unpaired_total > LONE ? <p class="faint">{formatCount(a.unpaired_total - LONE)} more, in the table by operation</p> : null}
      </section>
    </aside>
  );
}

const sideWords = (side: Side): string => `${side.run}, ${programName(side.module)}, ${stepWords(side.steps, side.whole)}`;
