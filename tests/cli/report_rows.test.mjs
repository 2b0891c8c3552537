// docs/REPORT_ROWS.md: every row of the memory report once, in order; what is built or in part names a test that exists, what has no
// counterpart says why.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { source } from '../support/program.mjs';

const LAST = 104;
const rows = fs
  .readFileSync(path.join(source, 'docs/REPORT_ROWS.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| S1\./.test(line))
  .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));

test('every row is there once, in order, with one of three states', () => {
  assert.deepEqual(rows.map(([row]) => row), Array.from({ length: LAST }, (_, k) => `S1.${k + 1}`));
  for (const [row, state, what] of rows) {
    assert.ok(['built', 'part', 'none'].includes(state), `${row}: ${state}`);
    assert.ok(what.length >= (state === 'built' ? 3 : 30), `${row} says too little: ${what}`);
  }
});

test('what is built names a test that exists, with these words in it; what is not names none', () => {
  for (const [row, state, , where] of rows) {
    if (state === 'none') {
      assert.equal(where, '', row);
      continue;
    }
    const [file, words, more] = where.split(' » ');
    assert.ok(words && more === undefined, `${row} names no test: ${where}`);
    const text = fs.readFileSync(path.join(source, 'tests', file), 'utf8').replace(/\s+(\* )?/g, ' ');
    assert.ok(text.includes(words), `${row}: "${words}" is not in ${file}`);
  }
});
