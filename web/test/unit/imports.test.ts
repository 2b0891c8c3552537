/** The shape of the page. Folders import one way: those of a row from the rows above; one without a row is a view that no other imports. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const ROWS = [
  'util styles',
  'api canvas',
  'ui',
  'app',
  'charts table explain',
  'memory',
  'compare doctor trace whatif',
  'graph ops overtime report start',
  'heap overview roofline shell',
];
/** What puts the page together, in src/ itself, and what stands in for the server in a report. */
const ROOTS = ['main', 'parts', 'views', 'report_file'];

const rowOf = new Map(ROWS.flatMap((row, i) => row.split(' ').map((folder): [string, number] => [folder, i])));
const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.\w+$/, ''));

/** Every import of another folder's file by name; `import()` loads later what main.tsx or parts.ts puts together, and is free. */
function importsOf(source: string): { file: string; from: string; to: string }[] {
  const found: { file: string; from: string; to: string }[] = [];
  for (const file of readdirSync(source, { recursive: true }) as string[]) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, path] of readFileSync(join(source, file), 'utf8').matchAll(/^(?:import|export)\s[^;]*?'(\.[^']+)';/gm)) {
      const to = relative(source, join(source, dirname(file), path));
      if (!to.startsWith('..') && folderOf(to) !== folderOf(file)) found.push({ file, from: folderOf(file), to: folderOf(to) });
    }
  }
  return found;
}

test('folders of the page import one way', () => {
  const all = importsOf('src').filter(({ from, to }) => !ROOTS.includes(from) && !to.endsWith('.css'));
  assert.ok(all.length > 1000, `${all.length} imports were found`);
  const wrong = all.filter(({ from, to }) => !((rowOf.get(to) ?? ROWS.length) < (rowOf.get(from) ?? ROWS.length)));
  assert.deepEqual(
    wrong.map(({ file, to }) => `${file} imports ${to}`),
    [],
  );
});

test('every row names folders', () => {
  const folders = readdirSync('src', { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map((one) => one.name);
  assert.deepEqual(
    [...rowOf.keys()].filter((one) => !folders.includes(one)),
    [],
  );
});

/** What a file needs of others when it runs: imports of types alone are none. */
function neededBy(file: string): string[] {
  const text = readFileSync(join('src', file), 'utf8');
  const imports = [...text.matchAll(/^(?:import|export)\s([^;]*?)from '(\.[^']+)';/gm)];
  const onlyTypes = (what: string) => what.startsWith('type ') || /^\{(\s*type [^,}]+,?)+\s*\}\s*$/.test(what);
  return imports.filter(([, what]) => !onlyTypes(what)).map(([, , path]) => join(dirname(file), path));
}

const sourceFiles = () => (readdirSync('src', { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));

test('files do not import each other in circles', () => {
  const files = sourceFiles();
  const nameOf = (file: string) => file.replace(/\.tsx?$/, '');
  const needs = new Map(files.map((file) => [nameOf(file), neededBy(file)]));
  const circles: string[] = [];
  const done = new Set<string>();
  const visit = (file: string, path: string[]) => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file].join(' > '));
    if (at >= 0 || done.has(file)) return;
    for (const other of needs.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of needs.keys()) visit(file, []);
  assert.deepEqual(circles, []);
  assert.ok(done.size > 300 && needs.get('memory/map')?.includes('memory/state'));
});

/** What all views share, each thing in its file. */
const BELOW_VIEWS = ['api', 'app', 'ui', 'util', 'report_file'];

test('what several files of a view share is in its files of state', () => {
  const files = sourceFiles().filter((file) => !BELOW_VIEWS.includes(folderOf(file)));
  const shares = (file: string) => /^export const \w+ = (signal|perRun)\b/m.test(readFileSync(join('src', file), 'utf8'));
  assert.ok(files.filter(shares).length > 20);
  assert.deepEqual(
    files.filter((file) => shares(file) && !/[/_]state\.ts$/.test(file)),
    [],
  );
});

const LINES_MOST = 60;

/** Statements of a block, without the comments between them: the formatter begins each of them in the column of `indent`. */
function statementsOf(text: string, indent = ''): string[] {
  const pieces = text.split(new RegExp(`\\n${indent}(?=\\w)`));
  return pieces.map((piece) => piece.replace(/(\n *(\/[/*].*|\*.*)?)+$/, ''));
}

/** The functions of a file, and those of its classes, with the lines of each from its name to its last bracket. */
function functionsOf(text: string): { name: string; lines: number }[] {
  return statementsOf(text).flatMap((statement) => {
    if (/^(export )?class /.test(statement)) return statementsOf(statement.slice(0, -2), '  ').slice(1).map(measured);
    return /^(export |default |async )*(function\b|const \w+.*(=>|\($))/.test(statement) ? [measured(statement)] : [];
  });
}
const measured = (statement: string) => ({ name: statement.slice(0, statement.search(/[({=]/)).trim(), lines: statement.split('\n').length });

// Biome's rule counts neither a line that begins with a brace nor the tags and words inside JSX.
test('no function of the page has more than 60 lines', () => {
  const all = sourceFiles().flatMap((file) => functionsOf(readFileSync(join('src', file), 'utf8')).map((one) => ({ file, ...one })));
  assert.ok(all.length > 3000, `${all.length} functions were found`);
  assert.deepEqual(
    all.filter(({ lines }) => lines > LINES_MOST).map(({ file, name, lines }) => `${file}: ${name} has ${lines} lines`),
    [],
  );
});

test('a function is measured from its first line to its last, a method too, and no comment', () => {
  const text =
    "import a from 'a';\n\n/** Of f. */\nexport function f({\n  a,\n}: A) {\n  b();\n}\n// Of x.\nconst x = () =>\n  1;\n\nclass C {\n  m() {\n    return 1;\n  }\n}\n";
  assert.deepEqual(
    functionsOf(text).map(({ lines }) => lines),
    [5, 2, 3],
  );
});
