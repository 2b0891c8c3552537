/** A number's difference to the run that this one is compared with; nothing without one. */
import { durationText } from '../trace/time';
import { exactBytes, formatBytes, formatPercent } from '../util/format';
import { differenceText, type TimeUnit } from './numbers';

type Number = number | null | undefined;
/** Which direction is good; 'none': neither. */
type Good = 'less' | 'more' | 'none';

interface Props {
  before: Number;
  after: Number;
  good?: Good;
}

function Difference({ before, after, good = 'less', text, value }: Props & { text: (by: number) => string; value: (x: number) => string }) {
  if (before === null || before === undefined || after === null || after === undefined) return null;
  const by = after - before;
  const tone = by === 0 || good === 'none' ? 'faint' : by < 0 === (good === 'less') ? 'good' : 'bad';
  return (
    <span class={`ov-change ${tone}`} title={`before ${value(before)}, now ${value(after)}`}>
      {by === 0 ? '±0' : text(by)}
    </span>
  );
}

const signed = (by: number, text: string) => (by > 0 ? `+${text}` : text);

/** Of a time, in the page's unit. */
export const Change = ({ unit, ...props }: Props & { unit: TimeUnit }) => (
  <Difference {...props} text={(by) => differenceText(by, unit)} value={durationText} />
);
/** Of a share, in percentage points. */
export const ShareChange = (props: Props) => (
  <Difference {...props} text={(by) => signed(by, formatPercent(by, 1))} value={(share) => formatPercent(share, 2)} />
);
export const BytesChange = (props: Props) => <Difference {...props} text={(by) => signed(by, formatBytes(by))} value={exactBytes} />;
