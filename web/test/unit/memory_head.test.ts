import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitOf, fittingLabel, headBar, sentenceParts, sentenceText } from '../../src/memory/head_parts';
import { foldStop, foldStops } from '../../src/memory/fold_box';
import { parseSize } from '../../src/memory/sizes';
import { cutParts, shortParts } from '../../src/memory/oom_text';
import { scopeParts } from '../../src/memory/op_path';
import { csvCell, csvText } from '../../src/app/exports';
import type { Split } from '../../src/api/types';

const split = (over: Partial<Split> = {}): Split => ({
  argument_bytes: 100,
  output_bytes: 0,
  alias_bytes: 90,
  constant_bytes: 0,
  thread_local_bytes: 5,
  temp_bytes: 300,
  untraced_bytes: 0,
  fragmentation_bytes: 20,
  padding: { argument_bytes: 10, output_bytes: 0, constant_bytes: 0, temp_bytes: 75 },
  ...over,
});
const peak = { held_bytes: 400, unpadded_bytes: 315, step: 1, instruction: null, instruction_id: null, opcode: null };

test('the bar is the capacity, classes without bytes stay in the list', () => {
  const bar = headBar({ split: split(), capacity_bytes: 1000, reserved_bytes: 420, peak });
  assert.equal(bar.scale, 1000);
  assert.equal(bar.limit, null);
  assert.deepEqual(
    bar.segments.map((s) => [s.id, s.bytes]),
    [
      ['param', 100],
      ['output', 0],
      ['const', 0],
      ['temp', 300],
      ['frag', 20],
      ['free', 580],
    ],
  );
  assert.equal(bar.segments[3].left, 0.1);
  assert.equal(bar.segments[3].padded, 0.25);
});

test('above capacity the bar is the program, with a limit inside and nothing free', () => {
  const bar = headBar({ split: split(), capacity_bytes: 250, reserved_bytes: 420, peak });
  assert.equal(bar.scale, 420);
  assert.equal(bar.limit, 250 / 420);
  assert.equal(bar.segments.find((s) => s.id === 'free')?.bytes, 0);
});

test('without a capacity the bar ends at what is reserved', () => {
  const bar = headBar({ split: split(), capacity_bytes: null, reserved_bytes: 420, peak });
  assert.equal(bar.scale, 420);
  assert.ok(!bar.segments.some((s) => s.id === 'free'));
});

test('fragmentation is one number: reserved minus peak, what has no heap events included', () => {
  const bar = headBar({ split: split({ fragmentation_bytes: 70, untraced_bytes: 50 }), capacity_bytes: null, reserved_bytes: 470, peak });
  assert.equal(bar.segments.find((s) => s.id === 'frag')?.bytes, 70);
  assert.equal(
    bar.segments.find((s) => s.id === 'untraced'),
    undefined,
  );
  assert.equal(
    bar.segments.reduce((sum, s) => sum + s.bytes, 0),
    470,
  );
});

test('a heap without events is a part of its own, not fragmentation', () => {
  const bar = headBar({
    split: split({ temp_bytes: null, fragmentation_bytes: null, untraced_bytes: 290 }),
    capacity_bytes: null,
    reserved_bytes: 400,
    peak: { ...peak, held_bytes: 100 },
  });
  assert.equal(bar.scale, 400);
  assert.deepEqual(
    bar.segments.map((s) => [s.id, s.bytes]),
    [
      ['param', 100],
      ['output', 0],
      ['const', 0],
      ['temp', 0],
      ['untraced', 300],
      ['frag', 0],
    ],
  );
});

test('segments never add up to more than the bar', () => {
  for (const capacity of [null, 10, 419, 420, 421, 5000]) {
    const bar = headBar({ split: split({ untraced_bytes: 9, fragmentation_bytes: 29 }), capacity_bytes: capacity, reserved_bytes: 429, peak });
    assert.ok(bar.segments.reduce((sum, s) => sum + s.width, 0) <= 1 + 1e-9);
  }
});

test('one full stop between sentence and advice', () => {
  const parts = [
    { kind: 'code', text: '6 × f32[8]' },
    { kind: 'text', text: ' hold ' },
    { kind: 'number', text: '3.0 MiB' },
  ] as const;
  assert.equal(sentenceText(sentenceParts(parts, 'In bf16 it would be less.')), '6 × f32[8] hold 3.0 MiB. In bf16 it would be less.');
  assert.equal(sentenceText(sentenceParts(parts, null)), '6 × f32[8] hold 3.0 MiB.');
  assert.equal(sentenceText(sentenceParts([{ kind: 'text', text: 'Done.' }], null)), 'Done.');
  assert.deepEqual(sentenceParts([], null), []);
  assert.equal(sentenceText(sentenceParts([], 'Only advice.')), 'Only advice.');
});

