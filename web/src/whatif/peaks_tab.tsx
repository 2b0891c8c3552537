/** The peaks of the changed program, highest first: what would be next. */
import { useEffect } from 'preact/hooks';
import { VirtualTable } from '../table/virtual';
import { exactBytes, formatCount } from '../util/format';
import { cellText } from '../memory/bytes';
import { OpName } from '../app/links';
import { change } from '../memory/state';
import { groupColour } from '../memory/group_colour';
import { startGroups } from './rows';
import { plan, startWhatIf, groupsAt } from './state';
import type { Plan } from './types';
import { together } from '../util/listen';

type Peak = Plan['peaks'][number] & { at: number; highest: number };

export function NextPeaks() {
  useEffect(() => together([startWhatIf(), startGroups()]), []);
  const p = plan.value;
  if (!p)
    return (
      <p class="m-note" aria-busy="true">
        computing …
      </p>
    );
  const rows: Peak[] = p.peaks.map((peak, at) => ({ ...peak, at, highest: p.peaks[0].new_bytes }));
  return (
    <VirtualTable<Peak>
      label="next peaks"
      count={rows.length}
      rowAt={(i) => rows[i]}
      onOpen={(row) => change({ step: row.step })}
      empty="No heap trace in this memory space, so no curve and no next peaks."
      columns={[
        { id: 'n', title: '#', width: '34px', cell: (row) => (row.at === 0 ? <b class="bad">1</b> : row.at + 1) },
        { id: 'step', title: 'step', width: '52px', number: true, cell: (row) => formatCount(row.step) },
        {
          id: 'op',
          title: 'at',
          width: 'minmax(90px, 1fr)',
          cell: (row) => (row.instruction ? <OpName name={row.instruction} /> : <span class="faint">unknown</span>),
        },
        { id: 'then', title: 'what if', width: '78px', number: true, cell: (row) => <b>{cellText(row.new_bytes)}</b>, tip: (row) => exactBytes(row.new_bytes) },
        {
          id: 'by',
          title: 'to peak',
          width: '72px',
          number: true,
          cell: (row) => (row.at === 0 ? 'peak' : cellText(row.new_bytes - row.highest)),
          tip: (row) => exactBytes(row.new_bytes - row.highest),
        },
        {
          id: 'now',
          title: 'now',
          width: '78px',
          number: true,
          cell: (row) => <span class="soft">{cellText(row.now_bytes)}</span>,
          tip: (row) => exactBytes(row.now_bytes),
        },
        { id: 'groups', title: 'largest remaining groups', width: 'minmax(180px, 4fr)', cell: (row) => <LeftThere step={row.step} /> },
      ]}
    />
  );
}

/** "512.0 f32[8,16,1024,1024]" of the groups that make most of this peak. */
function LeftThere({ step }: { step: number }) {
  const groups = groupsAt.value.get(step);
  if (!groups) return null;
  return (
    <span class="wi-left cut">
      {groups.map((group) => (
        <span key={group.buffer} title={`${group.count} × ${group.shape}, ${group.class}: ${exactBytes(group.size_bytes)}`}>
          <i class="swatch" style={{ background: groupColour(group.group ?? group.class) }} /> {group.count > 1 ? `${formatCount(group.count)} \u00d7 ` : ''}
          <code>{group.shape}</code> {cellText(group.size_bytes)}
        </span>
      ))}
    </span>
  );
}
