/** One operation: how near its roofline it is and why, its text, and where it comes from. */
import type { ComponentChildren } from 'preact';
import { standOf } from '../app/open_tool';
import { hrefOf } from '../app/router';
import { copyText } from '../app/toast';
import type { ToolId } from '../api/types';
import { bytesText, decimalText } from '../explain/numbers';
import { GROUP_WORDS } from '../charts/colours';
import { groupVariable } from '../memory/group_colour';
import { Icon } from '../ui/icons';
import { setStyle } from '../ui/size';
import { exactBytes, fixed, formatCount, formatPercent, plural, UNKNOWN } from '../util/format';
import { durationText } from '../trace/time';
import { boundOf, type Look, P99_LEAST, shareOf } from './columns';
import { HloText } from './hlo_text';
import { explained, hasHlo, linkTo, unexplained, one } from './card_state';
import { rateText, rateUnit, standsOut, threeText, timeIn } from './numbers';
import { choose, closeCard, hasPercentiles } from './state';
import { ChipsPart, KernelsPart, RunsPart } from './runs';
import { current, table } from './table_state';

export function Row({ name, tip, children }: { name: ComponentChildren; tip?: string; children: ComponentChildren }) {
  return (
    <div class="op-row" title={tip}>
      <span class="soft">{name}</span>
      <span class="num">{children}</span>
    </div>
  );
}

export function OpCard() {
  const t = table.value;
  const k = current.value;
  if (!t || k < 0) return null;
  const { look } = t;
  return (
    <aside class="op-card" aria-label="operation">
      <Head l={look} k={k} />
      <Roofline l={look} k={k} />
      <Spread l={look} k={k} />
      <RunsPart clock={look.o.clock} />
      <ChipsPart />
      <KernelsPart />
      <StandsIn l={look} k={k} />
      <Program l={look} k={k} />
    </aside>
  );
}

function Head({ l, k }: { l: Look; k: number }) {
  const { c } = l;
  const name = c.name[k];
  return (
    <section class="m-sec">
      <div class="m-card-title">
        <h2>
          <code class="strong">{name}</code>
        </h2>
        <button type="button" class="m-icon" title="copy the name" aria-label="copy the name" onClick={() => void copyText(name, 'name')}>
          <Icon name="copy" size={14} />
        </button>
        <button type="button" class="m-icon" title="close (Esc)" aria-label="close the details" onClick={closeCard}>
          <Icon name="close" size={14} />
        </button>
      </div>
      {c.shape[k] ? <code class="soft op-shape">{explained.value?.output.shape ?? c.shape[k]}</code> : null}
      <div class="m-card-chips">
        <span class="op-badge">
          <i class="swatch" style={{ background: `var(${groupVariable(c.group[k])})` }} /> {GROUP_WORDS[c.group[k]] ?? c.group[k]}
        </span>
        <span class="m-tool-links">
          <OpLink tool="trace" title="Trace" name={name} module={c.module[k]} />
          <OpLink tool="graph" title="Graph" name={name} module={c.module[k]} />
          <OpLink tool="memory" title="Memory" name={name} module={c.module[k]} />
        </span>
      </div>
    </section>
  );
}

/** To the same operation in another tool; where that cannot be opened, why. */
export function OpLink({ tool, title, name, module }: { tool: ToolId; title: string; name: string; module: string }) {
  const own = hasHlo(module);
  const stand = own || (tool !== 'graph' && tool !== 'memory') ? standOf(tool) : { open: false, reason: 'the profile has no HLO for it' };
  const found = !own && tool === 'trace' && one.value?.op?.name === name ? one.value : null;
  if (!stand.open)
    return (
      <span class="btn-s off" tabIndex={0} aria-disabled="true" title={`${title}: ${stand.reason ?? ''}`}>
        {title}
      </span>
    );
  return (
    <a class="btn-s" href={hrefOf({ ...linkTo(tool, name, module), ...(found?.first ? { host: found.host, opev: found.first.event } : {}) })}>
      {title}
    </a>
  );
}

const BOUND_WORDS: Record<string, string> = {
  compute: 'compute bound',
  HBM: 'memory bound',
  memory: 'nearer to memory',
  VMEM: 'on-chip memory bound',
  CMEM: 'on-chip memory bound',
  link: 'link bound',
  latency: 'latency',
  wait: 'waits',
  unknown: '',
};

