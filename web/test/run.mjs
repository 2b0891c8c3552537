// Bundles test/unit/*.test.ts and runs them with node:test. One process: a process per file costs eight times as long.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const web = dirname(dirname(fileURLToPath(import.meta.url)));
const unit = join(web, 'test/unit');
const scratch = mkdtempSync(join(tmpdir(), 'xprofd-web-'));
const names = readdirSync(unit).filter((name) => name.endsWith('.test.ts'));
const entry = join(scratch, 'all.ts');
writeFileSync(entry, names.map((name) => `import ${JSON.stringify(join(unit, name))};\n`).join(''));

await build({
  absWorkingDir: web,
  entryPoints: [entry],
  outfile: join(scratch, 'all.test.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node18',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.css': 'empty', '.md': 'text' },
  sourcemap: 'inline',
  nodePaths: [join(web, 'node_modules')],
  logLevel: 'warning',
  // Graphviz asks for random bytes as browsers give them; Node 18 has them in a module only.
  banner: { js: "import { webcrypto as nodeCrypto } from 'node:crypto';\nglobalThis.crypto ??= nodeCrypto;" },
});
const run = spawnSync(process.execPath, ['--test', join(scratch, 'all.test.mjs')], { cwd: web, stdio: 'inherit' });
rmSync(scratch, { recursive: true });
process.exit(run.status ?? 1);
