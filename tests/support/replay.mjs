// What one person's page asked while it was clicked through (tests/bench/many.mjs --record), asked again by many at once.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';

import { source } from './program.mjs';

/** [[ms since the first, target], ...], with the names that files of the page have in this build; a build without a page has none of them. */
export async function session(server) {
  const [, hash] = /app\.([0-9a-f]{12})\.js/.exec((await server.once('/')).body.toString('utf8')) ?? [];
  return JSON.parse(fs.readFileSync(path.join(source, 'tests/bench/session.json'), 'utf8'))
    .filter(([, target]) => hash || target.startsWith('/api/')).map(([at, target]) => [at, target.replace('.HASH.', `.${hash}.`)]);
}

/** A browser: as many connections to one server, an id of its page. */
class Person {
  constructor(server, number) {
    this.server = server;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 6 });
    this.headers = { 'Accept-Encoding': 'gzip', 'X-Xprofd-Page': `person${number}` };
  }

  once(target) {
    const start = performance.now();
    return new Promise((resolve) => {
      const done = (status) => resolve({ status, ms: performance.now() - start });
      const ask = http.get({ host: '127.0.0.1', port: this.server.port, path: target, agent: this.agent, headers: this.headers }, (answer) => {
        answer.resume();
        answer.on('end', () => done(answer.statusCode));
        answer.on('error', (error) => done(error.code ?? 'cut'));
      });
      ask.on('error', (error) => {
        // A connection that idled may be closed by the server at the moment it is used again.
        if (ask.reusedSocket && error.code === 'ECONNRESET') this.once(target).then(resolve);
        else done(error.code);
      });
    });
  }

  /** Until there is an answer, as the page asks; the time is that of all together. */
  async ask(target) {
    for (let wait = 60, ms = 0; ; wait = Math.min(500, wait * 1.5)) {
      const answer = await this.once(target);
      ms += answer.ms;
      if (answer.status !== 202) return { target, status: answer.status, ms };
      await new Promise((resolve) => { setTimeout(resolve, wait); });
      ms += wait;
    }
  }
}

/** Each of `count` people replays the requests once, at the pace of the recording divided by `speed`, all beginning within one length
 * of it. Returns [{target, status, ms}]; the status of a connection that broke is a word. */
export async function replay(server, requests, count, speed = 1) {
  const length = (requests.at(-1)[0] + 1000) / speed, answers = [];
  await Promise.all(Array.from({ length: count }, async (_, number) => {
    const person = new Person(server, number), begin = performance.now() + (length * number) / count;
    await Promise.all(requests.map(async ([at, target]) => {
      await new Promise((resolve) => { setTimeout(resolve, begin + at / speed - performance.now()); });
      answers.push(await person.ask(target));
    }));
    person.agent.destroy();
  }));
  return answers;
}

/** Of numbers, the one that `share` of them do not exceed. */
export function quantile(numbers, share) {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** The value of one line of /metrics. */
export async function metric(server, name) {
  const { body } = await server.once('/metrics', { 'X-Xprofd-Page': 'metrics' });
  return Number(body.toString('utf8').split('\n').find((line) => line.startsWith(`${name} `)).slice(name.length + 1));
}
