/** Sizes as this page writes them: one unit for the page, small parts in their own. */
import { formatBytes, smallBytes } from '../util/format';

/** Below this a value in the page's unit would lose its digits. */
function small(bytes: number): boolean {
  return Math.abs(bytes) < smallBytes();
}

/** "512.0 MiB", "80.0 KiB", "0", "unknown". */
export function sizeText(bytes: number | null): string {
  return bytes !== null && small(bytes) ? formatBytes(bytes, { unit: 'own' }) : formatBytes(bytes);
}

/** The same for a column whose unit stands once for the page: "512.0", but "80.0 KiB". */
export function cellText(bytes: number | null): string {
  return bytes !== null && small(bytes) ? formatBytes(bytes, { unit: 'own' }) : formatBytes(bytes, { withUnit: false });
}
