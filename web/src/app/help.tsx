import { signal } from '@preact/signals';
import { Dialog } from './dialog';
import { Icon } from '../ui/icons';
import { type KeyRow, type KeyScope, hasAction, KEY_ROWS, liveScopes, pressedRow } from './keys';
import { COLUMNS, SCOPE_TITLES, TYPING_ROWS } from './key_titles';
import { helpShown } from './help_state';
import { sectionsFor, sectionsText } from './numbers_text';
import { openTool } from './open_tool';
import { status } from './state';
import { copyText } from './toast';

const text = signal('');
const numbers = signal(false);

export function Caps({ caps }: { caps: string[] }) {
  return (
    <span class="caps">
      {caps.map((cap, i) =>
        /^[a-z–]{2,}$|^–$/.test(cap) ? (
          <span key={i} class="word">
            {cap}
          </span>
        ) : (
          <kbd key={i}>{cap}</kbd>
        ),
      )}
    </span>
  );
}

function matches(row: KeyRow): boolean {
  const wanted = text.value.toLowerCase();
  return !wanted || row.text.toLowerCase().includes(wanted) || row.caps.join(' ').toLowerCase().includes(wanted);
}

/** Gestures have no handler to ask for, and a table's keys are its own. */
const works = (row: KeyRow): boolean => row.strokes.length === 0 || row.scope === 'tables' || hasAction(row.scope, row.id);

function Group({ scope }: { scope: KeyScope }) {
  const rows = KEY_ROWS.filter((row) => row.scope === scope && matches(row));
  if (!rows.length) return null;
  const [title, detail] = SCOPE_TITLES[scope];
  const live = liveScopes.value.has(scope);
  const pressed = pressedRow.value;
  return (
    <section>
      <h3 class={live ? 'live' : ''}>
        {title} {detail && <span class="small faint">{detail}</span>}
        {live && <span class="off-screen">, works on this page</span>}
      </h3>
      {rows.map((row) => (
        <div key={row.id} class={`help-row${live && !works(row) ? ' off' : ''}${pressed && row.caps.join() === pressed.caps.join() ? ' pressed' : ''}`}>
          <Caps caps={row.caps} />
          <span>{row.text}</span>
          {live && !works(row) && <span class="off-screen">, not on this page</span>}
        </div>
      ))}
    </section>
  );
}

function Typing() {
  return (
    <section>
      <h3>
        Typing <span class="small faint">in the palette</span>
      </h3>
      {TYPING_ROWS.map((row) => (
        <div key={row.sample} class="help-row">
          <span class="mono">{row.sample}</span>
          <span>{row.text}</span>
        </div>
      ))}
    </section>
  );
}

function asText(): string {
  return (Object.keys(SCOPE_TITLES) as KeyScope[])
    .map((scope) => {
      const rows = KEY_ROWS.filter((row) => row.scope === scope);
      return `${SCOPE_TITLES[scope][0]}\n${rows.map((row) => `  ${row.caps.join(' ').padEnd(16)} ${row.text}`).join('\n')}`;
    })
    .join('\n\n');
}

function Numbers() {
  return (
    <div class="help-numbers">
      {sectionsFor(openTool()).map(({ title, atTitle, rows }) => (
        <table key={title}>
          <thead>
            <tr>
              <th scope="col">{title}</th>
              <th scope="col">Definition</th>
              <th scope="col">{atTitle}</th>
              <th scope="col">Unit</th>
              <th scope="col">Where</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, meaning, at, unit, where }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{meaning}</td>
                <td>{at}</td>
                <td>{unit}</td>
                <td>{where}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </div>
  );
}

function HelpHead({ close }: { close: () => void }) {
  return (
    <div class="help-head">
      <span class="help-title">{numbers.value ? 'What the numbers mean' : 'Keys'}</span>
      <span class="soft grow">
        {!numbers.value && 'groups in blue work on this page, but for keys in grey; keys go by position, so other keyboard layouts work too'}
      </span>
      <button type="button" class="icon-btn help-close" onClick={close} aria-label="close">
        <Icon name="close" />
      </button>
      {!numbers.value && (
        <label class="field">
          <Icon name="search" size={13} />
          <input
            placeholder="type to narrow"
            aria-label="narrow the keys"
            value={text.value}
            onInput={(event) => {
              text.value = event.currentTarget.value;
            }}
          />
        </label>
      )}
    </div>
  );
}

function HelpFoot() {
  return (
    <div class="help-foot">
      <span class="grow">
        Browser shortcuts and text selection keep working. In a text field, only <kbd>Esc</kbd> and <kbd>Enter</kbd> act.
      </span>
      {status.value && (
        <span class="faint help-version" title={status.value.build}>
          {status.value.name} {status.value.version} ({status.value.build.split(',')[0]})
        </span>
      )}
      <button
        type="button"
        class="link"
        onClick={() => void (numbers.value ? copyText(sectionsText(sectionsFor(openTool())), 'definitions') : copyText(asText(), 'keys'))}
      >
        copy as text
      </button>
      <button
        type="button"
        class="link"
        onClick={() => {
          numbers.value = !numbers.value;
        }}
      >
        {numbers.value ? 'keys' : 'what the numbers mean'}
      </button>
    </div>
  );
}

export function Help() {
  if (!helpShown.value) return null;
  const close = () => {
    helpShown.value = false;
    numbers.value = false;
    text.value = '';
  };
  return (
    <Dialog label="keys" class="help" close={close}>
      <HelpHead close={close} />
      <div class="help-body">
        {numbers.value ? (
          <Numbers />
        ) : (
          COLUMNS.map((scopes, i) => (
            <div key={i} class="help-column">
              {scopes.map((scope) => (scope === 'typing' ? !text.value && <Typing key={scope} /> : <Group key={scope} scope={scope} />))}
            </div>
          ))
        )}
      </div>
      <HelpFoot />
    </Dialog>
  );
}
