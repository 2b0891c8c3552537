/** All runs of the selected operation: how long they took, and the slowest to jump to. */
import type { TraceSame } from '../api/answers';
import { setStyle } from '../ui/size';
import { formatCount } from '../util/format';
import { Row } from './detail_row';
import { rowName } from './rows_view';
import { SaveTable } from './save_table';
import { jumpTo } from './state';
import { durationText, momentText } from './time';

export function Histogram({ s }: { s: TraceSame }) {
  const most = Math.max(...s.bins.count, 1);
  return (
    <section class="t-card t-hist">
      <h3>
        Duration, {formatCount(s.count)} runs <span class="soft small">{s.clock}</span>
      </h3>
      <div class="t-bins" role="img" aria-label={`${s.count} runs, median ${durationText(s.p50_ps)}, longest ${durationText(s.max_ps)}`}>
        {s.bins.count.map((n, k) => (
          <i
            key={s.bins.from_ps[k]}
            class={s.duration_ps >= s.bins.from_ps[k] && (s.duration_ps < s.bins.to_ps[k] || k === s.bins.n - 1) ? 'on' : ''}
            title={`${durationText(s.bins.from_ps[k])} – ${durationText(s.bins.to_ps[k])}: ${formatCount(n)}`}
            ref={setStyle('height', n ? `max(2px, ${(n / most) * 100}%)` : '0')}
          />
        ))}
      </div>
      <div class="t-bin-ends">
        <span>{durationText(s.min_ps)}</span>
        <span>{durationText(s.max_ps)}</span>
      </div>
      <dl class="t-right">
        <Row name={`p50${s.exact ? '' : ' ±1.6 %'}`}>{durationText(s.p50_ps)}</Row>
        <Row name="p99">{durationText(s.p99_ps)}</Row>
        <Row name="Total">{durationText(s.total_ps)}</Row>
      </dl>
      <p class="soft small">
        slowest{' '}
        <SaveTable
          name="slowest"
          head={['event', 'row', 'start_ps', 'duration_ps', `${s.clock}_duration_ps`]}
          lines={() =>
            s.slowest.event.map((event, k) => [
              event,
              rowName(s.slowest.row[k]),
              s.slowest.start_ps[k],
              s.slowest.duration_ps[k],
              s.slowest.clock_duration_ps[k],
            ])
          }
        />
      </p>
      <ul class="t-flow">
        {s.slowest.event.slice(0, 5).map((event, k) => (
          <li key={event}>
            <button type="button" class="link" onClick={() => jumpTo(event, s.slowest.start_ps[k], s.slowest.duration_ps[k], s.slowest.row[k])}>
              {durationText(s.slowest.clock_duration_ps[k])}
            </button>
            <span class="soft"> at {momentText(s.slowest.start_ps[k])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
