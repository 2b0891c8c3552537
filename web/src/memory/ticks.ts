/** Numbers on an axis: a round value without decimals ("4,096"), others as everywhere on the page. */
import { formatBytes } from '../util/format';

export function tickText(bytes: number): string {
  return formatBytes(bytes, { withUnit: false }).replace(/\.0+$/, '');
}
