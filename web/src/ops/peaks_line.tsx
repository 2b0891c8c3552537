/** What the rooflines stand on: peaks with their source, typed here where they are wrong or unknown. */
import { run } from '../app/state';
import { type Field, peaksInUse, resetPeaks, SCALE, setPeak } from '../explain/peaks';
import { TypedBox } from '../explain/typed_box';
import { Pop } from '../memory/pop';
import { rateText, rateUnit } from './numbers';
import { ops } from './state';

const BOXES: { field: Field; label: string }[] = [
  { field: 'flops_per_s', label: 'matrix units, TFLOP/s' },
  { field: 'hbm_bytes_per_s', label: 'main memory, GB/s' },
  { field: 'link_bytes_per_s', label: 'link, GB/s' },
];

const said = (rate: number | null, what: string): string => {
  if (rate === null) return `${what} unknown`;
  const unit = rateUnit(rate, what);
  return `${rateText(rate, unit)} ${unit.word}`;
};

export function PeaksLine() {
  const o = ops.value;
  if (!o) return null;
  const device = run.value?.device_type ?? '';
  const use = peaksInUse(o.peaks, device);
  const { flops_per_s: flops, hbm_bytes_per_s: bytes } = use.values;
  const known = o.peaks !== null || use.edited;
  return (
    <span class={`op-peaks small${o.peaks_problem ? ' warn' : ' soft'}`}>
      <span class="cut" title={o.peaks_problem ?? use.source}>
        {known
          ? `peaks: ${said(flops, 'FLOP/s')}, ${said(bytes, 'B/s')}${use.edited ? ' typed' : use.name ? ` of ${use.name}` : ''}${o.peaks_problem ? '; operations exceed them' : ''}`
          : `no peaks known: shares are of the best seen, ${said(o.best_flops_per_s, 'FLOP/s')} and ${said(o.best_hbm_bytes_per_s, 'B/s')}`}
      </span>
      <Pop class="link" label={known ? 'change' : 'set peaks'} title="peaks of this device" boxClass="op-peaks-box">
        {() => (
          <>
            {o.peaks_problem ? <p class="warn">{o.peaks_problem}</p> : null}
            {BOXES.map(({ field, label }) => (
              <div key={field} class="op-peak">
                <span aria-hidden="true">{label}</span>
                <TypedBox
                  label={label}
                  class="x-box"
                  decimal
                  placeholder="?"
                  value={use.values[field] === null ? '' : String(Number(((use.values[field] as number) / SCALE[field]).toPrecision(6)))}
                  take={(text) => {
                    const typed = text === '' ? null : Number(text);
                    if (typed === null || (typed > 0 && typed * SCALE[field] < 1e21)) setPeak(o.peaks, device, field, typed);
                  }}
                />
              </div>
            ))}
            <p class="soft">{use.source || 'the profile states none, and this device is in no table'}</p>
            {use.edited ? (
              <button type="button" class="link" onClick={() => resetPeaks(o.peaks, device)}>
                as the profile says
              </button>
            ) : null}
          </>
        )}
      </Pop>
    </span>
  );
}
