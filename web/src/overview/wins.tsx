/** Time to win: the operations that would give most of a step back. */
import { hrefOf } from '../app/router';
import { decimalText } from '../explain/numbers';
import { durationText } from '../trace/time';
import { NameCut } from '../ui/name_cut';
import { setStyle } from '../ui/size';
import { formatCount, formatPercent, plural } from '../util/format';
import { Change } from './change';
import { lossChange, opHref } from './links';
import { inUnit, unitOf } from './numbers';
import { base } from './state';
import type { Overview, OverviewWin } from '../api/answers';
import { rowsOf, stepWord } from './words';

const SHOWN = 7;

const idleOf = (a: Overview) => a.losses.mean_ps[a.losses.kind.indexOf('idle')] ?? 0;

/** The operation of the same name in the run before. */
const baseOf = (win: OverviewWin) => (base.value ? rowsOf(base.value.wins).find((other) => other.name === win.name) : undefined);

export function WinsPart({ a }: { a: Overview }) {
  if (!a.step) return null;
  const unit = unitOf(a.step.mean_ps);
  const list = rowsOf(a.wins).slice(0, SHOWN);
  const idle = idleOf(a);
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
        <p class="ov-note">
          {unknown && unknown.mean_ps > 0
            ? `Not known: ${unknown.why ?? unknown.label}.`
            : a.ops === 0
              ? 'Not known: no operations were recorded.'
              : 'Nothing to win: every operation runs at its roofline, and no chip waits.'}
        </p>
      ) : (
        <table class="ov-table">
          <thead>
            <tr>
              <th scope="col">operation</th>
              <td class="ov-bar" />
              <th scope="col" class="num">
                self
              </th>
              <th scope="col" class="num" aria-sort="descending">
                to win ▾
              </th>
              <th scope="col" class="num">
                bound
              </th>
              <th scope="col" class="num">
                reaches
              </th>
            </tr>
          </thead>
          <tbody>
            {list.map((win, k) => (
              <tr key={k}>
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
                <td class="num">{reaches(win)}</td>
              </tr>
            ))}
            <tr class="ov-sum">
              <th scope="row" colSpan={2}>
                all {plural(a.ops, 'operation')}
              </th>
              <td class="num">
                {inUnit(a.step.mean_ps - idle, unit)}
                <Change before={base.value?.step ? base.value.step.mean_ps - idleOf(base.value) : null} after={a.step.mean_ps - idle} unit={unit} />
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
            {unknown && unknown.mean_ps > 0 ? (
              <tr>
                <th scope="row" colSpan={2}>
                  {unknown.ops > 0 ? <a href={hrefOf(lossChange('not_judged') ?? {})}>{plural(unknown.ops, 'operation')}</a> : null}{' '}
                  <span class="soft">{unknown.why ?? unknown.label}</span>
                </th>
                <td class="num">{inUnit(unknown.mean_ps, unit)}</td>
                <td class="num soft">unknown</td>
                <td colSpan={2} />
              </tr>
            ) : null}
          </tbody>
        </table>
      )}
    </section>
  );
}

/** Share of its roofline, of a transfer its rate. */
function reaches(win: OverviewWin): string {
  if (win.roofline_share !== null) return formatPercent(win.roofline_share, 1);
  return win.bytes_per_s === null ? '' : decimalText(win.bytes_per_s, 'B/s');
}
