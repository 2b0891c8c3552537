// docs/GRAPH.md against the source and the tests: a control that has no row, a row that has no test, a test on a small program
// are seen. No browser here.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { namesIn, root, tables, testFile } from './features.mjs';

const KEYS_ELSEWHERE = ['everywhere tool', 'everywhere to_runs', 'charts previous_range', 'charts measure', 'charts mode', 'charts double_click'];
/** Gestures of the charts that are rows of "Gestures on the drawing". */
const AS_HANDS = ['charts wheel', 'charts wheel_pan', 'charts drag', 'charts drag_pan', 'charts click', 'charts click_add'];
/** How a test file makes its program, of how many instructions: each of these has a test of its size. */
const PROGRAMS = { layered: /layered\((?:700|LAYERS)\)/, whole: /await serveWhole\(\)/, big: /sharedLogdir\('tpu_big_transformer'\)/ };

const said = tables('docs/GRAPH.md', 'source');
const all = Object.entries(said).flatMap(([title, rows]) => rows.map((row) => ({ title, row })));

test('each row names a test that is there, on a program of 5,000 instructions or more', () => {
  assert.ok(all.length > 130, `${all.length} rows`);
  for (const { title, row } of all) {
    assert.equal(row.length, 6, row.join());
    const [what, , , program, file, name] = row;
    assert.ok(namesIn(file).includes(name), `${title}, ${what}: no test "${name}" in ${file}.test.mjs`);
    assert.ok(PROGRAMS[program]?.test(testFile(file)), `${title}, ${what}: ${file}.test.mjs does not use ${program}`);
  }
});

const places = all.map(({ title, row }) => {
  const [, file, anchor] = /^(\S+) `(.+)`$/.exec(row[2]) ?? [];
  return { title, what: row[0], file, anchor };
});

/** Code without the gaps and line ends that its formatter chose. */
const tight = (code) => code.replace(/\s+/g, '').replace(/,(?=[)\]}])/g, '');
/** How far from a handler the piece that its row names may stand, in letters of tight code: about a line. */
const NEAR = 160;

test('each row names a place in the source that is there', () => {
  for (const { title, what, file, anchor } of places) {
    assert.ok(file, `${title}, ${what}: a file of web/src and a piece of it`);
    assert.ok(tight(readFileSync(join(root, 'web/src', file), 'utf8')).includes(tight(anchor)), `${title}, ${what}: ${file} has no ${anchor}`);
  }
});

test('each handler, link and menu of the pages has a row', () => {
  // What closes, measures or loads by itself is no control.
  const hand = /\bon(?:Click|DblClick|Change|Input|Submit|KeyDown|PointerDown|MouseEnter|Move|Open|Cursor)=|<a(?=(?:href|class|key|download|title|ref)=)|<Pop(?=[a-z]+=)|\blisten\(element,\{(?!pointer)/g;
  const missing = [];
  let count = 0;
  for (const folder of ['graph', 'explain'])
    for (const name of readdirSync(join(root, 'web/src', folder))) {
      const file = `${folder}/${name}`;
      const code = tight(readFileSync(join(root, 'web/src', file), 'utf8').replace(/^\s*(?:\*|\/\/).*$/gm, ''));
      const spans = places.filter((place) => place.file === file).flatMap(({ anchor }) => {
        const piece = tight(anchor);
        const found = [];
        for (let at = code.indexOf(piece); at >= 0; at = code.indexOf(piece, at + 1)) found.push([at - NEAR, at + piece.length + NEAR]);
        return found;
      });
      for (const { index } of code.matchAll(hand)) {
        count++;
        if (!spans.some(([from, to]) => from <= index && index < to)) missing.push(`${file}: ${code.slice(index, index + 120)}`);
      }
    }
  assert.ok(count > 80, `${count} handlers`);
  assert.deepEqual(missing, []);
});

test('each key of the help panel that acts on this page is there', () => {
  const source = readFileSync(join(root, 'web/src/app/key_table.ts'), 'utf8');
  const keys = [...source.matchAll(/^ {2}row\(\s*'(everywhere|charts|graph)',\s*'(\w+)'/gm)].map(([, scope, id]) => `${scope} ${id}`);
  assert.ok(keys.length > 25);
  const listed = said.Keys.map(([key]) => key);
  assert.deepEqual(keys.filter((key) => !listed.includes(key) && !KEYS_ELSEWHERE.includes(key) && !AS_HANDS.includes(key)), []);
  assert.deepEqual(listed.filter((key) => !keys.includes(key)), [], 'keys that are no more');
});
