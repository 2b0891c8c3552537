/** Live bytes by stack: boxes as wide as what they hold, hatched where they grew. A click opens a library's frames or the line's card, a double click fills the width. */
import { useMemo } from 'preact/hooks';
import { hrefOf, view } from '../app/router';
import type { IcicleBox } from '../canvas/icicle';
import { Twin, type TwinColumn } from '../memory/twin';
import { Icicle } from '../charts/icicle';
import { formatCount, formatPercent, plural } from '../util/format';
import { grownShare, type HeapTree, shapeOf } from './shape';
import { calleesFirst, change, METRICS, type Metric, metric, opened, type Summary, summary, type Tree, tree, twin, unfolded } from './state';
import { changeText, counted, valueText } from './words';

const ROW = 26;
const METRIC_WORDS: Record<Metric, string> = { value: 'Bytes', count: 'Buffers', grown: 'Growth' };

function amount(t: Tree, i: number, by: Metric): string {
  return by === 'count' ? formatCount(t.nodes.count[i]) : valueText(t.nodes[by][i], t.unit);
}

function nameOf(t: Tree & { names: string[] }, i: number): string {
  const { nodes: c, names } = t;
  if (c.parent[i] === null) return `all of ${t.file}`;
  if (c.folded[i]) return `${c.label[i]} ${names[c.function[i]]} … ${names[c.last_function[i]]}`;
  const name = names[c.function[i]];
  return name && name !== c.label[i] ? `${name} ${c.label[i]}` : c.label[i];
}

function words(t: Tree & { names: string[] }, drawn: HeapTree, box: IcicleBox, by: Metric): string[] {
  if (box.joined > 1) return [`${formatCount(box.joined)} more`, '…'];
  const i = drawn.at[box.node];
  const grown = t.against !== null && by === 'value' ? t.nodes.value[i] - t.nodes.base_value[i] : 0;
  return [`${nameOf(t, i)}  ${amount(t, i, by)}${grown ? ` ${changeText(grown, t.unit)}` : ''}`, nameOf(t, i), t.nodes.label[i]];
}

function Tip({ t, drawn, box }: { t: Tree & { names: string[] }; drawn: HeapTree; box: IcicleBox }) {
  const unit = t.unit;
  if (box.joined > 1) return <div class="m-hover-head">{formatCount(box.joined)} boxes too narrow to draw</div>;
  const i = drawn.at[box.node];
  const { nodes: c, names } = t;
  return (
    <>
      <div class="m-hover-head">{nameOf(t, i)}</div>
      <div>
        {valueText(c.value[i], unit)}, {formatPercent(c.value[0] > 0 ? c.value[i] / c.value[0] : null, 1)} of the file, {formatCount(c.count[i])} counted
      </div>
      {t.against !== null ? (
        <div>
          {changeText(c.value[i] - c.base_value[i], unit)} since {t.against}
        </div>
      ) : null}
      {names[c.file[i]] ? <div class="soft">{names[c.file[i]]}</div> : null}
      {c.folded[i] ? <div>{formatCount(c.library_frames[i])} library frames; a click opens them</div> : null}
      {c.left_out[i] ? <div>{plural(c.left_out[i], 'smaller box', 'smaller boxes')} below it: double click</div> : null}
    </>
  );
}

/** The line that a box of own code stands for, as heap/lines names it. */
const keyOf = (t: Tree & { names: string[] }, i: number): string | null =>
  t.nodes.library_frames[i] === 0 && t.nodes.line[i] !== null ? `${t.names[t.nodes.file[i]]}:${t.nodes.line[i]}` : null;

function pick(t: Tree & { names: string[] }, drawn: HeapTree, box: IcicleBox): void {
  const i = drawn.at[box.node];
  if (box.joined > 1) return;
  if (t.nodes.folded[i]) change({ hopen: [...opened.peek(), t.nodes.key[i]].slice(-64).join(',') });
  else {
    const key = keyOf(t, i);
    if (key) change({ hline: key });
  }
}

const TWIN: TwinColumn[] = [
  { title: 'frame', width: 'minmax(260px, 4fr)' },
  { title: 'held', width: '110px' },
  { title: 'since', width: '110px' },
  { title: 'count', kind: 'count' },
];

function AsTable({ t, drawn }: { t: Tree & { names: string[] }; drawn: HeapTree }) {
  const rows = drawn.at.map((i, k) => [
    `${'\u2003'.repeat(drawn.depth[k])}${nameOf(t, i)}`,
    valueText(t.nodes.value[i], t.unit),
    t.against !== null ? changeText(t.nodes.value[i] - t.nodes.base_value[i], t.unit) : '',
    t.nodes.count[i],
  ]);
  return (
    <div class="op-twin">
      <Twin
        label="by stack"
        columns={TWIN}
        rows={rows}
        onOpen={(k) => pick(t, drawn, { node: k, joined: 1, x: 0, width: 0, depth: drawn.depth[k], size: drawn.size[k] })}
      />
    </div>
  );
}

