/** The rules by which events get their class: all of them in order, and those of the address to edit. */
import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { setView, view } from '../app/router';
import { Dialog } from '../app/dialog';
import type { InputVerdictAnswer } from '../api/answers';

const open = signal(false);

export function RulesButton({ a }: { a: InputVerdictAnswer }) {
  return (
    <>
      <button type="button" class="m-badge" onClick={() => (open.value = true)}>
        Rules
      </button>
      {open.value ? <RulesDialog a={a} /> : null}
    </>
  );
}

function BuiltIn({ a }: { a: InputVerdictAnswer }) {
  return (
    <div class="in-known" tabIndex={0} role="region" aria-label="built-in rules">
      <table class="ov-table">
        <thead>
          <tr>
            <th scope="col">class</th>
            <th scope="col">name of the event</th>
            <th scope="col">text</th>
          </tr>
        </thead>
        <tbody>
          {a.rules.class.map((kind, row) => (
            <tr key={row} class={a.rules.own[row] ? 'on' : ''}>
              <td>{kind}</td>
              <td>{a.rules.match[row]}</td>
              <td class="mono">{a.rules.text[row]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RulesDialog({ a }: { a: InputVerdictAnswer }) {
  const [typed, setTyped] = useState((view.value.rules ?? '').split(',').join('\n'));
  const close = () => (open.value = false);
  const use = () => {
    setView(
      {
        rules:
          typed
            .split('\n')
            .map((line) => line.trim())
            .filter(Boolean)
            .join(',') || null,
      },
      { push: false },
    );
    close();
  };
  return (
    <Dialog label="Rules" class="in-rules" close={close}>
      <h2>Rules</h2>
      <p>
        One rule per line: a class (wait, load, preprocess, transfer, launch, result or none), a colon, a text. An event whose name contains the text gets the
        class; the first match wins. The rules are saved in the link.
      </p>
      <textarea
        aria-label="your rules"
        rows={4}
        value={typed}
        placeholder={'wait:get_batch\nload:my_read'}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <p class="row">
        <button type="button" class="m-badge on" onClick={use}>
          Use
        </button>
        <button type="button" class="m-badge" onClick={close}>
          Cancel
        </button>
      </p>
      <BuiltIn a={a} />
    </Dialog>
  );
}
