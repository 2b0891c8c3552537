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
  const longest = longestOf(x, measured);
  const share = (seconds: number | null) => (seconds && longest ? seconds / longest : 0);
  const parts = { d, use, x, share };
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
      <ComputeRow {...parts} />
      <MemoryRow {...parts} />
      <OnChip e={d.expected} space="VMEM" seconds={x.vmem} share={share(x.vmem)} />
      <OnChip e={d.expected} space="CMEM" seconds={x.cmem} share={share(x.cmem)} />
      <LinkRow {...parts} />
      <CyclesRow {...parts} />
      <MeasuredRows name={d.name} measured={measured} share={share} />
      <Verdict d={d} use={use} x={x} measured={measured} />
      <Chips d={d} use={use} />
    </Section>
  );
}

function longestOf(x: Expectation, measured: Measured): number {
  const all = [measured.waits?.seconds, x.compute, x.hbm, x.vmem, x.cmem, x.link, x.cycles, measured.seconds];
  return Math.max(0, ...all.map((seconds) => seconds ?? 0));
}

interface PartProps {
  d: Explanation;
  use: InUse;
  x: Expectation;
  /** Length of a bar: the longest time is 1. */
  share: (seconds: number | null) => number;
}

function ComputeRow({ d, use, x, share }: PartProps) {
  const e = d.expected;
  if (e.flops === null) {
    return <Plain what={d.pasted ? 'FLOPs need the module' : 'FLOPs unknown'} note={d.pasted ? 'the body is not in the text' : 'custom code inside'} />;
  }
  const work = workPeak(e, use.values);
  return (
    <Row
      d={d}
      use={use}
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
  );
}

function MemoryRow({ d, use, x, share }: PartProps) {
  const e = d.expected;
  if (e.hbm_bytes === null) {
    return <Plain what={`${memoryWord(e)} bytes unknown`} note={d.pasted ? 'operand shapes are not in the text' : e.rule} />;
  }
  return (
    <Row
      d={d}
      use={use}
      amount={bytesText(e.hbm_bytes)}
      title={trafficWords(d)}
      field="hbm_bytes_per_s"
      unit={e.hbm_bytes === 0 ? 'GB/s, all in other memory' : `GB/s ${memoryWord(e)}`}
      seconds={x.hbm}
      nothing={e.hbm_bytes === 0}
      share={share(x.hbm)}
      colour="move"
    />
  );
}

/** Of a collective: what it sends over the links between devices. */
function LinkRow({ d, use, x, share }: PartProps) {
  const e = d.expected;
  if (!e.collective || e.link_bytes === 0) return null;
  if (e.link_bytes === null) return <Plain what="link bytes unknown" note="the size of its groups is not known" />;
  return (
    <Row
      d={d}
      use={use}
      amount={bytesText(e.link_bytes)}
      title={`${exactBytes(e.link_bytes)}: what each device sends if the group is a ring`}
      field="link_bytes_per_s"
      unit="GB/s per link"
      seconds={x.link}
      share={share(x.link)}
      colour="coll"
    />
  );
}

function CyclesRow({ d, use, x, share }: PartProps) {
  const { cycles } = d.expected;
  if (cycles === null) return null;
  return (
    <Row
      d={d}
      use={use}
      amount={`${formatCount(cycles)} cycles`}
      title="the compiler's estimate, from backend_config"
      field="clock_hz"
      unit="GHz"
      seconds={x.cycles}
      share={share(x.cycles)}
      colour="control"
    />
  );
}

function MeasuredRows({ name, measured, share }: { name: string; measured: Measured; share: PartProps['share'] }) {
  const { seconds, words, waits } = measured;
  return (
    <>
      <div class="x-row x-measured">
        <span>Measured</span>
        <span class="x-unit soft" title={words}>
          {words}
        </span>
        <b>{seconds === null ? '–' : timeText(seconds, 1)}</b>
      </div>
      {seconds !== null ? <Bar share={share(seconds)} colour="none" /> : null}
      {waits && waits.done !== name ? (
        <div class="x-row x-waits">
          <span>Waits</span>
          <span class="x-unit soft">at {waits.done}</span>
          <b>{timeText(waits.seconds, 1)}</b>
        </div>
      ) : null}
    </>
  );
}

function Verdict({ d, use, x, measured }: Props) {
  const { waits, seconds } = measured;
  const [bold, rest] = waits ? waitWords(d.name, waits) : verdict(d.expected, use.values, x, seconds, d.opcode);
  return (
    <p class="x-verdict">
      <b>{bold}</b> {rest}
    </p>
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
