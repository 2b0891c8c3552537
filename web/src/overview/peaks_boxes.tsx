/** What utilisation is measured against: the peaks and who says so, and boxes to type others. */
import { useState } from 'preact/hooks';
import { run } from '../app/state';
import { decimalText } from '../explain/numbers';
import { type Field, peaksInUse, resetPeaks, SCALE, setPeak } from '../explain/peaks';
import { TypedBox } from '../explain/typed_box';
import type { Overview } from '../api/answers';

const BOXES: [Field, string][] = [
  ['flops_per_s', 'TFLOP/s'],
  ['hbm_bytes_per_s', 'GB/s'],
];

export function PeaksBoxes({ a }: { a: Overview }) {
  const [open, setOpen] = useState(false);
  const device = run.value?.device_type ?? '';
  // Kept by what the run calls its device, as the question is asked.
  const given = a.peaks && { ...a.peaks, device: '' };
  const use = peaksInUse(given, device);
  const known = BOXES.some(([field]) => use.values[field] !== null);
  const take = (field: Field) => (text: string) => {
    const typed = text === '' ? null : Number(text.replaceAll(',', ''));
    if (typed === null || typed > 0) setPeak(given, device, field, typed);
  };
  return (
    <div class="ov-peaks">
      <p class={known ? 'soft' : 'warn'}>
        {known ? `of ${decimalText(use.values.flops_per_s, 'FLOP/s')} and ${decimalText(use.values.hbm_bytes_per_s, 'B/s')}, ${use.source || 'source unknown'}` : `peaks of this device (${a.device || device || 'not named'}) are not known: set them`}{' '}
        <button type="button" class="link" aria-expanded={open || !known} onClick={() => setOpen(!open)}>
          change
        </button>
        {use.edited ? (
          <>
            {' · '}
            <button type="button" class="link" onClick={() => resetPeaks(given, device)}>
              back to the profile’s
            </button>
          </>
        ) : null}
      </p>
      {open || !known ? (
        <p class="row">
          {BOXES.map(([field, unit]) => {
            const value = use.values[field];
            return (
              <span key={field} class="row">
                <TypedBox class="x-box" decimal value={value === null ? '' : String(Number((value / SCALE[field]).toPrecision(12)))} label={`peak in ${unit}`} placeholder="?" take={take(field)} />
                <span class="soft">{unit}</span>
              </span>
            );
          })}
        </p>
      ) : null}
    </div>
  );
}
