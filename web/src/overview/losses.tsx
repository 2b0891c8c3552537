/** Where the step goes: from its whole length down to what it would take at the roofline, as a waterfall that adds up. */
import { hrefOf } from '../app/router';
import { setStyle } from '../ui/size';
import { durationText } from '../trace/time';
import { formatCount, plural } from '../util/format';
import { Change } from './change';
import { lossChange } from './links';
import { inUnit, shareText, type TimeUnit, unitOf, waterfall, type Bar } from './numbers';
import { mainGroup } from './columns';
import { base, overview, split } from './state';
import type { Overview, OverviewLoss } from '../api/answers';
import { rowsOf, stepWord } from './words';

export function LossesPart({ a }: { a: Overview }) {
  const { step } = a;
  if (!step) return null;
  const unit = unitOf(step.mean_ps);
  const losses = rowsOf(a.losses);
  const bars = waterfall(a.losses.mean_ps, step.mean_ps);
  const what = stepWord(a);
  return (
    <section class="ov-losses" aria-label={`where the ${what} goes`}>
      <header class="ov-title">
        <h2>Where the {what} goes</h2>
        <span class="soft">
          {unit.word}, {a.clock} clock
        </span>
        <AddsUp a={a} />
      </header>
      <table class="ov-table">
        <tbody>
          <tr class="ov-sum">
            <th scope="row">
              {step.selected === null
                ? `${what[0].toUpperCase()}${what.slice(1)}, mean of ${formatCount(step.count)}`
                : `${what[0].toUpperCase()}${what.slice(1)} ${step.selected}`}
            </th>
            <td class="ov-bar">
              <Fill bar={{ from: 0, to: 1 }} kind="whole" />
            </td>
            <td class="num">
              <b>{inUnit(step.mean_ps, unit)}</b>
              <Change before={base.value?.step?.mean_ps} after={step.mean_ps} unit={unit} />
            </td>
            <td class="num soft">100.0 %</td>
            <td />
          </tr>
          {losses.map((loss, k) => (
            <Row key={loss.kind} loss={loss} bar={bars[k]} unit={unit} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Computed here from the rows, and by the server from exact sums: both must say so. */
function AddsUp({ a }: { a: Overview }) {
  const whole = a.step?.total_ps ?? 0;
  const rest = whole - a.losses.total_ps.reduce((sum, ps) => sum + ps, 0);
  if (a.capture?.complete === false)
    return (
      <span class="warn ov-adds" title={a.capture.damage ?? undefined}>
        no total: the file is incomplete
      </span>
    );
  if (a.adds_up && Math.abs(rest) <= whole * 1e-6)
    return (
      <span class="good ov-adds" title="the rows below are the whole step, to the picosecond">
        ✓ adds up
      </span>
    );
  return <span class="bad ov-adds">does not add up: {durationText(rest || a.rest_ps)} of all steps is in no row</span>;
}

function Fill({ bar, kind }: { bar: Bar; kind: OverviewLoss['kind'] | 'whole' }) {
  return (
    <i
      class={`ov-fill ${kind === 'roofline' ? `ov-g-${mainGroup(split.value)}` : `ov-k-${kind}`}`}
      ref={(x) => {
        setStyle('left', `min(${bar.from * 100}%, 100% - 1px)`)(x);
        setStyle('width', `max(1px, ${(bar.to - bar.from) * 100}%)`)(x);
      }}
    />
  );
}

function Row({ loss, bar, unit }: { loss: OverviewLoss; bar: Bar; unit: TimeUnit }) {
  const last = loss.kind === 'roofline';
  const before = base.value?.step ? (base.value.losses.mean_ps[base.value.losses.kind.indexOf(loss.kind)] ?? 0) : null;
  return (
    <tr class={last ? 'ov-sum' : ''} title={loss.why ?? undefined}>
      <th scope="row">
        {loss.label}
        {loss.why && loss.kind !== 'not_judged' && loss.mean_ps > 0 ? <span class="warn"> ?</span> : null}
      </th>
      <td class="ov-bar">{loss.mean_ps > 0 ? <Fill bar={bar} kind={loss.kind} /> : null}</td>
      <td class="num" title={`${durationText(loss.mean_ps)} of a mean ${stepWord(overview.value ?? { step: null })}`}>
        {last ? <b>{inUnit(loss.mean_ps, unit)}</b> : inUnit(-loss.mean_ps, unit)}
        <Change before={before} after={loss.mean_ps} unit={unit} good={last ? 'none' : 'less'} />
      </td>
      <td class="num soft">{loss.mean_ps === 0 ? '' : shareText(loss.share)}</td>
      <td class="num ov-behind">{last ? <span class="soft">ideal</span> : <Behind loss={loss} />}</td>
    </tr>
  );
}

function Behind({ loss }: { loss: OverviewLoss }) {
  const change = loss.ops > 0 || loss.kind === 'idle' ? lossChange(loss.kind) : { tool: 'trace' }; // kernels and copies that are no operations of a program
  if (loss.mean_ps === 0 || !change) return <span class="faint">none</span>;
  return <a href={hrefOf(change)}>{loss.ops > 0 ? plural(loss.ops, 'op') : 'Trace'}</a>;
}
