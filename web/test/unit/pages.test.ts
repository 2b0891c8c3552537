import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiUrl, backOff, csvUrl } from '../../src/api/client';
import type { Host } from '../../src/api/types';
import { firstBytes } from '../../src/app/oom_paste';
import { parseAsked } from '../../src/app/palette_items';
import { hostMessage } from '../../src/app/strips';
import { rowsToCsv } from '../../src/start/export';
import { foldParts, partsOf, wholeOf } from '../../src/start/file_parts';
import { coloured, recipes } from '../../src/start/recipes';
import type { RunRow } from '../../src/start/rows';
import { rowAt, topsOf } from '../../src/start/table';
import { filterItems } from '../../src/ui/picker';

const cutHost = {
  name: 'host0',
  file: 'host0.xplane.pb',
  size_bytes: 80964,
  mtime_ms: 0,
  format: 'xplane',
  complete: false,
  read_until_bytes: 80947,
  whole_bytes: 134784,
  error: null,
  planes: [
    { name: '/host:metadata', lines: [], events: 0, offset_bytes: 4, size_bytes: 76434 },
    {
      name: '/host:CPU',
      lines: [
        { name: 'python', events: 254, offset_bytes: 76453, size_bytes: 4138 },
        { name: 'tf_XLAEigen', events: 7, offset_bytes: 80594, size_bytes: 32344 },
      ],
      events: 261,
      offset_bytes: 76438,
      size_bytes: 58342,
    },
  ].map((plane) => ({ ...plane, lines_left_out: 0 })),
  planes_left_out: 0,
  hostnames: [],
  errors: [],
  warnings: [],
  reading: [],
} as Host;

test('addresses of requests are relative and leave out what is not set', () => {
  assert.equal(apiUrl('runs'), 'api/v1/runs');
  assert.equal(apiUrl('card', { run: 'a b&c', host: undefined, module: '', x: null }), 'api/v1/card?run=a+b%26c');
  assert.equal(apiUrl('x', { desc: false, all: true, n: 0 }), 'api/v1/x?desc=0&all=1&n=0');
  assert.equal(csvUrl('modules', { run: 'r' }), 'api/v1/modules?run=r&format=csv');
});

test('waiting for a run that is being read', () => {
  assert.ok(backOff(0) < 100);
  assert.equal(backOff(50), 500);
});

test('a cut file in words and in parts', () => {
  const message = hostMessage(cutHost);
  assert.match(message?.what ?? '', /host0\.xplane\.pb is truncated: it has 80,964 of at least 134,784 bytes \(60 %\)/);
  assert.equal(wholeOf(cutHost), 134784);
  const parts = partsOf(cutHost);
  assert.deepEqual(
    parts.map((part) => part.kind),
    ['metadata', 'lines', 'lines', 'missing'],
  );
  for (let i = 1; i < parts.length; i++) assert.equal(parts[i].from, parts[i - 1].to);
  assert.equal(parts[0].from, 0);
  assert.equal(parts[3].from, 80964);
  assert.equal(parts[3].to, 134784);
  assert.equal(hostMessage({ ...cutHost, complete: true, size_bytes: 134784, read_until_bytes: 134784 }), null);
});

test('parts under a pixel are joined and counted', () => {
  const parts = Array.from({ length: 200 }, (_, i) => ({
    ...{ from: i, to: i + 1, kind: 'lines' as const },
    ...{ title: `line ${i}`, detail: '' },
  }));
  const folded = foldParts(parts, 200);
  assert.equal(folded.length, 1);
  assert.equal(folded[0].title, '200 small');
  assert.equal(folded[0].to, 200);
});

test('prefixes of the palette', () => {
  assert.deepEqual(parseAsked('%fusion.2'), { only: 'ops', text: 'fusion.2' });
  assert.deepEqual(parseAsked(' #params'), { only: 'buffers', text: 'params' });
  assert.deepEqual(parseAsked('@jit_'), { only: 'modules', text: 'jit_' });
  assert.deepEqual(parseAsked(':115'), { only: 'step', text: '115' });
  assert.deepEqual(parseAsked('>theme'), { only: 'actions', text: 'theme' });
  assert.deepEqual(parseAsked('/f32.*512/'), { only: null, text: '/f32.*512/' });
  assert.deepEqual(parseAsked(''), { only: null, text: '' });
});

test('rows of two heights', () => {
  const plain = { problem: null } as RunRow;
  const bad = { problem: { severity: 'error', text: 'x', more: 0 } } as RunRow;
  const tops = topsOf([plain, bad, plain]);
  assert.deepEqual(tops, [0, 24, 68, 92]);
  assert.deepEqual(
    [0, 23, 24, 67, 68, 1000].map((y) => rowAt(tops, y)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.equal(rowAt(topsOf([]), 10), 0);
});

test('the list as CSV keeps names from being formulas', () => {
  const row = {
    ...{ id: '=1+1', folder: 'a,b', name: 'x"y', kind: 'profile', time: 0, size: 5, hosts: ['h'] },
    ...{ card: undefined, cardError: undefined, problem: null, change: { kind: 'first' }, gone: false, label: 'l', lead: null, under: false },
  } as RunRow;
  const [head, line] = rowsToCsv([row]).split('\r\n');
  assert.ok(head.startsWith('id,folder,name,kind,modified,size_bytes'));
  assert.ok(line.startsWith(`'=1+1,"a,b","x""y",profile,1970-01-01T00:00:00.000Z,5,h,`), line);
});

test('an error message is cut between characters', () => {
  assert.equal(firstBytes('abc', 8000), 'abc');
  assert.equal(firstBytes('aü'.repeat(10), 8), 'aüaüa');
  assert.equal(firstBytes('😀😀', 6), '😀');
});

test('lists narrow by words', () => {
  const items = [
    { key: '1', title: 'jit_train_step', side: '6 MiB' },
    { key: '2', title: 'jit_f' },
  ];
  assert.equal(filterItems(items, 'train 6').length, 1);
  assert.equal(filterItems(items, '').length, 2);
});

test('recipes hold the logdir and keep every character', () => {
  for (const recipe of recipes('/tmp/a "b"'))
    assert.equal(
      coloured(recipe.text)
        .map(([, text]) => text)
        .join(''),
      recipe.text,
    );
  assert.ok(recipes('/tmp/a "b"')[0].text.includes('"/tmp/a \\"b\\""'));
});
