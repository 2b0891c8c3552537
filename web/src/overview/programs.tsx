/** Programs that ran, on screens that have the room. */
import { hrefOf } from '../app/router';
import { durationText } from '../trace/time';
import { formatBytes, formatCount, formatPercent } from '../util/format';
import type { Overview } from '../api/answers';
import { BytesChange, Change } from './change';
import { unitOf } from './numbers';
import { base } from './state';
import { rowsOf } from './words';

const SHOWN = 8;

export function ProgramsPart({ a }: { a: Overview }) {
  const p = a.programs;
  if (p.n === 0) return null;
  const rows = p.module.map((_, k) => k);
  const others = base.value ? rowsOf(base.value.programs) : [];
  const before = (k: number) => others.find((other) => other.name === p.name[k]);
  const sum = (of: readonly (number | null)[]) => of.reduce<number>((total, value) => total + (value ?? 0), 0);
  return (
    <section class="ov-programs" aria-label="programs">
      <header class="ov-title">
        <h2>Programs</h2>
        <span class="soft">that ran, {a.clock ?? 'host'} clock</span>
      </header>
      <table class="ov-table">
        <thead>
          <tr>
            <th scope="col">program</th>
            <th scope="col" class="num">
              runs
            </th>
            <th scope="col" class="num">
              op time
            </th>
            <th scope="col" class="num">
              share
            </th>
            <th scope="col" class="num">
              executions
            </th>
            <th scope="col" class="num">
              peak memory
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((k) => (
            <tr key={p.module[k]}>
              <th scope="row" class="mono">
                {p.held[k] ? (
                  <a href={hrefOf({ tool: 'ops', module: p.module[k], step: null })} title={p.module[k]}>
                    {p.name[k]}
                  </a>
                ) : (
                  p.name[k]
                )}
              </th>
              <td class="num">{formatCount(p.runs[k])}</td>
              <td class="num">
                {durationText(p.self_ps[k])}
                <Change before={before(k)?.self_ps} after={p.self_ps[k]} unit={unitOf(p.self_ps[k])} />
              </td>
              <td class="num">{formatPercent(p.share[k], 2)}</td>
              <td class="num">{p.executions[k] === 0 ? 'no op events' : formatCount(p.executions[k])}</td>
              <td class="num">
                {p.peak_bytes[k] === null ? 'unknown' : formatBytes(p.peak_bytes[k])}
                <BytesChange before={before(k)?.peak_bytes} after={p.peak_bytes[k]} />
              </td>
            </tr>
          ))}
          {a.programs_left_out > 0 ? (
            <tr>
              <th scope="row" class="soft" colSpan={6}>
                {formatCount(a.programs_left_out)} more programs ran
              </th>
            </tr>
          ) : null}
          {rows.length > SHOWN ? (
            <tr>
              <th scope="row" class="soft">
                {formatCount(rows.length - SHOWN)} more
              </th>
              <td class="num">{formatCount(sum(p.runs.slice(SHOWN)))}</td>
              <td class="num">{durationText(sum(p.self_ps.slice(SHOWN)))}</td>
              <td class="num">{formatPercent(sum(p.share.slice(SHOWN)), 2)}</td>
              <td class="num">{formatCount(sum(p.executions.slice(SHOWN)))}</td>
              <td />
            </tr>
          ) : null}
          <tr class="ov-sum">
            <th scope="row">sum</th>
            <td />
            <td class="num">{durationText(sum(p.self_ps))}</td>
            <td class="num">{formatPercent(sum(p.share), 0)}</td>
            <td class="num">{formatCount(sum(p.executions))}</td>
            <td />
          </tr>
        </tbody>
      </table>
    </section>
  );
}
