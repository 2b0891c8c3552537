import assert from 'node:assert/strict';
import test from 'node:test';
import { instructionAt, matcher, parseText, pieces, topLevel, usesOf } from '../../src/graph/text';

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
  assert.deepEqual(text.heads, [{ line: 2, name: 'add', entry: false }, { line: 8, name: 'main', entry: true }]);
  assert.equal(text.defined.get('reduce.1'), 11);
  assert.equal(text.defined.get('add'), 2);
});

test('short text has the same definitions', () => {
  const short = LONG.replaceAll('%', '').replace(/ \(.*\) -> .* \{/g, ' {');
  const a = parseText(LONG), b = parseText(short);
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
  const uses = usesOf(parseText(LONG));
  assert.deepEqual(uses.get('x'), [11]);
  assert.deepEqual(uses.get('add'), [11]);
  assert.equal(uses.get('reduce.1'), undefined);
});

test('pieces keep every character and know what they are', () => {
  const text = parseText(LONG);
  for (const line of text.lines) assert.equal(pieces(line, text.defined).map((piece) => piece.text).join(''), line);
  const kinds = pieces(text.lines[11], text.defined).filter((piece) => piece.kind !== 'text').map((piece) => [piece.kind, piece.text]);
  assert.deepEqual(kinds, [['defined', '%reduce.1'], ['opcode', 'reduce'], ['name', '%x'], ['name', '%zero'], ['key', 'dimensions'],
    ['key', 'to_apply'], ['name', '%add'], ['key', 'metadata'], ['quote', '"a, (b) %x"']]);
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
  const plain = matcher('ReDuce'), regex = matcher('/^ENTRY/'), broken = matcher('/(/');
  assert.ok(plain && 'test' in plain && plain.test('a reduce b'));
  assert.ok(regex && 'test' in regex && regex.test('ENTRY x') && !regex.test('an ENTRY'));
  assert.ok(broken && 'error' in broken);
  assert.equal(matcher(''), null);
});
