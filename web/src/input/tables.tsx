/** The tables below the steps: stages, threads, steps, stages of tf.data. */
import type { ComponentChildren } from 'preact';
import { hrefOf, setView, view } from '../app/router';
import { inUnit, shareText, unitOf } from '../overview/numbers';
import { type Column, VirtualTable } from '../table/virtual';
import { SaveTable } from '../trace/save_table';
import { durationText } from '../trace/time';
import { formatBytes, formatCount, plural } from '../util/format';
import type { InputStagesAnswer, InputStepsAnswer, InputTfdataAnswer, InputThreadsAnswer, InputVerdictAnswer } from '../api/answers';
import { PROGRAM, titleOf, whatItIs } from './classes';
import { tabKeys } from '../ui/arrows';
import { setStyle } from '../ui/size';
import { ROWS, selectStep, stages, steps, type Tab, tab, tfdata, threads } from './state';

const num = (id: string, title: string, cell: (row: number) => ComponentChildren, tip?: (row: number) => string | undefined): Column<number> => ({
  id,
  title,
  width: '92px',
  number: true,
  cell,
  tip,
});
const text = (
  id: string,
  title: string,
  width: string,
  cell: (row: number) => ComponentChildren,
  tip?: (row: number) => string | undefined,
): Column<number> => ({ id, title, width, cell, tip });

/** The rest of an answer as lines of a file. */
function Save({ name, of, keys, n }: { name: string; of: object; keys: string[]; n: number }) {
  const column = of as Record<string, (string | number | null)[]>;
  return <SaveTable name={name} head={keys} lines={() => Array.from({ length: n }, (_, row) => keys.map((key) => column[key][row]))} />;
}

function Table({
  label,
  columns,
  n,
  empty,
  on,
  open,
}: {
  label: string;
  columns: Column<number>[];
  n: number;
  empty: string;
  on?: (row: number) => string;
  open?: (row: number) => void;
}) {
  return (
    <div class="in-table">
      <VirtualTable label={label} columns={columns} count={n} rowAt={(row) => row} rowClass={on} onOpen={open} empty={empty} />
    </div>
  );
}

/** The event that decided what a stage is; its events are marked in Trace. */
function Known({ name }: { name: string }) {
  return (
    <a class="mono" href={hrefOf({ tool: 'trace', find: name, tt: 'search', tab: null, step: null, steps: null })} onClick={(event) => event.stopPropagation()}>
      {name}
    </a>
  );
}

/** A stage, not a function within one. */
const isOuter = (a: InputStagesAnswer, row: number) => a.parent[row] === null;

function stageTimes(a: InputStagesAnswer, of: InputVerdictAnswer): Column<number>[] {
  const unit = unitOf(of.step_ps || 1);
  return [
    num(
      'mean',
      `${unit.word} a step`,
      (row) => inUnit(a.mean_ps[row], unit),
      (row) => `${durationText(a.total_ps[row])} in all steps, ${plural(a.count[row], 'event')}`,
    ),
    num('p50', 'p50', (row) => (a.p50_ps[row] === null ? '' : inUnit(a.p50_ps[row] ?? 0, unit))),
    {
      ...num('most', 'most', (row) =>
        a.most_ps[row] === null ? (
          ''
        ) : (
          <>
            {inUnit(a.most_ps[row] ?? 0, unit)} <span class="soft">{a.most_step[row] === null ? '' : `step ${a.most_step[row]}`}</span>
          </>
        ),
      ),
      width: '132px',
    },
    num('share', 'of step', (row) => shareText(a.share[row])),
    text('bar', '', 'minmax(40px, 1fr)', (row) => (
      <i class={`in-bar in-${isOuter(a, row) ? a.class[row] : 'other'}`} ref={setStyle('width', `${Math.min(1, a.share[row]) * 100}%`)} />
    )),
  ];
}

function StagesTable({ a, of }: { a: InputStagesAnswer; of: InputVerdictAnswer }) {
  const columns = [
    text('stage', 'stage', 'minmax(150px, 1.2fr)', (row) =>
      isOuter(a, row) ? (
        <>
          <i class={`swatch in-${a.class[row]}`} /> <b>{titleOf(a.class[row])}</b>
        </>
      ) : (
        <span class="in-inner">{functionOf(a.name[row])}</span>
      ),
    ),
    text(
      'thread',
      'thread',
      'minmax(80px, 0.8fr)',
      (row) => (isOuter(a, row) ? `${a.role[row]}` : ''),
      (row) => a.thread[row],
    ),
    ...stageTimes(a, of),
    text(
      'known',
      'known by',
      'minmax(140px, 1.6fr)',
      (row) => (a.name[row] ? <Known name={a.name[row] as string} /> : null),
      (row) => (a.name[row] ? `${a.name[row]}: a click marks its events in Trace` : undefined),
    ),
    text(
      'what',
      'what it is',
      'minmax(120px, 1.5fr)',
      (row) => <span class="soft">{whatItIs(a, row)}</span>,
      (row) => whatItIs(a, row),
    ),
  ];
  return (
    <Table
      label="stages"
      columns={columns}
      n={a.n}
      empty={a.why_none ?? 'no stage'}
      on={(row) => (isOuter(a, row) ? '' : 'soft')}
      open={(row) => a.most_step[row] !== null && selectStep(a.most_step[row] ?? 0)}
    />
  );
}

