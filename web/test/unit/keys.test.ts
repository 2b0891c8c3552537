import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COLUMNS, SCOPE_TITLES } from '../../src/app/key_titles';
import { dispatchKey, isTextField, KEY_ROWS, type KeyPress, keysHeld, registerKeys, rowsFor } from '../../src/app/keys';

function press(code: string, key: string, more: Partial<KeyPress> = {}): KeyPress {
  return { code, key, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...more };
}

const ids = (key: KeyPress) => rowsFor(key).map(({ row }) => row.id);

/** An event as far as the dispatcher looks at it. */
function event(key: KeyPress, target: object | null = null) {
  let prevented = false;
  return {
    ...key,
    target,
    isComposing: false,
    get defaultPrevented() {
      return prevented;
    },
    preventDefault() {
      prevented = true;
    },
  } as unknown as KeyboardEvent;
}

test('letters go by place, so that other layouts work', () => {
  // AZERTY: the key at the place of W prints z.
  assert.ok(ids(press('KeyW', 'z')).includes('zoom'));
  assert.ok(ids(press('KeyA', 'q')).includes('pan'));
});

test('signs go by what they print', () => {
  // German: / is Shift+7, which is also the place of "Doctor".
  assert.deepEqual(ids(press('Digit7', '/', { shiftKey: true })), ['search']);
  assert.deepEqual(ids(press('Slash', '/')), ['search']);
  assert.deepEqual(ids(press('Minus', '?', { shiftKey: true })), ['help']);
  // AltGr+8 on a German keyboard.
  assert.ok(ids(press('Digit8', '[', { ctrlKey: true, altKey: true })).includes('follow'));
  assert.deepEqual(ids(press('Digit7', '&', { shiftKey: true })), ['tool']);
  assert.equal(rowsFor(press('Digit3', '#', { shiftKey: true }))[0].stroke, 2);
});

test('browser shortcuts are never taken', () => {
  for (const key of [
    press('KeyC', 'c', { ctrlKey: true }),
    press('KeyF', 'f', { ctrlKey: true }),
    press('KeyA', 'a', { metaKey: true }),
    press('KeyW', 'w', { ctrlKey: true }),
    press('KeyD', 'd', { altKey: true }),
    press('ArrowLeft', 'ArrowLeft', { altKey: true }),
    press('ArrowRight', 'ArrowRight', { ctrlKey: true }),
    press('KeyR', 'r', { ctrlKey: true }),
    press('F5', 'F5'),
  ]) {
    assert.deepEqual(ids(key), [], JSON.stringify(key));
  }
  assert.deepEqual(ids(press('KeyK', 'k', { metaKey: true })), ['palette']);
});

test('no two rows of one scope share a stroke', () => {
  const seen = new Map<string, string>();
  for (const row of KEY_ROWS) {
    for (const stroke of row.strokes) {
      const key = `${row.scope} ${JSON.stringify(stroke)}`;
      assert.equal(seen.get(key), undefined, `${row.id} and ${seen.get(key)}`);
      seen.set(key, row.id);
    }
  }
});

test('rows of a scope have different ids', () => {
  const all = KEY_ROWS.map((row) => `${row.scope}.${row.id}`);
  assert.equal(new Set(all).size, all.length);
});

test('newest first, false passes on, text fields keep their keys', () => {
  const log: string[] = [];
  const stops = [
    registerKeys('everywhere', { copy_link: () => void log.push('old'), palette: () => void log.push('palette') }),
    registerKeys('everywhere', {
      copy_link: () => {
        log.push('new');
        return false;
      },
    }),
  ];
  const y = event(press('KeyY', 'y'));
  dispatchKey(y);
  assert.deepEqual(log, ['new', 'old']);
  assert.equal(y.defaultPrevented, true);

  const field = { tagName: 'INPUT', type: 'text', closest: () => null };
  const typed = event(press('KeyY', 'y'), field);
  dispatchKey(typed);
  assert.equal(typed.defaultPrevented, false);
  dispatchKey(event(press('KeyK', 'k', { ctrlKey: true }), field));
  assert.deepEqual(log, ['new', 'old', 'palette']);

  keysHeld.value = true;
  dispatchKey(event(press('KeyY', 'y')));
  assert.equal(log.length, 3);
  keysHeld.value = false;
  for (const stop of stops) stop();
  dispatchKey(event(press('KeyY', 'y')));
  assert.equal(log.length, 3);
});

test('Esc leaves a text field; an empty one keeps it from the page behind', () => {
  let blurred = 0;
  const log: string[] = [];
  const field = { tagName: 'INPUT', type: 'text', value: '', closest: () => null, blur: () => blurred++ };
  const stop = registerKeys('everywhere', { escape: () => void log.push('page') });
  const first = event(press('Escape', 'Escape'), field);
  dispatchKey(first);
  assert.deepEqual([blurred, log.length, first.defaultPrevented], [1, 0, true]);
  dispatchKey(event(press('Escape', 'Escape'), { ...field, value: 'conv' }));
  assert.deepEqual([blurred, log], [2, ['page']], 'the page may clear what it holds');
  keysHeld.value = true;
  dispatchKey(event(press('Escape', 'Escape'), field));
  keysHeld.value = false;
  assert.equal(blurred, 2, 'a dialog closes as it likes');
  stop();
});

test('a focused control keeps Enter and Space', () => {
  const log: string[] = [];
  const stop = registerKeys('tables', { open_row: () => void log.push('row') });
  dispatchKey(event(press('Enter', 'Enter'), { tagName: 'BUTTON', closest: () => ({}) }));
  assert.deepEqual(log, []);
  dispatchKey(event(press('Enter', 'Enter'), { tagName: 'DIV', closest: () => null }));
  assert.deepEqual(log, ['row']);
  stop();
});

test('text fields', () => {
  const element = (tagName: string, type = '') => ({ tagName, type, isContentEditable: false }) as unknown as EventTarget;
  assert.equal(isTextField(element('INPUT', 'text')), true);
  assert.equal(isTextField(element('INPUT', 'checkbox')), false);
  assert.equal(isTextField(element('TEXTAREA')), true);
  assert.equal(isTextField(element('DIV')), false);
  assert.equal(isTextField(null), false);
});

test('the help shows the keys of every page once', () => {
  const shown = COLUMNS.flat().filter((scope) => scope !== 'typing');
  assert.deepEqual([...shown].sort(), Object.keys(SCOPE_TITLES).sort());
  assert.deepEqual(
    [...new Set(KEY_ROWS.map((row) => row.scope))].filter((scope) => !shown.includes(scope)),
    [],
  );
});
