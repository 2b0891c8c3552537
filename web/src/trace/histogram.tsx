/** All runs of the selected operation: how long they took, and the slowest to jump to. */
import type { TraceSame } from '../api/types_trace';
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
      <div class="t-bins" role="img" aria-label={`${s.count} runs, median ${durationText(s.p50)}, longest ${durationText(s.max)}`}>
        {s.bins.count.map((n, k) => (
          <i key={s.bins.from[k]} class={s.duration >= s.bins.from[k] && (s.duration < s.bins.to[k] || k === s.bins.n - 1) ? 'on' : ''} title={`${durationText(s.bins.from[k])} – ${durationText(s.bins.to[k])}: ${formatCount(n)}`} ref={setStyle('height', n ? `max(2px, ${(n / most) * 100}%)` : '0')} />
        ))}
      </div>
      <div class="t-bin-ends">
        <span>{durationText(s.min)}</span>
        <span>{durationText(s.max)}</span>
      </div>
      <dl class="t-right">
        <Row name={`p50${s.exact ? '' : ' ±1.6 %'}`}>{durationText(s.p50)}</Row>
        <Row name="p99">{durationText(s.p99)}</Row>
        <Row name="Total">{durationText(s.total)}</Row>
      </dl>
      <p class="soft small">
        slowest <SaveTable name="slowest" head={['event', 'row', 'start_ps', 'duration_ps', `${s.clock}_duration_ps`]} lines={() => s.slowest.event.map((event, k) => [event, rowName(s.slowest.row[k]), s.slowest.start[k], s.slowest.duration[k], s.slowest.clock_duration[k]])} />
      </p>
      <ul class="t-flow">
        {s.slowest.event.slice(0, 5).map((event, k) => (
          <li key={event}>
            <button type="button" class="link" onClick={() => jumpTo(event, s.slowest.start[k], s.slowest.duration[k], s.slowest.row[k])}>{durationText(s.slowest.clock_duration[k])}</button>
            <span class="soft"> at {momentText(s.slowest.start[k])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
