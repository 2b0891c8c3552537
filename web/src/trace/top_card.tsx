/** While no event is selected: what takes the time in the window, and a way to each. */
import { effect, signal } from '@preact/signals';
import { isAborted } from '../api/client';
import type { TraceTotals } from '../api/types_trace';
import { setStyle } from '../ui/size';
import { formatCount, formatPercent } from '../util/format';
import { traceApi } from './api';
import { shortName } from './label_text';
import { openFirst } from './selection';
import { all, change, clock, panelOpen, picked, rows, subject, tab, windowNow } from './state';
import { isThread, Swatch } from './swatch';
import { durationText, summedOver } from './time';

const top = signal<TraceTotals | null>(null);
/** As many as the panel shows at its first height. */
const MOST = 6;

export function startTop(): () => void {
  return effect(() => {
    const { from, to } = windowNow.value;
    // Of the whole trace without its ends, as a report holds it.
    const whole = from <= all.value.from && to >= all.value.to;
    const window = whole ? {} : { from: Math.max(0, Math.round(from)), to: Math.max(1, Math.round(to)) };
    const params = { ...subject.value, ...window, by: 'name', clock: clock.value, limit: MOST };
    if (!rows.value || picked.value !== null || tab.value !== 'details' || !panelOpen.value) return;
    traceApi
      .totals(params, { key: 'trace/top', quiet: true, part: 'where the time goes' })
      .then((answer) => {
        top.value = answer;
      })
      .catch((error: unknown) => {
        if (!isAborted(error)) top.value = null;
      });
  });
}

export function TopCard() {
  const t = top.value;
  if (!t?.n) return null;
  const sum = Math.max(t.all.self, 1);
  const { rows: c } = t;
  const thread = t.of_rows.every(isThread);
  return (
    <section class="t-card t-top">
      <h3 aria-level={2}>
        Most time in view <span class="soft small">self, {t.clock === 'device' ? 'device clock' : 'host-aligned'}{summedOver(t.of_rows.length)}</span>
      </h3>
      <ul>
        {c.key.map((key, k) => (
          <li key={`${key} ${c.program[k]}`}>
            <Swatch group={c.group[k]} thread={thread} />
            <button type="button" class="link cut" title={[key, c.program[k]].filter(Boolean).join(' in ')} onClick={() => openFirst(t, k)}>
              {shortName(key) || 'no name'}
            </button>
            <span class="t-share">
              <i ref={setStyle('width', `${(c.self[k] / sum) * 50}px`)} /> {formatPercent(c.self[k] / sum, 1)}
            </span>
            <span>{durationText(c.self[k])}</span>
            <span class="soft">{formatCount(c.count[k])} times</span>
          </li>
        ))}
      </ul>
      {t.all_n > t.n ? (
        <button type="button" class="link small" onClick={() => change({ tt: 'selection' })}>
          all {formatCount(t.all_n)} names
        </button>
      ) : null}
    </section>
  );
}