const LOST_TIPS: Record<string, string> = {
  best: 'relative to the best rates of this run: ranks operations, but is not a limit',
  nothing: 'a wait: at most its whole time can be saved',
};

/** "601.2 of 2,516.6 TFLOP/s". */
function Rate({ name, rate, peak, what }: { name: string; rate: number | null; peak: number | null; what: string }) {
  const unit = rateUnit(Math.max(peak ?? 0, rate ?? 0), what);
  if (rate === null) return <Row name={name}>{UNKNOWN}</Row>;
  const over = peak !== null && rate > peak * 1.01;
  return (
    <Row name={name} tip={over ? `${formatPercent(rate / peak, 0)} of the peak: the peak or the amount is wrong` : undefined}>
      <b class={over ? 'warn' : ''}>{rateText(rate, unit)}</b> {peak === null ? '' : `of ${rateText(peak, unit)} `}
      {unit.word}
      {over ? <span class="warn"> ▲</span> : null}
    </Row>
  );
}

function Roofline({ l, k }: { l: Look; k: number }) {
  const { c, o } = l;
  const share = shareOf(l, k);
  const { best } = l;
  const flops = o.peaks ? c.flops_peak_per_s[k] : o.best_flops_per_s;
  const bytes = o.peaks?.hbm_bytes_per_s ?? o.best_hbm_bytes_per_s;
  const ridge = flops && bytes ? flops / bytes : null;
  const lost = c.lost_ps[k];
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {best ? 'No peaks known' : 'Roofline'} <span class="side">{BOUND_WORDS[boundOf(l, k)]}</span>
      </h3>
      {best ? (
        <p class="soft">
          This device is not in the table of chips and the profile records no peaks. Shares are relative to the best rate of any operation of 50 µs or more in
          this run.
        </p>
      ) : null}
      {!best && c.bound[k] === 'unknown' && c.bound_reason[k] ? <p class="soft">{c.bound_reason[k]}</p> : null}
      {share === null ? null : (
        <div class="op-roofbar" role="img" aria-label={`${formatPercent(share, 1)} of ${best ? 'the best seen' : 'the roofline'}`}>
          <i style={{ background: `var(${groupVariable(c.group[k])})` }} ref={setStyle('width', `${Math.min(share, 1) * 100}%`)} />
          <b>{formatPercent(share, 1)}</b>
          <span>{best ? 'of best seen' : c.roofline_ps[k] === null ? '' : `${durationText(c.roofline_ps[k])} of ${durationText(c.mean_ps[k])}`}</span>
        </div>
      )}
      <Rate name="Compute" rate={c.flops_per_s[k]} peak={flops} what="FLOP/s" />
      <Rate name={o.on_cpu ? 'Main memory' : 'HBM'} rate={c.hbm_bytes_per_s[k]} peak={bytes} what="B/s" />
      {c.vmem_bytes_per_s[k] ? <Rate name="On-chip memory" rate={c.vmem_bytes_per_s[k]} peak={null} what="B/s" /> : null}
      <Row name={ridge === null ? 'Intensity' : 'Intensity, ridge'}>
        {threeText(c.intensity[k])}
        {ridge === null ? '' : `, ${threeText(ridge)}`} FLOP/B
      </Row>
      <Row name="Work of one run" tip={c.hbm_bytes[k] === null ? undefined : exactBytes(c.hbm_bytes[k])}>
        {decimalText(c.flops[k], 'FLOP')}, {bytesText(c.hbm_bytes[k])}
      </Row>
      {lost !== null && c.executions[k] > 0 ? (
        <Row name="To win" tip={LOST_TIPS[c.lost_against[k] ?? '']}>
          <b class="good">
            {c.lost_against[k] === 'roofline' ? '' : '≤ '}
            {lost > 0 ? `−${durationText(lost / c.executions[k])}` : '0'} a run
          </b>
        </Row>
      ) : null}
      <Matmul dtype={c.dtype[k]} />
    </section>
  );
}

/** "2 × 4,096 × 6,144 × 1,024 bf16". */
function Matmul({ dtype }: { dtype: string }) {
  const m = explained.value?.contains.matmul;
  if (!m) return null;
  const sizes = [...(m.batch > 1 ? [m.batch] : []), m.m, m.n, m.k];
  return (
    <p class="mono soft" title={`${m.is_convolution ? 'convolution' : 'matrix multiplication'} ${m.name}: ${m.batch > 1 ? 'batch, ' : ''}m, n, k`}>
      {sizes.map((size) => formatCount(size)).join(' × ')} {dtype}
    </p>
  );
}

