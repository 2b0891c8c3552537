// What a person reads is plain English: no phrase of the list below comes back into the page, the program's texts or the documents.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import test from 'node:test';
import { source } from '../support/program.mjs';

const { transformSync } = createRequire(path.join(process.env.XPD_WEB_WORK, 'package.json'))('esbuild');

/** [what must not be read, what to say instead]. */
const BANNED = [
  [/answers while you still look/i, 'responds interactively'],
  [/of the last years|asks? nobody/i, 'in any recent browser, offline'],
  [/its mesh says/i, 'Enter the mesh to name its axes'],
  [/\bnobody\b/i, 'nothing, none, free at this step'],
  [/clock step/i, 'clock drift'],
  [/of it padding/i, 'including padding'],
  [/half the type/i, 'halve precision'],
  [/\bsilences\b|\bsilenced\b/i, 'muted rules, muted'],
  [/\b(not |un)judged\b|\bcould not be judged\b/i, 'not checked: ...'],
  [/\bsay it\b|\bsays it\b|\bsay so: /i, 'set it with ...'],
  [/too much (\(|for )|(iB|%s) too much/i, 'needs ... more than the ... available'],
  [/as at first/i, 'reset'],
  [/until they part/i, 'zoom in to separate them'],
  [/\b1 times\b/, 'once'],
  [/(\d|\}|%"? ?PRI\w+ ?"|%u) x ([fsuc]\d+|bf16|%s|\$\{)/, '6 ×'],
  [/\bbaselines?\b/i, 'before, after'],
  [/\btenanc(y|ies)\b(?![={}])/i, 'lifetime'],
  [/\bthe rail\b/i, 'the sidebar'],
  [/(\b(details|its|the|a) )card\b/i, 'details, details panel'],
  [/written over arguments|not written over/i, 'written into arguments, not overwritten'],
  [/\bnext to no time\b/i, 'almost no time'],
  [/\b(lie|lies) on one another\b/i, 'overlapping'],
  [/so long the chip/i, 'the chip waits this long'],
  [/\bwhoever\b/i, 'every client, the first request'],
  [/\bthere is no memory (to|for)\b/i, 'not enough memory ...'],
  [/\bheld against\b/i, 'compared with'],
  [/\bnothing tells\b|\bsays nothing of\b/i, 'unknown'],
  [/\b(it|they|these) (is|are) of no\b/i, 'belongs to no'],
  [/\bwhat became of\b/i, 'how ... changed'],
];

/** A key or a name of the program in quotes has no space: only sentences and labels of several words count there. */
const ALONE = /^(?!nobody$)[\w.:/${}-]*$/;

/** The texts of TypeScript: comments are gone and words between tags are in one piece once esbuild has read it. */
function ofPage(file, text) {
  const { code } = transformSync(text, { loader: file.endsWith('x') ? 'tsx' : 'ts', jsx: 'automatic', charset: 'utf8', legalComments: 'none' });
  return (code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? []).map((literal) => literal.replace(/\$\{[^{}]*\}/g, '${}'));
}

/** The texts of C: literals beside each other are one. */
function ofProgram(_, text) {
  const bare = text.replace(/^#include.*$/gm, '').replace(/"(?:[^"\\\n]|\\.)*"|\/\*[^]*?\*\/|\/\/.*/g, (piece) => (piece.startsWith('"') ? piece : ' '));
  return bare.replace(/(?<!\\)"\s*"(?=[^,;)])/g, '').match(/"(?:[^"\\\n]|\\.)*"/g) ?? [];
}

/** A document line by line, without code: keys keep their names. */
const ofDocument = (_, text) => text.replace(/^```[^]*?^```/gm, '').replace(/`[^`\n]*`/g, ' ').split('\n');

/** The names of tests, which documents quote. */
const ofTests = (_, text) => [...text.matchAll(/\b(?:test|eachLook)\((['`])(.*?)\1,/g)].map(([, , name]) => `"${name}"`);

function found(texts) {
  return texts.filter((text) => !ALONE.test(text.slice(1, -1))).flatMap((text) => BANNED.filter(([banned]) => banned.test(text)).map(([, better]) => `"${text.trim().slice(0, 160)}": ${better}`));
}

function look(folder, ending, take, but = () => false) {
  const files = fs.readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' }).filter((name) => ending.test(name) && !but(name));
  assert.ok(files.length > 0, folder);
  return files.flatMap((name) => found(take(name, fs.readFileSync(path.join(source, folder, name), 'utf8'))).map((line) => `${folder}/${name}: ${line}`));
}

test('a phrase of the list is found in a tag, an attribute, split literals and a document; not in a comment, a key or code', () => {
  assert.equal(found(ofPage('a.tsx', 'const a = <p title="as at first">3 MiB of it\n  padding</p>; // nobody lies here')).length, 2);
  assert.equal(found(ofProgram('a.c', 'puts("not " /* nobody */\n  "judged: x"); key("not_judged"); key("baseline");')).length, 1);
  assert.equal(found(ofDocument('a.md', 'the baseline is `baseline`\n```\nnobody\n```\n')).length, 1);
});

test('the page', () => assert.deepEqual(look('web/src', /\.tsx?$/, ofPage), []));
test('the program: commands, errors, reasons, findings', () => assert.deepEqual(look('src', /\.(c|h|def)$/, ofProgram), []));
// CHANGELOG keeps the words of its day.
test('the documents', () => assert.deepEqual([...look('docs', /\.(md|1)$/, ofDocument, (name) => /^CHANGELOG\.md$/.test(name)), ...look('.', /^README\.md$/, ofDocument, (name) => name.includes('/'))], []));
test('the names of tests', () => assert.deepEqual([...look('tests', /\.test\.mjs$/, ofTests), ...look('web/test', /\.test\.ts$/, ofTests)], []));
