/** Expected time: work over peak, bytes over bandwidth, cycles over clock; each divisor can be typed. Then what was measured. */
import { setStyle } from '../ui/size';
import { exactBytes, formatCount } from '../util/format';
import { bytesText, decimalText, timeText } from './numbers';
import { bytesIn, type Expectation, type Field, type InUse, memoryWord, resetPeaks, SCALE, setPeak, takeChip, verdict, workPeak } from './peaks';
import { Section } from './section';
import { TypedBox } from './typed_box';
import type { Explanation } from './types';

export interface Measured {
  seconds: number | null;
  words: string;
  /** Of half an asynchronous pair: the chip waits for it at `done`. */
  waits?: { seconds: number; done: string };
}

interface Props {
  d: Explanation;
  use: InUse;
  x: Expectation;
  measured: Measured;
}

export function ExpectedPart({ d, use, x, measured }: Props) {
  const e = d.expected;
  const longest = Math.max(
    measured.waits?.seconds ?? 0,
    x.compute ?? 0,
    x.hbm ?? 0,
    x.vmem ?? 0,
    x.cmem ?? 0,
    x.link ?? 0,
    x.cycles ?? 0,
    measured.seconds ?? 0,
  );
  const [bold, rest] = measured.waits ? waitWords(d.name, measured.waits) : verdict(e, use.values, x, measured.seconds, d.opcode);
  const share = (seconds: number | null) => (seconds && longest ? seconds / longest : 0);
  const row = { d, use };
  const work = workPeak(e, use.values);
  return (
    <Section
      id="expected"
      title="Expected time"
      onlyClosed
      answer={x.bound ? `${timeText(x.roofline)}, ${x.bound} bound` : undefined}
      side={
        <span class="x-side faint" title={use.source}>
          peaks editable{use.name ? ` · ${use.name.replace(/^TPU /, '')}` : ''}
        </span>
      }
    >
      {e.flops === null ? (
        <Plain what={d.pasted ? 'FLOPs need the module' : 'FLOPs unknown'} note={d.pasted ? 'the body is not in the text' : 'custom code inside'} />
      ) : (
        <Row
          {...row}
          amount={decimalText(e.flops, 'FLOP')}
          title={`${formatCount(e.flops)} FLOP; ${e.rule}`}
          field={work.field}
          value={work.value}
          unit={work.field === 'vector_flops_per_s' ? 'TFLOP/s vector' : work.value === use.values.flops_per_s ? 'TFLOP/s bf16' : 'TFLOP/s'}
          seconds={x.compute}
          nothing={e.flops === 0}
          share={share(x.compute)}
          colour="matmul"
        />
      )}
      {e.hbm_bytes === null ? (
        <Plain what={`${memoryWord(e)} bytes unknown`} note={d.pasted ? 'operand shapes are not in the text' : e.rule} />
      ) : (
        <Row
          {...row}
          amount={bytesText(e.hbm_bytes)}
          title={trafficWords(d)}
          field="hbm_bytes_per_s"
          unit={e.hbm_bytes === 0 ? 'GB/s, all in other memory' : `GB/s ${memoryWord(e)}`}
          seconds={x.hbm}
          nothing={e.hbm_bytes === 0}
          share={share(x.hbm)}
          colour="move"
        />
      )}
      <OnChip e={e} space="VMEM" seconds={x.vmem} share={share(x.vmem)} />
      <OnChip e={e} space="CMEM" seconds={x.cmem} share={share(x.cmem)} />
      {e.collective && e.link_bytes !== 0 ? (
        e.link_bytes === null ? (
          <Plain what="link bytes unknown" note="the size of its groups is not known" />
        ) : (
          <Row
            {...row}
            amount={bytesText(e.link_bytes)}
            title={`${exactBytes(e.link_bytes)}: what each device sends if the group is a ring`}
            field="link_bytes_per_s"
            unit="GB/s per link"
            seconds={x.link}
            share={share(x.link)}
            colour="coll"
          />
        )
      ) : null}
      {e.cycles !== null ? (
        <Row
          {...row}
          amount={`${formatCount(e.cycles)} cycles`}
          title="the compiler's estimate, from backend_config"
          field="clock_hz"
          unit="GHz"
          seconds={x.cycles}
          share={share(x.cycles)}
          colour="control"
        />
      ) : null}
      <div class="x-row x-measured">
        <span>Measured</span>
        <span class="x-unit soft" title={measured.words}>
          {measured.words}
        </span>
        <b>{measured.seconds === null ? '–' : timeText(measured.seconds, 1)}</b>
      </div>
      {measured.seconds !== null ? <Bar share={share(measured.seconds)} colour="none" /> : null}
      {measured.waits && measured.waits.done !== d.name ? (
        <div class="x-row x-waits">
          <span>Waits</span>
          <span class="x-unit soft">at {measured.waits.done}</span>
          <b>{timeText(measured.waits.seconds, 1)}</b>
        </div>
      ) : null}
      <p class="x-verdict">
        <b>{bold}</b> {rest}
      </p>
      <Chips {...row} />
    </Section>
  );
}

