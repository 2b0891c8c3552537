// docs/TRACE.md against the tests that it names and the keys that there are: what has no test is seen. No browser here.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const KEYS_ELSEWHERE = ['everywhere tool', 'everywhere module_step', 'everywhere to_runs'];

/** Tables of the page by their heading: rows of cells. */
function tables(markdown) {
  const out = {};
  let title = '';
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    const cells = /^\| .* \|$/.test(line) ? line.slice(2, -2).split(' | ') : null;
    if (cells && cells[2] !== 'file') (out[title] ??= []).push(cells);
  }
  return out;
}

/** What is given to test() and eachLook() as a name in a file of tests. */
function namesIn(file) {
  const path = join(here, `${file}.test.mjs`);
  if (!existsSync(path)) return [];
  return [...readFileSync(path, 'utf8').matchAll(/^\s*(?:test|eachLook)\((['`])(.*?)\1,/gm)].map(([, , name]) => name.replaceAll("\\'", "'"));
}

const said = tables(readFileSync(join(root, 'docs/TRACE.md'), 'utf8'));

test('each row of the tables names a test that is there', () => {
  const known = new Map();
  for (const [title, rows] of Object.entries(said)) {
    for (const row of rows) {
      assert.equal(row.length, 4, row.join());
      const [what, , file, name] = row;
      if (!known.has(file)) known.set(file, namesIn(file));
      assert.ok(known.get(file).includes(name), `${title}, ${what}: no test "${name}" in ${file}.test.mjs`);
    }
  }
});

test('features S3.1 to S3.38 are all there, in their order', () => {
  assert.deepEqual(said.Features.map(([row]) => row), Array.from({ length: 38 }, (_, k) => `S3.${k + 1}`));
});

test('each key and gesture of the help panel that acts on this page is there', () => {
  const source = readFileSync(join(root, 'web/src/app/key_table.ts'), 'utf8');
  const keys = [...source.matchAll(/^ {2}row\(\s*'(everywhere|charts|trace)',\s*'(\w+)'/gm)].map(([, scope, id]) => `${scope} ${id}`);
  assert.ok(keys.length > 30);
  const listed = said['Keys and mouse'].map(([key]) => key);
  assert.deepEqual(keys.filter((key) => !listed.includes(key) && !KEYS_ELSEWHERE.includes(key)), []);
  assert.deepEqual(listed.filter((key) => !keys.includes(key)), [], 'keys that are no more');
});
