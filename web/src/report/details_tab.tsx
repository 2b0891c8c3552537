/** The tree of categories at the chosen steps. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call, isAborted } from '../api/client';
import { plural } from '../util/format';
import { change, settled } from '../memory/state';
import { rowVariable } from './colours';
import { BufferName, literalText } from './buffer_name';
import { insideLines, isOpened, toggleBody } from './inside';
import { Lines, type Line } from './lines';
import { details, failed, onlyDifferences, reportParams } from './state';
import type { DetailRow, Groups } from './types';

/** Rows that are closed, and leaves whose buffers are listed. */
const closed = signal<ReadonlySet<string>>(new Set());
const listed = signal<ReadonlySet<string>>(new Set());

function toggled(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

const same = (row: { at: number[] }) => row.at.every((value) => value === row.at[0]);

/** Buffers of the listed leaves, at the steps of the page. */
function useLeaves(): Map<string, Groups> {
  const [leaves, setLeaves] = useState(new Map<string, Groups>());
  const wanted = [...listed.value].join('|');
  const params = JSON.stringify(reportParams.value);
  useEffect(() => {
    if (!settled.peek()) return;
    let stopped = false;
    for (const id of listed.peek())
      call<Groups>('report/groups', { ...reportParams.peek(), by: 'buffer', within: id, px: 150, limit: 12 }, { key: `report/leaf/${id}`, quiet: true })
        .then((answer) => {
          if (!stopped) setLeaves((before) => new Map(before).set(id, answer));
        })
        .catch((error: unknown) => {
          if (!isAborted(error)) failed.value = (error as Error).message;
        });
    return () => {
      stopped = true;
    };
  }, [wanted, params]);
  return leaves;
}

function depths(rows: readonly DetailRow[]): Map<string, number> {
  const depth = new Map<string, number>();
  for (const row of rows) depth.set(row.id, row.parent === null ? 0 : (depth.get(row.parent) ?? 0) + 1);
  return depth;
}

function bufferLines(leaf: DetailRow, answer: Groups | undefined, depth: number): Line[] {
  if (!answer) return [];
  const out: Line[] = answer.rows
    .filter((row) => row.at.some((value) => value > 0) || row.peak > 0)
    .map((row, k) => ({
      ...row,
      id: `${leaf.id}/${k}`,
      depth,
      label: <BufferName row={row} />,
      text: row.name,
      variable: '',
      what: (
        <span title={`${row.shape}${literalText(row)}`}>
          <code class="soft">{row.shape}</code>
          {literalText(row)}
        </span>
      ),
      open: row.body ? isOpened(row) : null,
      onToggle: () => toggleBody(row),
    }));
  const shownRows = out.length;
  const rest = { at: answer.total.at.map((value, s) => value - out.reduce((sum, row) => sum + row.at[s], 0)) };
  const shown = shownRows;
  if (answer.n > shown)
    out.push({
      at: rest.at,
      peak: answer.total.peak - out.reduce((sum, row) => sum + row.peak, 0),
      curve: answer.total.curve.map((value, c) => value - out.reduce((sum, row) => sum + row.curve[c], 0)),
      id: `${leaf.id}/rest`,
      depth,
      label: <span class="soft">{plural(answer.n - shown, 'other buffer')}</span>,
      text: `${answer.n - shown} other buffers`,
      variable: '',
      what: 'smaller here, or not held at these steps',
      open: null,
    });
  const byId = new Map(answer.rows.map((row) => [row.name, row]));
  return out.flatMap((line) => {
    const row = byId.get(line.text);
    return row && line.open ? [line, ...insideLines(row, line.id, depth + 1, [])] : [line];
  });
}

export function DetailsTab() {
  const leaves = useLeaves();
  const d = details.value;
  if (!d) return <p class="m-note" aria-busy={failed.value === ''}>{failed.value || '…'}</p>;
  const depth = depths(d.rows);
  const hiddenBelow = new Set<string>();
  const lines: Line[] = [];
  for (const row of d.rows) {
    if (row.parent !== null && hiddenBelow.has(row.parent)) {
      hiddenBelow.add(row.id);
      continue;
    }
    const isClosed = closed.value.has(row.id);
    if (isClosed) hiddenBelow.add(row.id);
    if (onlyDifferences.value && same(row)) continue;
    const parent = d.rows.some((other) => other.parent === row.id);
    const open = parent ? !isClosed : row.opens ? listed.value.has(row.id) : null;
    lines.push({
      ...row,
      depth: depth.get(row.id) ?? 0,
      text: row.label,
      variable: rowVariable(row.id),
      open,
      strong: (depth.get(row.id) ?? 0) < 3 && parent,
      root: row.parent === null,
      onToggle: () => {
        if (parent) closed.value = toggled(closed.peek(), row.id);
        else if (row.opens) listed.value = toggled(listed.peek(), row.id);
      },
    });
    if (!parent && open) lines.push(...bufferLines(row, leaves.get(row.id), (depth.get(row.id) ?? 0) + 1));
  }
  return (
    <Lines
      label="memory by category"
      first="category"
      lines={lines}
      columns={d.columns}
      peakStep={d.peak_step}
      last="what it is"
      empty={onlyDifferences.value && d.steps.length > 1 ? 'nothing differs between these steps' : 'there is one step: nothing to differ; Ctrl-click the chart to add another'}
    />
  );
}

export function OnlyDifferences() {
  return (
    <label class="r-check-s">
      <input type="checkbox" checked={onlyDifferences.value} onChange={() => change({ diffs: onlyDifferences.peek() ? null : 1 })} /> only differences
    </label>
  );
}