function waitWords(name: string, waits: { seconds: number; done: string }): [string, string] {
  const where = waits.done === name ? 'here, for a transfer started earlier' : `for this transfer, at ${waits.done}`;
  return [`Waits ${timeText(waits.seconds, 1)}:`, `the chip waits this long ${where}`];
}

function trafficWords(d: Explanation): string {
  const t = d.expected.traffic;
  const parts = t.space.map((space, k) => `${space}: ${bytesText(t.read_bytes[k])} read, ${bytesText(t.written_bytes[k])} written`);
  return [exactBytes(d.expected.hbm_bytes), ...parts].join('\n');
}

function Bar({ share, colour }: { share: number; colour: string }) {
  return (
    <div class="x-bar" aria-hidden="true">
      <i class={`x-fill-${colour}`} ref={setStyle('width', `${share * 100}%`)} />
    </div>
  );
}

/** A memory of the chip that the operation uses; its peaks are entered on the page Roofline. */
function OnChip({ e, space, seconds, share }: { e: Explanation['expected']; space: string; seconds: number | null; share: number }) {
  const [read, written] = bytesIn(e, space);
  if (!read && !written) return null;
  return (
    <>
      <div class="x-row">
        <span title={`${exactBytes(read)} read, ${exactBytes(written)} written`}>{bytesText(read + written)}</span>
        <span class="x-unit soft">{space}</span>
        <b title={seconds === null ? 'the peak of this memory is not known' : `${seconds} s`}>{seconds === null ? '–' : timeText(seconds, 1)}</b>
      </div>
      <Bar share={share} colour="move" />
    </>
  );
}

function Plain({ what, note }: { what: string; note: string }) {
  return (
    <div class="x-row">
      <span class="soft">{what}</span>
      <span class="x-unit soft">{note}</span>
      <b>–</b>
    </div>
  );
}

interface RowProps {
  d: Explanation;
  use: InUse;
  amount: string;
  title: string;
  field: Field;
  /** Where it is not the box's own: the rate of another type of number. */
  value?: number | null;
  unit: string;
  seconds: number | null;
  share: number;
  colour: string;
  /** Nothing to divide: the peak does not matter. */
  nothing?: boolean;
}

function Row({ d, use, amount, title, field, value = use.values[field], unit, seconds, share, colour, nothing }: RowProps) {
  const shown = value === null ? '' : String(Number((value / SCALE[field]).toPrecision(6)));
  const type = (text: string) => {
    const typed = text === '' ? null : Number(text);
    // As the address is read: beyond that there is no such peak.
    if (typed !== null && !(typed > 0 && typed * SCALE[field] < 1e21)) return;
    if (text !== shown) setPeak(d.expected.peaks, d.device_type ?? '', field, typed);
  };
  return (
    <>
      <div class="x-row">
        <span title={title}>{amount} ÷</span>
        <TypedBox class={value === null && !nothing ? 'x-box want' : 'x-box'} decimal value={shown} label={`peak in ${unit}`} placeholder="?" take={type} />
        <span class="x-unit soft">{unit}</span>
        <b title={seconds === null ? undefined : `${seconds} s`}>{seconds === null ? '–' : timeText(seconds, 1)}</b>
      </div>
      <Bar share={share} colour={colour} />
    </>
  );
}

function Chips({ d, use }: { d: Explanation; use: InUse }) {
  const given = d.expected.peaks;
  const device = d.device_type ?? '';
  return (
    <p class="x-chips">
      <select
        aria-label="peaks of a chip"
        value=""
        onChange={(event) => {
          const chip = d.expected.chips.find((one) => one.device === event.currentTarget.value);
          if (chip) takeChip(given, device, chip);
          event.currentTarget.value = '';
        }}
      >
        <option value="">{use.edited ? 'peaks entered by hand' : use.name ? `peaks of ${use.name}` : 'choose a chip'}</option>
        {d.expected.chips.map((chip) => (
          <option key={chip.device} value={chip.device}>
            {chip.device}
          </option>
        ))}
      </select>
      {use.edited ? (
        <button type="button" class="link" onClick={() => resetPeaks(given, device)}>
          {given ? `back to ${given.device || 'the profile'}` : 'clear'}
        </button>
      ) : (
        <span class="faint cut" title={use.source}>
          {use.source}
        </span>
      )}
    </p>
  );
}
