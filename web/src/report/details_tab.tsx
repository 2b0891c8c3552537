/** The tree of categories at the chosen steps. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { call, isAborted } from '../api/client';
import { plural } from '../util/format';
import { change, settled } from '../memory/state';
import { rowVariable } from './colours';
import { BufferName, literalText } from './buffer_name';
import { insideLines, isOpened, toggleBody } from './inside';
import { baseDetails, basePlace } from './base_state';
import { besideOf, useBaseGroups } from './base_buffers_state';
import { baseOf, type BaseValues, differs, type Joined, joinDetails, nothing, restOf, sideWords } from './base_join';
import { Lines, type Line } from './lines';
import { details, failed, onlyDifferences, reportParams } from './state';
import type { DetailRow, Details, Groups } from './types';
import { toggled } from '../util/toggled';

/** Rows that are closed, and leaves whose buffers are listed. */
const closed = signal<ReadonlySet<string>>(new Set());
const listed = signal<ReadonlySet<string>>(new Set());

const same = (row: { at_bytes: number[] }) => row.at_bytes.every((value) => value === row.at_bytes[0]);

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

function bufferLines(leaf: DetailRow, answer: Groups | undefined, base: Groups | undefined, depth: number): Line[] {
  if (!answer) return [];
  const held = answer.rows.filter((row) => row.at_bytes.some((value) => value > 0) || row.peak_bytes > 0);
  const beside = besideOf(held, base);
  const zeros = nothing({ at_bytes: answer.total.at_bytes, peak_bytes: 0, curve_bytes: answer.total.curve_bytes });
  const rows = [...held, ...(beside?.lone ?? []).map((row) => ({ ...row, ...zeros, body: null }))];
  const bases: (BaseValues | undefined)[] = beside
    ? [...beside.of, ...beside.lone.map((row) => ({ ...baseOf(row, basePlace.value ?? []), side: 'before' as const }))]
    : [];
  const out: Line[] = rows.map((row, k) => ({
    ...row,
    base: bases[k],
    id: `${leaf.id}/${k}`,
    depth,
    label: k < held.length ? <BufferName row={row} /> : <code class="soft">{row.name}</code>,
    text: row.name,
    variable: '',
    what: (
      <span title={`${row.shape}${literalText(row)}`}>
        {bases[k]?.side ? `${sideWords(bases[k])} ` : ''}
        <code class="soft">{row.shape}</code>
        {literalText(row)}
      </span>
    ),
    open: row.body ? isOpened(row) : null,
    onToggle: () => toggleBody(row),
  }));
  const shownRows = held.length;
  const rest = { at: answer.total.at_bytes.map((value, s) => value - out.reduce((sum, row) => sum + row.at_bytes[s], 0)) };
  const shown = shownRows;
  const restBase = beside
    ? restOf(
        beside.total,
        bases.flatMap((one) => (one ? [one] : [])),
      )
    : undefined;
  if (answer.n > shown || restBase?.at.some((value) => value) || restBase?.peak)
    out.push({
      base: restBase,
      at_bytes: rest.at,
      peak_bytes: answer.total.peak_bytes - out.reduce((sum, row) => sum + row.peak_bytes, 0),
      curve_bytes: answer.total.curve_bytes.map((value, c) => value - out.reduce((sum, row) => sum + row.curve_bytes[c], 0)),
      id: `${leaf.id}/rest`,
      depth,
      label: <span class="soft">{answer.n > shown ? plural(answer.n - shown, 'other buffer') : 'other buffers before'}</span>,
      text: answer.n > shown ? `${answer.n - shown} other buffers` : 'other buffers before',
      variable: '',
      what: 'smaller now, or not live at these steps',
      open: null,
    });
  const byId = new Map(answer.rows.map((row) => [row.name, row]));
  return out.flatMap((line) => {
    const row = byId.get(line.text);
    return row && line.open ? [line, ...insideLines(row, line.id, depth + 1, [])] : [line];
  });
}

/** The unfolded rows, each with its listed buffers. */
function linesOf(d: Details, joined: Joined<DetailRow>[] | null, leaves: Map<string, Groups>, baseLeaves: Map<string, Groups>): Line[] {
  const all = joined?.map(({ row }) => row) ?? d.rows;
  const baseById = new Map(joined?.map(({ row, base }) => [row.id, base]));
  const depth = depths(all);
  const hiddenBelow = new Set<string>();
  const lines: Line[] = [];
  for (const row of all) {
    const base = baseById.get(row.id);
    if (row.parent !== null && hiddenBelow.has(row.parent)) {
      hiddenBelow.add(row.id);
      continue;
    }
    const isClosed = closed.value.has(row.id);
    if (isClosed) hiddenBelow.add(row.id);
    if (onlyDifferences.value && same(row) && !differs(row, base)) continue;
    const parent = all.some((other) => other.parent === row.id);
    const open = parent ? !isClosed : row.opens ? listed.value.has(row.id) : null;
    lines.push({
      ...row,
      base,
      what: base?.side ? `${sideWords(base)}; ${row.what}` : row.what,
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
    if (!parent && open) lines.push(...bufferLines(row, leaves.get(row.id), baseLeaves.get(row.id), (depth.get(row.id) ?? 0) + 1));
  }
  return lines;
}

export function DetailsTab() {
  const leaves = useLeaves();
  const baseLeaves = useBaseGroups(
    [...listed.value].map((id) => ({ id, params: { within: id } })),
    12,
  );
  const d = details.value;
  if (!d)
    return (
      <p class="m-note" aria-busy={failed.value === ''}>
        {failed.value || '…'}
      </p>
    );
  const joined = withBase(d);
  return (
    <Lines
      label="memory by category"
      first="category"
      lines={linesOf(d, joined, leaves, baseLeaves)}
      columns={d.columns}
      peakStep={d.peak_step}
      last="what it is"
      baseline={joined !== null}
      empty={
        onlyDifferences.value && d.steps.length > 1
          ? 'no differences between these steps'
          : 'only one step: nothing to compare; Ctrl-click the chart to add another'
      }
    />
  );
}

/** The tree beside the baseline's; null without one. */
function withBase(d: Details): Joined<DetailRow>[] | null {
  const b = baseDetails.value;
  const place = basePlace.value;
  return b && place && place.length === d.steps.length ? joinDetails(d.rows, b.rows, place) : null;
}

export function OnlyDifferences() {
  return (
    <label class="r-check-s">
      <input type="checkbox" checked={onlyDifferences.value} onChange={() => change({ diffs: onlyDifferences.peek() ? null : 1 })} /> only differences
    </label>
  );
}
