/** Live bytes by stack: boxes as wide as what they hold, hatched where they grew. A click opens a library's frames or the line's card, a double click fills the width, Ctrl and a click put two beside each other. */
import { useMemo } from 'preact/hooks';
import { hrefOf, view } from '../app/router';
import type { IcicleBox } from '../canvas/icicle';
import { Twin, type TwinColumn } from '../memory/twin';
import { Icicle } from '../charts/icicle';
import { formatCount, formatPercent, plural } from '../util/format';
import { grownShare, type HeapTree, shapeOf } from './shape';
import { calleesFirst, change, METRICS, type Metric, metric, opened, pair, type Summary, summary, type Tree, tree, twin, unfolded } from './state';
import { changeText, counted, joinedWords, valueText, whole as wholeWord } from './words';

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
  if (box.joined > 1) return joinedWords(box.joined);
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
      {c.executables[i] ? <div>including {valueText(c.executables[i], unit)} of compiled programs</div> : null}
      {c.folded[i] ? <div>{formatCount(c.library_frames[i])} library frames; a click opens them</div> : null}
      {c.left_out[i] ? <div>{plural(c.left_out[i], 'smaller box', 'smaller boxes')} below it: double click</div> : null}
    </>
  );
}

/** The line that a box of own code stands for, as heap/lines names it. */
const keyOf = (t: Tree & { names: string[] }, i: number): string | null =>
  t.nodes.library_frames[i] === 0 && t.nodes.line[i] !== null ? `${t.names[t.nodes.file[i]]}:${t.nodes.line[i]}` : null;

/** Compiled programs alone, no arrays. */
const isExecutables = ({ nodes: c }: Tree, i: number) => c.parent[i] !== null && c.executables[i] > 0 && c.executables[i] === c.value[i];

function pick(t: Tree & { names: string[] }, drawn: HeapTree, box: IcicleBox, event?: MouseEvent): void {
  const i = drawn.at[box.node];
  if (box.joined > 1) return;
  if (event?.ctrlKey || event?.metaKey) {
    const others = pair.peek().filter((key) => key !== t.nodes.key[i]);
    change({ hpair: (others.length < pair.peek().length ? others : [...others, t.nodes.key[i]]).slice(-2).join(',') });
  } else if (t.nodes.folded[i]) change({ hopen: [...opened.peek(), t.nodes.key[i]].slice(-64).join(',') });
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

/** The frames chosen with Ctrl, and what the second has beyond the first. */
function Pair({ t }: { t: Tree & { names: string[] } }) {
  if (!pair.value.length) return null;
  const { nodes: c, unit } = t;
  const at = pair.value.map((key) => c.key.indexOf(key));
  const whole = at.length === 2 && !at.includes(-1);
  const since = (i: number) => c.value[i] - c.base_value[i];
  const cells = (value: string, count: number | string, grown: string) => (
    <>
      <td class="num">{value}</td>
      <td class="num">{count}</td>
      {t.against === null ? null : <td class="num">{grown}</td>}
    </>
  );
  return (
    <section class="hp-pair" aria-label="two frames compared">
      <table class="ov-table">
        <thead>
          <tr>
            {['frame', t.type, 'count', ...(t.against === null ? [] : [`since ${t.against}`])].map((title, k) => (
              <th key={title} scope="col" class={k ? 'num' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((i, k) => (
            <tr key={pair.value[k]}>
              <th scope="row" class="cut">
                {'AB'[k]} {i < 0 ? 'not in the boxes shown' : nameOf(t, i)}
              </th>
              {i < 0 ? cells('', '', '') : cells(valueText(c.value[i], unit), formatCount(c.count[i]), changeText(since(i), unit))}
            </tr>
          ))}
          {whole ? (
            <tr>
              <th scope="row">B − A</th>
              {cells(
                changeText(c.value[at[1]] - c.value[at[0]], unit),
                `${c.count[at[1]] > c.count[at[0]] ? '+' : ''}${formatCount(c.count[at[1]] - c.count[at[0]])}`,
                changeText(since(at[1]) - since(at[0]), unit),
              )}
            </tr>
          ) : null}
        </tbody>
      </table>
      <p class="op-note">
        {at.length < 2 ? 'Ctrl-click another box to compare the two. ' : ''}
        <button type="button" class="link" onClick={() => change({ hpair: null })}>
          clear
        </button>
      </p>
    </section>
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

function IcicleHead({ s, t }: { s: Summary; t: Tree }) {
  return (
    <div class="op-line">
      <h2>{s.unit !== 'bytes' ? s.type : wholeWord(s) === 'live' ? 'Live bytes' : 'Bytes allocated'} by stack</h2>
      <span class="soft cut hp-legend">
        <i class="swatch hp-own" /> your code <i class="swatch hp-lib" /> library, folded{' '}
        {t.nodes.executables[0] > 0 ? (
          <>
            <i class="swatch hp-exec" /> compiled programs{' '}
          </>
        ) : null}
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
  const marked = useMemo(() => {
    if (!t || !drawn) return [];
    const line = drawn.at.findIndex((i) => keyOf(t, i) === view.value.hline);
    return [line, ...pair.value.map((key) => drawn.at.findIndex((i) => t.nodes.key[i] === key))];
  }, [t, drawn, view.value.hline, pair.value]);
  if (!t || !drawn || !s) return null;
  const none = s.has_stacks ? '' : 'The process recorded no stacks: what is known is the device, the kind and the size of each buffer.';
  return (
    <section class="hp-icicle" aria-label="by stack">
      <IcicleHead s={s} t={t} />
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
          colour={(node) => {
            const i = drawn.at[node];
            return isExecutables(t, i) ? '--m-const' : t.nodes.parent[i] !== null && t.nodes.library_frames[i] === 0 ? '--accent' : '';
          }}
          hatched={(box) => (box.joined > 1 || t.against === null ? 0 : grownShare(t.nodes, drawn.at[box.node], by))}
          hatchVariable="--bad"
          marked={marked}
          thin
          tip={(box) => <Tip t={t} drawn={drawn} box={box} />}
          onPick={(box, event) => pick(t, drawn, box, event)}
          onOpen={(box) => {
            const i = drawn.at[box.node];
            change({ hzoom: t.nodes.parent[i] === null || t.nodes.key[i] === zoom ? null : t.nodes.key[i] }, true);
          }}
        />
      )}
      <Pair t={t} />
      {t.all > t.nodes.n ? (
        <p class="op-note">{formatCount(t.all - t.nodes.n)} smaller boxes are not drawn; a double click shows what lies below one.</p>
      ) : null}
    </section>
  );
}
