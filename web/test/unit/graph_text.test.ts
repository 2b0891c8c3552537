import assert from 'node:assert/strict';
import test from 'node:test';
import { findLines, hitFrom, matcher } from '../../src/graph/find';
import { rowsOf } from '../../src/graph/fold';
import { framesOf, metaOf, pillsOf } from '../../src/graph/meta';
import { headOf, instructionAt, lineAt, parseText, pieces, topLevel, usesOf } from '../../src/graph/text';

const LONG = `HloModule m, is_scheduled=true, entry_computation_layout={(f32[2]{0})->f32[]}

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

ENTRY %main (x: f32[2]) -> f32[] {
  %x = f32[2]{0:T(128)} parameter(0)
  %zero = f32[] constant(0)
  ROOT %reduce.1 = f32[] reduce(%x, %zero), dimensions={0}, to_apply=%add, metadata={op_name="a, (b) %x"}
}
`;

test('computations and definitions', () => {
  const text = parseText(LONG);
  assert.deepEqual(text.heads, [
    { line: 2, end: 6, name: 'add', entry: false },
    { line: 8, end: 12, name: 'main', entry: true },
  ]);
  assert.equal(text.defined.get('reduce.1'), 11);
  assert.equal(text.defined.get('add'), 2);
});

test('short text has the same definitions', () => {
  const short = LONG.replaceAll('%', '').replace(/ \(.*\) -> .* \{/g, ' {');
  const a = parseText(LONG),
    b = parseText(short);
  assert.deepEqual([...b.defined], [...a.defined]);
  assert.deepEqual(instructionAt(b, 11)?.operands, instructionAt(a, 11)?.operands);
});

test('an instruction in its parts', () => {
  const text = parseText(LONG);
  const reduce = instructionAt(text, 11);
  assert.ok(reduce);
  assert.equal(reduce.name, 'reduce.1');
  assert.equal(reduce.root, true);
  assert.equal(reduce.shape, 'f32[]');
  assert.equal(reduce.opcode, 'reduce');
  assert.deepEqual(reduce.operands, ['x', 'zero']);
  assert.deepEqual(reduce.others, ['add']);
  assert.deepEqual(reduce.attributes, ['dimensions={0}', 'to_apply=%add', 'metadata={op_name="a, (b) %x"}']);
  assert.equal(reduce.computation, 'main');
  assert.equal(instructionAt(text, 9)?.shape, 'f32[2]{0:T(128)}');
  assert.equal(instructionAt(text, 0), null);
});

test('uses are lines, and quoted names are none', () => {
  const text = parseText(LONG);
  assert.deepEqual(usesOf(text, 'x'), [11]);
  assert.deepEqual(usesOf(text, 'add'), [11]);
  assert.deepEqual(usesOf(text, 'a'), [5]);
  assert.deepEqual(usesOf(text, 'reduce.1'), []);
});

test('offsets, computations around a line, folding', () => {
  const text = parseText(LONG);
  for (let i = 0; i < text.lines.length; i++) assert.equal(lineAt(text, text.starts[i]), i);
  assert.equal(lineAt(text, text.starts[3] - 1), 2);
  assert.equal(headOf(text, 5)?.name, 'add');
  assert.equal(headOf(text, 7), null);
  assert.equal(headOf(text, 12)?.name, 'main');
  const rows = rowsOf(text, new Set([2]));
  assert.equal(rows.count, text.lines.length - 4);
  assert.deepEqual([0, 1, 2, 3, 4].map(rows.lineOf), [0, 1, 2, 7, 8]);
  assert.deepEqual([1, 2, 3, 6, 7, 8].map(rows.rowOf), [1, 2, 2, 2, 3, 4]);
  assert.equal(rowsOf(text, new Set()).count, text.lines.length);
  // A text that stops in the middle of a computation.
  const cut = parseText(LONG.slice(0, LONG.indexOf('ROOT %reduce')));
  assert.equal(cut.heads[1].end, cut.lines.length - 1);
});

test('find: upper and lower case alike, patterns, from a line on and back', () => {
  const text = parseText(LONG);
  assert.deepEqual(findLines(text, 'F32[2]').lines, [0, 8, 9]);
  assert.deepEqual(findLines(text, '/^ENTRY/').lines, [8]);
  assert.ok(findLines(text, '/(/').error);
  // A letter that grows when it is made small shifts nothing.
  const odd = parseText(`\u0130 x\n${LONG}`);
  assert.deepEqual(findLines(odd, 'entry %').lines, [9]);
  assert.equal(hitFrom([2, 5, 9], 5, 1), 1);
  assert.equal(hitFrom([2, 5, 9], 6, 1), 2);
  assert.equal(hitFrom([2, 5, 9], 10, 1), 0);
  assert.equal(hitFrom([2, 5, 9], 4, -1), 0);
  assert.equal(hitFrom([2, 5, 9], 1, -1), 2);
  assert.equal(hitFrom([], 1, 1), -1);
});

test('pills hold metadata and configs and nothing else; metadata is read', () => {
  const line = '  %x = f32[] add(%a, "}, metadata={"), kind=k, metadata={op_name="a, \\"b\\" }" stack_frame_id=2}, backend_config={"a":{"b":[1]}}, x=1';
  assert.deepEqual(
    pillsOf(line).map((pill) => line.slice(pill.from, pill.to)),
    [', metadata={op_name="a, \\"b\\" }" stack_frame_id=2}', ', backend_config={"a":{"b":[1]}}'],
  );
  assert.deepEqual(
    pillsOf('  y = f32[] custom-call(), backend_config="{a, b}"').map((pill) => pill.to),
    [50],
  );
  assert.deepEqual(pillsOf('HloModule m, metadata={a}'), []);
  assert.equal(metaOf(line)?.opName, 'a, "b" }');
  assert.equal(metaOf(line)?.frame, 2);
  const old = metaOf('  y = f32[] add(a), metadata={op_type="t" op_name="n" source_file="/a/b.py" source_line=12}');
  assert.deepEqual([old?.opName, old?.file, old?.line, old?.frame], ['n', '/a/b.py', 12, null]);
});

test('stack frames, inner first; the parent that XLA prints is one more than its number', () => {
  const tables =
    'HloModule m\n\nFileNames\n1 "/x/train.py"\n\nFunctionNames\n1 "step"\n2 "block"\n\nFileLocations\n1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}\n2 {file_name_id=1 function_name_id=2 line=90 end_line=90 column=1 end_column=2}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n\n';
  const text = parseText(`${tables}c {\n  y = f32[] add(a), metadata={op_name="n" stack_frame_id=2}\n}\n`);
  assert.deepEqual(framesOf(text, metaOf(text.lines[text.defined.get('y') ?? 0])), [
    { file: '/x/train.py', line: 90, function: 'block' },
    { file: '/x/train.py', line: 7, function: 'step' },
  ]);
});

test('pieces keep every character and know what they are', () => {
  const text = parseText(LONG);
  for (const line of text.lines)
    assert.equal(
      pieces(line, text.defined)
        .map((piece) => piece.text)
        .join(''),
      line,
    );
  const kinds = pieces(text.lines[11], text.defined)
    .filter((piece) => !['text', 'type', 'layout'].includes(piece.kind))
    .map((piece) => [piece.kind, piece.text]);
  assert.deepEqual(kinds, [
    ['defined', '%reduce.1'],
    ['opcode', 'reduce'],
    ['name', '%x'],
    ['name', '%zero'],
    ['key', 'dimensions'],
    ['key', 'to_apply'],
    ['name', '%add'],
    ['key', 'metadata'],
    ['quote', '"a, (b) %x"'],
  ]);
  const shapes = pieces(text.lines[9], text.defined)
    .filter((piece) => piece.kind === 'type' || piece.kind === 'layout')
    .map((piece) => piece.text);
  assert.deepEqual(shapes, ['f32[2]', '{0:T(128)}']);
});

test('a tuple shape with comments and nested brackets', () => {
  const text = parseText('c {\n  t = (f32[2]{0:T(8,128)}, /*index=1*/(s32[], u8[3])) tuple(a, b), x={1, {2}}, y="p,q"\n}');
  const tuple = instructionAt(text, 1);
  assert.equal(tuple?.shape, '(f32[2]{0:T(8,128)}, /*index=1*/(s32[], u8[3]))');
  assert.equal(tuple?.opcode, 'tuple');
  assert.deepEqual(tuple?.attributes, ['x={1, {2}}', 'y="p,q"']);
});

test('cutting at commas outside brackets and quotes', () => {
  assert.deepEqual(topLevel('a={1,2}, b="x, \\", y", c'), ['a={1,2}', 'b="x, \\", y"', 'c']);
  assert.deepEqual(topLevel(''), []);
});

test('what a person types', () => {
  const plain = matcher('ReDuce'),
    regex = matcher('/^ENTRY/'),
    broken = matcher('/(/');
  assert.ok(plain && 'test' in plain && plain.test('a reduce b'));
  assert.ok(regex && 'test' in regex && regex.test('ENTRY x') && !regex.test('an ENTRY'));
  assert.ok(broken && 'error' in broken);
  assert.equal(matcher(''), null);
});
