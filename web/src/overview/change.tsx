/** A time's difference to the run that this one is compared with; nothing without one. */
import { durationText } from '../trace/time';
import { differenceText, type TimeUnit } from './numbers';

interface Props {
  before: number | null | undefined;
  after: number | null;
  unit: TimeUnit;
  /** Which direction is good; 'none': neither. */
  good?: 'less' | 'more' | 'none';
}

export function Change({ before, after, unit, good = 'less' }: Props) {
  if (before === null || before === undefined || after === null) return null;
  const by = after - before;
  const tone = by === 0 || good === 'none' ? 'faint' : by < 0 === (good === 'less') ? 'good' : 'bad';
  return (
    <span class={`ov-change ${tone}`} title={`before ${durationText(before)}, now ${durationText(after)}`}>
      {differenceText(by, unit)}
    </span>
  );
}
