// The real program for tests in Node: run a command, start a server, ask it.
//
// Paths come from the environment that ctest sets: XPD_BINARY, XPD_SOURCE, XPD_BUILD, XPD_SHARED.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

export const source = process.env.XPD_SOURCE
  ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const binary = process.env.XPD_BINARY ?? path.join(source, 'build/xprofd');
export const build = process.env.XPD_BUILD ?? path.dirname(binary);
export const testdata = path.join(source, 'testdata');
/** The folder with the recorded answers, or null. */
export const shared = process.env.XPD_SHARED && fs.existsSync(process.env.XPD_SHARED)
  ? process.env.XPD_SHARED : null;

const START_MS = 60000, ANSWER_MS = 180000;

/** Runs `xprofd ...args` to its end. stdout and stderr are bytes, `text` and `errors` their text. */
export function run(args, options = {}) {
  const start = process.hrtime.bigint();
  const done = spawnSync(binary, args, { maxBuffer: 1 << 28, timeout: 120000, ...options });
  if (done.error) throw done.error;
  return {
    code: done.status, signal: done.signal, stdout: done.stdout, stderr: done.stderr,
    text: done.stdout.toString('utf8'), errors: done.stderr.toString('utf8'),
    ms: Number(process.hrtime.bigint() - start) / 1e6,
  };
}

const folders = [];
const running = new Set();
process.on('exit', () => { // a test that failed leaves its server behind
  for (const child of running) child.kill('SIGKILL');
  for (const dir of folders) fs.rmSync(dir, { recursive: true, force: true });
});

/** For spawn(), where a test takes permissions away: as root nothing is forbidden, so the program runs as nobody, who gets
 * into this folder. */
export function asNobody(dir) {
  if (process.getuid() !== 0) return {};
  fs.chmodSync(dir, 0o755);
  const own = temporary('program'), program = path.join(own, 'xprofd'); // a clone below /root is closed to others
  fs.chmodSync(own, 0o755);
  fs.copyFileSync(binary, program);
  return { uid: 65534, gid: 65534, program };
}

/** A folder of this name below the temporary one, removed at the end of the process. */
export function temporary(name) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), `xprofd-${name}-`));
  folders.push(dir);
  return dir;
}

/** Every file below a folder with its bytes' hash and time, and every folder with its own (a file that came and went
 * changes that): to see that nothing was touched. */
export function fingerprint(root) {
  const list = [];
  const walk = (dir) => {
    list.push(`${dir}/ ${fs.statSync(dir).mtimeMs}`);
    for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
      const file = path.join(dir, entry.name);
      if (entry.isDirectory()) walk(file);
      else if (entry.isFile()) {
        const hash = crypto.createHash('sha1').update(fs.readFileSync(file)).digest('hex');
        list.push(`${file} ${hash} ${fs.statSync(file).mtimeMs}`);
      } else list.push(`${file} ${entry.isSymbolicLink() ? fs.readlinkSync(file) : 'other'}`);
    }
  };
  walk(root);
  return list.sort();
}

/** Writes a run into a logdir; returns the path of its file. */
export function putRun(logdir, run, bytes, file = 'host0.xplane.pb') {
  const dir = path.join(logdir, 'plugins/profile', run);
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, file), bytes);
  return path.join(dir, file);
}

/** A logdir with the broken profiles of tests/support (gen_broken); '--flat' for single files. */
export function brokenProfiles(...more) {
  const dir = temporary('broken');
  execFileSync(path.join(build, 'bin/gen_broken'), [...more, dir]);
  return dir;
}

/** A logdir with steps in which no event is an operation: one of TensorFlow's, in which they are called otherwise. */
export function withoutOperations() {
  const logdir = temporary('without');
  const from = path.join(testdata, 'cpu_tf/logdir/plugins/profile/train/vm.xplane.pb');
  putRun(logdir, 'train', Buffer.from(fs.readFileSync(from, 'latin1').replaceAll('MatMul:MatMul', 'MatMul.MatMul'), 'latin1'), 'vm.xplane.pb');
  return logdir;
}

/** The one .xplane.pb below a folder of testdata. */
export function captured(name) {
  const runs = path.join(testdata, name, 'logdir/plugins/profile');
  return path.join(runs, fs.readdirSync(runs)[0], 'host0.xplane.pb');
}

export const query = (parameters) => new URLSearchParams(parameters).toString();

