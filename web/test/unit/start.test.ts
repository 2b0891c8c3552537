import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Card } from '../../src/api/types';
import { CHIPS, inFolder, parseFilter, parseSize } from '../../src/start/filter';
import { wantedCards } from '../../src/start/state';
import { differsAt, middleCut } from '../../src/start/path_cut';
import { changesOf, namesMoment, parseOrder, pathKey, type RunRow, sortRows, together } from '../../src/start/rows';
import { ancestors, foldersOf, treeOf } from '../../src/start/tree';

function row(id: string, time: number, card: Partial<Card> | null = {}): RunRow {
  const at = id.lastIndexOf('/');
  return {
    id,
    name: id.slice(at + 1),
    folder: at < 0 ? '' : id.slice(0, at),
    label: id,
    lead: null,
    under: false,
    kind: 'profile',
    time,
    size: 1000,
    hosts: ['host0'],
    card: card === null ? undefined : ({ module_name: 'jit_f', device_type: 'v5e', peak_bytes: 1, ...card } as Card),
    cardError: undefined,
    problem: null,
    change: { kind: 'reading' },
    gone: false,
  };
}

test('sizes of a filter', () => {
  assert.equal(parseSize('10GiB'), 10 * 2 ** 30);
  assert.equal(parseSize('1.5 mib'), 1.5 * 2 ** 20);
  assert.equal(parseSize('2MB'), 2e6);
  assert.equal(parseSize('7'), 7);
  assert.equal(parseSize('.5k'), 512);
  assert.equal(parseSize('GiB'), null);
  assert.equal(parseSize('1 parsec'), null);
});

test('filter words must all hold', () => {
  const big = row('ci/train/big', 1, { peak_bytes: 11 * 2 ** 30 });
  const small = row('ci/train/small', 1, { peak_bytes: 2 ** 20 });
  assert.equal(parseFilter('peak>10GiB')(big), true);
  assert.equal(parseFilter('peak > 10 GiB')(big), true);
  assert.equal(parseFilter('peak>10GiB')(small), false);
  assert.equal(parseFilter('peak<=1MiB')(small), true);
  assert.equal(parseFilter('train small')(small), true);
  assert.equal(parseFilter('train small')(big), false);
  assert.equal(parseFilter('host:host0')(big), true);
  assert.equal(parseFilter('host:host1')(big), false);
  assert.equal(parseFilter('JIT_F')(big), true);
  assert.equal(parseFilter('warn')(big), false);
  assert.equal(parseFilter('warn')({ ...big, problem: { severity: 'warning', text: 'x', more: 0 } }), true);
  assert.equal(parseFilter('')(big), true);
  // A number that is not known matches no comparison; a word that only looks like one is text.
  assert.equal(parseFilter('peak>0')(row('a', 1, null)), false);
  assert.equal(parseFilter('peak>abc')(big), false);
  assert.equal(parseFilter('constructor:x')(big), false);
});

test('chips and folders', () => {
  const chip = (id: string) => CHIPS.find((item) => item.id === id)!.test;
  const held = row('a/b/c', 1, { holds: { memory: null, trace: 'never ran', graph: null } });
  assert.equal(chip('memory')(held), true);
  assert.equal(chip('trace')(held), false);
  assert.equal(chip('')(held), true);
  assert.equal(inFolder(held, 'a'), true);
  assert.equal(inFolder(held, 'a/b'), true);
  assert.equal(inFolder(held, 'a/bb'), false);
  assert.equal(inFolder(held, undefined), true);
});

test('parts of a path that name a moment', () => {
  for (const part of ['2025_03_11_19_41_39', '20250311', '2025-03-11', '2025_03_11', 'c41d9e2', '1762345678']) {
    assert.equal(namesMoment(part), true, part);
  }
  for (const part of ['train', 'v5e', 'run0', 'deadbeef', 'n-0611', 'train-v5e', '12']) {
    assert.equal(namesMoment(part), false, part);
  }
  assert.equal(pathKey('ci/train-v5e/c41d9e2'), 'ci/train-v5e');
  assert.equal(pathKey('nightly/2025_03_11/x'), 'nightly/x');
});

