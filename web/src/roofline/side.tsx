/** Beside the chart: the chosen operation, what is lost against the roof, the peaks with their sources, ridge points. */
import type { ComponentChildren } from 'preact';
import { copyText } from '../app/toast';
import { timeText } from '../explain/numbers';
import { PeakBoxes, PeaksReset } from '../ops/peak_boxes';
import type { Field } from '../explain/peaks';
import { groupVariable } from '../memory/group_colour';
import { OpLink, Row } from '../ops/card';
import { inUnit, sumUnit, threeText } from '../ops/numbers';
import { change, choose, closeCard, ops } from '../ops/state';
import { Icon } from '../ui/icons';
import { NameCut } from '../ui/name_cut';
import { setStyle, shareWidth } from '../ui/size';
import { fixed, formatCount, formatPercent, plural, UNKNOWN, upper } from '../util/format';
import { plainText } from './draw';
import { ofPeakText, peakText, ridgeText, shareText } from './scene';
import { current, lost, roofline, type Roofline, roofs } from './state';

function Section({ title, side, children }: { title: string; side?: ComponentChildren; children: ComponentChildren }) {
  return (
    <section class="m-sec">
      <h2 class="op-h3">
        {title} {side ? <span class="side">{side}</span> : null}
      </h2>
      {children}
    </section>
  );
}

/** "601.2 of 2,516.6 TFLOP/s, 23.9 %". */
function Reached({ name, rate, peak, unit }: { name: string; rate: number | null; peak: number | null; unit: boolean }) {
  if (rate === null) return <Row name={name}>{UNKNOWN}</Row>;
  const [shown, of] = peak === null ? [peakText(rate, unit), ''] : ofPeakText(rate, peak, unit);
  return (
    <Row name={name}>
      <b class={peak !== null && rate > peak * 1.01 ? 'bad' : ''}>{shown}</b>
      {peak === null ? '' : ` of ${of}, ${shareText(rate / peak)}`}
    </Row>
  );
}

function Chosen() {
  const o = ops.value;
  const k = current.value;
  if (!o || k < 0) return null;
  const c = o.ops;
  const { flops, bytes, best } = roofs.value;
  const r = roofline.value;
  const peak = best ? flops : c.flops_peak_per_s[k];
  const share = best ? null : c.roofline_share[k];
  const ridge = peak && bytes ? peak / bytes : null;
  const name = c.name[k];
  return (
    <section class="m-sec rf-chosen">
      <div class="m-card-title">
        <code class="strong">{name}</code>
        <button type="button" class="m-icon" title="copy the name" aria-label="copy the name" onClick={() => void copyText(name, 'name')}>
          <Icon name="copy" size={14} />
        </button>
        <button type="button" class="m-icon" title="close (Esc)" aria-label="close the details" onClick={closeCard}>
          <Icon name="close" size={14} />
        </button>
      </div>
      {share === null ? null : (
        <div class="op-roofbar" role="img" aria-label={`${formatPercent(share, 1)} of its roof`}>
          <i style={{ background: `var(${groupVariable(c.group[k])})` }} ref={setStyle('width', `${Math.min(share, 1) * 100}%`)} />
          <b>{shareText(share)}</b>
          <span>{`${timeText((c.roofline_ps[k] ?? 0) / 1e12)} of ${timeText((c.mean_ps[k] ?? 0) / 1e12)}`}</span>
        </div>
      )}
      <Reached name="Compute" rate={c.flops_per_s[k]} peak={peak} unit />
      <Reached
        name={r ? r.roofs.name[(r.roofs.limit as string[]).indexOf('bandwidth')] : 'HBM'}
        rate={c.hbm_bytes_per_s[k]}
        peak={r?.peaks?.hbm_bytes_per_s ?? bytes}
        unit={false}
      />
      {r?.peaks?.vmem_read_bytes_per_s ? (
        <Row name="VMEM">{c.vmem_bytes_per_s[k] ? peakText(c.vmem_bytes_per_s[k] as number, false) : 'no bytes recorded for it'}</Row>
      ) : null}
      <Row name="Intensity">
        {threeText(c.intensity[k])}
        {ridge !== null && c.intensity[k] !== null ? `, ${(c.intensity[k] as number) < ridge ? 'left' : 'right'} of the ridge ${ridgeText(ridge)}` : ''}
      </Row>
      <Row name="Bound" tip={c.bound_reason[k] ?? undefined}>
        {c.bound[k]}
      </Row>
      <div class="rf-links">
        <OpLink tool="ops" title="Ops" name={name} module={c.module[k]} />
        <OpLink tool="trace" title="Trace" name={name} module={c.module[k]} />
        <OpLink tool="graph" title="Graph" name={name} module={c.module[k]} />
        {c.source[k] ? (
          <span class="mono faint cut" title={c.source[k]}>
            {c.source[k].slice(c.source[k].lastIndexOf('/') + 1)}
          </span>
        ) : null}
      </div>
    </section>
  );
}

