/** The lane at the left: operations that have no place in the plane, with their time and why. */
import { timeText } from '../explain/numbers';
import { groupVariable } from '../memory/group_colour';
import { choose, ops } from '../ops/state';
import { formatPercent, plural } from '../util/format';
import { peakText, shareText } from './scene';
import { asides, current } from './state';

const WHY = { unknown: 'No FLOPs known', wait: 'waiting', no_flops: 'no FLOPs' } as const;
const SHOWN = 24;

/** What the operation is there for instead of a rate of FLOPs. */
function said(k: number, why: keyof typeof WHY): string {
  const c = ops.value?.ops;
  if (!c) return '';
  const time = timeText(c.self_ps[k] / 1e12);
  if (why === 'wait') return `waits ${time}`;
  const rate = c.hbm_bytes_per_s[k];
  const share = c.roofline_share[k];
  return why === 'no_flops' && rate ? `${peakText(rate, false)}${share === null ? '' : `, ${shareText(share)}`}` : time;
}

export function Lane() {
  const o = ops.value;
  const all = asides.value;
  if (!o || all.length === 0) return null;
  const time = all.reduce((sum, { k }) => sum + o.ops.self_ps[k], 0);
  const kinds = [...new Set(all.map(({ why }) => why))];
  const head = kinds.length === 1 ? WHY[kinds[0]] : 'Not in the chart';
  return (
    <section class="rf-lane" aria-label="operations without a place in the chart">
      <h2>{head.charAt(0).toUpperCase() + head.slice(1)}</h2>
      <p class="soft">
        {kinds.length === 1 ? '' : `${kinds.map((why) => WHY[why].replace(/^N/, 'n')).join(', ')}; `}
        {timeText(time / 1e12)}, <b>{formatPercent(o.self_ps ? time / o.self_ps : 0, 0)} of time</b>
      </p>
      <ul>
        {all.slice(0, SHOWN).map(({ k, why }) => (
          <li key={k}>
            <button
              type="button"
              class={k === current.value ? 'on' : ''}
              aria-pressed={k === current.value}
              title={`${o.ops.name[k]}: ${o.ops.bound_reason[k] ?? WHY[why]}`}
              onClick={() => choose({ name: o.ops.name[k], module: o.ops.module[k] })}
            >
              <i class="swatch" style={{ background: `var(${groupVariable(o.ops.group[k])})` }} />
              <span class="mono cut">{o.ops.name[k]}</span>
              <span class="soft">{said(k, why)}</span>
            </button>
          </li>
        ))}
      </ul>
      {all.length > SHOWN ? <p class="soft">{plural(all.length - SHOWN, 'more operation')}</p> : null}
    </section>
  );
}
