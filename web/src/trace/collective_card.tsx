/** The selected collective chip by chip: bars with their waits, who joined last, and ways to where the chips come and leave. */
import { setStyle } from '../ui/size';
import { formatCount } from '../util/format';
import { type Collective, axisOf, momentsOf, waitEnd } from './collective_state';
import { fit } from './gestures';
import { processName } from './layout';
import { SaveTable } from './save_table';
import { jumpTo, picked, rows } from './state';
import { durationText, momentText } from './time';

/** Chips with a bar of their own; the JSON has all. */
const MOST = 64;

export function CollectiveCard({ c }: { c: Collective }) {
  const m = momentsOf(c);
  const axis = axisOf(m);
  const shown = c.chips.device
    .map((_, k) => k)
    .sort((a, b) => c.chips.device[a] - c.chips.device[b])
    .slice(0, MOST);
  return (
    <section class="t-card t-chips t-coll">
      <h3>
        Collective on {formatCount(c.chips.n)} chips{' '}
        <span class="soft small">
          start skew {durationText(c.skew_start_ps)}, end {durationText(c.skew_end_ps)}, {c.clock}
          {c.hosts_clock ? '; hosts by the profile\u2019s clock' : ''}
        </span>
      </h3>
      {shown.map((k) => (
        <Chip key={c.chips.event[k]} c={c} k={k} at={axis.at} />
      ))}
      {c.apart ? (
        <p class="soft">
          {formatCount(c.apart)} more {c.apart === 1 ? 'chip is' : 'chips are'} on hosts that are not aligned by the profile’s clock, so which came last there
          is unknown
        </p>
      ) : null}
      {c.chips.n > MOST ? <p class="soft">{formatCount(c.chips.n - MOST)} more chips: CSV and JSON have them all</p> : null}
      <p class="soft small">hatched: waits until the last chip joins{axis.broken ? '; start and end are drawn wider than the time between' : ''}</p>
      <p class="row">
        <button type="button" class="link" onClick={() => fit(m.firstStart, Math.max(m.lastStart, m.firstStart + 1))}>
          show the start
        </button>
        <button type="button" class="link" onClick={() => fit(m.firstEnd, Math.max(m.lastEnd, m.firstEnd + 1))}>
          show the end
        </button>
        <SaveTable
          name="collective"
          head={['process', 'event', 'start_ps', 'end_ps', 'wait_ps']}
          lines={() =>
            c.chips.process.map((p, k) => [
              rows.value ? processName(rows.value, p) : p,
              c.chips.event[k],
              c.chips.start_ps[k],
              c.chips.end_ps[k],
              c.chips.wait_ps[k],
            ])
          }
        />
      </p>
    </section>
  );
}

function Chip({ c, k, at }: { c: Collective; k: number; at: (time: number) => number }) {
  const { chips } = c;
  const last = c.straggler === chips.process[k];
  const early = !last && chips.end_ps[k] < chips.start_ps[k] + chips.wait_ps[k];
  const percent = (share: number) => `${share * 100}%`;
  const part = (from: number, to: number) => (element: HTMLElement | null) => {
    setStyle('left', percent(at(from)))(element);
    setStyle('width', percent(Math.max(0, at(to) - at(from))))(element);
  };
  return (
    <button
      type="button"
      class={`t-chip${chips.event[k] === picked.value ? ' on' : ''}`}
      title={`starts ${momentText(chips.start_ps[k])}, ends ${momentText(chips.end_ps[k])}${early ? '; it ends before the last one begins: the clocks of the chips disagree' : ''}`}
      onClick={() => jumpTo(chips.event[k], chips.start_ps[k], chips.end_ps[k] - chips.start_ps[k], chips.row[k])}
    >
      <span>{rows.value ? processName(rows.value, chips.process[k]) : ''}</span>
      <span class="t-track">
        <i ref={part(chips.start_ps[k], chips.end_ps[k])} />
        <i class="t-hatch" ref={part(chips.start_ps[k], waitEnd(c, k))} />
      </span>
      <span class="soft">{last ? 'began last' : `waited ${durationText(chips.wait_ps[k])}`}</span>
      <span class="num">{durationText(chips.end_ps[k] - chips.start_ps[k])}</span>
    </button>
  );
}
