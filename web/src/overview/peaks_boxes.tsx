/** The peaks used for utilisation with their source, and boxes to enter others. */
import { useState } from 'preact/hooks';
import { run } from '../app/state';
import { decimalText } from '../explain/numbers';
import { PeakBoxes, peaksOfRun, PeaksReset } from '../ops/peak_boxes';
import type { Overview } from '../api/answers';

const BOXES = [
  { field: 'flops_per_s', label: 'matrix units' },
  { field: 'hbm_bytes_per_s', label: 'main memory' },
] as const;

export function PeaksBoxes({ a }: { a: Overview }) {
  const [open, setOpen] = useState(false);
  const use = peaksOfRun(a.peaks);
  const known = BOXES.some(({ field }) => use.values[field] !== null);
  return (
    <div class="ov-peaks">
      <p class={known ? 'soft' : 'warn'}>
        {known
          ? `of ${decimalText(use.values.flops_per_s, 'FLOP/s')} and ${decimalText(use.values.hbm_bytes_per_s, 'B/s')}, ${use.source || 'source unknown'}`
          : `peaks of this device (${a.device || run.value?.device_type || 'not named'}) are not known:`}{' '}
        <button type="button" class="link" aria-expanded={open || !known} onClick={() => setOpen(!open)}>
          {known ? 'change' : 'set them'}
        </button>
        {use.edited ? ' · ' : null}
        <PeaksReset given={a.peaks} />
      </p>
      {open || !known ? <PeakBoxes given={a.peaks} boxes={BOXES.map((box) => ({ ...box, value: use.values[box.field], typed: use.edited }))} /> : null}
    </div>
  );
}
