/** Graph Viewer, its text half: the program as XLA prints it, with definitions and uses to jump to. */
import { useEffect, useRef } from 'preact/hooks';
import { apiUrl } from '../api/client';
import { registerKeys } from '../app/keys';
import { setView, view } from '../app/router';
import { Icon } from '../ui/icons';
import { formatCount } from '../util/format';
import { GraphCard } from './card';
import { Lines } from './lines';
import { failed, find, found, foundAt, go, here, loading, params, retry, startText, step, text, uses } from './state';
import { instructionAt } from './text';

/** To the first operand, or the first user, of the instruction shown. */
function follow(up: boolean): boolean {
  const all = text.value;
  const instruction = all && here.value >= 0 ? instructionAt(all, here.value) : null;
  if (!all || !instruction) return false;
  const line = uses.value.get(instruction.name)?.[0];
  const next = up ? instruction.operands[0] : line === undefined ? undefined : instructionAt(all, line)?.name;
  if (!next) return false;
  go(next);
  return true;
}

function Find({ field }: { field: { current: HTMLInputElement | null } }) {
  const { lines, error } = found.value;
  const at = foundAt.value;
  const say = error ? `not a pattern: ${error}` : find.value.trim() ? `${at >= 0 ? `${formatCount(at + 1)} of ` : ''}${formatCount(lines.length)} lines` : '';
  return (
    <label class="field g-find">
      <Icon name="search" size={13} />
      <input
        ref={field}
        placeholder="find: text or /regex/"
        aria-label="find in the text"
        value={find.value}
        onInput={(event) => {
          find.value = event.currentTarget.value;
          foundAt.value = -1;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') {
            find.value = '';
            event.currentTarget.blur();
          } else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span class={error ? 'small bad' : 'small soft'} role="status">
        {say}
      </span>
    </label>
  );
}

function Toolbar({ field }: { field: { current: HTMLInputElement | null } }) {
  const { run, module } = view.value;
  const long = view.value.form !== 'short';
  return (
    <div class="g-bar" role="toolbar" aria-label="text">
      <label>
        form{' '}
        <select value={long ? 'long' : 'short'} aria-label="form of the text" onChange={(event) => setView({ form: event.currentTarget.value === 'short' ? 'short' : null })}>
          <option value="long">long</option>
          <option value="short">short</option>
        </select>
      </label>
      <label>
        <input type="checkbox" checked={view.value.meta === '1'} onChange={(event) => setView({ meta: event.currentTarget.checked })} /> metadata
      </label>
      <label>
        <input type="checkbox" checked={view.value.config !== '0'} onChange={(event) => setView({ config: event.currentTarget.checked ? null : '0' })} /> configs
      </label>
      <Find field={field} />
      <span class="grow" />
      <span class="soft small">{text.value ? `${formatCount(text.value.lines.length)} lines` : ''}</span>
      <a class="btn btn-s" href={apiUrl('graph/text', params())} download={`${module ?? run}.txt`}>
        text
      </a>
      <button type="button" class="btn btn-s" aria-disabled="true" title="not built yet; an instruction's neighbours can be saved as DOT from its card">
        picture
      </button>
    </div>
  );
}

export function GraphView() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(startText, []);
  useEffect(() => {
    const everywhere = registerKeys('everywhere', {
      search: () => field.current?.focus(),
      next_match: () => step(1),
      previous_match: () => step(-1),
      escape: () => {
        if (!view.value.op && !view.value.line) return false;
        setView({ op: null, line: null });
      },
    });
    const own = registerKeys('graph', { follow_edge: (_event, stroke) => follow(stroke === 0) });
    return () => {
      everywhere();
      own();
    };
  }, []);
  return (
    <main class="main g-main">
      <Toolbar field={field} />
      <div class="g-split">
        {failed.value ? (
          <div class="g-lines empty-state" role="alert">
            <h1>The text of this program cannot be shown</h1>
            <p>{failed.value}</p>
            <p class="row">
              <button type="button" class="btn" onClick={retry}>
                Try again
              </button>
            </p>
          </div>
        ) : text.value ? (
          <Lines />
        ) : (
          <div class="g-lines soft g-waiting">{loading.value ? 'printing the program' : ''}</div>
        )}
        <GraphCard />
      </div>
    </main>
  );
}