const LISTED = 12;

function Lost() {
  const o = ops.value;
  const r = roofline.value;
  const rows = lost.value;
  if (!o || !r || rows.length === 0) return null;
  const c = o.ops;
  const sum = rows.reduce((all, k) => all + (c.lost_ps[k] ?? 0), 0);
  const shown = rows.slice(0, LISTED);
  const rest = rows.slice(LISTED).reduce((all, k) => all + (c.lost_ps[k] ?? 0), 0);
  const unit = sumUnit(sum);
  const most = Math.max(...rows.map((k) => c.lost_ps[k] ?? 0), 1);
  const { best } = roofs.value;
  const reached = (k: number) => (best ? bestShare(k) : c.roofline_share[k]);
  return (
    <Section title={best ? 'Below the best seen' : 'Lost against the roof'} side={`${unit.word}${best ? ', at most' : ''} · reaches`}>
      <ol class="rf-lost">
        {shown.map((k) => (
          <li key={k} class={k === current.value ? 'on' : ''}>
            <i class="swatch" style={{ background: `var(${groupVariable(c.group[k])})` }} />
            <button type="button" class="link mono cut" aria-label={c.name[k]} onClick={() => choose({ name: c.name[k], module: c.module[k] })}>
              <NameCut name={c.name[k]} />
            </button>
            <span class="rf-bar" aria-hidden="true">
              <i ref={shareWidth((c.lost_ps[k] ?? 0) / most)} />
            </span>
            <b class="num">{inUnit(c.lost_ps[k], unit)}</b>
            <span class={`num${(reached(k) ?? 0) > 1.01 && !best ? ' bad' : ' soft'}`}>{shareText(reached(k))}</span>
          </li>
        ))}
        {rows.length > LISTED ? (
          <li class="soft">
            <i />
            <span class="rf-all">{formatCount(rows.length - LISTED)} more</span>
            <span class="num">{inUnit(rest, unit)}</span>
            <span />
          </li>
        ) : null}
        <li class="rf-sum">
          <i />
          <b class="rf-all">{plural(rows.length, 'operation')}</b>
          <b class="num">{inUnit(sum, unit)}</b>
          <span />
        </li>
      </ol>
      <NotJudged r={r} />
    </Section>
  );
}

/** Of the best rates of the run, as the loss is. */
function bestShare(k: number): number | null {
  const c = ops.value?.ops;
  if (!c || c.lost_ps[k] === null || !c.self_ps[k]) return null;
  return 1 - (c.lost_ps[k] as number) / c.self_ps[k];
}

function NotJudged({ r }: { r: Roofline }) {
  const part = (place: string) => {
    const at = (r.places.place as string[]).indexOf(place);
    return { n: r.places.operations[at] ?? 0, ps: r.places.self_ps[at] ?? 0 };
  };
  const unknown = part('unknown');
  const wait = part('wait');
  const said = [
    ...(unknown.n ? [`${plural(unknown.n, 'operation')} whose work is not known, ${timeText(unknown.ps / 1e12)}`] : []),
    ...(wait.n ? [`waits for copies and other chips, ${timeText(wait.ps / 1e12)}`] : []),
  ];
  return said.length ? <p class="soft">Without a roof: {said.join('; ')}</p> : null;
}

