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

const HEADS = ['runs', 'op time', 'share', 'executions', 'peak memory'];

const sum = (of: readonly (number | null)[]) => of.reduce<number>((total, value) => total + (value ?? 0), 0);

function ProgramRow({ p, k }: { p: Overview['programs']; k: number }) {
  const before = base.value && rowsOf(base.value.programs).find((other) => other.name === p.name[k]);
  return (
    <tr>
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
        <Change before={before?.self_ps} after={p.self_ps[k]} unit={unitOf(p.self_ps[k])} />
      </td>
      <td class="num">{formatPercent(p.share[k], 2)}</td>
      <td class="num">{p.executions[k] === 0 ? 'no op events' : formatCount(p.executions[k])}</td>
      <td class="num">
        {p.peak_bytes[k] === null ? 'unknown' : formatBytes(p.peak_bytes[k])}
        <BytesChange before={before?.peak_bytes} after={p.peak_bytes[k]} />
      </td>
    </tr>
  );
}

/** Time, share and executions of the programs from one on; peaks do not add up. */
function SumCells({ p, from, digits }: { p: Overview['programs']; from: number; digits: number }) {
  return (
    <>
      <td class="num">{durationText(sum(p.self_ps.slice(from)))}</td>
      <td class="num">{formatPercent(sum(p.share.slice(from)), digits)}</td>
      <td class="num">{formatCount(sum(p.executions.slice(from)))}</td>
      <td />
    </>
  );
}

export function ProgramsPart({ a }: { a: Overview }) {
  const p = a.programs;
  if (p.n === 0) return null;
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
            {HEADS.map((title) => (
              <th key={title} scope="col" class="num">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {p.module.slice(0, SHOWN).map((module, k) => (
            <ProgramRow key={module} p={p} k={k} />
          ))}
          {a.programs_left_out > 0 ? (
            <tr>
              <th scope="row" class="soft" colSpan={6}>
                {formatCount(a.programs_left_out)} more programs ran
              </th>
            </tr>
          ) : null}
          {p.n > SHOWN ? (
            <tr>
              <th scope="row" class="soft">
                {formatCount(p.n - SHOWN)} more
              </th>
              <td class="num">{formatCount(sum(p.runs.slice(SHOWN)))}</td>
              <SumCells p={p} from={SHOWN} digits={2} />
            </tr>
          ) : null}
          <tr class="ov-sum">
            <th scope="row">sum</th>
            <td />
            <SumCells p={p} from={0} digits={0} />
          </tr>
        </tbody>
      </table>
    </section>
  );
}
