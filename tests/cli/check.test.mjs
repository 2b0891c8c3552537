// xprofd check, budget and diff --budget: every exit code, every form, mistakes in budget files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';

import { run, Server, source, temporary, testdata } from '../support/program.mjs';
import { csv, demo, EXIT, fails, json, layers, tpuRun, train } from './common.mjs';

const PEAK = 620361728; // compiled.memory_analysis() of tpu_padded_demo: 591.6 MiB
const file = (name, text) => {
  const to = path.join(temporary('check'), name);
  fs.writeFileSync(to, text);
  return to;
};
const holds = file('holds', `# limits\n[jit_padded_*]\npeak_bytes.HBM <= ${PEAK}\npeak_bytes <= 592MiB\ndoctor no error\nfragmentation <= 100%\n`);
const breaks = file('breaks', `[jit_padded_step]\npeak_bytes.HBM <= ${PEAK - 1}\npadding_share <= 15%\n`);
const unjudged = file('unjudged', '[jit_padded_step]\ngrowth.HBM <= 2%\npeak_bytes <= 1GiB\n');

test('exit codes: 0 holds, 1 broken, 2 usage, 3 input, 4 not checked (1 with --strict)', () => {
  assert.equal(run(['check', demo, `--budget=${holds}`]).code, EXIT.OK);
  assert.equal(run(['check', demo, `--budget=${breaks}`]).code, EXIT.BROKEN);
  fails(['check', demo], EXIT.USAGE, /--budget/);
  fails(['check', '/no/such/profile', `--budget=${holds}`], EXIT.INPUT, /no\/such/);
  fails(['check', demo, '--budget=/no/such/file'], EXIT.INPUT, /no\/such/);
  assert.equal(run(['check', demo, `--budget=${unjudged}`]).code, EXIT.UNJUDGED);
  assert.equal(run(['check', demo, `--budget=${unjudged}`, '--strict']).code, EXIT.BROKEN);
  assert.equal(run(['check', demo, `--budget=${file('other', '[jit_else]\npeak_bytes <= 1G\n')}`]).code, EXIT.UNJUDGED,
    'a program that is not there is not judged');
});

test('text names file and line, the exit code is the last word', () => {
  const { text } = run(['check', demo, `--budget=${breaks}`]);
  assert.match(text, new RegExp(`^BROKEN +jit_padded_step peak_bytes\\.HBM 591\\.6 MiB, limit <= ${PEAK - 1} .*breaks:2\\)$`, 'm'));
  assert.match(text, /padding_share .*breaks:3\)/);
  assert.match(text, /exit 1\n$/);
});

