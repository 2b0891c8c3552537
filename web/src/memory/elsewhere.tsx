/** When nothing matches here: whether something does in another memory space or module. */
import { useEffect, useState } from 'preact/hooks';
import { api, isAborted } from '../api/client';
import type { Search } from '../api/types';
import { openPalette } from '../app/palette_state';
import { hrefOf, view } from '../app/router';
import { plural } from '../util/format';
import { subject } from './state';

export function Elsewhere() {
  const text = view.value.filter ?? '';
  const [found, setFound] = useState<Search | null>(null);
  useEffect(() => {
    if (!text) return;
    api
      .search({ ...subject.peek(), q: text, limit: 10 }, { key: 'memory/elsewhere', quiet: true })
      .then(setFound)
      .catch((error: unknown) => {
        if (!isAborted(error)) setFound(null);
      });
  }, [text]);
  if (!found || !text) return null;
  const spaces = found.other_spaces;
  const modules = found.other_modules;
  const first = found.space.find((space, k) => found.kind[k] === 'buffer' && space !== null) ?? null;
  return (
    <>
      {spaces > 0 ? (
        <>
          ;{' '}
          {first === null ? (
            `${plural(spaces, 'match', 'matches')} in other memory spaces`
          ) : (
            <a href={hrefOf({ space: first, filter: text, tab: 'buffers' })}>{plural(spaces, 'match', 'matches')} in other memory spaces</a>
          )}
        </>
      ) : null}
      {modules > 0 ? `; ${plural(modules, 'match', 'matches')} in other modules` : ''}
      {found.holds.some(Boolean) ? (
        <>
          ; results of operations of that name are in buffers with other names:{' '}
          <button type="button" class="link" onClick={() => openPalette(`#${text}`)}>
            list them
          </button>
        </>
      ) : null}
    </>
  );
}
