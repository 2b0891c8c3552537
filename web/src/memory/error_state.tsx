/** In place of the page when nothing could be shown: what failed, where, and what to do. */
import type { ApiError } from '../api/client';
import { moduleIndex } from '../app/pickers';
import { hrefOf } from '../app/router';
import { modules } from '../app/state';
import { formatCount } from '../util/format';

export function ErrorState({ error }: { error: ApiError }) {
  const list = modules.value;
  const isRead = (list?.instructions[moduleIndex()] ?? null) !== null;
  return (
    <div class="m-empty" role="alert">
      <b>{error.message}</b>
      {error.where ? (
        <p>
          in <code>{error.where}</code>
          {error.offset !== null ? ` at byte ${formatCount(error.offset)}` : ''}
        </p>
      ) : null}
      <p>
        <button type="button" class="btn" onClick={() => location.reload()}>
          Try again
        </button>{' '}
        <a href={hrefOf({ tool: 'files' })}>What is in this run's files</a>{' '}
        {isRead && <a href={hrefOf({ tool: 'graph' })}>Its graph</a>} {(list?.n ?? 0) > 1 && <a href={hrefOf({ module: null, space: null })}>Its largest module</a>}
      </p>
    </div>
  );
}
