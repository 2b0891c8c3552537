// total.mjs FILE: the last line of tests/run, from what ctest wrote (--output-junit, with the whole output of each program).
//
// Counts cases: those of cmocka and of Node's test runner as they say them themselves; a program that says none is one case.
// Says again, before that line, what the failed cases said: a log that is cut in the middle keeps its end.
// Names what was skipped, and ends with 1 when something failed, nothing passed, or, with CI=true, something was skipped.
import fs from 'node:fs';

/** What a program said of its cases: { passed, failed, skipped }, all 0 when it said nothing. */
function casesOf(output) {
  const sum = (pattern) => [...output.matchAll(pattern)].reduce((all, match) => all + Number(match[1]), 0);
  const node = (word) => sum(new RegExp(`^(?:#|\\u2139) ${word} (\\d+)$`, 'gm'));
  const cmocka = (word) => sum(new RegExp(`^\\[ *${word} *\\] (\\d+) test\\(s\\)`, 'gm'));
  return {
    passed: node('pass') + cmocka('PASSED'),
    failed: node('fail') + node('cancelled') + cmocka('FAILED'),
    skipped: node('skipped') + node('todo') + cmocka('SKIPPED'),
  };
}

const LINES_OF_A_CASE = 40;
const plain = (text) => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name]);

/** The lines in which a failed program says what went wrong: each failed case with what follows it, else its last lines. */
function complaints(output) {
  const lines = plain(output).split('\n');
  const starts = lines.flatMap((line, i) => (/^ *not ok |^\[ *(ERROR|FAILED) *\]|ERROR: (Address|Thread|Leak)|runtime error:/.test(line) ? [i] : []));
  if (!starts.length) return lines.slice(-LINES_OF_A_CASE);
  return lines.filter((_, i) => starts.some((at) => i >= at && i < at + LINES_OF_A_CASE));
}

const total = { passed: 0, failed: 0, skipped: 0 };
const skipped = [];
const [, , file] = process.argv;
for (const [, head, body] of fs.readFileSync(file, 'utf8').matchAll(/<testcase ([^>]*)>([\s\S]*?)<\/testcase>/g)) {
  const name = /name="([^"]*)"/.exec(head)[1], status = /status="([^"]*)"/.exec(head)[1];
  const cases = casesOf(body);
  // A program that ended badly has failed, whatever its cases say; one that could not run at all says nothing.
  if (status === 'fail' && cases.failed === 0) cases.failed = 1;
  if (status === 'run' && cases.passed + cases.failed + cases.skipped === 0) cases.passed = 1;
  if (status === 'disabled' || (status === 'notrun' && body.includes('SKIP_'))) cases.skipped = Math.max(cases.skipped, 1);
  else if (status === 'notrun') cases.failed = Math.max(cases.failed, 1);
  if (cases.failed) console.log([`failed: ${name}`, ...complaints(body)].join('\n'));
  if (cases.skipped) skipped.push(`${name} (${cases.skipped})`);
  for (const kind of Object.keys(total)) total[kind] += cases[kind];
}
if (skipped.length) console.log(`skipped: ${skipped.join(', ')}`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = total.failed || !total.passed || (process.env.CI === 'true' && total.skipped) ? 1 : 0;
