/** Heap file: what a process held by line of its source, beside another file, and which lines grow. */
import { useEffect } from 'preact/hooks';
import { EmptyState } from '../app/empty_states';
import { registerKeys } from '../app/keys';
import { hrefOf, view } from '../app/router';
import { Unread } from '../ui/unread';
import { Picker, type PickerItem } from '../ui/picker';
import { formatCount, formatFileSize, formatPercent, plural } from '../util/format';
import { followBeside } from './beside_state';
import { HeapCard } from './card';
import { StackIcicle } from './icicle_part';
import { Devices } from './parts_bars';
import { change, failure, files, METRICS, metric, pinHere, startHeap, stepFile, summary, type Summary, swap, TABS, tab } from './state';
import { Tables } from './table';
import { followTraced } from './traced_state';
import { changeText, counted, perWord, valueText, whole } from './words';
import { together } from '../util/listen';

function fileItems(): PickerItem[] {
  const f = files.value?.files;
  if (!f) return [];
  return f.name.map((name, i) => ({
    key: name,
    title: name,
    side: f.unit[i] === null ? 'cannot be read' : valueText(f.value[i], f.unit[i] as never),
    off: f.problem[i],
  }));
}

function Bar({ s }: { s: Summary }) {
  const none: PickerItem = { key: 'none', title: 'nothing' };
  return (
    <div class="m-modes">
      <nav class="m-switch" aria-label="modes of Memory">
        <a href={hrefOf({})} aria-current="page">
          Heap file
        </a>
      </nav>
      <Picker
        label="file"
        value={s.file}
        detail={formatFileSize(s.size_bytes)}
        current={s.file}
        items={fileItems()}
        onPick={(key) => change({ heap: key }, true)}
      />
      <Picker
        label="against"
        value={s.against ?? 'nothing'}
        current={s.against ?? 'none'}
        items={[none, ...fileItems()]}
        onPick={(key) => change({ against: key, hbase: null }, true)}
      />
      {s.types.n > 2 ? (
        <Picker
          label="value"
          value={s.type}
          current={s.type}
          items={s.types.name.map((name, i) => ({ key: name, title: name, side: s.types.unit[i] }))}
          onPick={(key) => change({ htype: key })}
        />
      ) : null}
      <span class="m-grow" />
      {s.against && !s.against_run ? (
        <button type="button" class="btn-s" title="swap the two files (X)" onClick={() => void swap()}>
          ⇄ swap
        </button>
      ) : null}
      <span class="op-badge">
        {s.time_ns === null
          ? s.steps
            ? 'no time in the file: by the step in its name'
            : 'no time in the file: by name'
          : new Date(s.time_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19)}
      </span>
      <span class="op-badge">{s.format === 'jax' ? 'JAX device memory profile' : s.format === 'heap' ? 'heap profile (pprof)' : `pprof: ${s.type}`}</span>
    </div>
  );
}

function Growing({ s }: { s: Summary }) {
  const top = s.top[0];
  const grows = s.growing.slice(0, 3);
  const per = perWord(s);
  return (
    <p class="hp-said">
      {top && !grows.some((row) => row.key === top.key) ? (
        <>
          <b>{valueText(top.value, s.unit)}</b> {s.unit === 'bytes' ? 'were made at' : 'at'}{' '}
          <a class="mono" href={hrefOf({ hline: top.key })}>
            {top.label}
          </a>{' '}
          <code>{top.function}</code>.{' '}
        </>
      ) : null}
      {grows.map((row, i) => (
        <span key={row.key}>
          {i ? '; ' : ''}
          <b>{valueText(row.value, s.unit)}</b> {s.unit === 'bytes' ? 'were made at' : 'at'}{' '}
          <a class="mono" href={hrefOf({ hline: row.key })}>
            {row.label}
          </a>{' '}
          <code>{row.function}</code>,{' '}
          <b class="hp-more">
            {valueText(row.last_per_step, s.unit)} more {per}
          </b>
        </span>
      ))}
      {s.growing_total > grows.length
        ? `; ${formatCount(s.growing_total - grows.length)} more lines grow`
        : grows.length
          ? '. Nothing else grew from each file to the next.'
          : ''}
      {s.series_files >= 3 && !grows.length ? `No line grew from each of the ${formatCount(s.series_files)} files to the next.` : ''}
    </p>
  );
}