/** "augment" of "loader.py:24 augment". */
const functionOf = (name: string | null) => (name ?? '').replace(/^\S+\.py:\d+ /, '');

function ThreadsTable({ a }: { a: InputThreadsAnswer }) {
  const time = (id: keyof InputThreadsAnswer & `${string}_ps`, title: string) =>
    num(id, title, (row) => {
      const ps = (a[id] as (number | null)[])[row];
      return ps === null ? '' : durationText(ps);
    });
  const columns = [
    text('role', 'role', '84px', (row) => a.role[row]),
    text(
      'name',
      'thread',
      'minmax(160px, 2fr)',
      (row) => a.name[row],
      (row) => a.name[row],
    ),
    num(
      'share',
      'busy',
      (row) => shareText(a.busy_share[row]),
      (row) => durationText(a.busy_ps[row]),
    ),
    text('bar', '', 'minmax(40px, 1fr)', (row) => <i class="in-bar in-compute" ref={setStyle('width', `${Math.min(1, a.busy_share[row]) * 100}%`)} />),
    time('wait_ps', 'wait'),
    time('load_ps', 'load'),
    time('preprocess_ps', 'preprocess'),
    time('transfer_ps', 'transfer'),
    time('full_ps', 'queue full'),
    time('rest_ps', 'other waits'),
  ];
  return <Table label="threads" columns={columns} n={a.n} empty={a.why_none ?? 'no thread'} />;
}

function StepsTable({ a }: { a: InputStepsAnswer }) {
  const unit = unitOf(a.duration_ps[0] || 1);
  const time = (id: keyof InputStepsAnswer & `${string}_ps`, title: string) =>
    num(id, title, (row) => {
      const ps = (a[id] as (number | null)[])[row];
      return ps === null ? '' : inUnit(ps, unit);
    });
  const columns = [
    num('number', 'step', (row) => String(a.number[row])),
    time('duration_ps', unit.word),
    ...PROGRAM.map((part) => time(part.key, part.title)),
    time('loader_load_ps', 'loaders: load'),
    time('loader_preprocess_ps', 'preprocess'),
    time('busy_ps', 'device busy'),
    time('idle_input_ps', 'idle, waiting for input'),
  ];
  return (
    <Table
      label="steps"
      columns={columns}
      n={a.n}
      empty={a.why_none ?? 'no step'}
      on={(row) => (String(a.number[row]) === view.value.step ? 'on' : '')}
      open={(row) => selectStep(a.number[row])}
    />
  );
}

function TfTable({ a }: { a: InputTfdataAnswer }) {
  const said = (value: number | string | null) =>
    value === null ? <span class="soft">not recorded</span> : typeof value === 'number' ? formatCount(value) : value;
  const columns = [
    text(
      'stage',
      'stage, last first',
      'minmax(170px, 1.6fr)',
      (row) => <b ref={setStyle('paddingLeft', `${a.depth[row] * 12}px`)}>{a.stage[row]}</b>,
      (row) => a.path[row],
    ),
    text(
      'dataset',
      'dataset',
      'minmax(140px, 1.4fr)',
      (row) => <span class="mono">{a.dataset[row] ?? ''}</span>,
      (row) => [a.dataset[row], a.shapes[row], a.types[row]].filter(Boolean).join(' '),
    ),
    num('calls', 'calls', (row) => formatCount(a.calls[row])),
    num('total', 'in calls', (row) => durationText(a.total_ps[row])),
    num('self', 'self', (row) => durationText(a.self_ps[row])),
    num('mean', 'a call', (row) => durationText(a.mean_ps[row])),
    text('bar', 'of all steps', 'minmax(60px, 1fr)', (row) => (
      <i class="in-bar in-transfer" ref={setStyle('width', `${Math.min(1, a.total_ps[row] / Math.max(1, a.length_ps)) * 100}%`)} />
    )),
    num('threads', 'threads', (row) => formatCount(a.threads[row])),
    num('parallel', 'parallel', (row) => said(a.parallelism[row])),
    num('buffered', 'buffered', (row) =>
      a.buffered[row] === null ? (
        <span class="soft">none</span>
      ) : (
        `${formatCount(a.buffered[row] ?? 0)}${a.buffer_size[row] === null ? '' : ` of ${formatCount(a.buffer_size[row] ?? 0)}`}`
      ),
    ),
  ];
  return (
    <>
      <Table label="tf.data stages" columns={columns} n={a.n} empty={a.why_none ?? 'no stage'} on={(row) => (row === a.bounds ? 'on' : '')} />
      {a.n ? (
        <p class="ov-foot">
          Marked: most self time.{a.cpu_budget === null ? '' : ` tf.data plans with ${plural(a.cpu_budget, 'core')}`}
          {a.ram_budget_bytes === null ? '' : ` and ${formatBytes(a.ram_budget_bytes)}`}
          {a.map_operation === null ? '' : `. Most time of the map threads: ${a.map_operation}, ${durationText(a.map_operation_ps)}`}
        </p>
      ) : null}
    </>
  );
}

