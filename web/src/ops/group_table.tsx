/** One row a group of operations; it opens to its operations. */
import { useMemo } from 'preact/hooks';
import { type Column, VirtualTable } from '../table/virtual';
import { shareWidth } from '../ui/size';
import { formatCount, formatPercent, plural } from '../util/format';
import { type Look, lostSum } from './columns';
import { type Grouping, grouping, GROUPING_WORDS, groupName, groups, keyOfGroup } from './groups_state';
import { inUnit, rateText, rateUnit, timeIn } from './numbers';
import { change, type OpColumns } from './state';
import { NoOperations } from './states';

const longest = (values: readonly (number | null)[]): number => values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);

/** What a group is, and how much is in it. */
function groupColumns(c: OpColumns, { rows: all }: Look, by: Grouping): Column<number>[] {
  const name = (k: number) => groupName(keyOfGroup(c, k, by), by);
  return [
    { id: 'rank', title: '#', width: '34px', number: true, cell: (_k, index) => <span class="faint">{formatCount(index + 1)}</span> },
    {
      id: 'key',
      title: GROUPING_WORDS[by] ?? by,
      width: 'minmax(180px, 3fr)',
      cell: (k) => <code class="cut op-name">{name(k)}</code>,
      tip: name,
      sum: plural(c.n, 'group'),
    },
    { id: 'rows', title: 'operations', width: '92px', number: true, cell: (k) => formatCount(c.operations[k]), sum: formatCount(all.rows) },
    { id: 'count', title: 'count', width: '80px', number: true, cell: (k) => formatCount(c.count[k]), sum: formatCount(all.count) },
  ];
}

function timeColumns(c: OpColumns, { rows: all, sum, o }: Look): Column<number>[] {
  const top = longest(c.self_ps);
  const share = (ps: number) => formatPercent(o.self_ps > 0 ? ps / o.self_ps : null, 2);
  return [
    {
      id: 'self',
      title: 'self ▾',
      hint: 'most time first',
      width: '200px',
      number: true,
      cell: (k) => (
        <span class="op-self">
          <i class="op-bar" aria-hidden="true">
            <i class="op-plain" ref={shareWidth(top > 0 ? c.self_ps[k] / top : 0)} />
          </i>
          {timeIn(c.self_ps[k], sum)}
        </span>
      ),
      sum: `${inUnit(all.self_ps, sum)} ${sum.word}`,
    },
    { id: 'share', title: '% of time', width: '84px', number: true, cell: (k) => share(c.self_ps[k]), sum: share(all.self_ps) },
  ];
}

/** How fast it works, and what is lost against the roofline. */
function rateColumns(c: OpColumns, { rows: all, sum, best }: Look): Column<number>[] {
  const rate = (id: string, what: string, per_s: readonly (number | null)[], of: string): Column<number> => {
    const unit = rateUnit(longest(per_s), of);
    const hint = `${what} of its operations over their time; unknown work counts in neither`;
    return { id, title: unit.word, hint, width: '80px', number: true, cell: (k) => rateText(per_s[k], unit) };
  };
  const roofline: Column<number> = {
    id: 'roofline',
    title: 'of roofline',
    hint: 'for operations with a roofline: expected time over measured time',
    width: '92px',
    number: true,
    cell: (k) => formatPercent(c.roofline_share[k], 1),
  };
  return [
    rate('flops', 'work', c.flops_per_s, 'FLOP/s'),
    rate('bytes', 'main memory bytes', c.hbm_bytes_per_s, 'B/s'),
    ...(best ? [] : [roofline]),
    {
      id: 'lost',
      title: best ? 'to win ≤' : 'to win',
      hint: 'sum over its operations; ≤: waits are in it, which can save at most their whole time',
      width: '84px',
      number: true,
      cell: (k) => <b>{`${c.lost_against[k] === 'nothing' || c.lost_against[k] === 'several' ? '≤ ' : ''}${timeIn(c.lost_ps[k], sum)}`}</b>,
      sum: lostSum(all, sum),
    },
  ];
}

const columnsOf = (c: OpColumns, look: Look, by: Grouping): Column<number>[] => [
  ...groupColumns(c, look, by),
  ...timeColumns(c, look),
  ...rateColumns(c, look),
];

export function GroupTable({ look }: { look: Look }) {
  const by = grouping.value;
  const c = groups.value;
  const columns = useMemo(() => (c ? columnsOf(c, look, by) : []), [c, look, by]);
  if (!c) return <div class="vt" aria-busy="true" />;
  return (
    <VirtualTable<number>
      label={`operations by ${GROUPING_WORDS[by] ?? by}`}
      columns={columns}
      count={c.n}
      rowAt={(index) => (index < c.n ? index : null)}
      sums
      fit={`${by} ${look.best}`}
      onOpen={(k) => change({ oin: keyOfGroup(c, k, by) }, true)}
      empty={<NoOperations />}
    />
  );
}
