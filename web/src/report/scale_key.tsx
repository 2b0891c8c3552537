/** The key of a map's colours: its ends with units, the capacity, and a tick at what is under the pointer. */
import { formatCount } from '../util/format';
import { type MapScale, placeColour } from './scales';

export function ScaleKey({ scale, text, hoveredAt }: { scale: MapScale; text: (value: number) => string; hoveredAt: number | null }) {
  const end = (value: number) => (scale.id === 'rank' ? `rank ${formatCount(value)}` : text(value));
  return (
    <>
      <span>{end(scale.from)}</span>
      <span class="r-key-bar" style={{ background: `linear-gradient(to right, ${placeColour(0)}, ${placeColour(1)})` }}>
        {scale.capacityAt === null ? null : <i class="r-key-capacity" title="capacity" style={{ left: `${scale.capacityAt * 100}%` }} />}
        {hoveredAt === null ? null : <i class="r-key-tick" style={{ left: `${hoveredAt * 100}%` }} />}
      </span>
      <span>{end(scale.to)}</span>
    </>
  );
}
