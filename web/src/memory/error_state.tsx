/** In place of the page when nothing could be shown: what failed, where, and what to do. */
import type { ApiError } from '../api/client';
import { moduleIndex } from '../app/pickers';
import { openTool } from '../app/open_tool';
import { hrefOf } from '../app/router';
import { modules } from '../app/state';
import { formatCount } from '../util/format';

export function ErrorState({ error }: { error: ApiError }) {
  const list = modules.value;
  const isRead = (list?.instructions[moduleIndex()] ?? null) !== null;
  const largest = list?.default_module ? list.key.indexOf(list.default_module) : -1;
  const message = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  return (
    <div class="m-empty empty-state" role="alert">
      <h1>
        {openTool() !== 'memory'
          ? 'The trace cannot be shown'
          : error.status === 404 && isRead
            ? 'The memory of this program is not known'
            : 'Memory cannot be shown'}
      </h1>
      <p>{/[.!?]$/.test(message) ? message : `${message}.`}</p>
      {error.where ? (
        <p>
          in <code>{error.where}</code>
          {error.offset !== null ? ` at byte ${formatCount(error.offset)}` : ''}
        </p>
      ) : null}
      <p class="row">
        {isRead && (
          <a class="btn" href={hrefOf({ tool: 'graph' })}>
            Its graph
          </a>
        )}
        {largest >= 0 && largest !== moduleIndex() && (
          <a class="btn" href={hrefOf({ module: null, space: null })}>
            Its largest module
          </a>
        )}
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          What is in this run's files
        </a>
        <button type="button" class="btn" onClick={() => location.reload()}>
          Try again
        </button>
      </p>
    </div>
  );
}
