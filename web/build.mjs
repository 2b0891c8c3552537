// Bundles src/ into a folder of static files: node build.mjs --outdir DIR
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, copyFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const LIMIT_BYTES = 90_000;
const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { outdir: { type: 'string', default: join(here, 'dist') } } });
const outdir = resolve(values.outdir);

mkdirSync(outdir, { recursive: true });
// Files of an earlier build carry other hashes and would be embedded as well.
for (const name of readdirSync(outdir)) if (/^app\.[A-Z0-9]+\.(js|css)$/.test(name)) rmSync(join(outdir, name));

const result = await build({
  absWorkingDir: here,
  entryPoints: { app: 'src/main.tsx' },
  outdir,
  entryNames: '[name].[hash]',
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'inline',
  banner: {
    js: '/*! With Preact (c) 2015-present Jason Miller and @preact/signals (c) 2022-present Preact Team, MIT License */',
  },
  metafile: true,
  logLevel: 'warning',
});

const files = Object.keys(result.metafile.outputs).map((path) => join(here, path));
const named = (end) => {
  const file = files.find((path) => path.endsWith(end));
  if (!file) throw new Error(`the build has no ${end} file`);
  return file;
};
const html = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('@CSS@', basename(named('.css')))
  .replace('@JS@', basename(named('.js')));
writeFileSync(join(outdir, 'index.html'), html);
copyFileSync(join(here, 'src/favicon.svg'), join(outdir, 'favicon.svg'));

let packed = 0;
for (const file of [...files, join(outdir, 'index.html'), join(outdir, 'favicon.svg')]) {
  const gz = gzipSync(readFileSync(file), { level: 9 }).length;
  packed += gz;
  console.log(`${basename(file).padEnd(22)} ${String(statSync(file).size).padStart(8)} B ${String(gz).padStart(7)} gz`);
}
console.log(`${'together'.padEnd(33)} ${String(packed).padStart(7)} gz, limit ${LIMIT_BYTES}`);
if (packed > LIMIT_BYTES) {
  console.error(`the app is ${packed} bytes gzipped, more than ${LIMIT_BYTES}`);
  process.exit(1);
}
