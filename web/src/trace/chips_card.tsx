/** The same execution chip by chip, on one scale: host-aligned, and by the clock of each chip. */
import type { TraceEvent } from '../api/answers';
import { setStyle } from '../ui/size';
import { formatCount } from '../util/format';
import { type Chips, chipTimes } from './chips';
import { processName } from './layout';
import { SaveTable } from './save_table';
import { jumpTo, rows } from './state';
import { durationText, momentText } from './time';

/** Chips with a bar of their own; CSV and JSON have all. */
const MOST = 64;

function Bar({ from, to, at, size, device }: { from: number; to: number; at: number; size: number; device?: boolean }) {
  const share = (t: number) => `${(t / Math.max(to - from, 1)) * 100}%`;
  return (
    <i
      class={device ? 't-device' : ''}
      ref={(x) => {
        setStyle('left', `min(${share(at - from)}, 100% - 2px)`)(x);
        setStyle('width', `max(2px, ${share(size)})`)(x);
      }}
    />
  );
}

function Skew({ t }: { t: ReturnType<typeof chipTimes> }) {
  return (
    <span
      class="soft small"
      title={
        t.deviceSkew === null
          ? 'between the first and the last start'
          : 'between the first and the last start; by the raw clocks of the chips, which agree better here than the host-aligned ones'
      }
    >
      start skew {t.deviceSkew === null ? `${durationText(t.skew)} host` : `${durationText(t.deviceSkew)} device, ${durationText(t.skew)} host`}
    </span>
  );
}

export function ChipsCard({ e, c }: { e: TraceEvent; c: Chips }) {
  const r = rows.value;
  if (!r) return null;
  const t = chipTimes(c);
  const order = c.process.map((_, k) => k).sort((a, b) => (c.device[a] ?? -1) - (c.device[b] ?? -1));
  const name = (k: number) => processName(r, c.process[k]);
  const lines = () => order.map((k) => [name(k), c.event[k], c.start_ps[k], c.duration_ps[k], c.skew_ps[k], c.device_start_ps[k], c.device_duration_ps[k]]);
  const tip = (k: number) => {
    if (c.skew_ps[k] === null) return 'not aligned by the profile\u2019s clock, so its start relative to this one is unknown';
    const own = t.device?.[k];
    return `starts ${momentText(c.start_ps[k])}, ${durationText(c.skew_ps[k])} after this one${own === undefined ? '' : `; ${durationText(own - t.own)} by the clocks of the chips`}`;
  };
  return (
    <section class="t-card t-chips">
      <h3 aria-level={2}>
        Same op, other chips
        <Skew t={t} />
      </h3>
      <div class="t-chip-head">
        <span class="row">
          <i class="swatch" /> host-aligned{' '}
          {t.device ? (
            <>
              <i class="swatch t-device" /> device
            </>
          ) : null}
        </span>
        <span>host</span>
        <span>device</span>
      </div>
      {order.slice(0, MOST).map((k) => (
        <button
          type="button"
          key={c.event[k]}
          class={`t-chip${c.event[k] === e.event ? ' on' : ''}`}
          title={tip(k)}
          onClick={() => jumpTo(c.event[k], c.start_ps[k], c.duration_ps[k], e.row)}
        >
          <span>{name(k)}</span>
          <span class="t-track">
            {c.skew_ps[k] === null ? null : <Bar from={t.from} to={t.to} at={c.start_ps[k]} size={c.duration_ps[k]} />}
            {t.device ? <Bar from={t.from} to={t.to} at={t.device[k]} size={c.device_duration_ps[k] ?? 0} device /> : null}
          </span>
          <span class="num">{durationText(c.duration_ps[k])}</span>
          <span class="num">{c.device_duration_ps[k] === null ? '–' : durationText(c.device_duration_ps[k])}</span>
        </button>
      ))}
      {order.length > MOST ? <p class="soft">{formatCount(order.length - MOST)} more chips: CSV and JSON have them all</p> : null}
      <p>
        <SaveTable name="chips" head={['process', 'event', 'start_ps', 'duration_ps', 'skew_ps', 'device_start_ps', 'device_duration_ps']} lines={lines} />
      </p>
    </section>
  );
}
