/** Right column: the selected instruction explained; without one, the computation of the line, or the list of all. */
import { view } from '../app/router';
import { Explain } from '../explain';
import { Icon } from '../ui/icons';
import { formatCount } from '../util/format';
import { failed } from './graph_state';
import { isKnown } from './known';
import { centre, picked, showComputation } from './settings';
import { go, here, text } from './state';
import { type HloText, instructionAt, usesOf } from './text';

const LISTED = 200;

function Computation({ all, line }: { all: HloText; line: number }) {
  const head = all.heads.find((item) => item.line === line);
  if (!head) return <p class="m-sec soft">This line defines no instruction.</p>;
  const callers = usesOf(all, head.name)
    .map((at) => instructionAt(all, at)?.name ?? '')
    .filter(Boolean);
  return (
    <section class="m-sec">
      <p>
        <code>{head.name}</code>
      </p>
      <p>
        {head.entry ? 'the entry computation' : 'a computation'} of {formatCount(head.end - head.line - 1)} instructions ·{' '}
        <button type="button" class="link" onClick={() => showComputation(head.name)}>
          draw it
        </button>
      </p>
      <h3>
        Called by <span class="side">{formatCount(callers.length)}</span>
      </h3>
      <ul>
        {callers.slice(0, LISTED).map((name) => (
          <li key={name}>
            <button type="button" class="link mono" onClick={() => go(name)}>
              {name}
            </button>
          </li>
        ))}
        {callers.length > LISTED ? <li class="faint">and {formatCount(callers.length - LISTED)} more</li> : null}
      </ul>
    </section>
  );
}

function Outline({ all }: { all: HloText }) {
  return (
    <section class="m-sec">
      <h3>
        Computations <span class="side">{formatCount(all.heads.length)}</span>
      </h3>
      <p class="soft">Click a box, or a name in the text, to see its details here.</p>
      <ul>
        {[...all.heads]
          .reverse()
          .slice(0, LISTED)
          .map((head) => (
            <li key={head.line}>
              <button type="button" class="link mono" onClick={() => showComputation(head.name)}>
                {head.name}
              </button>{' '}
              <span class="faint">{head.entry ? 'entry' : `line ${head.line + 1}`}</span>
            </li>
          ))}
        {all.heads.length > LISTED ? <li class="faint">and {formatCount(all.heads.length - LISTED)} more; find them by name</li> : null}
      </ul>
    </section>
  );
}

export function GraphCard({ close }: { close: () => void }) {
  const { run, host, module } = view.value;
  const all = text.value;
  // A line of the address says more than the selection: it was clicked later.
  const atLine = all && view.value.line && here.value >= 0 ? here.value : -1;
  const instruction = all && atLine >= 0 ? instructionAt(all, atLine)?.name : picked.value || centre.value;
  if (instruction && !failed.value)
    return (
      <aside class="g-card" aria-label="details">
        <Explain run={run} host={host} module={module} node={instruction} wait={!isKnown(instruction)} onClose={close} />
      </aside>
    );
  return (
    <aside class="g-card" aria-label="details">
      <button type="button" class="icon-btn g-card-close" aria-label="close the details" title="close (I)" onClick={close}>
        <Icon name="close" size={13} />
      </button>
      {!all ? null : atLine >= 0 ? <Computation all={all} line={atLine} /> : <Outline all={all} />}
    </aside>
  );
}