/** How its executions differ, and on how many chips it ran. */
function Spread({ l, k }: { l: Look; k: number }) {
  const { c } = l;
  const median = c.p50_ps[k];
  const text = (ps: number | null) => `${timeIn(ps, l.one)}${ps === null ? '' : ` ${l.one.word}`}`;
  const out = standsOut(c.max_ps[k], median);
  const many = c.executions[k] >= P99_LEAST;
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        {plural(c.executions[k], 'run')} <span class="side">{c.count[k] === c.executions[k] ? '' : `${formatCount(c.count[k])} kernels`}</span>
      </h3>
      {c.executions[k] === 1 ? (
        <Row name="It took">{text(c.mean_ps[k])}</Row>
      ) : (
        <>
          <Row name="Shortest, longest">
            {timeIn(c.min_ps[k], l.one)} to <span class={out ? 'warn strong' : ''}>{text(c.max_ps[k])}</span>
          </Row>
          <Row name={many ? 'Median, p99' : 'Median'}>
            {median === null && !hasPercentiles.value ? '…' : many ? `${timeIn(median, l.one)}, ${text(c.p99_ps[k])}` : text(median)}
          </Row>
          {out && median ? <p class="warn">▲ the longest is {fixed((c.max_ps[k] as number) / median, 2)} × the median</p> : null}
        </>
      )}
      {c.chips[k] > 1 ? (
        <Row name={l.o.on_cpu ? 'CPU devices' : 'Chips'} tip="mean on the slowest over that on the fastest">
          {formatCount(c.chips[k])}
          {c.chip_spread[k] === null ? '' : `, slowest ${fixed(c.chip_spread[k], 2)} × the fastest`}
        </Row>
      ) : null}
    </section>
  );
}

const EQUALS = 8;

/** Operations that do the same work elsewhere: in other layers, mostly. */
function StandsIn({ l, k }: { l: Look; k: number }) {
  // Without a scope, operations of another layer cannot be recognised.
  const same = one.value?.known && one.value.op?.name === l.c.name[k] && l.c.scope[k] ? one.value : null;
  if (!same || same.all_alike < 2) return null;
  const { alike } = same;
  const order = alike.name.map((_, row) => row).sort((a, b) => alike.mean_ps[b] - alike.mean_ps[a]);
  return (
    <section class="m-sec">
      <h3 class="op-h3">
        Stands in {formatCount(same.all_alike)} places <span class="side">equal scope, shape, work</span>
      </h3>
      {order.slice(0, EQUALS).map((row) => (
        <div key={alike.name[row]} class="op-mover">
          {alike.name[row] === l.c.name[k] ? (
            <code class="cut strong">{alike.name[row]}</code>
          ) : (
            <button
              type="button"
              class="link mono cut"
              title={`${alike.name[row]}, ${alike.scope[row]}`}
              onClick={() => choose({ name: alike.name[row], module: l.c.module[k] })}
            >
              {alike.name[row]}
            </button>
          )}
          <span class="soft cut op-where">{alike.scope[row].split('/')[0]}</span>
          <span class="num">
            {timeIn(alike.mean_ps[row], l.one)} {l.one.word}
          </span>
        </div>
      ))}
      {same.all_alike > EQUALS ? <p class="faint">{formatCount(same.all_alike - EQUALS)} more</p> : null}
    </section>
  );
}

function Program({ l, k }: { l: Look; k: number }) {
  const d = explained.value;
  const { c } = l;
  const source = c.source[k];
  return (
    <>
      <section class="m-sec">
        <h3 class="op-h3">
          HLO <span class="side">{d ? 'click a part: what it means' : ''}</span>
        </h3>
        {d ? (
          <HloText d={d} />
        ) : unexplained.value ? (
          <p class="soft">{unexplained.value}</p>
        ) : (
          <p aria-busy="true" class="faint">
            reading …
          </p>
        )}
      </section>
      <section class="m-sec">
        <h3 class="op-h3">Source</h3>
        {source ? (
          <button type="button" class="link mono op-source" title="copy the path" onClick={() => void copyText(source, 'path')}>
            {source}
          </button>
        ) : (
          <p class="soft">none recorded</p>
        )}
        {d?.op_name ? <p class="mono faint op-source">{d.op_name}</p> : null}
      </section>
    </>
  );
}
