// Words of the page: in JSX a backslash is a backslash, so that an escape stands on the screen as it was typed.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const SRC = join(process.cwd(), 'src');

test('no escape is left in the words between tags, nor in an attribute', () => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) =>
      readFileSync(join(SRC, name), 'utf8')
        .split('\n')
        .flatMap((line, k) =>
          /\s[\w-]+="[^"{]*\\u[0-9a-f]{4}/i.test(line) || /<[\w]+[^<>]*>[^<>{}'"`]*\\u[0-9a-f]{4}[^<>{}'"`]*</i.test(line) ? [`${name}:${k + 1}`] : [],
        ),
    );
  assert.deepEqual(found, []);
});