export class Server {
  /** Milliseconds of processor time it has taken so far: what a test may limit, since other work on the machine slows a clock. */
  processorMs() {
    const fields = fs.readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10; // user and system, in ticks of 1/100 s
  }

  /** Starts `xprofd serve PATH --port=0 ...more` and waits for its first line. The last argument may
   * be options of spawn(). */
  static async start(root, ...more) {
    const { program = binary, ...options } = typeof more.at(-1) === 'object' ? more.pop() : {};
    const server = new Server();
    server.child = spawn(program, [root, '--port=0', ...more],
      { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    running.add(server.child);
    server.errors = '';
    server.exit = new Promise((resolve) => server.child.on('exit', (code, signal) => {
      server.ended = { code, signal };
      running.delete(server.child);
      resolve(server.ended);
    }));
    server.child.stderr.on('data', (bytes) => { server.errors += bytes; });
    server.agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
    let out = '';
    await new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`no ready line: ${out}`)), START_MS);
      server.child.on('error', (error) => { // whom we run as may not start the program
        clearTimeout(limit);
        running.delete(server.child);
        reject(error);
      });
      server.child.stdout.on('data', (bytes) => {
        out += bytes;
        const ready = /^xprofd: serving .* at (?:http:\/\/[^/]*:(\d+)(\/.*)|unix:(.*))$/m.exec(out);
        if (!ready) return;
        server.port = Number(ready[1]);
        server.socketPath = ready[3];
        clearTimeout(limit);
        resolve();
      });
      server.exit.then(({ code, signal }) => {
        clearTimeout(limit);
        reject(new Error(`ended with ${code ?? signal}: ${server.errors}`));
      });
    });
    for (const part of [server.child, server.child.stdout, server.child.stderr]) part.unref();
    return server;
  }

  /** Whether it still runs and answers. */
  async answers() {
    return !this.ended && (await this.once('/api/v1/status')).status === 200;
  }

  /** One request. {status, headers, body}. */
  once(target, headers = {}) {
    return new Promise((resolve, reject) => {
      const ask = http.get({
        ...(this.socketPath ? { socketPath: this.socketPath } : { host: '127.0.0.1', port: this.port }), path: target, agent: this.agent,
        headers: { 'Accept-Encoding': 'gzip', ...headers }, timeout: ANSWER_MS,
      }, (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          let body = Buffer.concat(parts);
          if (answer.headers['content-encoding'] === 'gzip') body = zlib.gunzipSync(body);
          resolve({ status: answer.statusCode, headers: answer.headers, body });
        });
      });
      ask.on('timeout', () => ask.destroy(new Error(`no answer to ${target.slice(0, 200)}`)));
      // A connection that idled may be closed by the server at the moment it is used again.
      ask.on('error', (error) => {
        if (ask.reusedSocket && error.code === 'ECONNRESET') this.once(target, headers).then(resolve, reject);
        else reject(error);
      });
    });
  }

  /** The same, asked again while the run is being read. `json` is null when the body is none. */
  async get(target) {
    for (let wait = 5; ; wait = Math.min(wait * 2, 200)) {
      const answer = await this.once(target);
      if (answer.status === 202) {
        await new Promise((resolve) => { setTimeout(resolve, wait); });
        continue;
      }
      answer.text = answer.body.toString('utf8');
      answer.json = null;
      try {
        answer.json = JSON.parse(answer.text);
      } catch { /* CSV, HTML */ }
      return answer;
    }
  }

  api(route, parameters = {}) {
    return this.get(`/api/v1/${route}?${query(parameters)}`);
  }

  /** Ends it as a user would; throws when it did not end well. */
  async stop() {
    this.agent.destroy();
    this.child.ref();
    if (!this.ended) this.child.kill('SIGTERM');
    const { code, signal } = await this.exit;
    if (code !== 0) throw new Error(`xprofd ended with ${code ?? signal}:\n${this.errors}`);
  }
}

/** Calls `each(item)` for all, at most `limit` at a time. */
export async function forAll(items, limit, each) {
  const rest = [...items];
  const worker = async () => {
    while (rest.length > 0) await each(rest.shift());
  };
  await Promise.all(Array.from({ length: limit }, worker));
}

/** Asks until `done(answer)` or the time is up. */
export async function until(ask, done, what, limit = 15000) {
  for (const start = performance.now(); ;) {
    const answer = await ask();
    if (done(answer)) return answer;
    assert.ok(performance.now() - start < limit, `${what}: ${answer.text.slice(0, 300)}`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}
