// Tables that say which test holds a requirement: a test that is named there is one that exists.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

const source = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../..');

/** Titles of the tests of a file: of node's runner and of ours, or the functions that cmocka runs. */
function titlesOf(file) {
  const text = fs.readFileSync(path.join(source, file), 'utf8');
  const found = file.endsWith('.c')
    ? text.matchAll(/cmocka_unit_test\w*\(\s*(\w+)/g)
    : text.matchAll(/^\s*(?:test|eachLook)\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gm);
  return new Set([...found].map((match) => (match[2] ?? match[1]).replaceAll("\\'", "'")));
}

const known = new Map();

/** Fails when a row names no test, or one that is not there. `rows`: {requirement: [[file, title], ...]}. */
export function testsExist(rows) {
  for (const [what, tests] of Object.entries(rows)) {
    assert.ok(tests.length > 0, `${what}: no test`);
    for (const [file, title] of tests) {
      if (!known.has(file)) known.set(file, titlesOf(file));
      assert.ok(known.get(file).has(title), `${what}: ${file} has no test "${title}"`);
    }
  }
}
