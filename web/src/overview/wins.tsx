/** Time to win: the operations that would give most of a step back. */
import { hrefOf } from '../app/router';
import { decimalText } from '../explain/numbers';
import { durationText } from '../trace/time';
import { NameCut } from '../ui/name_cut';
import { setStyle } from '../ui/size';
import { formatCount, formatPercent, plural } from '../util/format';
import { Change } from './change';
import { lossChange, opHref } from './links';
import { inUnit, type TimeUnit, unitOf } from './numbers';
import { base } from './state';
import type { Overview, OverviewLoss, OverviewWin } from '../api/answers';
import { rowsOf, stepWord } from './words';

const SHOWN = 7;

const idleOf = (a: Overview) => a.losses.mean_ps[a.losses.kind.indexOf('idle')] ?? 0;

/** The operation of the same name in the run before. */
const baseOf = (win: OverviewWin) => (base.value ? rowsOf(base.value.wins).find((other) => other.name === win.name) : undefined);

const HEADS: [string, 'descending'?][] = [['self'], ['to win ▾', 'descending'], ['bound'], ['reaches']];

function NoWins({ a, unknown }: { a: Overview; unknown: OverviewLoss | undefined }) {
  return (
    <p class="ov-note">
      {unknown && unknown.mean_ps > 0
        ? `Not known: ${unknown.why ?? unknown.label}.`
        : a.ops === 0
          ? 'Not known: no operations were recorded.'
          : 'Nothing to win: every operation runs at its roofline, and no chip waits.'}
    </p>
  );
}

function WinRow({ win, most, unit }: { win: OverviewWin; most: number; unit: TimeUnit }) {
  return (
    <tr>
      <th scope="row">
        <i class={`swatch ov-g-${win.group}${win.wait ? ' ov-hatch' : ''}`} />
        <a class="mono cut" href={opHref(win.name, win.module)} aria-label={win.name} title={plural(win.count, 'execution')}>
          <NameCut name={win.name} />
        </a>
      </th>
      <td class="ov-bar">
        <i class={`ov-fill ${win.wait ? 'ov-k-wait' : 'ov-k-loss'}`} ref={setStyle('width', `${((win.win_ps ?? 0) / most) * 100}%`)} />
      </td>
      <td class="num" title={durationText(win.mean_ps)}>
        {inUnit(win.mean_ps, unit)}
        <Change before={baseOf(win)?.mean_ps} after={win.mean_ps} unit={unit} />
      </td>
      <td class="num">
        {win.win_ps === null ? (
          <span class="soft">unknown</span>
        ) : (
          <b>
            {win.at_most ? '≤ ' : ''}
            {inUnit(win.win_ps, unit)}
          </b>
        )}
        <Change before={baseOf(win)?.win_ps} after={win.win_ps} unit={unit} />
      </td>
      <td class="num soft">{win.bound ?? 'unknown'}</td>
      <td class="num" title={reachesTitle(win)}>
        {reaches(win)}
      </td>
    </tr>
  );
}

function SumRow({ a, busy, unit }: { a: Overview; busy: number; unit: TimeUnit }) {
  return (
    <tr class="ov-sum">
      <th scope="row" colSpan={2}>
        all {plural(a.ops, 'operation')}
      </th>
      <td class="num">
        {inUnit(busy, unit)}
        <Change before={base.value?.step ? base.value.step.mean_ps - idleOf(base.value) : null} after={busy} unit={unit} />
      </td>
      <td class="num">
        {a.wins.win_ps.every((ps) => ps === null) ? (
          'unknown'
        ) : (
          <>
            {inUnit(a.wins_ps, unit)}
            <Change before={base.value?.wins_ps} after={a.wins_ps} unit={unit} />
          </>
        )}
      </td>
      <td colSpan={2} />
    </tr>
  );
}

/** The time of operations without a roofline. */
function UnknownRow({ unknown, unit }: { unknown: OverviewLoss; unit: TimeUnit }) {
  return (
    <tr>
      <th scope="row" colSpan={2}>
        {unknown.ops > 0 ? <a href={hrefOf(lossChange('not_judged') ?? {})}>{plural(unknown.ops, 'operation')}</a> : null}{' '}
        <span class="soft">{unknown.why ?? unknown.label}</span>
      </th>
      <td class="num">{inUnit(unknown.mean_ps, unit)}</td>
      <td class="num soft">unknown</td>
      <td colSpan={2} />
    </tr>
  );
}

export function WinsPart({ a }: { a: Overview }) {
  if (!a.step) return null;
  const unit = unitOf(a.step.mean_ps);
  const list = rowsOf(a.wins).slice(0, SHOWN);
  const most = Math.max(1, ...list.map((win) => win.win_ps ?? 0));
  const unknown = rowsOf(a.losses).find((loss) => loss.kind === 'not_judged');
  return (
    <section class="ov-wins" aria-label="time to win">
      <header class="ov-title">
        <h2>Time to win</h2>
        <span class="soft">
          {unit.word} of a mean {stepWord(a)}, {a.clock} clock
        </span>
        <a class="ov-more" href={hrefOf({ tool: 'ops' })}>
          all {formatCount(a.ops)} in Ops
        </a>
      </header>
      {list.length === 0 ? (
        <NoWins a={a} unknown={unknown} />
      ) : (
        <table class="ov-table">
          <thead>
            <tr>
              <th scope="col">operation</th>
              <td class="ov-bar" />
              {HEADS.map(([title, sorted]) => (
                <th key={title} scope="col" class="num" aria-sort={sorted}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.map((win, k) => (
              <WinRow key={k} win={win} most={most} unit={unit} />
            ))}
            <SumRow a={a} busy={a.step.mean_ps - idleOf(a)} unit={unit} />
            {unknown && unknown.mean_ps > 0 ? <UnknownRow unknown={unknown} unit={unit} /> : null}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Share of its roofline, of a transfer its rate. */
function reaches(win: OverviewWin): string {
  if (win.roofline_share !== null) return formatPercent(win.roofline_share, 1);
  return win.moved_bytes_per_s === null ? '' : decimalText(win.moved_bytes_per_s, 'B/s');
}

function reachesTitle(win: OverviewWin): string | undefined {
  if (win.roofline_share !== null) return 'of its roofline';
  return win.moved_bytes_per_s === null ? undefined : 'its bytes over the time the chip waits for them';
}
