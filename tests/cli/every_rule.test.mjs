// Every rule of the doctor has a program on which it speaks and one on which it does not: real ones where there are
// any, else made by hand in tests/unit/doctor. A rule that is added without both fails here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { shared, source, testdata } from '../support/program.mjs';
import { json } from './common.mjs';

/** Rule: [where it speaks, where it is quiet]; `module@set`, sets of testdata first, then of the shared data. */
const REAL = {
  D01: ['tpu_padded_oom', 'tpu_padded_demo'], D02: ['tpu_findings/padded_packed', 'tpu_findings/gathered_weights'],
  D03: ['tpu_padded_oom', 'tpu_findings/padded_packed'], D04: ['tpu_findings/padded_transposed', 'tpu_findings/padded_packed'],
  D05: ['tpu_big_transformer', 'tpu_padded_demo'], D06: ['tpu_findings/offload_kept', 'tpu_findings/gathered_weights'],
  D08: ['tpu_findings/gathered_weights', 'tpu_scan_layers'], D09: ['tpu_transformer_noremat', 'tpu_padded_demo'],
  D10: ['tpu_scan_layers', 'tpu_padded_demo'], D11: ['tpu_scan_layers', 'tpu_padded_demo'], D12: ['tpu_padded_oom', 'tpu_findings/gathered_weights'],
  D13: ['tpu_findings/gathered_weights', 'tpu_scan_layers'], D14: ['tpu-v6e-offload', 'tpu_host_offload'], D18: ['tpu_scan_layers', 'tpu_padded_demo'],
  D21: ['tpu_transformer_noremat', 'tpu_padded_demo'], D22: ['tpu_scan_layers', 'tpu_padded_oom'], D24: ['tpu_scan_layers', 'tpu_padded_demo'],
  D25: ['tpu_findings/offload_kept', 'tpu_padded_demo'], D26: ['jit_f@tpu-v6e-offload', 'tpu_padded_demo'],
  D27: ['tpu_findings/offload_kept', 'tpu_host_offload'], D28: ['jit__psum@tpu-v6e-offload', 'jit_f@tpu-v6e-offload'],
  D30: ['tpu_collectives', 'tpu_padded_demo'],
};
/** No compiler of ours makes these happen: the test in tests/unit/doctor/test_rules.c that holds both cases. */
const MADE = {
  D07: 'donated_in_vain', D15: 'constants', D16: 'two_layouts', D17: 'loop_state_copied', D19: 'callbacks', D20: 'random_bits',
  D23: 'full_copies', D29: 'measured',
};

/** Findings of time: the test in tests/unit/doctor/test_time.c that holds both cases. */
const TIME = {
  T01: 'streams_by_what_is_exposed', T02: 'idle_within_and_between_steps', T03: 'one_chip_holds_the_others_up', T04: 'idle_is_counted_once',
  T05: 'memory_bound_work_beyond_its_roofline', T06: 'matrix_products_say_which_dimension', T07: 'layout_copies_win_all_they_take', T08: 'what_is_computed_again',
  T09: 'many_small_operations', T10: 'clocks_that_differ', T11: 'what_the_profiler_says_is_missing', T12: 'idle_is_counted_once', T13: 'memory_bound_work_beyond_its_roofline',
};

/** Findings of heap files: the test in tests/unit/doctor/test_heap.c that holds both cases. */
const HEAP = { H01: 'a_line_grows' };

function place(where) {
  const [set, module] = where.split('@').reverse();
  const known = [path.join(testdata, set, 'logdir'), path.join(testdata, set), shared && path.join(shared, 'data', set, 'logdir')];
  const at = known.find((one) => one && fs.existsSync(one));
  return at && [at, ...(module ? [`--module=${module}`] : [])];
}

const answers = new Map();
function says(where, id) {
  if (!answers.has(where)) {
    const at = place(where);
    if (!at) return null; // shared data that is not there
    answers.set(where, new Set(json(['doctor', ...at]).doctor.findings.map((finding) => finding.id)));
  }
  return answers.get(where).has(id);
}

test('each rule of rules.def is in one of the tables', () => {
  const rules = fs.readFileSync(path.join(source, 'src/doctor/rules.def'), 'utf8');
  const ids = [...rules.matchAll(/^RULE\(([DTH]\d\d)/gm)].map(([, id]) => id);
  assert.equal(ids.length, 44);
  assert.deepEqual([...Object.keys(REAL), ...Object.keys(MADE), ...Object.keys(TIME), ...Object.keys(HEAP)].sort(), [...ids].sort());
});

for (const [id, [loud, quiet]] of Object.entries(REAL)) {
  test(`${id} on real programs: it speaks on ${loud}, and not on ${quiet}`, (t) => {
    const [spoken, unwanted] = [says(loud, id), says(quiet, id)];
    assert.notEqual(spoken, false);
    assert.notEqual(unwanted, true);
    if (spoken === null || unwanted === null) t.skip('no shared data');
  });
}

for (const [file, cases] of Object.entries({ 'test_rules.c': MADE, 'test_time.c': TIME, 'test_heap.c': HEAP }))
  test(`made by hand in ${file}: a test holds a finding and its absence`, () => {
    const text = fs.readFileSync(path.join(source, 'tests/unit/doctor', file), 'utf8');
    for (const [id, name] of Object.entries(cases)) {
      const body = text.slice(text.indexOf(`static void ${name}(`)).split('\n}\n')[0];
      assert.match(body, new RegExp(`sick_finding\\(&s, "${id}"`), `${name} looks for ${id}`);
      assert.match(body, new RegExp(`assert_null\\(sick_finding\\(&s, "${id}"|\\(f != NULL\\) ==|\\(sick_finding\\(&s, "${id}", 0\\) != NULL\\) ==|assert_int_equal\\(s.doctor.count, 0\\)`), `${name}: ${id} is quiet once`);
      assert.ok(text.includes(`cmocka_unit_test(${name})`), `${name} runs`);
    }
  });
