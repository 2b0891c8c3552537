// A generated profile opened by xprofd, XProf and xprof-rs, one after another, each alone. Not a test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd XPD_BUILD=BUILD XPD_PEERS=FOLDER node tests/bench/peers.mjs [--install] [--events=N] [SHAPE ...]
//
// SHAPE: names of tests/support/xspace_gen.c ("TPU host, five stats", "GPUs, launches", ...) or "64 hosts"; without one all
// that hosts write. Each is measured at a quarter, half and all of N events (3,670,000). --install puts XProf (pip) and xprof-rs
// (cargo) into XPD_PEERS, a folder outside of the clone; peers that are not there are left out. Each figure stands
// beside the floor, read() of the file, in seconds at the client; processor time and the peak of memory are the process's.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { binary, build, temporary } from '../support/program.mjs';

const SHAPES = ['TPU host, five stats', 'TPU host', 'host, Python frames', 'GPUs, launches', 'TensorFlow executor', '1,000 rows', '64 hosts'];
const DATA = '/data/plugin/profile/data?run=run';
const TRACE = `${DATA}&host=host0&tag=trace_viewer%40`;
const TABLES = ['overview_page', 'input_pipeline_analyzer', 'roofline_model', 'hlo_stats', 'op_profile'];
const HOSTS = 64; // of the shape "64 hosts": as many files, each a TPU host with five stats
const PEERS = process.env.XPD_PEERS;
const args = process.argv.slice(2), words = args.filter((word) => !word.startsWith('--'));
const events = Number(args.find((word) => word.startsWith('--events='))?.slice(9) ?? 3670000);

function install() {
  if (!PEERS) throw new Error('XPD_PEERS names no folder');
  execFileSync('python3', ['-m', 'venv', path.join(PEERS, 'xprof')], { stdio: 'inherit' });
  execFileSync(path.join(PEERS, 'xprof/bin/pip'), ['install', 'xprof==2.24.2'], { stdio: 'inherit' });
  execFileSync('cargo', ['install', 'xprof-rs', '--root', PEERS], { stdio: 'inherit' });
}

function programs() {
  const xprof = PEERS && path.join(PEERS, 'xprof/bin/xprof'), rs = PEERS && path.join(PEERS, 'bin/xprof-rs');
  return [
    ['xprofd', binary, (logdir, port) => [`--logdir=${logdir}`, `--port=${port}`]],
    ['XProf', xprof, (logdir, port) => [`--logdir=${logdir}`, `--port=${port}`]],
    ['xprof-rs', rs, (logdir, port) => ['--logdir', logdir, '--port', String(port)]],
  ].filter(([name, program]) => program && (fs.existsSync(program) || console.log(`${name} is not there: ${program}`)));
}

/** A port that nothing listens on. */
function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function fetchOnce(port, target) {
  return new Promise((resolve, reject) => {
    http.get({ host: '127.0.0.1', port, path: target, headers: { 'Accept-Encoding': 'gzip' } }, (answer) => {
      let bytes = 0;
      answer.on('data', (part) => { bytes += part.length; });
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, bytes, gzip: answer.headers['content-encoding'] === 'gzip' }));
    }).on('error', reject);
  });
}

/** Until it answers otherwise than that it is at work. */
async function ask(port, target) {
  const start = performance.now();
  for (;;) {
    const answer = await fetchOnce(port, target);
    if (answer.status !== 202) return { ...answer, seconds: (performance.now() - start) / 1e3 };
    await new Promise((resolve) => { setTimeout(resolve, 5); });
  }
}

async function ready(port, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    try {
      return await fetchOnce(port, '/');
    } catch { /* not yet */ }
    await new Promise((resolve) => { setTimeout(resolve, 10); });
  }
}

function taken(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const peak = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, peakMb: Number(peak[1]) * 1024 / 1e6 };
}

/** Seconds that read() of the whole files takes, in pieces of 256 KiB. */
function floor(files) {
  const piece = Buffer.alloc(1 << 18), start = performance.now();
  for (const file of files) {
    const descriptor = fs.openSync(file);
    while (fs.readSync(descriptor, piece) > 0);
    fs.closeSync(descriptor);
  }
  return (performance.now() - start) / 1e3;
}

/** The files of a shape in the folder of a run. */
function generate(shape, count, run) {
  const all = shape === '64 hosts', hosts = all ? HOSTS : 1;
  return Array.from({ length: hosts }, (_, k) => {
    const file = path.join(run, `host${k}.xplane.pb`);
    execFileSync(path.join(build, 'bin/gen_vectors'), ['--events', all ? SHAPES[0] : shape, String(Math.round(count / hosts)), file]);
    return file;
  });
}

function print(program, what, answer, process_, floorSeconds) {
  const size = `${(answer.bytes / 1e6).toFixed(1)} MB${answer.gzip ? ' gzipped' : ''}`;
  console.log(`    ${program.padEnd(9)} ${what.padEnd(22)} ${answer.seconds.toFixed(3).padStart(8)} s ${(answer.seconds / floorSeconds).toFixed(1).padStart(7)}x read()`
    + `  processor ${process_.cpu.toFixed(2)} s, peak ${process_.peakMb.toFixed(0)} MB, ${size}${answer.status === 200 ? '' : `, status ${answer.status}`}`);
}

async function measure([name, program, options], logdir, floorSeconds, hosts) {
  const port = await freePort();
  const child = spawn(program, options(logdir, port), { stdio: 'ignore' });
  try {
    await ready(port, child);
    let before = taken(child.pid).cpu;
    const one = async (what, target) => {
      const answer = await ask(port, target), now = taken(child.pid);
      print(name, what, answer, { ...now, cpu: now.cpu - before }, floorSeconds);
      before = now.cpu;
      return answer;
    };
    if (name === 'xprofd') {
      const host = hosts > 1 ? '&host=all' : '';
      await one('rows', `/api/v1/trace/rows?run=run&derived=0${host}`);
      await one('rows, derived', `/api/v1/trace/rows?run=run&derived=1${host}`);
      await one('our Overview', '/api/v1/overview?run=run');
    }
    if (hosts === 1) {
      await one('trace, first', TRACE);
      await one('trace, again', TRACE);
      await one('one hundredth', `${TRACE}&start_time_ms=100&end_time_ms=120`);
    }
    for (const tag of TABLES) await one(tag, `${DATA}&host=${hosts > 1 ? 'ALL_HOSTS' : 'host0'}&tag=${tag}`);
  } catch (error) {
    console.log(`    ${name}: ${error.message}`);
  }
  child.kill('SIGKILL');
}

if (args.includes('--install')) install();
for (const shape of words.length > 0 ? words : SHAPES) {
  for (const part of [0.25, 0.5, 1]) {
    const logdir = temporary('peers'), run = path.join(logdir, 'plugins/profile/run');
    fs.mkdirSync(run, { recursive: true });
    const files = generate(shape, events * part, run), bytes = files.reduce((sum, file) => sum + fs.statSync(file).size, 0);
    floor(files); // they lie in the page cache afterwards
    const floorSeconds = floor(files);
    console.log(`${shape}: ${Math.round(events * part)} events, ${(bytes / 1e6).toFixed(0)} MB; read() ${(floorSeconds * 1e3).toFixed(0)} ms`);
    for (const program of programs()) await measure(program, logdir, floorSeconds, files.length);
    fs.rmSync(logdir, { recursive: true });
  }
}
process.exit(0);
