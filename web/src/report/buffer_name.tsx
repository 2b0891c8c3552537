import { change } from '../memory/state';
import type { GroupRow } from './types';

/** A buffer's name: opens its card in the Viewer. */
export function BufferName({ row }: { row: GroupRow }) {
  const { buffer, name } = row;
  if (buffer === null || buffer === undefined) return <span>{name}</span>;
  return (
    <button type="button" class="m-op cut" tabIndex={-1} title={`${name}: open its card in the Viewer`} onClick={() => change({ mode: null, pin: buffer }, true)}>
      {name}
    </button>
  );
}
