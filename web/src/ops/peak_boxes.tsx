/** Boxes to type the peaks of the run's device: the same on every page that holds times against them. */
import type { Peaks } from '../api/answers';
import { run } from '../app/state';
import { type Field, type InUse, peaksInUse, resetPeaks, SCALE, setPeak } from '../explain/peaks';
import { TypedBox } from '../explain/typed_box';

interface PeakBox {
  field: Field;
  label: string;
  /** In FLOP/s or B/s; null: unknown. */
  value: number | null;
  /** Source of the value: a word after the box. */
  from?: string;
  /** Typed here, not said by the profile. */
  typed?: boolean;
}

const device = (): string => run.value?.device_type ?? '';

/** What counts for this run: what was typed, else what the profile or the table of chips gives. */
export const peaksOfRun = (given: Peaks | null): InUse => peaksInUse(given, device());

const peakUnit = (field: Field): string => (SCALE[field] === 1e12 ? 'TFLOP/s' : 'GB/s');
const boxText = ({ field, value }: PeakBox): string => (value === null ? '' : String(Number((value / SCALE[field]).toPrecision(6))));

/** Empty is unknown; what is not a rate above 0 is not taken. */
function take(given: Peaks | null, box: PeakBox, text: string): void {
  if (text === boxText(box)) return;
  const value = text === '' ? null : Number(text.replaceAll(',', ''));
  if (value === null || (value > 0 && value * SCALE[box.field] < 1e21)) setPeak(given, device(), box.field, value);
}

export function PeakBoxes({ given, boxes }: { given: Peaks | null; boxes: readonly PeakBox[] }) {
  return (
    <>
      {boxes.map((box) => (
        <div key={box.field} class="x-peak">
          <span>{box.label}</span>
          <TypedBox
            class={`x-box${box.typed ? ' x-typed' : ''}${box.value === null ? ' want' : ''}`}
            decimal
            label={`${box.label}, ${peakUnit(box.field)}`}
            placeholder="?"
            value={boxText(box)}
            take={(text) => take(given, box, text)}
          />
          <span class="soft">{peakUnit(box.field)}</span>
          <span class="soft x-from">{box.from ?? (box.typed ? 'typed' : '')}</span>
        </div>
      ))}
    </>
  );
}

/** Away with what was typed; nothing where nothing was. */
export function PeaksReset({ given }: { given: Peaks | null }) {
  if (!peaksOfRun(given).edited) return null;
  return (
    <button type="button" class="link" onClick={() => resetPeaks(given, device())}>
      as the profile says
    </button>
  );
}
