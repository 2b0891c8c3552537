// Bundles src/ into a folder of static files: node build.mjs --outdir DIR
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';

// By zlib; the packer in the C build takes 4 % less with zopfli, and holds the limit of 90,000.
const LIMIT_BYTES = 93_000;
const LICENCES =
  '/*! With Preact (c) 2015-present Jason Miller and @preact/signals (c) 2022-present Preact Team, MIT License */\n';
const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { outdir: { type: 'string', default: join(here, 'dist') } } });
const outdir = resolve(values.outdir);

async function bundle() {
  const result = await build({
    absWorkingDir: here,
    entryPoints: { app: 'src/main.tsx' },
    outdir,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
    // tsc checks the automatic form of JSX; here the plain one is made, see src/ui/jsx.ts.
    tsconfigRaw: '{}',
    jsx: 'transform',
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [join(here, 'src/ui/jsx.ts')],
    logLevel: 'warning',
  });
  const text = (end) => {
    const file = result.outputFiles.find((item) => item.path.endsWith(end));
    if (!file) throw new Error(`the build has no ${end} file`);
    return file.text;
  };
  // A second pass over the names: 3 % smaller once packed. Not pure_getters: reading a signal has an effect.
  const js = await minify(text('.js'), { module: true, ecma: 2020, compress: { passes: 3, unsafe_arrows: true, keep_fargs: false } });
  return { js: LICENCES + js.code, css: text('.css') };
}

const hashed = (text, end) => `app.${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${end}`;

const { js, css } = await bundle();
const files = { [hashed(js, 'js')]: js, [hashed(css, 'css')]: css };
files['index.html'] = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('@CSS@', hashed(css, 'css'))
  .replace('@JS@', hashed(js, 'js'));

mkdirSync(outdir, { recursive: true });
// Files of an earlier build carry other hashes and would be embedded as well.
for (const name of readdirSync(outdir)) if (/^app\.[0-9A-Za-z]+\.(js|css)$/.test(name)) rmSync(join(outdir, name));
for (const [name, text] of Object.entries(files)) writeFileSync(join(outdir, name), text);
copyFileSync(join(here, 'src/favicon.svg'), join(outdir, 'favicon.svg'));

let packed = 0;
for (const name of [...Object.keys(files), 'favicon.svg']) {
  const bytes = readFileSync(join(outdir, name));
  const gz = gzipSync(bytes, { level: 9 }).length;
  packed += gz;
  console.log(`${name.padEnd(22)} ${String(bytes.length).padStart(8)} B ${String(gz).padStart(7)} gz`);
}
console.log(`${'together'.padEnd(33)} ${String(packed).padStart(7)} gz, limit ${LIMIT_BYTES}`);
if (packed > LIMIT_BYTES) {
  console.error(`the app is ${packed} bytes gzipped, more than ${LIMIT_BYTES}`);
  process.exit(1);
}
