import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyChange, flushView, formatView, isPush, meant, parseView, perRun, setView, view } from '../../src/app/router';

test('a view survives the address', () => {
  const state = {
    run: 'ci/train v5e/c41d9e2/x',
    tool: 'graph',
    module: 'jit_f(18)',
    op: '%fusion.21',
    filter: '/f32.*[8,512]/ & ü',
    from: '10',
  };
  const text = formatView(state);
  assert.deepEqual(parseView(`#${text}`), state);
  assert.ok(text.startsWith('run=ci/train%20v5e/c41d9e2/x&tool=graph&module='), text);
  assert.equal(formatView(parseView(text)), text);
});

test('what people paste', () => {
  assert.deepEqual(parseView(''), {});
  assert.deepEqual(parseView('#'), {});
  assert.deepEqual(parseView('#&&=x&run'), {});
  assert.deepEqual(parseView('#run=a+b'), { run: 'a b' });
  assert.deepEqual(parseView('#run=%E0%A4%A'), { run: '%E0%A4%A' });
  assert.deepEqual(parseView('#__proto__=1&constructor=2&run=a'), { run: 'a' });
  assert.deepEqual(parseView('#run=a=b'), { run: 'a=b' });
});

test('empty values leave the address', () => {
  assert.equal(formatView({ run: 'a', host: undefined, filter: '' }), 'run=a');
  const state = applyChange({ run: 'a', pin: '3' }, { pin: null, step: 0, table: true, by: false, fold: undefined });
  assert.deepEqual(state, { run: 'a', step: '0', table: '1' });
});

test('a new run, module or space drops what hung on the old one', () => {
  const state = { run: 'a', host: 'h', module: 'm', space: '0', hbm: '9', step: '5', pin: '3', tab: 'buffers', unit: 'mib' };
  assert.deepEqual(applyChange(state, { run: 'b' }), { run: 'b', unit: 'mib' });
  assert.deepEqual(applyChange(state, { module: 'n' }), { run: 'a', host: 'h', module: 'n', hbm: '9', tab: 'buffers', unit: 'mib' });
  assert.deepEqual(applyChange(state, { space: 1, step: 7 }), {
    ...{ run: 'a', host: 'h', module: 'm', space: '1', hbm: '9' },
    ...{ step: '7', tab: 'buffers', unit: 'mib' },
  });
  // The same value again changes nothing.
  assert.deepEqual(applyChange(state, { run: 'a', module: 'm', space: '0' }), state);
});

test('what belongs to one run does not follow into another', () => {
  const measure = perRun('select');
  setView({ run: 'a', mode: 'report', w: '3:drop', base: 'z' });
  measure.value = 'measure';
  setView({ step: 4 });
  assert.equal(measure.value, 'measure');
  setView({ only: 'h' });
  assert.equal(measure.value, 'select', 'nor from one host to another alone');
  measure.value = 'measure';
  setView({ run: 'b' });
  assert.equal(measure.value, 'select');
  assert.deepEqual(view.value, { run: 'b', base: 'z' }, 'a pinned baseline is no state of the run');
  setView(Object.fromEntries(Object.keys(view.value).map((key) => [key, null])));
});

test('a link that is followed while a change waits to be written is not overwritten by it', () => {
  const at = { pathname: '/', search: '', hash: '' };
  const written: string[] = [];
  const replace = (_: unknown, __: string, url: string) => {
    written.push(url);
    at.hash = url.slice(1);
  };
  Object.assign(globalThis, { location: at, history: { pushState: replace, replaceState: replace } });
  try {
    setView({ run: 'a' }, { push: true });
    setView({ filter: 'x' }, { push: false });
    flushView();
    assert.deepEqual(written, ['/#run=a', '/#run=a&filter=x']);
    setView({ filter: 'xy' }, { push: false });
    at.hash = '#run=a&pin=3';
    flushView();
    assert.equal(at.hash, '#run=a&pin=3');
    assert.deepEqual(view.value, { run: 'a', pin: '3' });
    setView({ filter: 'z' }, { push: false });
    flushView();
    assert.deepEqual(parseView(at.hash), { run: 'a', pin: '3', filter: 'z' }, 'what is changed then is written again');
    at.hash = '#run=a&pin=4';
    setView({ tool: 'graph' });
    assert.deepEqual(view.value, { run: 'a', pin: '4', tool: 'graph' }, 'a change right after a link is one of the view it leads to');
    assert.deepEqual(parseView(at.hash), view.value);
  } finally {
    Object.assign(globalThis, { location: undefined, history: undefined });
    setView(Object.fromEntries(Object.keys(view.value).map((key) => [key, null])));
  }
});

test('the default module by its name is no other module', () => {
  const state = { run: 'a', mode: 'report', rtab: 'ops', steps: '1' };
  assert.deepEqual(applyChange(state, { tool: 'graph', module: 'jit_f(1)' }), { run: 'a', mode: 'report', tool: 'graph', module: 'jit_f(1)' });
  meant.module = () => 'jit_f(1)';
  assert.deepEqual(applyChange(state, { tool: 'graph', module: 'jit_f(1)' }), { ...state, tool: 'graph', module: 'jit_f(1)' });
  assert.deepEqual(applyChange(state, { module: 'jit_g(2)' }), { run: 'a', mode: 'report', module: 'jit_g(2)' });
  meant.module = () => undefined;
});

test('what the back button undoes', () => {
  assert.equal(isPush({ run: 'a' }, { run: 'a', pin: '1' }), true);
  assert.equal(isPush({ run: 'a' }, { run: 'a', tool: 'graph' }), true);
  assert.equal(isPush({ run: 'a', from: '1' }, { run: 'a', from: '2', step: '1' }), false);
});

test('setView without a browser', () => {
  setView({ run: 'x', step: 4 });
  assert.deepEqual(view.value, { run: 'x', step: '4' });
  const before = view.value;
  setView({ step: '4' });
  assert.equal(view.value, before);
});
