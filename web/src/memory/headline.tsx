/** Peak and capacity, position of the peak, its largest buffers, and the bar of its parts. */
import { hrefOf } from '../app/router';
import { run } from '../app/state';
import { Later } from '../ui/later';
import { exactBytes, fixed, formatBytes, formatCount, formatPercent, plural } from '../util/format';
import type { SentencePart, Summary } from '../api/types';
import { baseSummary } from './baseline_state';
import { BaselineBadge, Delta } from './delta';
import { HeadBarView } from './head_bar';
import { fitOf, sentenceParts, sentenceText, xprofNote } from './head_parts';
import { OpName } from '../app/links';
import { standOf } from '../app/open_tool';
import { SourceName } from './links';
import { Pop } from './pop';
import { inspect, summary } from './state';
import { changeCount, drawerOpen, turnDrawer } from './what_if_state';
import { WarningBadge, WarningStrips } from './warnings';

export function Headline() {
  const s = summary.value;
  if (!s) return <div class="m-head m-head-empty" aria-busy="true" />;
  return (
    <>
      <WarningStrips />
      <section class="m-head" aria-label="peak">
        <PeakLine s={s} />
        <Sentence s={s} />
        <HeadBarView s={s} />
      </section>
    </>
  );
}

/** "16,384 MiB", not "16,384.0 MiB": decimals that are all zero say nothing in a capacity. */
export function roundBytes(bytes: number | null): string {
  return formatBytes(bytes).replace(/\.0+(?= )/, '');
}

function PeakLine({ s }: { s: Summary }) {
  const fit = fitOf(s.peak.held_bytes, s.capacity_bytes);
  const tip = `peak ${exactBytes(s.peak.held_bytes)}${s.capacity_bytes === null ? '' : `, capacity ${exactBytes(s.capacity_bytes)}`}${xprofNote(s, 'peak_bytes')}`;
  return (
    <h1 class="m-peak" title={tip}>
      <span class="m-peak-big">
        {s.module.failed_to_compile && fit.fits === null ? 'Needs' : 'Peak'} {formatBytes(s.peak.held_bytes)}
        {fit.fits === false ? <b class="bad"> does not fit</b> : null}
      </span>
      <Delta before={baseSummary.value?.peak.held_bytes} after={s.peak.held_bytes} percent />
      {fit.fits === false ? (
        <span class="m-peak-of">
          needs {formatBytes(fit.over)} more than the {roundBytes(s.capacity_bytes)} available ({percentOf(fit.share)})
        </span>
      ) : fit.share !== null ? (
        <span class="m-peak-of">
          of {roundBytes(s.capacity_bytes)} ({percentOf(fit.share)})
        </span>
      ) : null}
      <PeakPlace s={s} />
    </h1>
  );
}

/** A share above 0 that rounds to 0 % is "below 1 %". */
function percentOf(share: number | null): string {
  return share !== null && share > 0 && share < 0.005 ? 'below 1 %' : formatPercent(share);
}

function PeakPlace({ s }: { s: Summary }) {
  const { step, instruction } = s.peak;
  if (step === null) return <span class="m-peak-at">live during the whole program</span>;
  return (
    <span class="m-peak-at">
      at{' '}
      <button type="button" class="link" title="inspect this step" onClick={() => inspect(step)}>
        step {formatCount(step)}
      </button>{' '}
      of {formatCount(s.steps)}
      {instruction ? (
        <>
          , <OpName name={instruction} />
        </>
      ) : null}
    </span>
  );
}

function Sentence({ s }: { s: Summary }) {
  const largest = s.largest;
  if (!largest) return null;
  const parts = sentenceParts(largest.sentence, largest.advice);
  return (
    <p class="m-sentence" title={sentenceText(parts)}>
      {parts.map((part, k) => (
        <Part key={k} part={part} first={k === 0} file={largest.file} line={largest.line} />
      ))}
    </p>
  );
}

interface PartProps {
  part: SentencePart;
  first: boolean;
  file: string | null;
  line: number | null;
}

function Part({ part, first, file, line }: PartProps) {
  switch (part.kind) {
    case 'number':
      return <b>{part.text}</b>;
    case 'code':
      return <code class={first ? 'strong' : ''}>{part.text}</code>;
    case 'source':
      return file ? <SourceName file={file} line={line} text={part.text} /> : <code>{part.text}</code>;
    default:
      return <>{part.text}</>;
  }
}

/** What the numbers are, and the way to what was measured: a profile of a run has it beside its events. */
function FromCompiler() {
  const stand = standOf('trace');
  const derived = summary.value?.warnings.some((warning) => warning.code === 'events_from_live_ranges');
  const words = 'From the buffer assignment of the compiled program: what the compiler reserves.';
  const badge = (
    <span>
      <span class="w-long">from the compiler, </span>
      {derived ? 'from live ranges, ' : ''}not measured
    </span>
  );
  if (!stand.open)
    return (
      <span class="m-badge" tabIndex={0} title={`${words} What the running program held was not measured: ${stand.reason}`}>
        {badge}
      </span>
    );
  return (
    <a
      class="m-badge m-measured"
      href={hrefOf({ tool: 'trace' })}
      title={`${words} Trace shows what the allocators held while it ran, if the profile recorded it.`}
    >
      {badge}
    </a>
  );
}

/** Where the numbers are from; in the bar of the modes. */
export function Badges() {
  const s = summary.value;
  if (!s) return null;
  const device = s.device_type ?? s.platform?.toUpperCase() ?? 'device unknown';
  const count = s.device_count ?? 0;
  const failed = s.module.failed_to_compile;
  const warned = run.value?.error_text && !s.oom;
  return (
    <div class="m-badges">
      <BaselineBadge />
      <button
        type="button"
        class={`m-badge${changeCount.value > 0 || drawerOpen.value ? ' on' : ''}`}
        aria-pressed={drawerOpen.value}
        title="see the peak with changes (Alt+W)"
        onClick={turnDrawer}
      >
        What if{changeCount.value > 0 ? <b>{changeCount.value}</b> : null}
      </button>
      <WarningBadge />
      <Pop label="XProf, JAX …" title="the same memory as counted by XProf, JAX and XLA" class="m-badge" boxClass="m-numbers">
        {() => <Later part="NumbersBox" s={s} />}
      </Pop>
      <FromCompiler />
      {failed || warned ? <span class="m-badge bad">did not compile</span> : null}
      <span class="m-badge" title={`platform ${s.platform ?? 'unknown'}`}>
        {device}
        {count > 0 ? `, ${plural(count, 'device')}` : ''}
      </span>
      {s.module.run_count ? (
        <span class="m-badge" title="runs of this module in the profile, on all devices">
          ran {fixed(s.module.run_count, 0)}x
        </span>
      ) : null}
    </div>
  );
}
