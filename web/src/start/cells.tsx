import type { Card } from '../api/types';
import { hrefOf } from '../app/router';
import { Icon } from '../ui/icons';
import { exactBytes, formatBytes, formatPercent, unitFor } from '../util/format';
import type { Change, RunRow } from './rows';
import { shareWidth } from '../ui/size';

export function peakText(bytes: number | null | undefined): string {
  return formatBytes(bytes, { unit: unitFor(bytes) });
}

export function isOver(card: Card): boolean {
  return card.peak_bytes !== null && card.capacity_bytes !== null && card.peak_bytes > card.capacity_bytes;
}

/** "TPU v5e" in full; "v5e ×4" in the table. */
export function deviceShort(card: Card): string {
  const name = card.device_type ?? card.platform ?? '';
  const short = name.replace(/^tpu[ _-](?=v)/i, '').replace(/^(?:cpu|gpu|tpu)$/, (word) => word.toUpperCase()) || 'unknown';
  return card.device_count !== null && card.device_count > 1 ? `${short} ×${card.device_count}` : short;
}

/** Peak against capacity; nothing when capacity is unknown. */
export function PeakBar({ card }: { card: Card }) {
  if (card.capacity_bytes === null || card.peak_bytes === null) return <span class="peak-bar none" />;
  const share = Math.min(1, card.peak_bytes / card.capacity_bytes);
  const title = `${formatPercent(card.peak_bytes / card.capacity_bytes, 1)} of ${exactBytes(card.capacity_bytes)}`;
  return (
    <span class={`peak-bar${isOver(card) ? ' over' : ''}`} title={title}>
      <i ref={shareWidth(share)} />
    </span>
  );
}

const HELD = ['memory', 'trace', 'graph'] as const;

/** Three icons that open their tool; pale = not in it, the reason on hover. */
export function Holds({ id: run, card }: { id: string; card: Card | undefined }) {
  return (
    <span class="holds">
      {HELD.map((id) => {
        const reason = card ? card.holds[id] : 'not read yet';
        const word = reason === null ? `holds ${id}` : `no ${id}: ${reason}`;
        if (reason !== null) {
          return (
            <span key={id} class="pale" title={word} role="img" aria-label={word}>
              <Icon name={id} size={14} />
            </span>
          );
        }
        return (
          <a key={id} href={hrefOf({ run, tool: id })} tabIndex={-1} title={`open ${id}`} aria-label={`${word}: open`}>
            <Icon name={id} size={14} />
          </a>
        );
      })}
    </span>
  );
}

export function changeWords(change: Change): { text: string; tone: string; title: string } {
  switch (change.kind) {
    case 'reading':
      return { text: '…', tone: 'faint', title: 'being read' };
    case 'first':
      return { text: 'none before', tone: 'soft', title: 'no earlier run on this path has a module of this name' };
    case 'unknown':
      return { text: 'unknown', tone: 'soft', title: 'the peak of this run or of the previous run is unknown' };
    case 'other':
      return { text: 'not comparable', tone: 'soft', title: `${change.reason}; ${change.before.id}` };
    default: {
      const title = `${exactBytes(change.bytes)} since ${change.before.id}`;
      if (change.bytes === 0) return { text: '0', tone: 'soft', title };
      const unit = unitFor(Math.abs(change.bytes));
      return { text: formatBytes(change.bytes, { unit, sign: true }), tone: change.bytes < 0 ? 'good' : 'bad', title };
    }
  }
}

export function ChangeCell({ row }: { row: RunRow }) {
  const words = changeWords(row.change);
  return (
    <span class={words.tone} title={words.title}>
      {words.text}
    </span>
  );
}