test('JSON, Markdown, JUnit and SARIF say the same', () => {
  const junit = path.join(temporary('check'), 'c.xml'), sarif = path.join(temporary('check'), 'c.sarif');
  const done = run(['check', demo, `--budget=${breaks}`, '--json', `--junit=${junit}`, `--sarif=${sarif}`]);
  const answer = JSON.parse(done.text);
  assert.equal(answer.schema, 1);
  assert.deepEqual(answer.exit, { code: EXIT.BROKEN, word: 'broken' });
  const [peak, padding] = answer.check.limits;
  assert.equal(peak.state, 'broken');
  assert.equal(peak.number, PEAK);
  assert.equal(peak.line, 2);
  assert.equal(padding.state, 'broken');
  assert.ok(padding.percent > 60 && padding.percent < 100, 'three arrays of 8 columns');
  assert.match(run(['check', demo, `--budget=${breaks}`, '--md']).text, /### Memory budget broken/);
  assert.match(run(['check', demo, `--budget=${holds}`, '--md']).text, /### Memory budget holds/);
  assert.equal(fs.readFileSync(junit, 'utf8').match(/<failure /g).length, 2);
  const results = JSON.parse(fs.readFileSync(sarif, 'utf8')).runs[0].results;
  assert.deepEqual(results.map((r) => r.locations[0].physicalLocation.region.startLine), [2, 3]);
});

test('diff --base-module: two programs of one profile', () => {
  const { modules } = json(['modules', train]);
  const [one, other] = modules.key.map((key, i) => [modules.peak_bytes[i], key]).sort(([a], [b]) => b - a).map(([, key]) => key);
  const { diff } = json(['diff', train, train, `--module=${one}`, `--base-module=${other}`]);
  assert.deepEqual([diff.before.module, diff.after.module, diff.closes], [other, one, true]);
  const back = json(['diff', train, train, `--module=${other}`, `--base-module=${one}`]).diff;
  assert.equal(diff.difference_bytes, -back.difference_bytes);
  fails(['diff', train, train, '--base-module=nothing'], EXIT.INPUT, /nothing/);
  // A key that both sides have is its own baseline, also among programs of one name and one signature.
  const { key, name } = json(['modules', train]).modules;
  assert.ok(new Set(name).size < name.length, 'several programs have one name');
  for (const module of key) {
    const { before, after } = json(['diff', train, train, `--module=${module}`]).diff;
    assert.deepEqual([before.module, after.module], [module, module]);
  }
  fails(['memory', train, '--base-module=x'], EXIT.USAGE, /--base-module is for xprofd diff/);
});

test('SARIF: a file of any name is a URI reference, every result names a rule that is listed', () => {
  const sarif = path.join(temporary('check'), 'odd.sarif');
  const odd = file('bud get%1:ü.txt', '[jit_padded_step]\npeak_bytes.HBM <= 1KiB\n');
  assert.equal(run(['check', demo, `--budget=${odd}`, `--sarif=${sarif}`]).code, EXIT.BROKEN);
  const log = JSON.parse(fs.readFileSync(sarif, 'utf8'));
  assert.equal(log.version, '2.1.0');
  const [only] = log.runs;
  const rules = only.tool.driver.rules.map((rule) => rule.id);
  for (const result of only.results) {
    assert.ok(rules.includes(result.ruleId) && ['none', 'note', 'warning', 'error'].includes(result.level) && result.message.text);
    const { uri } = result.locations[0].physicalLocation.artifactLocation;
    assert.match(uri, /^[\w\-.~\/!$&'()*+,;=@]*(%[0-9A-F]{2}[\w\-.~\/!$&'()*+,;=@]*)*$/);
    assert.equal(decodeURIComponent(uri), odd);
  }
});

test('mistakes in a budget have line and column', () => {
  for (const [text, at] of [['peak_bytes <= 1G', '1:1'], ['[a]\nspeed <= 3', '2:1'], ['[a]\npeak_bytes < 3', '2:12'],
    ['[a]\n  peak_bytes <= lots', '2:17'], ['[a\n', '1:1'], ['[a]\ngrowth <= 3GiB', '2:11'], ['[a]\ndoctor quiet', '2:8'],
    ['[a]\ndoctor.X1 <= 1', '2:1'], ['[a]\ndoctor.D00 <= 1', '2:1'], ['[a]\ndoctor.D39 <= 1', '2:1'],
    ['[a]\nstep_time.p33 <= 1ms', '2:1'], ['[a]\nstep_time <= 1ms', '2:1'], ['[a]\nstep_time.p50 <= 3', '2:18'],
    ['[a]\nstep_time.p50 <= 3ms 5%', '2:18'], ['[a]\nstep_time.max <= 1e9s', '2:18'], ['[a]\nexposed_comm <= 3ms', '2:17'], ['[a]\npadding_share <= 1e3%', '2:18'], ['[a]\npeak_bytes.HBM <= -1', '2:19']])
    fails(['check', demo, `--budget=${file('bad', text)}`], EXIT.USAGE, new RegExp(`bad:${at}\\b`));
  fails(['check', demo, `--budget=${file('empty', '# nothing\n')}`], EXIT.USAGE, /no limits/);
});

test('diff --budget --md: each limit with its number before and the change; the finding with its place; what to do then', () => {
  const after_ = path.join(testdata, 'tpu_padded_oom/xla_dump'), before = path.join(testdata, 'tpu_findings/padded_packed');
  const budget = file('all', '[*]\npeak_bytes <= 12GiB\ngrowth <= 2%\npadding_share <= 5%\nfragmentation <= 8%\ndoctor no error\ndoctor.D04 <= 64MiB\n');
  const done = run(['diff', before, after_, `--budget=${budget}`, '--md']);
  assert.equal(done.code, EXIT.BROKEN);
  const rows = done.text.split('\n').filter((line) => line.startsWith('| jit')).map((line) => line.replaceAll('\\', '').split('|').map((cell) => cell.trim()));
  const row = (measure) => rows.find(([, , name]) => name === measure).slice(3, 6);
  const [b, a] = [before, after_].map((profile) => json(['memory', profile, '--space=0', '--top=1']).spaces[0].summary);
  const gib = (bytes) => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
  assert.deepEqual(row('peak_bytes'), [gib(b.peak.held_bytes), gib(a.peak.held_bytes), `+${gib(a.peak.held_bytes - b.peak.held_bytes)}`]);
  const share = (s) => ((s.peak.held_bytes - s.peak.unpadded_bytes) / s.peak.held_bytes) * 100;
  assert.deepEqual(row('padding_share'), [`${share(b).toFixed(1)} %`, `${share(a).toFixed(1)} %`, `+${(share(a) - share(b)).toFixed(1)}`]);
  assert.deepEqual(row('doctor'), ['0 findings', '0 findings', '0']);
  const saves = Math.max(...json(['doctor', after_]).doctor.findings.filter(({ id }) => id === 'D04').map((f) => f.saving_bytes));
  assert.deepEqual(row('doctor.D04'), ['0 B', gib(saves), `+${gib(saves)}`]);
  assert.deepEqual(row('growth').filter((_, i) => i !== 1), ['', '']);
  assert.match(done.text, /\| only after \|/);
  assert.ok(!/only\\?_after/.test(done.text));
  assert.match(done.text, /New finding D04\*\* .* It brings the peak to \*\*11\.93 GiB\*\*\.$/m);
  assert.match(done.text, /\nAccept it: `xprofd budget AFTER --budget=FILE --update`\. See it: `xprofd report AFTER --diff=BEFORE -o report\.html`\.\n$/);
  assert.ok(!run(['diff', before, before, `--budget=${budget}`, '--md']).text.includes('Accept it'), 'not where it holds');
  assert.match(run(['diff', before, after_]).text, / {2}only after {2}/);
});

test('diff --budget: growth is judged compared with ', () => {
  const budget = file('growth', '[jit_*]\ngrowth.HBM <= 2%\n');
  assert.equal(run(['diff', demo, demo, `--budget=${budget}`]).code, EXIT.OK);
  const grown = run(['diff', demo, layers, `--budget=${budget}`, '--md']);
  assert.equal(grown.code, EXIT.BROKEN);
  assert.ok(grown.text.startsWith('### Memory budget broken'), 'the verdict first');
  assert.match(grown.text, /^### Memory budget broken: jit\\_/);
  assert.equal(grown.text.match(/^###/gm).length, 1, 'one title');
  assert.ok(grown.text.split('\n').length <= 26, 'fits a comment');
  const answer = JSON.parse(run(['diff', demo, layers, `--budget=${budget}`, '--json']).text);
  const [limit] = answer.check.limits;
  const grows = (answer.diff.after.peak_bytes / answer.diff.before.peak_bytes - 1) * 100;
  assert.ok(Math.abs(limit.percent - grows) < 0.01);
});

test('step times: the slowest device of each step, nearest rank, a band; fewer than 5 steps are not checked', async () => {
  const server = await Server.start(train);
  const run0 = (await server.api('runs')).json.id[0];
  const steps = (await server.api('trace/steps', { run: run0 })).json;
  await server.stop();
  const took = steps.start_ps.map((start, i) => Number(steps.end_ps[i]) - Number(start)).sort((a, b) => a - b);
  assert.equal(took.length, 6);
  const [p50, p90] = [took[2], took[5]]; // ceil(6 * 0.5) and ceil(6 * 0.9)
  const limits = (text) => JSON.parse(run(['check', train, `--budget=${file('steps', `[jit_train_step]\n${text}`)}`, '--json']).text).check.limits;
  const ms = (ps) => `${ps / 1e9}ms`;
  const [a, b, c, d] = limits(`step_time.p50 <= ${ms(p50)}\nstep_time.p90 <= ${ms(p90 - 1000)}\n` +
    `step_time.max <= ${ms(Math.round(p90 / 1.1))} +-11%\nexposed_comm <= 12%\n`);
  assert.deepEqual([a.number, b.number, c.number], [p50, p90, p90]);
  assert.deepEqual([a, b, c, d].map(({ state }) => state), ['ok', 'broken', 'ok', 'ok']);
  assert.equal(a.unit, 'ps');
  assert.match(d.value, /^0(\.0)? ?%/, 'worker threads compute, and nothing is communicated');
  assert.match(limits('step_time.p50 <= 1s\n')[0].value, /ms of 6 steps$/);
  // The same by the names that say their unit, and what findings of time say of the steps.
  const [step, exposed, idle, busy] = limits(`step_ms <= ${p50 / 1e9}\nexposed_ms <= 1000 +-5%\nidle_share <= 100%\nidle_share <= 0%\n`);
  const sum = (column) => column.reduce((all, one) => all + one, 0);
  assert.deepEqual([step.number, step.unit, exposed.unit], [p50, 'ps', 'ps']);
  assert.equal(exposed.number, Math.floor((sum(steps.exposed_comm_ps) + sum(steps.exposed_copy_ps)) / steps.n));
  assert.deepEqual([step, exposed, idle, busy].map(({ state }) => state), ['ok', 'ok', 'ok', 'broken']);
  const t02 = json(['doctor', train, '--time', `--config=${file('all', 'idle_time_share = 0%\n')}`]).doctor.findings.find(({ id }) => id === 'T02');
  const number = (name) => t02.numbers.find((one) => one.name === name).value;
  assert.ok(Math.abs(idle.percent - ((number('idle_ps') + number('between_steps_ps')) / (t02.of_ps * number('steps'))) * 100) < 0.01);
  const never = file('never', '[jit_padded_step]\nstep_time.p50 <= 1s\n');
  assert.equal(run(['check', demo, `--budget=${never}`]).code, EXIT.UNJUDGED);
  assert.match(run(['check', demo, `--budget=${never}`]).text, /nothing was measured/);
  const to = file('times', '[jit_train_step]\nstep_time.p50 <= 1us +-5% # old\n');
  assert.equal(run(['budget', train, `--budget=${to}`, '--update']).code, EXIT.OK);
  assert.match(fs.readFileSync(to, 'utf8'), /^step_time\.p50 <= [\d.]+ms \+-5% # old$/m);
  assert.equal(run(['check', train, `--budget=${to}`]).code, EXIT.OK);
});

const TIMES = 'step_ms <= 1000\nexposed_comm <= 100%\nexposed_ms <= 1000\nidle_share <= 100%\n';
const limitsOf = (logdir, budget) => JSON.parse(run(['check', logdir, `--budget=${budget}`, '--json']).text).check.limits;

test('budgets of time need no HLO: a section [*] has the numbers of the same run with HLO', () => {
  const any = file('any', `[*]\n${TIMES}peak_bytes <= 1GiB\n`), bare = tpuRun({ planes: ['/host:metadata'] });
  fails(['memory', bare], EXIT.INPUT, /no HLO/);
  const [whole, without] = [limitsOf(tpuRun({}), any), limitsOf(bare, any)];
  const told = ({ name, state, number, value }) => [name, state, number, value];
  assert.deepEqual([0, 3].map((i) => told(without[i])), [0, 3].map((i) => told(whole[i])));
  assert.deepEqual(whole.map(({ state }) => state), ['ok', 'ok', 'ok', 'ok', 'ok']);
  // Which fusions are collectives only the HLO says: what is seen is the least, which breaks a limit and holds none.
  for (const i of [1, 2]) {
    assert.ok(Number.parseFloat(without[i].value) > 0 && Number.parseFloat(without[i].value) < Number.parseFloat(whole[i].value), without[i].value);
    assert.deepEqual([without[i].state, without[i].reason], ['not_judged', 'without HLO, collectives inside fusions are unknown, so this is a lower bound']);
  }
  assert.equal(limitsOf(bare, file('least', '[*]\nexposed_ms <= 0.001\n'))[0].state, 'broken');
  assert.deepEqual([without[4].state, without[4].reason], ['not_judged', 'the profile holds no program (no HLO)'], 'memory of a program is not known');
  assert.equal(run(['check', bare, `--budget=${file('time', '[*]\nstep_ms <= 1000\nidle_share <= 100%\n')}`]).code, EXIT.OK);
  assert.equal(run(['check', bare, `--budget=${file('slow', '[*]\nstep_ms <= 0.001\n')}`]).code, EXIT.BROKEN);
  const named = run(['check', bare, `--budget=${file('named', `[jit_collectives]\n${TIMES}`)}`]);
  assert.equal(named.code, EXIT.UNJUDGED);
  assert.match(named.text, /no HLO.*only a section \[\*\]/);
});

test('steps in doubt: what is idle or exposed in them is not checked, how long they are is', () => {
  const quiet = tpuRun({ lines: ['XLA Ops', 'Async XLA Ops', 'Sparse Core Ops'] });
  const [step, , exposed, idle] = limitsOf(quiet, file('doubt', `[*]\n${TIMES}`));
  assert.equal(step.state, 'ok');
  for (const one of [exposed, idle])
    assert.deepEqual([one.state, one.reason], ['not_judged', 'no operation was recorded, so the activity of a chip in a step is unknown']);
});

test('budget --update says what it wrote where; a file that is not there yet is told how to begin', () => {
  const to = file('told', '[jit_padded_step]\npeak_bytes <= 1MiB\npadding_share <= 1%\n[jit_else]\npeak_bytes <= 1MiB\n');
  const done = run(['budget', demo, `--budget=${to}`, '--update', '--slack=2%']);
  assert.equal(done.code, EXIT.OK);
  assert.equal(done.text, '');
  assert.equal(done.errors, `xprofd budget: wrote ${to}: 2 of 3 limits, set to the present value + 2%; the others are unchanged because this profile has no value for them\n`);
  const all = file('all', '[jit_padded_step]\npeak_bytes <= 1MiB\n');
  assert.equal(run(['budget', demo, `--budget=${all}`, '--update']).errors, `xprofd budget: wrote ${all}: 1 of 1 limits, set to the present value + 5%\n`);
  assert.equal(run(['budget', demo, `--budget=${all}`]).errors, '', 'what only prints says nothing');
  // The two lines of the hint are a budget that --update fills in.
  const missing = path.join(temporary('check'), 'new.budget');
  for (const more of [[], ['--update']]) fails(['budget', demo, `--budget=${missing}`, ...more], EXIT.INPUT, /new\.budget does not exist yet: write a file with the limits you want, such as the two lines \[\*\] and peak_bytes <= 1GiB/);
  assert.ok(!fs.existsSync(missing), 'nothing is made up');
  fs.writeFileSync(missing, '[*]\npeak_bytes <= 1GiB\n');
  assert.equal(run(['budget', demo, `--budget=${missing}`, '--update', '--slack=0%']).code, EXIT.OK);
  assert.equal(fs.readFileSync(missing, 'utf8'), `[*]\npeak_bytes <= ${Math.ceil(PEAK / (1 << 20))}MiB\n`);
  assert.equal(run(['check', demo, `--budget=${missing}`]).code, EXIT.OK);
});

test('budget --update accepts a growth: comments stay, and the new file holds', () => {
  const to = file('update', '# ours\n[jit_padded_step]   # main program\npeak_bytes.HBM   <= 100MiB # tight\npadding_share <= 1%\ndoctor no error\n');
  assert.equal(run(['check', demo, `--budget=${to}`]).code, EXIT.BROKEN);
  const shown = run(['budget', demo, `--budget=${to}`, '--slack=0%']).text;
  assert.match(shown, /^peak_bytes\.HBM {3}<= 592MiB # tight$/m);
  assert.ok(fs.readFileSync(to, 'utf8').includes('100MiB'), 'without --update the file stays');
  assert.equal(run(['budget', demo, `--budget=${to}`, '--update']).code, EXIT.OK);
  const text = fs.readFileSync(to, 'utf8');
  assert.ok(text.startsWith('# ours\n[jit_padded_step]   # main program\n'));
  assert.match(text, /doctor no error/);
  assert.equal(run(['check', demo, `--budget=${to}`]).code, EXIT.OK);
  fails(['budget', demo, `--budget=${to}`, '--slack=lots'], EXIT.USAGE, /percentage/);
});

test('buffers: a row for each logical buffer, the sizes of the page', () => {
  const rows = csv(run(['buffers', demo, '--csv']).text);
  const { buffers } = json(['buffers', demo]);
  assert.equal(rows.length, buffers.matched);
  assert.equal(rows.reduce((all, row) => all + Number(row.size_bytes), 0), buffers.matched_bytes);
});

test('docs/CI.md: every threshold and measure (docs.test.mjs runs its commands)', () => {
  const text = fs.readFileSync(path.join(source, 'docs/CI.md'), 'utf8');
  const table = fs.readFileSync(path.join(source, 'include/xprofd/doctor/thresholds.def'), 'utf8');
  for (const [, name] of table.matchAll(/^THRESHOLD\((\w+)/gm)) assert.ok(text.includes(`\`${name}\``), name);
  for (const name of ['peak_bytes', 'reserved_bytes', 'temp_bytes', 'argument_bytes', 'growth', 'padding_share', 'fragmentation',
    'step_time', 'step_ms', 'exposed_comm', 'exposed_ms', 'idle_share'])
    assert.ok(text.includes(`\`${name}`), name);
});