function Head({ s }: { s: Summary }) {
  return (
    <header class="hp-head">
      <h1>
        {valueText(s.value, s.unit)}
        {s.unit === 'count' || s.unit === 'other' ? ` ${s.unit_text}` : ''} {whole(s)}{' '}
        {s.change ? <span class={s.change > 0 ? 'hp-more' : 'hp-less'}>{changeText(s.change, s.unit)}</span> : null}
        <span class="soft">
          {s.against !== null
            ? `since ${s.against}${s.base_value ? ` (${(s.change ?? 0) > 0 ? '+' : ''}${formatPercent((s.change ?? 0) / s.base_value)})` : ''}, `
            : ''}
          {plural(s.buffers, counted(s))}
          {s.devices.n ? ` on ${plural(s.devices.n, 'device')}` : ''}
        </span>
      </h1>
      <Growing s={s} />
      {s.same_program ? null : <p class="hp-warn">Not the same program: less than half of the lines are in both files.</p>}
      {s.lines_value === s.value ? null : <p class="hp-warn">The lines add up to {valueText(s.lines_value, s.unit)}: something was lost.</p>}
      {s.warnings.n ? (
        <ul class="hp-warn">
          {s.warnings.text.map((text, i) => (
            <li key={s.warnings.code[i]}>
              {text}
              {s.warnings.offset[i] === null ? '' : ` (byte ${formatCount(s.warnings.offset[i])})`}
              {s.warnings.count[i] > 1 ? `, ${formatCount(s.warnings.count[i])} times` : ''}
            </li>
          ))}
        </ul>
      ) : null}
      {s.series_files < 2 && s.against === null && s.format === 'jax' ? (
        <p class="op-note">
          Save a second one later in the run to see what grows: <code>jax.profiler.save_device_memory_profile(f"memory.step{'{step}'}.prof")</code>
        </p>
      ) : null}
    </header>
  );
}

const next = <T,>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length];

function heapKeys(): () => void {
  return together([
    registerKeys('heap', {
      files: (_, stroke) => stepFile(stroke === 0 ? -1 : 1),
      swap: () => swap(),
      base: pinHere,
      width: () => {
        const to = next(summary.peek()?.against ? METRICS : METRICS.slice(0, 2), metric.peek());
        change({ hby: to === 'value' ? null : to });
      },
      group: () => {
        const to = next(TABS.slice(0, 4), tab.peek());
        change({ htab: to === 'lines' ? null : to });
      },
    }),
    registerKeys('everywhere', {
      table_twin: () => change({ table: view.peek().table === '1' ? null : '1' }),
      escape: () => {
        const v = view.peek();
        if (v.hzoom) change({ hzoom: null });
        else if (v.hpair) change({ hpair: null });
        else if (v.hline !== '-') change({ hline: '-' });
        else return false;
        return true;
      },
    }),
  ]);
}

export function HeapView() {
  useEffect(() => {
    if (view.peek().mode !== 'heap') change({ tool: 'memory', mode: 'heap' });
    return together([startHeap(), heapKeys(), followTraced(), followBeside()]);
  }, []);
  const s = summary.value;
  const error = failure.value;
  if (error && !s)
    return (
      <EmptyState title="This heap file cannot be shown">
        <p role="alert">{error.message}</p>
        <p class="row">
          <a class="btn" href={hrefOf({ heap: null, against: null, htype: null })}>
            Other files of the folder
          </a>
          <a class="btn" href={hrefOf({ tool: 'files' })}>
            Files of this run
          </a>
        </p>
      </EmptyState>
    );
  if (!s)
    return (
      <main class="main op-main">
        <Unread what="the heap files of this folder" />
      </main>
    );
  return (
    <main class="main op-main hp-main">
      <Bar s={s} />
      {error ? (
        <p class="hp-warn" role="alert">
          {error.message}
        </p>
      ) : null}
      <div class="op-body">
        <div class="op-left hp-left">
          <Head s={s} />
          <StackIcicle />
          <Devices />
          <Tables />
        </div>
        <HeapCard />
      </div>
    </main>
  );
}
