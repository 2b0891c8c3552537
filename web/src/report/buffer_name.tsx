import { change } from '../memory/state';
import type { GroupRow } from './types';

/** A buffer's name: shows it on the address map, or, where it has no address, in the Viewer's card. */
export function BufferName({ row }: { row: GroupRow }) {
  const { buffer, tenancy, name } = row;
  if (buffer === null || buffer === undefined) return <span>{name}</span>;
  const on = tenancy !== null && tenancy !== undefined;
  return (
    <button
      type="button"
      class="m-op cut"
      tabIndex={-1}
      title={on ? `${name}: show it on the address map` : `${name}: open its card in the Viewer`}
      onClick={() => change(on ? { rtab: 'buffers', rpin: tenancy } : { mode: null, pin: buffer }, true)}
    >
      {name}
    </button>
  );
}