test('labels by room', () => {
  assert.equal(fittingLabel(['Temporaries 4,987.1', '4,987.1'], 200), 'Temporaries 4,987.1');
  assert.equal(fittingLabel(['Temporaries 4,987.1', '4,987.1'], 70), '4,987.1');
  assert.equal(fittingLabel(['Temporaries 4,987.1', '4,987.1'], 20), '');
});

test('does it fit', () => {
  assert.deepEqual(fitOf(100, 200), { fits: true, over: 0, share: 0.5 });
  assert.deepEqual(fitOf(300, 200), { fits: false, over: 100, share: 1.5 });
  assert.deepEqual(fitOf(300, null), { fits: null, over: 0, share: null });
  assert.equal(fitOf(200, 200).fits, true);
});

test('sizes as people type them', () => {
  assert.equal(parseSize('16GiB'), 16 * 2 ** 30);
  assert.equal(parseSize('16G'), 16 * 2 ** 30);
  assert.equal(parseSize(' 15.75g '), 16911433728);
  assert.equal(parseSize('16 GB'), 16e9);
  assert.equal(parseSize('17179869184'), 2 ** 34);
  assert.equal(parseSize('17,179,869,184 bytes'), 2 ** 34);
  assert.equal(parseSize('512MiB'), 2 ** 29);
  for (const bad of ['', 'x', '-3G', '0', '16 PiB', '1e99', '16GiBs']) assert.equal(parseSize(bad), null, bad);
});

test('stops of the fold slider', () => {
  const stops = foldStops(16384);
  const at = (bytes: number) => stops[foldStop(bytes, stops)];
  assert.equal(stops[0], 0);
  assert.equal(stops[stops.length - 1], 2 ** 19);
  assert.deepEqual([16384, 0, 5000, 2 ** 40].map(at), [16384, 0, 4096, 2 ** 19]);
  assert.deepEqual(foldStops(2 ** 20).slice(0, 3), [0, 2 ** 15, 2 ** 16]);
  assert.deepEqual(foldStops(0), [0, 1, 2, 4, 8, 16, 32], 'a peak of a few bytes folds nothing');
});

test('an error text is cut at byte offsets, also after other scripts', () => {
  const text = 'Größe 22.90G of 15.75G';
  const offset = new TextEncoder().encode('Größe ').length;
  assert.deepEqual(cutParts(text, [{ offset_bytes: offset, size_bytes: 6, what: 'needed' }]), [
    { text: 'Größe ', what: null },
    { text: '22.90G', what: 'needed' },
    { text: ' of 15.75G', what: null },
  ]);
  const wild = [
    { offset_bytes: 2, size_bytes: 4, what: 'a' },
    { offset_bytes: 3, size_bytes: 2, what: 'b' },
    { offset_bytes: 1, size_bytes: 900, what: 'c' },
    { offset_bytes: 0, size_bytes: 0, what: 'd' },
  ];
  assert.equal(
    cutParts(text, wild)
      .map((part) => part.text)
      .join('').length > 0,
    true,
  );
  assert.deepEqual(cutParts('', []), []);
});

test('a long error is shortened and the rest counted', () => {
  const parts = [
    { text: 'a'.repeat(400), what: null },
    { text: 'b'.repeat(100), what: 'x' },
    { text: 'c'.repeat(50), what: null },
  ];
  const short = shortParts(parts, 420);
  assert.equal(short.cut, 130);
  assert.equal(short.parts.length, 2);
  const lines = shortParts([
    { text: 'one\ntwo\nthree\nfour', what: null },
    { text: 'x', what: 'y' },
  ]);
  assert.equal(lines.parts.length, 1);
  assert.equal(lines.parts[0].text, 'one\ntwo\nthree … ');
  assert.equal(shortParts([{ text: 'one\ntwo\nthree\n\n', what: null }]).cut, 0);
  assert.deepEqual(shortParts([{ text: 'short', what: null }]), { parts: [{ text: 'short', what: null }], cut: 0 });
});

test('parts of an op name; brackets keep their slashes', () => {
  assert.deepEqual(
    scopeParts('jit(f)/transpose(jvp(a/b))/dot').map((p) => p.name),
    ['jit(f)', 'transpose(jvp(a/b))', 'dot'],
  );
  assert.equal(scopeParts('a/b/c')[1].prefix, 'a/b');
  assert.deepEqual(scopeParts(''), []);
  assert.deepEqual(
    scopeParts("params['w']").map((p) => p.name),
    ["params['w']"],
  );
});

test('CSV cells: quotes, and no formulas for spreadsheets', () => {
  assert.equal(csvCell('a,"b"'), '"a,""b"""');
  assert.equal(csvCell('=1+1'), "'=1+1");
  assert.equal(csvCell(null), '');
  assert.equal(csvText(['a', 'b'], [['x', 1]]), 'a,b\r\nx,1\r\n');
});
