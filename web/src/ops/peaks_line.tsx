/** The peaks of the rooflines with their source; entered here if wrong or unknown. */
import { PeakBoxes, peaksOfRun, PeaksReset } from './peak_boxes';
import { Pop } from '../memory/pop';
import { bestWords, rateWords } from './numbers';
import { ops } from './state';

const BOXES = [
  { field: 'flops_per_s', label: 'matrix units' },
  { field: 'hbm_bytes_per_s', label: 'main memory' },
  { field: 'link_bytes_per_s', label: 'link' },
] as const;

export function PeaksLine() {
  const o = ops.value;
  if (!o) return null;
  const use = peaksOfRun(o.peaks);
  const { flops_per_s: flops, hbm_bytes_per_s: bytes } = use.values;
  const known = o.peaks !== null || use.edited;
  return (
    <span class={`op-peaks small${o.peaks_problem ? ' warn' : ' soft'}`}>
      <span class="cut" title={o.peaks_problem ?? use.source}>
        {known
          ? `peaks: ${rateWords(flops, 'FLOP/s')}, ${rateWords(bytes, 'B/s')}${use.edited ? ' typed' : use.name ? ` of ${use.name}` : ''}${o.peaks_problem ? '; operations exceed them' : ''}`
          : bestWords(o.best_flops_per_s, o.best_hbm_bytes_per_s)}
      </span>
      <Pop class="link" label={known ? 'change' : 'set peaks'} title="peaks of this device" boxClass="op-peaks-box">
        {() => (
          <>
            {o.peaks_problem ? <p class="warn">{o.peaks_problem}</p> : null}
            <PeakBoxes given={o.peaks} boxes={BOXES.map((box) => ({ ...box, value: use.values[box.field], typed: use.edited }))} />
            <p class="soft">{use.source || 'the profile records none, and this device is not in the table of chips'}</p>
            <PeaksReset given={o.peaks} />
          </>
        )}
      </Pop>
    </span>
  );
}