test('change against the run before on the same path', () => {
  const rows = [
    row('ci/train/c41d9e2/remat', 30, { peak_bytes: 100 }),
    row('ci/train/8b02f7a/noremat', 20, { peak_bytes: 250 }),
    row('ci/train/5e1a6c0/noremat', 10, { peak_bytes: 250 }),
    row('ci/other/5e1a6c0/noremat', 5, { peak_bytes: 7 }),
  ];
  changesOf(rows);
  const [first, second, third, other] = rows.map((item) => item.change);
  assert.deepEqual([first.kind, first.kind === 'delta' && first.bytes], ['delta', -150]);
  assert.equal(first.kind === 'delta' && first.before.id, 'ci/train/8b02f7a/noremat');
  assert.deepEqual([second.kind, second.kind === 'delta' && second.bytes], ['delta', 0]);
  assert.equal(third.kind, 'first');
  assert.equal(other.kind, 'first');
});

test('two programs in one folder are not before and after', () => {
  const rows = [row('local/convnet', 20), row('local/mlp', 10)];
  changesOf(rows);
  assert.equal(rows[0].change.kind, 'first');
  const stamped = [row('local/2025_03_12', 20, { peak_bytes: 5 }), row('local/2025_03_11', 10, { peak_bytes: 3 })];
  changesOf(stamped);
  assert.equal(stamped[0].change.kind === 'delta' && stamped[0].change.bytes, 2);
});

test('unknown, other devices, and cards that are not there yet', () => {
  const rows = [row('a/f', 40, { peak_bytes: null }), row('b/f', 40, { device_type: 'v6e' }), row('b/f', 30), row('c/f', 40), row('c/f', 30, null)];
  changesOf(rows);
  assert.deepEqual(
    rows.map((item) => item.change.kind),
    ['unknown', 'other', 'first', 'reading', 'reading'],
  );
});

/** The change of the first row: its kind, and by how much. */
function firstChange(rows: RunRow[]): [string, number?] {
  changesOf(rows);
  const { change } = rows[0];
  return change.kind === 'delta' ? ['delta', change.bytes] : [change.kind];
}

test('the run before is known before all older ones are read, when none of them can be it', () => {
  const newest = row('a/2025_03_12', 40, { peak_bytes: 9 });
  assert.deepEqual(firstChange([newest, row('a/2025_03_11', 30, { peak_bytes: 4 }), row('a/2025_03_10', 20, null)]), ['delta', 5]);
  // One that is not read and lies between could be it.
  assert.deepEqual(firstChange([newest, row('a/2025_03_11', 30, null), row('a/2025_03_10', 20)]), ['reading']);
  // So could an older one of the same name: names go before age.
  const [named, other] = [row('a/1111111/f', 40, { peak_bytes: 9 }), row('a/2222222/g', 30, { peak_bytes: 4 })];
  assert.deepEqual(firstChange([named, other, row('a/3333333/f', 20, null)]), ['reading']);
  assert.deepEqual(firstChange([named, other, row('a/3333333/f', 20, { peak_bytes: 1 })]), ['delta', 8]);
  // A module of another name is passed over.
  assert.deepEqual(firstChange([named, other, row('a/3333333/f', 20, { module_name: 'jit_other' })]), ['delta', 5]);
});

test('order', () => {
  assert.deepEqual(parseOrder(undefined), { by: 'when', down: true });
  assert.deepEqual(parseOrder('peak'), { by: 'peak', down: true });
  assert.deepEqual(parseOrder('-peak'), { by: 'peak', down: false });
  assert.deepEqual(parseOrder('name'), { by: 'name', down: false });
  assert.deepEqual(parseOrder('toString'), { by: 'when', down: true });
  const rows = [row('a', 1, { peak_bytes: 5 }), row('b', 2, { peak_bytes: 9 }), row('c', 3, null)];
  assert.deepEqual(
    sortRows(rows, 'peak').map((item) => item.id),
    ['b', 'a', 'c'],
  );
  assert.deepEqual(
    sortRows(rows, '').map((item) => item.id),
    ['c', 'b', 'a'],
  );
  assert.deepEqual(
    sortRows(rows, '-name').map((item) => item.id),
    ['c', 'b', 'a'],
  );
});

test('tree of folders', () => {
  const rows = [row('ci/train/c41d9e2/x', 1), row('ci/train/8b02f7a/x', 1), row('local/x', 1), row('x', 1)];
  const root = treeOf(rows, new Set(['ci/train/c41d9e2/x']));
  assert.equal(root.count, 4);
  assert.deepEqual(
    foldersOf(root, new Set()).map((item) => [item.path, item.count]),
    [
      ['ci', 2],
      ['local', 1],
    ],
  );
  const open = foldersOf(root, new Set(ancestors('ci/train')));
  assert.deepEqual(
    open.map((item) => item.path),
    ['ci', 'ci/train', 'ci/train/8b02f7a', 'ci/train/c41d9e2', 'local'],
  );
  assert.deepEqual(
    open.map((item) => item.fresh),
    [true, true, false, true, false],
  );
  assert.equal(open[3].moment, true);
});