function Choices() {
  const s = summary.value;
  if (!s) return null;
  return (
    <>
      <div class="hp-choice" role="group" aria-label="width of the boxes">
        {METRICS.filter((one) => one !== 'grown' || s.against !== null).map((one) => (
          <button key={one} type="button" aria-pressed={metric.value === one} onClick={() => change({ hby: one === 'value' ? null : one })}>
            {one === 'value' && s.unit !== 'bytes' ? 'Values' : one === 'count' && s.format !== 'jax' ? 'Counts' : METRIC_WORDS[one]}
          </button>
        ))}
      </div>
      <button
        type="button"
        class="btn-s"
        aria-pressed={calleesFirst.value}
        title="which end of a stack is at the top"
        onClick={() => change({ horder: calleesFirst.value ? null : 'callees', hzoom: null, hopen: null })}
      >
        {calleesFirst.value ? 'Innermost first' : 'Callers first'}
      </button>
      <button
        type="button"
        class="btn-s"
        aria-pressed={unfolded.value}
        title="every library frame as a box of its own"
        onClick={() => change({ hfold: unfolded.value ? null : '0', hopen: null, hzoom: null })}
      >
        Library
      </button>
    </>
  );
}

function IcicleHead({ s }: { s: Summary }) {
  return (
    <div class="op-line">
      <h2>{s.unit === 'bytes' ? 'Live bytes' : s.type} by stack</h2>
      <span class="soft cut hp-legend">
        <i class="swatch hp-own" /> your code <i class="swatch hp-lib" /> library, folded{' '}
        {s.against !== null ? (
          <>
            <i class="swatch hp-grown" /> grown since {s.base_step === null ? s.against : `step ${s.base_step}`}
          </>
        ) : null}
      </span>
      {view.value.hzoom ? (
        <a class="m-chip" href={hrefOf({ hzoom: null })}>
          show all
        </a>
      ) : null}
      {opened.value.length ? (
        <a class="m-chip" href={hrefOf({ hopen: null })}>
          fold again
        </a>
      ) : null}
      <span class="m-grow" />
      <Choices />
    </div>
  );
}

export function StackIcicle() {
  const t = tree.value as (Tree & { names: string[] }) | null;
  const s = summary.value;
  const by = metric.value;
  const zoom = view.value.hzoom;
  const drawn = useMemo(() => (t ? shapeOf(t.nodes, by, t.zoom_missing ? undefined : zoom) : null), [t, by, zoom]);
  const marked = useMemo(() => (t && drawn ? drawn.at.findIndex((i) => keyOf(t, i) === view.value.hline) : -1), [t, drawn, view.value.hline]);
  if (!t || !drawn || !s) return null;
  const none = s.has_stacks ? '' : 'The process recorded no stacks: what is known is the device, the kind and the size of each buffer.';
  return (
    <section class="hp-icicle" aria-label="by stack">
      <IcicleHead s={s} />
      {none ? <p class="op-note">{none}</p> : null}
      {twin.value ? (
        <AsTable t={t} drawn={drawn} />
      ) : (
        <Icicle
          tree={drawn}
          row={ROW}
          picture="heap by stack"
          label={`${valueText(s.value, s.unit)} by stack, ${plural(drawn.n, 'box', 'boxes')}, ${plural(s.count, counted(s))}; T shows a table`}
          words={(box) => words(t, drawn, box, by)}
          colour={(node) => (t.nodes.parent[drawn.at[node]] !== null && t.nodes.library_frames[drawn.at[node]] === 0 ? '--accent' : '')}
          hatched={(box) => (box.joined > 1 ? 0 : grownShare(t.nodes, drawn.at[box.node], by))}
          hatchVariable="--bad"
          marked={marked}
          thin
          tip={(box) => <Tip t={t} drawn={drawn} box={box} />}
          onPick={(box) => pick(t, drawn, box)}
          onOpen={(box) => {
            const i = drawn.at[box.node];
            change({ hzoom: t.nodes.parent[i] === null || t.nodes.key[i] === zoom ? null : t.nodes.key[i] }, true);
          }}
        />
      )}
      {t.all > t.nodes.n ? (
        <p class="op-note">{formatCount(t.all - t.nodes.n)} smaller boxes are not drawn; a double click shows what lies below one.</p>
      ) : null}
    </section>
  );
}
