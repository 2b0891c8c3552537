/** Transfers: collectives, copies between memory spaces, host: how often, how much, what they hold at the steps. */
import { signal } from '@preact/signals';
import { cellText } from '../memory/bytes';
import { OpName } from '../memory/links';
import { durationText } from '../trace/time';
import { formatCount } from '../util/format';
import { Lines, type Line } from './lines';
import { failed, onlyDifferences, transfers } from './state';
import { timeCell, timeHint, timesHead, transferKey, transferTimes } from './times';

const opened = signal<ReadonlySet<string>>(new Set());

const MORE = [
  { title: 'count', hint: 'transfers of the program; an asynchronous one counts once', width: 60 },
  { title: 'moved', hint: 'bytes that arrive: results of all of them together, each counted once however often it runs', width: 86 },
];

export function TransfersTab() {
  const t = transfers.value;
  if (!t) return <p class="m-note">{failed.value || '…'}</p>;
  const times = transferTimes.value;
  const columns = times ? [...MORE, timesHead(times)] : MORE;
  const lines: Line[] = t.rows
    .filter((row) => !(onlyDifferences.value && row.at.every((value) => value === row.at[0])))
    .flatMap((row, k) => {
      const id = `${row.kind} ${row.name} ${row.from} ${row.to} ${k}`;
      const open = opened.value.has(id);
      const tag = row.of_program === row.count ? 'from program' : row.of_program === 0 ? 'added by compiler' : `${row.of_program} from program, ${row.count - row.of_program} added by compiler`;
      return [
        {
          ...row,
          id,
          depth: 0,
          label: (
            <>
              {row.name} <span class="soft">{row.name === row.kind ? '' : row.kind}</span>
            </>
          ),
          text: row.name,
          variable: row.kind.startsWith('copy') || row.kind.startsWith('async') ? '--o-move' : '--o-coll',
          what: `${row.from === row.to ? `in ${row.from}` : `${row.from} to ${row.to}`}, ${tag}`,
          open,
          more: [formatCount(row.count), cellText(row.result_bytes), ...(times ? [<span key="time" title={timeHint(times, transferKey(row))}>{timeCell(times, transferKey(row))}</span>] : [])],
          onToggle: () => {
            const next = new Set(opened.peek());
            if (!next.delete(id)) next.add(id);
            opened.value = next;
          },
        },
        ...(open
          ? row.each.map((one) => ({
              at: row.at.map(() => 0),
              peak: 0,
              curve: [],
              blank: true,
              id: `${id}/${one.name}`,
              depth: 1,
              label: <OpName name={one.name} />,
              text: one.name,
              variable: '',
              what: (
                <>
                  {one.operand ? (
                    <>
                      from <code>%{one.operand}</code> ({row.from}) to {row.to},{' '}
                    </>
                  ) : null}
                  {one.groups ? <span title={one.groups_words ?? 'from a device to a device'}>{one.groups}, </span> : null}
                  <code>{one.shape}</code>, {one.of_program ? 'from program' : 'added by compiler'}
                </>
              ),
              open: null,
              more: columns.map(() => ''),
            }))
          : []),
      ];
    });
  if (t.rows.length > 0)
    lines.push({ ...t.total, id: '(sum)', depth: 0, label: 'sum', text: 'sum', variable: '', strong: true, root: true, open: null, what: 'held by all transfers', more: [formatCount(t.rows.reduce((sum, row) => sum + row.count, 0)), cellText(t.rows.reduce((sum, row) => sum + row.result_bytes, 0)), ...(times ? [durationText(times.total_ps)] : [])] });
  return <Lines label="transfers" first="transfer" lines={lines} columns={t.columns} peakStep={t.peak_step} more={columns} last="from and to" empty="none: one device, no infeed, no callback, and nothing is copied between memory spaces" />;
}
