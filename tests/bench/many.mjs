// Many people at one server: what a page asked while it was clicked through, asked by 1, 16, 64, 256 and 1,024 at once, at the pace
// of the recording. Not a test: prints what it saw.
//
//   XPD_BINARY=BUILD/xprofd node tests/bench/many.mjs [--people=1,16,...] [--minutes=N] [LOGDIR]
//   XPD_CHROMIUM=... XPD_PLAYWRIGHT=... node tests/bench/many.mjs --record    writes tests/bench/session.json anew
//
// `wait`: at the client, which shares the processors. `over 50 ms`: requests that waited longer. `lost`: any other status than 200.
// With --minutes the last number of people replays it over and over, and the memory of the server is printed each time.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { Server, source } from '../support/program.mjs';
import { metric, quantile, replay, session } from '../support/replay.mjs';

const args = process.argv.slice(2);
const option = (name, usual) => args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? usual;
const LOGDIR = 'testdata/tpu_run/logdir';

/** Clicks through every tool as a person does, and keeps what the server was asked for. */
async function record() {
  const { quit, settled, withPage } = await import('../browser/lib.mjs');
  const server = await Server.start(path.join(source, LOGDIR), '--verbose', '--log=json');
  const press = async (page, keys) => {
    for (const key of keys) {
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
    }
  };
  await withPage(`http://127.0.0.1:${server.port}/`, { hash: '#run=train' }, async (page) => {
    const go = async (hash) => {
      await page.waitForTimeout(1200);
      await page.evaluate((to) => { location.hash = to; }, hash);
      await settled(page);
    };
    await settled(page);
    await go('#run=train&tool=memory');
    await go('#run=train&tool=memory&tab=buffers');
    await go('#run=train&tool=memory&tab=buffers&filter=fusion');
    await go('#run=train&tool=trace');
    await press(page, 'wwddddaasswwwdd');
    await go('#run=train&tool=ops');
    await go('#run=train&tool=roofline');
    await go('#run=train&tool=graph');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('all-reduce', { delay: 120 });
    await page.waitForTimeout(1000);
    await page.keyboard.press('Escape');
    await go('#run=train&tool=input');
    await go('#run=train&tool=doctor');
    await go('#run=train&tool=overview');
  });
  await quit();
  await server.stop();
  const lines = server.errors.trimEnd().split('\n').map((line) => JSON.parse(line)).filter((line) => line.message === 'request' && line.status === 200);
  const asked = lines.map((line) => [Date.parse(line.time) - Math.round(line.ms), line.target.replace(/^(\/\w+\.)[0-9a-f]{12}\./, '$1HASH.')]).sort((a, b) => a[0] - b[0]);
  const requests = asked.map(([at, target]) => JSON.stringify([at - asked[0][0], target]));
  fs.writeFileSync(path.join(source, 'tests/bench/session.json'), `[\n${requests.join(',\n')}\n]\n`);
  console.log(`${requests.length} requests in ${((asked.at(-1)[0] - asked[0][0]) / 1e3).toFixed(1)} s`);
}

function print(people, answers, bytes) {
  const waits = answers.map((answer) => answer.ms), lost = answers.filter((answer) => answer.status !== 200);
  const ms = (share) => quantile(waits, share).toFixed(1).padStart(8);
  console.log(`${String(people).padStart(6)} people ${String(answers.length).padStart(7)} requests: wait p50 ${ms(0.5)} p99 ${ms(0.99)} most ${ms(1)} ms, `
    + `${(100 * waits.filter((wait) => wait > 50).length / waits.length).toFixed(2)} % over 50 ms, ${lost.length} lost, ${(bytes / 1e6).toFixed(1)} MB`);
  for (const { status, target } of lost.slice(0, 5)) console.log(`         ${status} ${target}`);
}

async function measure() {
  const server = await Server.start(args.find((word) => !word.startsWith('--')) ?? path.join(source, LOGDIR)), requests = await session(server);
  await replay(server, requests, 1, 100); // the files are read
  console.log(`${requests.length} requests in ${(requests.at(-1)[0] / 1e3).toFixed(1)} s a person; load ${os.loadavg()[0].toFixed(2)} of ${os.cpus().length} processors`);
  const people = option('people', '1,16,64,256,1024').split(',').map(Number), until = performance.now() + 60e3 * Number(option('minutes', 0));
  const round = async (count) => print(count, await replay(server, requests, count), await metric(server, 'process_resident_memory_bytes'));
  for (const count of people) await round(count);
  while (performance.now() < until) await round(people.at(-1));
  const used = await metric(server, 'process_cpu_seconds_total');
  console.log(`${used.toFixed(1)} s of processor time of the server`);
  await server.stop();
}

await (args.includes('--record') ? record() : measure());
