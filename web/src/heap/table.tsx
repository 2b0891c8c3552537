/** The tabs below the icicle: lines, functions, stacks, sizes, files, and what is new or gone. */
import { view } from '../app/router';
import { type Column, VirtualTable, widthOf } from '../table/virtual';
import { setStyle } from '../ui/size';
import { TabList } from '../ui/tab_list';
import { savePicture } from '../app/exports';
import { Downloads } from '../ops/toolbar';
import { formatCount, formatFileSize, formatPercent, UNKNOWN } from '../util/format';
import { change, current, files, type Lines, lines, type Rows, summary, type Tab, tab, TABS } from './state';
import { changeText, exactText, perWord, valueText } from './words';

const TITLES: Record<Tab, string> = { lines: 'Lines', functions: 'Functions', stacks: 'Stacks', sizes: 'Sizes', files: 'Files', changed: 'New and gone' };

function Bars({ values, name, grows }: { values: number[]; name: string; grows?: boolean }) {
  const most = Math.max(...values, 1);
  return (
    <span class="hp-bars" role="img" aria-label={name}>
      {values.map((value, i) => (
        <i
          key={i}
          class={!grows ? 'of' : i > 0 && value > values[i - 1] ? 'up' : ''}
          ref={setStyle('height', `${Math.max(value > 0 ? 8 : 0, (value / most) * 100)}%`)}
        />
      ))}
    </span>
  );
}

const DEVICES_SHOWN = 16;

/** The sum of all rows as one more row, the last: with a tick where it is what the file holds. */
export function withSum(l: Lines): Lines {
  const { rows: c, series } = l;
  const n = series.n;
  const between = n > 1 && l.steps ? Number(series.step[n - 1]) - Number(series.step[n - 2]) : 1;
  const listed = c.value.reduce((a, b) => a + b, 0) + l.rest_value;
  const sum: { [K in keyof Rows]?: unknown } = {
    key: 'sum of all samples',
    label: listed === l.value ? 'all rows \u2713' : 'all rows: they do not add up',
    function: null,
    file: null,
    line: null,
    own: false,
    executables: false,
    value: l.value,
    share: 1,
    base_value: l.base_value,
    change: l.change,
    count: l.count,
    base_count: null,
    mean: l.count > 0 ? Math.trunc(l.value / l.count) : null,
    size_bytes: null,
    growth: 'steady',
    last_per_step: n > 1 ? Math.round((series.value[n - 1] - series.value[n - 2]) / between) : null,
    per_step: null,
    r2: null,
    values: series.value,
    devices: l.devices.map((_, k) => c.devices.reduce((a, row) => a + row[k], 0)),
    stack: [],
  };
  const rows = Object.fromEntries(Object.entries(c).map(([key, column]) => [key, Array.isArray(column) ? [...column, sum[key as keyof Rows]] : column]));
  return { ...l, rows: rows as unknown as Rows };
}

function nameColumns({ by, rows: c }: Lines): Column<number>[] {
  const label: Column<number> = {
    id: 'label',
    title: by === 'size' ? 'size of one' : by === 'stack' ? 'innermost line' : by,
    width: 'minmax(130px, 1fr)',
    sort: 'name',
    cell: (i) => <span class={c.own[i] ? 'op-name' : c.executables[i] ? 'soft' : ''}>{by === 'function' && c.function[i] ? c.function[i] : c.label[i]}</span>,
    tip: (i) => c.key[i],
  };
  if (by !== 'line' && by !== 'function' && by !== 'stack') return [label];
  return [
    label,
    {
      id: 'function',
      title: by === 'function' ? 'file' : 'function',
      width: 'minmax(110px, 1fr)',
      cell: (i) => (c.executables[i] ? 'compiled programs' : ((by === 'function' ? c.file[i] : c.function[i]) ?? '')),
      tip: (i) => c.file[i] ?? undefined,
    },
  ];
}

function valueColumns({ rows: c, type, unit }: Lines): Column<number>[] {
  const values = c.value.map((value) => valueText(value, unit));
  return [
    {
      id: 'value',
      title: type,
      width: widthOf(values, type),
      number: true,
      sort: 'value',
      cell: (i) => <b>{values[i]}</b>,
      tip: (i) => exactText(c.value[i], unit),
    },
    { id: 'share', title: 'share', width: '64px', number: true, cell: (i) => formatPercent(c.share[i], 1) },
  ];
}

