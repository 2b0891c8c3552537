// Bundles src/ into a folder of static files: node build.mjs --outdir DIR
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { minify } from 'terser';

// Of what is loaded before the first view; by zlib. The packer in the C build takes 4 % less with zopfli, and holds the
// limit of 90,000.
const LIMIT_BYTES = 93_700;
const LICENCES = '/*! With Preact (c) 2015-present Jason Miller and @preact/signals (c) 2022-present Preact Team, MIT License */\n';
const LAYOUT_LICENCES =
  '/*! With viz.js (c) Michael Daines, MIT License, which holds Graphviz (c) AT&T, Eclipse Public License 1.0, and Expat, MIT License */\n';
const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({ options: { outdir: { type: 'string', default: join(here, 'dist') } } });
const outdir = resolve(values.outdir);

const SETTINGS = {
  absWorkingDir: here,
  outdir,
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  target: ['es2022', 'chrome110', 'firefox115', 'safari16.4'],
  logLevel: 'warning',
  loader: { '.md': 'text' },
};

// tsc checks the automatic form of JSX; here the plain one is made, see src/ui/jsx.ts.
const JSX = { tsconfigRaw: '{}', jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment', inject: [join(here, 'src/ui/jsx.ts')] };

/** The app, and the chunks it loads later; what both use lies in chunks of its own. */
async function split() {
  const result = await build({
    ...SETTINGS,
    entryPoints: { app: 'src/main.tsx' },
    splitting: true,
    chunkNames: '[name].[hash]',
    ...JSX,
  });
  return Object.fromEntries(result.outputFiles.map(({ path, text }) => [basename(path), text]));
}

/** The app with what it shares in one file, so that the first view waits for one script: the later chunks import from it. */
async function joinShared(files, shared) {
  const inMemory = {
    name: 'files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path }) =>
        shared.includes(basename(path)) || path === 'app.js' || path === 'all'
          ? { path: basename(path), namespace: 'files' }
          : basename(path) === 'app.js'
            ? { path: 'app.js', namespace: 'files' }
            : { path, external: true },
      );
      onLoad({ filter: /.*/, namespace: 'files' }, ({ path }) => ({
        contents: path === 'all' ? [...shared.map((name) => `export * from './${name}';`), "import './app.js';"].join('\n') : files[path],
      }));
    },
  };
  const result = await build({ ...SETTINGS, entryPoints: ['all'], plugins: [inMemory] });
  return result.outputFiles[0].text;
}

// A second pass over the names: 3 % smaller once packed. For the first view alone, where each byte is waited for: over all
// of the page it takes 37 s of a core. Not pure_getters: reading a signal has an effect.
async function shorten(text) {
  const compress = { passes: 3, unsafe_arrows: true, keep_fargs: false };
  return (await minify(text, { module: true, ecma: 2020, compress })).code;
}

/** Styles of the later parts, which esbuild would put into the app's as well if a script imported them. */
async function laterStyles() {
  const result = await build({ ...SETTINGS, entryPoints: ['src/parts.css'] });
  return result.outputFiles[0].text;
}

/** The worker of the graph's layout: one file, loaded by that view alone. */
async function layoutWorker() {
  const result = await build({ ...SETTINGS, entryPoints: ['src/graph/layout_worker.ts'], format: 'iife', charset: 'utf8' });
  return LAYOUT_LICENCES + result.outputFiles[0].text;
}

const sha256 = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