const KEYS = {
  stages: ['class', 'thread', 'role', 'parent', 'name', 'count', 'total_ps', 'mean_ps', 'share', 'p50_ps', 'most_ps', 'most_step'],
  threads: ['name', 'role', 'busy_ps', 'wait_ps', 'load_ps', 'preprocess_ps', 'transfer_ps', 'full_ps', 'rest_ps'],
  steps: [
    'number',
    'start_ps',
    'duration_ps',
    ...PROGRAM.map((part) => part.key),
    'loader_load_ps',
    'loader_preprocess_ps',
    'loader_full_ps',
    'loader_most_ps',
    'busy_ps',
    'idle_input_ps',
    'infeed_ps',
  ],
  tfdata: ['path', 'dataset', 'calls', 'total_ps', 'self_ps', 'mean_ps', 'threads', 'parallelism', 'buffered', 'buffer_size', 'batch_size', 'autotune'],
};

function TabRow({ of }: { of: InputVerdictAnswer }) {
  const now = tab.value;
  const titles: [Tab, string, number | null][] = [
    ['stages', 'Stages', null],
    ['threads', 'Threads', null],
    ['steps', 'Steps', of.steps],
    ['tfdata', 'tf.data', of.tf_stages],
  ];
  return (
    <div role="tablist" aria-label="tables of the input" {...tabKeys}>
      {titles.map(([id, title, count]) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`in-tab-${id}`}
          aria-controls="in-tab"
          aria-selected={now === id}
          tabIndex={now === id ? 0 : -1}
          class={count === 0 ? 'soft' : ''}
          onClick={() => setView({ tab: id === 'stages' ? null : id }, { push: false })}
        >
          {title} {count === null ? null : <span class="in-count">{formatCount(count)}</span>}
        </button>
      ))}
    </div>
  );
}

export function TablesPart({ of }: { of: InputVerdictAnswer }) {
  const answers = { stages: stages.value, threads: threads.value, steps: steps.value, tfdata: tfdata.value };
  const now = tab.value;
  const answer = answers[now];
  const left = now === 'steps' ? (steps.value?.left_out ?? 0) : 0;
  return (
    <section class="in-tables" aria-label="tables">
      <div class="in-tabs">
        <TabRow of={of} />
        <span class="soft in-note">
          {now === 'tfdata'
            ? 'time in the call, including waiting and the stages below'
            : now === 'stages'
              ? 'threads run side by side: shares do not add up to 100 %'
              : left
                ? `the first ${formatCount(ROWS)}, ${formatCount(left)} more`
                : ''}
        </span>
        {answer?.n ? <Save name={`input_${now}`} of={answer} keys={KEYS[now]} n={answer.n} /> : null}
      </div>
      <div role="tabpanel" id="in-tab" aria-labelledby={`in-tab-${now}`}>
        {!answer ? (
          <p class="ov-note" aria-busy="true">
            reading …
          </p>
        ) : !answer.n ? (
          <p class="ov-note">{answer.why_none}</p>
        ) : now === 'stages' && stages.value ? (
          <StagesTable a={stages.value} of={of} />
        ) : now === 'threads' && threads.value ? (
          <ThreadsTable a={threads.value} />
        ) : now === 'steps' && steps.value ? (
          <StepsTable a={steps.value} />
        ) : tfdata.value ? (
          <TfTable a={tfdata.value} />
        ) : null}
      </div>
    </section>
  );
}
