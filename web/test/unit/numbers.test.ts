import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definitionOf, sectionsFor } from '../../src/app/numbers_text';

test('the help explains the numbers of the tool it is opened from first', () => {
  assert.equal(sectionsFor('trace')[0].title, 'Trace');
  assert.equal(sectionsFor('memory')[0].title, 'Memory');
  assert.equal(sectionsFor('graph')[0].title, 'Rates');
  assert.equal(new Set(sectionsFor('trace').map(({ title }) => title)).size, sectionsFor('memory').length);
});

test('each quantity of docs/NUMBERS.md is defined once, and its row is whole', () => {
  const rows = sectionsFor('memory').flatMap((section) => section.rows.map((row) => ({ ...row, section: section.title })));
  assert.ok(rows.length > 20, `${rows.length} rows`);
  assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length);
  for (const { name, meaning, where } of rows) {
    assert.ok(meaning.endsWith('.'), `${name}: ${meaning}`);
    assert.ok(where, `${name}: where it is shown`);
  }
});

test('the help of the report takes its quantities from the same definitions', () => {
  for (const name of ['reserved', 'fragmentation', 'holes', 'always there', 'temporaries']) assert.ok(definitionOf(name), name);
});
