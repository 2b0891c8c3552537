/** The table that stands in for the picture: what each shown row has in the window, box by box. */
import { computed } from '@preact/signals';
import { Twin, type TwinCell } from '../memory/twin';
import { formatCount } from '../util/format';
import { firstEndingAfter, firstStartingFrom } from './boxes';
import { eventName } from './label_text';
import { processName } from './layout';
import { rowName } from './rows_view';
import { SaveTable } from './save_table';
import { boxesOf, boxesVersion, jumpTo, layout, names, rows, windowNow } from './state';
import { durationText, momentText } from './time';

/** Rows of the table; beyond it the words say how many boxes are left out. */
const MOST = 20_000;

interface Entry {
  cells: TwinCell[];
  event: number;
  start: number;
  duration: number;
  row: number;
}

const entries = computed(() => {
  void boxesVersion.value;
  const out: Entry[] = [];
  let leftOut = 0;
  const r = rows.value;
  const l = layout.value;
  const w = windowNow.value;
  if (!r || !l) return { out, leftOut };
  for (const item of [...l.pinned, ...l.items]) {
    if (item.row < 0 || (item.kind === 'process' && item.open)) continue;
    const lanes = boxesOf(item.row)?.lanes.slice(0, item.lanes + item.deeper) ?? [];
    for (const [depth, lane] of lanes.entries()) {
      const last = firstStartingFrom(lane, w.to);
      for (let k = firstEndingAfter(lane, w.from); k < last; k++) {
        if (out.length >= MOST) {
          leftOut++;
          continue;
        }
        const one = lane.count[k] === 1;
        out.push({
          cells: [
            processName(r, item.process),
            rowName(item.row),
            depth,
            one ? eventName(names.get(lane.name[k])?.caption ?? '', lane.event[k]) : `${formatCount(lane.count[k])} events`,
            momentText(lane.start[k]),
            durationText(one ? lane.end[k] - lane.start[k] : lane.busy[k]),
          ],
          event: lane.longest[k],
          start: lane.start[k],
          duration: lane.end[k] - lane.start[k],
          row: item.row,
        });
      }
    }
  }
  return { out, leftOut };
});

export function TraceTwin() {
  const { out, leftOut } = entries.value;
  const lines = () => out.map((e) => [e.cells[0], e.cells[1], e.cells[2], e.cells[3], e.start, e.duration, e.event]);
  return (
    <div class="t-fill t-twin">
      <p class="t-sum">
        {formatCount(out.length)} boxes in the window{leftOut ? `, ${formatCount(leftOut)} more: zoom in` : ''}; T shows the picture.{' '}
        <SaveTable name="window" head={['process', 'row', 'depth', 'name', 'start_ps', 'duration_ps', 'event']} lines={lines} />
      </p>
      <Twin
        label="boxes in the window"
        columns={[
          { title: 'Process', width: '120px' },
          { title: 'Row', width: '200px' },
          { title: 'Depth', width: '60px' },
          { title: 'Name', width: 'minmax(160px, 3fr)' },
          { title: 'Start', width: '160px' },
          { title: 'Duration', width: '120px' },
        ]}
        rows={out.map((e) => e.cells)}
        onOpen={(k) => jumpTo(out[k].event, out[k].start, out[k].duration, out[k].row)}
        empty="nothing in this window"
      />
    </div>
  );
}