test('entries of one experiment stand together and have one verdict', () => {
  const failed = { severity: 'error', text: 'did not compile', more: 0 };
  const same = { same_program: true };
  const aot = row('x/log/aot', 5);
  const other = row('y/log/aot', 4);
  const dump = { ...row('x/xla', 3, same), lead: 'x/log/aot', problem: failed };
  const inner = { ...row('x/xla/dump', 2, same), lead: 'x/log/aot', problem: failed };
  // A program of the same name is another one still; without memory it is unknown.
  const stranger = { ...row('x/old', 1, { same_program: false }), lead: 'x/log/aot', problem: failed };
  const unknown = { ...row('x/odd', 0, { same_program: null }), lead: 'x/log/aot' };
  const shown = together([aot, other, dump, inner, stranger, unknown]);
  assert.deepEqual(
    shown.map(({ id, under }) => [id, under]),
    [
      ['x/log/aot', false],
      ['x/xla', true],
      ['x/xla/dump', true],
      ['y/log/aot', false],
      ['x/old', false],
      ['x/odd', false],
    ],
  );
  assert.deepEqual(shown[0].problem, { ...failed, of: 'x/xla' }, 'said once, and whose it is');
  assert.deepEqual(
    shown.slice(1, 5).map(({ problem }) => problem),
    [null, null, null, failed],
    'a stranger keeps its own',
  );
  // A worse one goes before; what is the row's own needs no name.
  const warned = { ...aot, problem: { severity: 'warning', text: 'cut', more: 1 } };
  assert.deepEqual(together([warned, dump])[0].problem, { ...failed, of: 'x/xla', more: 2 });
  assert.deepEqual(together([{ ...aot, problem: failed }, dump])[0].problem, { ...failed, of: undefined });
  // Without its run (filtered away) a dump stands for itself; a card that is not there yet speaks against nothing.
  assert.deepEqual(together([dump])[0].problem, failed);
  assert.equal(together([aot, { ...row('x/xla', 3, null), lead: 'x/log/aot' }])[1].under, true);
});

test('cards are asked for when they are seen, when a change waits for them, and all when all are meant', () => {
  const rows = [row('a/2025_03_12', 40, { peak_bytes: 9 }), row('a/2025_03_11', 30, null), row('b/x', 20, null), row('c/x', 10, null)];
  changesOf(rows);
  assert.deepEqual(wantedCards(rows, ['a/2025_03_12'], undefined, false), ['a/2025_03_12', 'a/2025_03_11']);
  assert.deepEqual(wantedCards(rows, ['c/x'], undefined, false), ['c/x']);
  assert.deepEqual(wantedCards(rows, ['c/x'], rows[2], false), ['b/x', 'c/x']);
  assert.deepEqual(wantedCards(rows, ['c/x'], undefined, true), ['c/x', 'a/2025_03_12', 'a/2025_03_11', 'b/x']);
});

test('names are cut in the middle, and keep where they differ', () => {
  const names = ['train_lr_0.001_batch_64_host', 'train_lr_0.002_batch_64_host', 'other'];
  const differs = differsAt(names);
  assert.deepEqual(
    names.map((name) => differs.get(name)),
    [13, 13, 0],
  );
  const cut = (name: string, room: number) => middleCut(name, differs.get(name) ?? 0, (text) => text.length <= room);
  assert.equal(cut('other', 5), 'other');
  for (const room of [26, 20, 17, 14, 11]) {
    const [one, two] = [cut(names[0], room), cut(names[1], room)];
    assert.ok(one.length <= room && two.length <= room, `${one} ${two}`);
    assert.notEqual(one, two, `${room}: ${one}`);
    assert.match(one, /^tra?.*…/);
  }
  // Beginnings that are alike as far as one sees, ends that differ: the end is kept.
  const ends = differsAt(['/data/experiments/v5e/a', '/data/experiments/v5e/b']);
  assert.match(
    middleCut('/data/experiments/v5e/a', ends.get('/data/experiments/v5e/a') ?? 0, (text) => text.length <= 9),
    /^\/dat.*….*\/a$/,
  );
});
