/** The instructions inside of a fusion or call, listed when it is opened: they have shapes, but no buffers. */
import { signal } from '@preact/signals';
import type { Answers } from '../api/answers';
import { call } from '../api/client';
import { OpName } from '../app/links';
import { subject } from '../memory/state';
import { formatCount, plural } from '../util/format';
import { meaningOf } from './glossary';
import type { Line } from './lines';
import type { GroupRow } from './types';
import { toggled } from '../util/toggled';

type Body = Answers['graph/list'];

const SHOWN = 100;
const opened = signal<ReadonlySet<string>>(new Set());
const bodies = signal<ReadonlyMap<string, Body | string>>(new Map());
/** Bodies of another program have other instructions. */
const keyOf = (body: string) => JSON.stringify([subject.value.run, subject.value.module, body]);

export function isOpened(row: GroupRow): boolean {
  return Boolean(row.body) && opened.value.has(keyOf(row.body ?? ''));
}

export function toggleBody(row: GroupRow): void {
  if (!row.body) return;
  const key = keyOf(row.body);
  opened.value = toggled(opened.peek(), key);
  if (bodies.peek().has(key)) return;
  const put = (found: Body | string) => {
    bodies.value = new Map(bodies.peek()).set(key, found);
  };
  call<Body>(
    'graph/list',
    { run: subject.peek().run, module: subject.peek().module, computation: row.body, count: SHOWN },
    { key: `report/body/${row.body}`, quiet: true },
  )
    .then(put)
    .catch((error: unknown) => put((error as Error).message));
}

const empty = { at_bytes: [], peak_bytes: 0, curve_bytes: [], variable: '', open: null, blank: true as const };

export function insideLines(row: GroupRow, id: string, depth: number, more: string[]): Line[] {
  if (!isOpened(row) || !row.body) return [];
  const found = bodies.value.get(keyOf(row.body));
  if (found === undefined) return [];
  if (typeof found === 'string') return [{ ...empty, id: `${id}/inside`, depth, label: <span class="soft">{found}</span>, text: found, what: '', more }];
  const lines: Line[] = Array.from({ length: found.n }, (_, k) => ({
    ...empty,
    id: `${id}/inside/${k}`,
    depth,
    label: <OpName name={found.name[k]} />,
    text: found.name[k],
    what: (
      <span title={meaningOf(found.name[k])}>
        <code class="soft">{found.shape[k]}</code> {found.opcode[k]}, no buffer (fused)
      </span>
    ),
    more,
  }));
  if (found.total > found.n)
    lines.push({
      ...empty,
      id: `${id}/inside/rest`,
      depth,
      label: <span class="soft">{formatCount(found.total - found.n)} more, in program order</span>,
      text: 'more',
      what: `${plural(found.total, 'instruction')} inside; Graph shows all`,
      more,
    });
  return lines;
}