const FIELD_OF: Record<string, Field> = {
  flops: 'flops_per_s',
  vector: 'vector_flops_per_s',
  bandwidth: 'hbm_bytes_per_s',
  shared: 'shared_bytes_per_s',
  vmem_read: 'vmem_read_bytes_per_s',
  vmem_write: 'vmem_write_bytes_per_s',
  cmem_read: 'cmem_read_bytes_per_s',
  cmem_write: 'cmem_write_bytes_per_s',
  link: 'link_bytes_per_s',
};
const SOURCE_WORDS: Record<string, string> = { profile: 'profile', derived: 'profile ×', table: 'table of chips', typed: 'typed' };

function Peaks() {
  const r = roofline.value;
  if (!r) return null;
  const { roofs: t } = r;
  // One box for the matrix units: a figure that is typed counts for every type of number.
  const rows = t.limit.map((limit, k) => ({ limit, k })).filter(({ limit }, at) => limit !== 'flops' || at === 0);
  return (
    <Section
      title="Peaks"
      side={
        <>
          {r.peaks ? `of ${r.peaks.device || 'one chip'}` : 'not known'}
          {t.source.includes('typed') ? ' · ' : null}
          <PeaksReset given={r.said_peaks} />
        </>
      }
    >
      <PeakBoxes
        given={r.peaks}
        boxes={rows.map(({ limit, k }) => ({
          field: FIELD_OF[limit],
          label: t.name[k],
          value: t.peak_per_s[k],
          typed: t.source[k] === 'typed',
          from: t.source[k] ? SOURCE_WORDS[t.source[k] as string] : 'type it',
        }))}
      />
      <p class="soft">{sourceWords(r)}</p>
      {r.proof ? (
        <p class="rf-proof" role="alert">
          {r.proof}
        </p>
      ) : null}
    </Section>
  );
}

function sourceWords(r: Roofline): string {
  const unknown = 'This device is not in the table of chips and the profile records no peaks.';
  if (!r.peaks && r.best_flops_per_s === null && r.best_hbm_bytes_per_s === null)
    return `${unknown} No operation in this run takes 50 µs or more, so there is no best rate to compare with.`;
  if (!r.peaks)
    return `${unknown} The dashed lines are the best rates of any operation of 50 µs or more in this run, not limits.${
      r.above_best ? ` ${plural(r.above_best, 'shorter operation')} above them, ${timeText(r.above_best_ps / 1e12)} together.` : ''
    }`;
  const derived = r.roofs.source.includes('derived')
    ? ' profile ×: clock and cores of the device plane, times the operations and bytes a cycle of its architecture.'
    : '';
  return `${upper(r.peaks?.source ?? '')}.${derived}`;
}

function Ridges() {
  const r = roofline.value;
  if (!r) return null;
  const { roofs: t } = r;
  const rows = t.limit.map((_, k) => k).filter((k) => t.ridge[k] !== null && t.limit[k] !== 'link');
  if (!rows.length) return null;
  const vector = rows.some((k) => t.vector_ridge[k] !== null);
  return (
    <Section title="Ridge points" side={vector ? 'FLOP/B, matrix · vector' : 'FLOP/B'}>
      {rows.map((k) => (
        <Row key={t.limit[k]} name={t.name[k]}>
          {[t.ridge[k], t.vector_ridge[k]]
            .filter((value) => value !== null)
            .map((value) => fixed(value as number, 1))
            .join(' · ')}
        </Row>
      ))}
    </Section>
  );
}

function ProgramList() {
  const r = roofline.value;
  if (!r) return null;
  const p = r.programs;
  return (
    <Section title="Programs" side="FLOP/s · FLOP/B">
      {p.module.map((module, k) => (
        <div key={module} class="op-row">
          <button type="button" class="link mono cut" title={module} onClick={() => change({ module, rkind: null })}>
            {module}
          </button>
          <span class="num">{p.flops_per_s[k] ? `${peakText(p.flops_per_s[k] as number, true)} · ${plainText(p.intensity[k] ?? 0)}` : 'no FLOPs known'}</span>
        </div>
      ))}
    </Section>
  );
}

export function Side({ programs }: { programs: boolean }) {
  return (
    <aside class="op-card rf-side" aria-label="peaks and losses">
      {programs ? <ProgramList /> : <Chosen />}
      {programs ? null : <Lost />}
      <Peaks />
      <Ridges />
    </aside>
  );
}
