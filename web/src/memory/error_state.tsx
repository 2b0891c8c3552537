/** In place of the page when nothing could be shown: what failed, where, and what to do. */
import type { ApiError } from '../api/client';
import { hrefOf } from '../app/router';
import { formatCount } from '../util/format';

export function ErrorState({ error }: { error: ApiError }) {
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
        <a href={hrefOf({ module: null, space: null })}>Its largest module</a>
      </p>
    </div>
  );
}