/** Against the other file, where one is chosen. */
function changeColumns({ rows: c, against, unit }: Lines): Column<number>[] {
  if (against === null) return [];
  const s = summary.value;
  const changes = c.change.map((value) => changeText(value, unit));
  return [
    {
      id: 'change',
      title: s?.base_step === null || !s ? 'since' : `since ${s.base_step}`,
      width: widthOf(changes, 'since 1000'),
      number: true,
      sort: 'change',
      cell: (i) => <span class={(c.change[i] ?? 0) > 0 ? 'hp-more' : ''}>{changes[i]}</span>,
      tip: (i) => (c.change[i] === null ? undefined : exactText(c.change[i] as number, unit)),
    },
  ];
}

/** Over the files of the run. */
function seriesColumns(l: Lines): Column<number>[] {
  const { rows: c, series, unit } = l;
  if (series.n <= 1) return [];
  return [
    {
      id: 'series',
      title: series.step[0] === null ? 'files' : series.n <= 4 ? series.step.join(' ') : `${series.step[0]} – ${series.step.at(-1)}`,
      width: '96px',
      hint: 'each file of the series, on one scale',
      cell: (i) => <Bars grows values={c.values[i]} name={c.values[i].map((value) => valueText(value, unit)).join(', ')} />,
    },
    {
      id: 'step',
      title: perWord(l),
      width: '92px',
      number: true,
      sort: 'growth',
      hint: 'change since the file before, over the steps between',
      cell: (i) => <span class={c.growth[i] === 'grows' ? 'hp-more' : ''}>{c.last_per_step[i] === null ? '' : changeText(c.last_per_step[i], unit)}</span>,
    },
  ];
}

function countColumns({ by, rows: c, unit }: Lines): Column<number>[] {
  const count: Column<number> = {
    id: 'count',
    title: 'count',
    width: widthOf(c.count.map(formatCount), 'count'),
    number: true,
    sort: 'count',
    cell: (i) => formatCount(c.count[i]),
  };
  if (by === 'size') return [count];
  const mean = (i: number) => (c.mean[i] === null ? '' : valueText(c.mean[i], unit));
  return [count, { id: 'mean', title: 'mean', width: '86px', number: true, sort: 'mean', cell: mean }];
}

function devicesColumns({ rows: c, devices, unit }: Lines): Column<number>[] {
  if (devices.length <= 1 || devices.length > DEVICES_SHOWN) return [];
  const each = (i: number) => c.devices[i].map((value, k) => `${devices[k]} ${valueText(value, unit)}`);
  return [
    {
      id: 'devices',
      title: 'devices',
      width: '84px',
      hint: `${devices.join(', ')}: what each holds of the row`,
      cell: (i) => (c.devices[i].some((value) => value !== 0) ? <Bars values={c.devices[i]} name={each(i).join(', ')} /> : null),
      tip: (i) => each(i).join('\n'),
    },
  ];
}

function stackColumns({ by, rows: c }: Lines): Column<number>[] {
  if (by !== 'stack') return [];
  const outermostFirst = (i: number) => [...c.stack[i]].reverse();
  return [
    {
      id: 'stack',
      title: 'stack, outermost first',
      width: 'minmax(220px, 3fr)',
      cell: (i) =>
        outermostFirst(i)
          .filter((frame) => frame.own)
          .map((frame) => frame.label)
          .join(' › '),
      tip: (i) =>
        outermostFirst(i)
          .map((frame) => `${frame.label} ${frame.function}`)
          .join('\n'),
    },
  ];
}

const COLUMNS = [nameColumns, valueColumns, changeColumns, seriesColumns, countColumns, devicesColumns, stackColumns];
const columnsOf = (l: Lines) => COLUMNS.flatMap((columns) => columns(l));

/** What only one of the two files has. */
const isChanged = (l: Lines, i: number) => l.rows.base_value[i] !== null && (l.rows.base_value[i] === 0) !== (l.rows.value[i] === 0);

function RowTable({ l: listed }: { l: Lines }) {
  const only = tab.value === 'changed';
  const sum = !only && !view.value.hfilter && listed.rows.n > 0;
  const l = sum ? withSum(listed) : listed;
  const all = listed.rows.n;
  const rows = [...(sum ? [all] : []), ...Array.from({ length: all }, (_, i) => i).filter((i) => !only || isChanged(l, i))];
  const c = l.rows;
  if (only && l.against === null) return <p class="op-note">A second file shows what is new and what is gone.</p>;
  return (
    <VirtualTable
      label={TITLES[tab.value]}
      columns={columnsOf(l)}
      count={rows.length}
      rowAt={(index) => rows[index] ?? null}
      sort={view.value.hsort ?? 'value'}
      descending={view.value.hdesc !== '0'}
      onSort={(sort) =>
        change(
          sort === (view.value.hsort ?? 'value')
            ? { hdesc: view.value.hdesc === '0' ? null : '0' }
            : { hsort: sort === 'value' ? null : sort, hdesc: sort === 'name' ? '0' : null },
        )
      }
      onOpen={l.by === 'line' ? (i) => (i < all ? change({ hline: c.key[i] }) : undefined) : undefined}
      rowClass={(i) => (i === all ? 'hp-sum' : l.by === 'line' && c.key[i] === current.value?.key ? 'on' : '')}
      empty={
        <p class="op-note">{only ? 'Both files have the same lines.' : view.value.hfilter ? 'Nothing matches the filter.' : 'The file holds no sample.'}</p>
      }
      fit={l.by}
    />
  );
}

