/** While no event is selected: what takes the time in the window, and a way to each. */
import { effect, type Signal, signal } from '@preact/signals';
import { isAborted, type Params } from '../api/client';
import type { TraceTotals } from '../api/answers';
import { setStyle } from '../ui/size';
import { formatCount, formatPercent, timesText } from '../util/format';
import { traceApi } from './api';
import { shortName } from './label_text';
import { openFirst } from './selection';
import { all, change, clock, panelOpen, picked, rows, subject, tab, windowNow } from './state';
import { isThread, Swatch } from './swatch';
import { durationText, summedOver } from './time';

/** Work, and what waited for it: a wait is not work, however long. */
const top = signal<TraceTotals | null>(null);
const waits = signal<TraceTotals | null>(null);
/** As many as the panel shows at its first height. */
const MOST = 6;
const MOST_WAITS = 3;

export function startTop(): () => void {
  return effect(() => {
    const { from, to } = windowNow.value;
    // Of the whole trace without its ends, as a report holds it.
    const whole = from <= all.value.from && to >= all.value.to;
    const window = whole ? {} : { from: Math.max(0, Math.round(from)), to: Math.max(1, Math.round(to)) };
    const params = { ...subject.value, ...window, by: 'name', clock: clock.value };
    if (!rows.value || picked.value !== null || tab.value !== 'details' || !panelOpen.value) return;
    ask(top, { ...params, limit: MOST, waits: 'without' });
    ask(waits, { ...params, limit: MOST_WAITS, waits: 'only' });
  });
}

function ask(into: Signal<TraceTotals | null>, params: Params): void {
  traceApi
    .totals(params, { key: `trace/top/${params.waits}`, quiet: true, part: 'where the time goes' })
    .then((answer) => {
      into.value = answer;
    })
    .catch((error: unknown) => {
      if (!isAborted(error)) into.value = null;
    });
}

function Lines({ t }: { t: TraceTotals }) {
  const sum = Math.max(t.all.self_ps, 1);
  const { rows: c } = t;
  const thread = t.of_rows.every(isThread);
  return (
    <ul>
      {c.key.map((key, k) => (
        <li key={`${key} ${c.program[k]}`}>
          {c.wait[k] ? <i class="swatch t-hatch" title="waits" /> : <Swatch group={c.group[k] ?? 'none'} thread={thread} />}
          <button type="button" class="link cut" title={[key, c.program[k]].filter(Boolean).join(' in ')} onClick={() => openFirst(t, k)}>
            {shortName(key) || 'no name'}
          </button>
          <span class="t-share">
            <i ref={setStyle('width', `${(c.self_ps[k] / sum) * 50}px`)} /> {formatPercent(c.self_ps[k] / sum, 1)}
          </span>
          <span>{durationText(c.self_ps[k])}</span>
          <span class="soft">{timesText(c.count[k])}</span>
        </li>
      ))}
    </ul>
  );
}

export function TopCard() {
  const t = top.value;
  const w = waits.value;
  const some = t?.rows.n ? t : w?.rows.n ? w : null;
  if (!some) return null;
  const names = (t?.all_n ?? 0) + (w?.all_n ?? 0);
  return (
    <section class="t-card t-top">
      <h3 aria-level={2}>
        Most time in view{' '}
        <span class="soft small">
          self, {some.clock === 'device' ? 'device clock' : 'host-aligned'}
          {summedOver(some.of_rows.length)}
        </span>
      </h3>
      {t?.rows.n ? <Lines t={t} /> : <p class="soft">only waits</p>}
      {w?.rows.n ? (
        <>
          <h3 aria-level={3}>
            Waits <span class="soft small">waiting for other work, share of the same time</span>
          </h3>
          <Lines t={w} />
        </>
      ) : null}
      {names > (t?.rows.n ?? 0) + (w?.rows.n ?? 0) ? (
        <button type="button" class="link small" onClick={() => change({ tt: 'selection' })}>
          all {formatCount(names)} names
        </button>
      ) : null}
    </section>
  );
}