/** The page in one file, for `xprofd report`: no chunk and no other file; the program puts answers and the worker in. */
async function reportPage(layoutJs) {
  const { outputFiles } = await build({ ...SETTINGS, ...JSX, entryPoints: { report: 'src/report_file/main.tsx' }, format: 'iife' });
  const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text;
  const js = LICENCES + text('.js');
  const css = text('.css');
  // What would end the element it stands in, and what a parser would change, so that the hash is another one.
  for (const [name, part] of Object.entries({ js, css })) {
    const at = part.search(/<\/(script|style)|<!--|\r/i);
    if (at >= 0) throw new Error(`${name} of the report has ${JSON.stringify(part.slice(at, at + 20))} in it`);
  }
  const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(here, 'src/favicon.svg'), 'utf8'))}`;
  const parts = { JS_HASH: sha256(js), CSS_HASH: sha256(css), ICON: icon, CSS: css, LAYOUT_JS: layoutJs, JS: js };
  return readFileSync(join(here, 'src/report.html'), 'utf8').replace(/@([A-Z_]+)@/g, (_, name) => parts[name]);
}

const rename = (text, names) => Object.entries(names).reduce((soFar, [from, to]) => soFar.replaceAll(from, to), text);

const parts = await split();
const shared = Object.keys(parts).filter((name) => /^chunk\..*\.js$/.test(name));
const lateJs = Object.keys(parts).filter((name) => name.endsWith('.js') && name !== 'app.js' && !shared.includes(name));
const app = await shorten(await joinShared(parts, shared));

const lateCss = await laterStyles();
const layout = await layoutWorker();

// The files name each other, so one hash over all of them is in all their names.
const hash = createHash('sha256')
  .update([app, parts['app.css'], lateCss, layout, ...lateJs.map((name) => parts[name])].join())
  .digest('hex')
  .slice(0, 12);
const js = `app.${hash}.js`,
  css = `app.${hash}.css`;
const final = (name) => name.replace(/\.[^.]+\.(js|css)$/, `.${hash}.$1`);
const lateNames = Object.fromEntries([...shared.map((name) => [name, js]), ...lateJs.map((name) => [name, final(name)])]);
const files = { [js]: LICENCES + rename(app, lateNames), [css]: parts['app.css'] };
for (const name of lateJs) files[final(name)] = rename(parts[name], lateNames);
if (lateCss) files[`parts.${hash}.css`] = lateCss;
const layoutJs = `layout.${hash}.js`;
files[layoutJs] = layout;
files['index.html'] = readFileSync(join(here, 'src/index.html'), 'utf8')
  .replace('@CSS@', css)
  .replace('@LATER_CSS@', lateCss ? `parts.${hash}.css` : '')
  .replace('@LAYOUT_JS@', layoutJs)
  .replace('@JS@', js);
files['report.html'] = await reportPage(layoutJs);

mkdirSync(outdir, { recursive: true });
// Files of an earlier build carry other hashes and would be embedded as well.
for (const name of readdirSync(outdir)) if (/\.[0-9A-Za-z]{8,}\.(js|css)(\.br)?$/.test(name)) rmSync(join(outdir, name));
for (const [name, text] of Object.entries(files)) writeFileSync(join(outdir, name), text);
// Beside those that a browser loads first; the packer in the C build takes what is smaller than gzip by a tenth. Node packs it, so that
// the program needs no library for it. Not the layout: 391 kB in each program would save a browser 69 kB, once, where Graphviz draws.
for (const name of Object.keys(files))
  if (/\.(js|css)$/.test(name) && name !== layoutJs)
    writeFileSync(
      join(outdir, `${name}.br`),
      brotliCompressSync(files[name], { params: { [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: files[name].length } }),
    );
copyFileSync(join(here, 'src/favicon.svg'), join(outdir, 'favicon.svg'));

const first = new Set(['index.html', 'favicon.svg', js, css]);
let packed = 0;
for (const name of [...Object.keys(files), 'favicon.svg']) {
  const bytes = readFileSync(join(outdir, name));
  const gz = gzipSync(bytes, { level: 9 }).length;
  if (first.has(name)) packed += gz;
  console.log(`${name.padEnd(22)} ${String(bytes.length).padStart(8)} B ${String(gz).padStart(7)} gz${first.has(name) ? '' : ' later'}`);
}
console.log(`${'before the first view'.padEnd(33)} ${String(packed).padStart(7)} gz, limit ${LIMIT_BYTES}`);
if (packed > LIMIT_BYTES) {
  console.error(`the app is ${packed} bytes gzipped, more than ${LIMIT_BYTES}`);
  process.exit(1);
}
