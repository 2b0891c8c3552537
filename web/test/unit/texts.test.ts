/** Words and numbers of single views that stand in a file of their own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputLanesAnswer } from '../../src/api/answers';
import type { Tree } from '../../src/api/types';
import { changeText, counted, exactText, perWord, valueText, whole } from '../../src/heap/words';
import { barAt, frameOf, LANES, lanesHeight } from '../../src/input/draw';
import { cellText, sizeText } from '../../src/memory/bytes';
import { treeRows } from '../../src/memory/tree_rows';
import { lossChange, opsChange, placeOf, sourceChange, verdictChange } from '../../src/overview/links';
import { pageUnit } from '../../src/util/format';

const MIB = 2 ** 20;

test('heap: values in the unit of the file', () => {
  assert.deepEqual(
    [valueText(1.5 * MIB, 'bytes'), valueText(2500, 'ns'), valueText(-2500, 'ns'), valueText(12345, 'count')],
    ['1.5 MiB', '2.50 µs', '−2.50 µs', '12,345'],
  );
  assert.deepEqual([valueText(null, 'bytes'), changeText(null, 'bytes')], ['', '']);
  assert.deepEqual([changeText(5, 'count'), changeText(0, 'count')], ['+5', '0']);
  assert.deepEqual([exactText(1024, 'bytes'), exactText(1500, 'ns'), exactText(1500, 'count')], ['1,024 bytes', '1,500 ns', '1,500']);
  assert.deepEqual(
    [counted({ format: 'jax' }), counted({ format: 'heap' }), whole({ unit: 'bytes', type: 'space' }), whole({ unit: 'ns', type: 'cpu' })],
    ['buffer', 'allocation', 'live', 'in all'],
  );
  assert.equal(whole({ unit: 'bytes', type: 'alloc_space' }), 'allocated');
  assert.deepEqual([perWord({ steps: true }), perWord({ steps: false })], ['a step', 'a file']);
});

test('memory: a small part has its own unit, the rest the page', () => {
  pageUnit.value = 'MiB';
  assert.deepEqual([512 * MIB, 80 * 1024, null].map(sizeText), ['512.0 MiB', '80.0 KiB', 'unknown']);
  assert.deepEqual([cellText(512 * MIB), cellText(80 * 1024)], ['512.0', '80.0 KiB']);
});

test('memory: rows of the tree are indented below the one of all', () => {
  const t = {
    n: 3,
    names: ['', 'layer', '[self]'],
    name: [0, 1, 2],
    depth: [0, 1, 2],
    size_bytes: [30, 30, 10],
    padding_bytes: [0, 0, 0],
    count: [3, 3, 1],
    repeats: [1, 1, 28],
    group: [0, 0, 0],
  };
  const rows = treeRows(t as unknown as Tree);
  assert.deepEqual(
    rows.map((row) => String(row[0]).length - String(row[0]).trimStart().length),
    [0, 0, 1],
  );
  assert.equal(rows[0][0], 'all');
  assert.equal(String(rows[2][0]).trim(), 'itself');
  assert.equal(treeRows({ ...t, repeats: [1, 28, 1] } as unknown as Tree)[1][0], 'layer \u00d7 28');
  assert.deepEqual(
    rows.map((row) => row[1]),
    [30, 30, 10],
  );
});

test('input: the bar under a pixel, none beside the bars', () => {
  const f = frameOf(1000);
  const middle = (k: number) => f.left + ((f.right - f.left) * (k + 0.5)) / 4;
  assert.deepEqual(
    [0, 1, 2, 3].map((k) => barAt(f, 4, middle(k))),
    [0, 1, 2, 3],
  );
  assert.deepEqual([barAt(f, 4, f.left - 1), barAt(f, 4, f.right), barAt(f, 0, middle(1))], [-1, -1, -1]);
  assert.ok(frameOf(0).right > frameOf(0).left, 'a frame has a width before it is laid out');
});

test('input: lanes of the program, its devices and a few loaders', () => {
  const roles = ['program', ...Array.from({ length: LANES + 3 }, () => 'loader'), 'device'];
  const height = (of: string[]) => lanesHeight({ lanes: of.map((role) => ({ role })) } as unknown as InputLanesAnswer);
  assert.equal(height(roles), height(roles.slice(0, LANES + 1).concat('device')));
  assert.ok(height(['program', 'device']) < height(['program', 'loader', 'device']));
});

test('overview: where its numbers lead', () => {
  assert.deepEqual(lossChange('collectives'), { tool: 'ops', ofilter: 'group:coll' });
  assert.equal(lossChange('idle')?.tool, 'trace');
  assert.deepEqual(verdictChange({ kind: 'memory', host: null }), { tool: 'ops', ofilter: 'bound:hbm' });
  assert.equal(verdictChange({ kind: 'input', host: 'a' }).tool, 'input');
  assert.deepEqual([placeOf('steps')?.word, placeOf('nowhere'), placeOf(null)], ['gaps', undefined, undefined]);
  assert.deepEqual(sourceChange('/home/me/model.py', 7), { tool: 'ops', ofilter: 'src:model.py:7' });
  assert.deepEqual(sourceChange('model.py', null), { tool: 'ops', ofilter: 'src:model.py' });
});

test('overview: operations by their names, as many as an expression of the server takes', () => {
  assert.deepEqual(opsChange(['fusion.1'], 'jit_step'), { change: { tool: 'ops', osel: 'fusion.1:jit_step', ofilter: null }, shown: 1 });
  assert.deepEqual(opsChange(['a.1', 'b(2)'], 'jit_step').change, { tool: 'ops', ofilter: 'name:/^(a\\.1|b\\(2\\))$/', module: 'jit_step' });
  for (const [count, shown] of [
    [200, 200],
    [1000, 433],
  ]) {
    const names = Array.from({ length: count }, (_, k) => `fusion.${1000 + k}`);
    const link = opsChange(names, null);
    assert.equal(link.shown, shown);
    const terms = String(link.change.ofilter).split(' | ');
    assert.ok(terms.length <= 64 && terms.every((x) => x.length <= 256 && /^name:\/\^\(\S+\)\$\/$/.test(x)), terms[0]);
    const found = names.filter((name) => terms.some((x) => new RegExp(x.slice('name:/'.length, -1)).test(name)));
    assert.deepEqual(found, names.slice(0, shown));
  }
});
