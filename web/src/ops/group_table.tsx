/** One row a group of operations; it opens to its operations. */
import { type Column, VirtualTable } from '../table/virtual';
import { shareWidth } from '../ui/size';
import { formatCount, formatPercent, plural } from '../util/format';
import type { Look } from './columns';
import { type Group, grouping, GROUPING_WORDS, groupsOf } from './groups';
import { inUnit, timeIn } from './numbers';
import { change } from './state';
import { NoOperations } from './states';

const openRow = (key: string): void => change({ oin: key }, true);

export function GroupTable({ look, rows }: { look: Look; rows: Uint32Array }) {
  const by = grouping.value;
  const groups = groupsOf(look, rows, by);
  const all = look.rows;
  const longest = groups[0]?.sums.self_ps ?? 0;
  const share = (ps: number) => formatPercent(look.o.self_ps > 0 ? ps / look.o.self_ps : null, 2);
  const columns: Column<Group>[] = [
    { id: 'rank', title: '#', width: '34px', number: true, cell: (_g, index) => <span class="faint">{formatCount(index + 1)}</span> },
    { id: 'key', title: GROUPING_WORDS[by] ?? by, width: 'minmax(180px, 3fr)', cell: (g) => <code class="cut op-name">{g.key}</code>, tip: (g) => g.key, sum: plural(groups.length, 'group') },
    { id: 'rows', title: 'operations', width: '92px', number: true, cell: (g) => formatCount(g.sums.rows), sum: formatCount(all.rows) },
    { id: 'count', title: 'count', width: '80px', number: true, cell: (g) => formatCount(g.sums.count), sum: formatCount(all.count) },
    {
      id: 'self',
      title: 'self ▾',
      hint: 'most time first',
      width: '200px',
      number: true,
      cell: (g) => (
        <span class="op-self">
          <i class="op-bar" aria-hidden="true">
            <i class="op-plain" ref={shareWidth(longest > 0 ? g.sums.self_ps / longest : 0)} />
          </i>
          {timeIn(g.sums.self_ps, look.sum)}
        </span>
      ),
      sum: `${inUnit(all.self_ps, look.sum)} ${look.sum.word}`,
    },
    { id: 'share', title: '% of time', width: '84px', number: true, cell: (g) => share(g.sums.self_ps), sum: share(all.self_ps) },
    { id: 'judged', title: 'judged', hint: 'share of its time whose bound is known', width: '76px', number: true, cell: (g) => <span class="soft">{formatPercent(g.sums.self_ps > 0 ? g.sums.judged_ps / g.sums.self_ps : null)}</span>, sum: formatPercent(all.self_ps > 0 ? all.judged_ps / all.self_ps : null) },
    { id: 'lost', title: look.best ? 'to win ≤' : 'to win', hint: 'of its operations', width: '84px', number: true, cell: (g) => <b>{timeIn(g.sums.lost_ps, look.sum)}</b>, sum: timeIn(all.lost_ps, look.sum) },
  ];
  return <VirtualTable<Group> label={`operations by ${GROUPING_WORDS[by] ?? by}`} columns={columns} count={groups.length} rowAt={(index) => groups[index] ?? null} sums fit={by} onOpen={(g) => openRow(g.key)} empty={<NoOperations />} />;
}
