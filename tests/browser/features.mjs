// What the tests of docs/GRAPH.md and docs/TRACE.md share: the tables of a page, and the tests that a file holds.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../..');

/** Tables of a page by their heading: rows of cells. `head` is what the third column of a table's head is called. */
export function tables(page, head) {
  const out = {};
  let title = '';
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    if (line.startsWith('## ')) title = line.slice(3);
    const cells = /^\| .* \|$/.test(line) ? line.slice(2, -2).split(' | ') : null;
    if (cells && cells[2] !== head) (out[title] ??= []).push(cells);
  }
  return out;
}

const files = new Map();
/** The text of a file of tests; '' where there is none. */
export function testFile(file) {
  const path = join(here, `${file}.test.mjs`);
  if (!files.has(file)) files.set(file, existsSync(path) ? readFileSync(path, 'utf8') : '');
  return files.get(file);
}

/** What is given to test() and eachLook() as a name; of `from ${from} ...` each of the places. */
export const namesIn = (file) =>
  [...testFile(file).matchAll(/^\s*(?:test|eachLook)\((['`])(.*?)\1,/gm)].flatMap(([, , name]) => {
    const plain = name.replaceAll("\\'", "'");
    return plain.includes('${from}') ? ['trace', 'memory', 'graph', 'text'].map((from) => plain.replace('${from}', from)) : [plain];
  });