function FileTable() {
  const f = files.value?.files;
  if (!f) return null;
  const columns: Column<number>[] = [
    { id: 'name', title: 'file', width: 'minmax(180px, 2fr)', cell: (i) => <span class="op-name">{f.name[i]}</span> },
    { id: 'step', title: 'step', width: '64px', number: true, cell: (i) => (f.step[i] === null ? '' : formatCount(f.step[i])) },
    {
      id: 'value',
      title: 'held',
      width: '110px',
      number: true,
      cell: (i) => <b>{f.unit[i] === null ? UNKNOWN : valueText(f.value[i], f.unit[i] as never)}</b>,
    },
    {
      id: 'change',
      title: 'since the one before',
      width: '150px',
      number: true,
      cell: (i) => <span class={(f.change[i] ?? 0) > 0 ? 'hp-more' : ''}>{f.unit[i] === null ? '' : changeText(f.change[i], f.unit[i] as never)}</span>,
    },
    { id: 'count', title: 'count', width: '80px', number: true, cell: (i) => (f.count[i] === null ? '' : formatCount(f.count[i])) },
    { id: 'size', title: 'file size', width: '80px', number: true, cell: (i) => formatFileSize(f.size_bytes[i]) },
    {
      id: 'problem',
      title: '',
      width: 'minmax(120px, 2fr)',
      cell: (i) => f.problem[i] ?? (f.cut[i] ? 'truncated: the intact part is shown' : ''),
      tip: (i) => f.problem[i] ?? undefined,
    },
  ];
  return (
    <VirtualTable
      label="Files"
      columns={columns}
      count={f.n}
      rowAt={(i) => i}
      onOpen={(i) => change({ heap: f.name[i], against: null }, true)}
      rowClass={(i) => (f.name[i] === summary.value?.file ? 'on' : '')}
    />
  );
}

export function Tables() {
  const l = lines.value;
  const s = summary.value;
  const { run, heap, against, hdev, hkind, htype, hown, hfilter } = view.value;
  const group = { functions: 'function', stacks: 'stack', sizes: 'size' }[tab.value as string];
  return (
    <section class="hp-tables">
      <div class="m-tab-row hp-tabline">
        <TabList
          class="m-tab-list"
          open={tab.value}
          choose={(id) => change({ htab: id === 'lines' ? null : id, hsort: null, hdesc: null })}
          tabs={TABS.map(
            (id) =>
              [
                id,
                id === 'files'
                  ? `${TITLES[id]} ${formatCount(files.value?.total ?? 0)}`
                  : id === 'lines' && s
                    ? `${TITLES[id]} ${formatCount(s.lines)}`
                    : TITLES[id],
              ] as const,
          )}
        />
        <span class="m-grow" />
        {tab.value === 'files' ? null : (
          <input
            class="field"
            type="search"
            placeholder="filter"
            aria-label="filter"
            value={hfilter ?? ''}
            onInput={(event) => change({ hfilter: event.currentTarget.value })}
          />
        )}
        <Downloads
          route={tab.value === 'files' ? 'heap/files' : 'heap/lines'}
          params={
            tab.value === 'files'
              ? { run }
              : { run, file: heap, against, device: hdev, kind: hkind, type: htype, own: hown, group, filter: hfilter, limit: 100000 }
          }
          name={`heap_${tab.value}`}
        />
        <button type="button" class="btn-s" title="the boxes as a picture" onClick={() => savePicture('heap by stack')}>
          PNG
        </button>
      </div>
      <div class="op-table hp-table">{tab.value === 'files' ? <FileTable /> : l ? <RowTable l={l} /> : null}</div>
      {l && tab.value !== 'files' && (hfilter || l.total > l.rows.n || l.note) ? (
        <p class="op-note">
          {hfilter ? `All rows, with and without the filter: ${valueText(l.value, l.unit)}. ` : ''}
          {l.total > l.rows.n ? `${formatCount(l.total - l.rows.n)} more rows with ${valueText(l.rest_value, l.unit)} are in the CSV. ` : ''}
          {l.note}
        </p>
      ) : null}
    </section>
  );
}
