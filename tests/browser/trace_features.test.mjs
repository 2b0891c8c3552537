// docs/TRACE.md against the tests that it names and the keys that there are: what has no test is seen. No browser here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

import { namesIn, root, tables } from './features.mjs';

const KEYS_ELSEWHERE = ['everywhere tool', 'everywhere module_step', 'everywhere to_runs'];

const said = tables('docs/TRACE.md', 'file');

test('each row of the tables names a test that is there', () => {
  for (const [title, rows] of Object.entries(said)) {
    for (const row of rows) {
      assert.equal(row.length, 4, row.join());
      const [what, , file, name] = row;
      assert.ok(namesIn(file).includes(name), `${title}, ${what}: no test "${name}" in ${file}.test.mjs`);
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
