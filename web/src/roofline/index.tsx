/** Roofline: how near every operation comes to what the units and memories of its chip can do. */
import { useEffect, useRef } from 'preact/hooks';
import { EmptyState } from '../app/empty_states';
import { Hint } from '../app/foot';
import { explainOpen } from '../app/palette_state';
import { hrefOf } from '../app/router';
import { failure, ops, startOps } from '../ops/state';
import { deviceWord, whoseWords } from '../ops/states';
import { Unread } from '../ui/unread';
import { asSentence, formatCount, formatPercent, plural } from '../util/format';
import { beyondEdges, Chart } from './chart';
import { rooflineKeys } from './keys';
import { Lane } from './lane';
import { Side } from './side';
import { points, programs, roofline, rooflineError, roofs, startRoofline, twin } from './state';
import { Legend, ToolBar } from './toolbar';
import { RooflineTwin } from './twin';
import { together } from '../util/listen';

function Head() {
  const o = ops.value;
  const r = roofline.value;
  if (!o || !r) return null;
  const shown = points.value.length;
  const title = programs.value ? `${shown} of ${plural(r.programs.n, 'program')}` : `${formatCount(shown)} of ${plural(o.all_operations, 'operation')}`;
  const whose = whoseWords(r, 'means') || (r.chips > 1 ? `means over ${plural(r.chips, deviceWord(r))}` : '');
  const said = [
    o.clock === 'device' ? 'device clock' : o.clock === 'host' ? 'host clock' : 'device and host clock',
    ...(whose ? [whose] : []),
    ...(o.programs > 1 && !programs.value ? [plural(o.programs, 'program')] : []),
    ...(r.operations < r.all_operations ? [`${formatPercent(r.all_self_ps > 0 ? r.self_ps / r.all_self_ps : null, 1)} of the time`] : []),
    ...(r.roofline_share === null ? [] : [`${formatPercent(r.roofline_share, 1)} of the roofline`]),
    'area = time',
    ...(roofs.value.best ? [`no peaks known${roofs.value.flops || roofs.value.bytes ? ': against the best seen' : ''}`] : []),
    ...(beyondEdges().length ? [`triangles: ${beyondEdges().join(', ')}`] : []),
    ...(o.total > o.ops.n ? [`${formatCount(o.total - o.ops.n)} operations are not drawn, the shortest`] : []),
  ];
  return (
    <div class="op-line rf-line">
      <h1 class="rf-title">{title}</h1>
      <span class="soft">{said.join(' · ')}</span>
      <Legend />
    </div>
  );
}

const openCalculator = () => {
  explainOpen.value = true;
};

function Failed({ title, why }: { title: string; why: string }) {
  return (
    <EmptyState title={title}>
      <p role="alert">{asSentence(why)}</p>
      <p class="row">
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          Files of this run
        </a>
      </p>
    </EmptyState>
  );
}

export function RooflineView() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => together([startOps(), startRoofline(), rooflineKeys(field)]), []);
  const o = ops.value;
  const r = roofline.value;
  const error = failure.value ?? rooflineError.value;
  if (error && !(o && r)) return <Failed title="The roofline of this run cannot be shown" why={error.message} />;
  if (r && !r.known) return <Failed title="A roofline needs measured times" why={r.reason ?? ''} />;
  const empty = o && r && !programs.value && points.value.length === 0;
  return (
    <main class="main op-main rf-main">
      <ToolBar field={field} />
      <div class="op-body">
        <div class="op-left">
          <Head />
          {o && r ? (
            twin.value ? (
              <div class="op-table">
                <RooflineTwin />
              </div>
            ) : (
              <div class="rf-body">
                {programs.value ? null : <Lane />}
                <Chart />
                {empty ? <p class="rf-none">No operation has known FLOPs and bytes. The list at the left shows the time of each.</p> : null}
              </div>
            )
          ) : (
            <Unread what="the operations of this run" />
          )}
        </div>
        {o && r ? <Side programs={programs.value} /> : null}
      </div>
      <footer class="op-foot">
        {programs.value ? null : (
          <>
            <Hint caps={['↑', '↓']} text="next by time lost" />
            <Hint caps={['Enter']} text="in Ops" />
            <Hint caps={['Z']} text="lens to zoom" />
          </>
        )}
        <Hint caps={['T']} text="table" />
        <Hint caps={['?']} text="all keys" />
        <span class="m-grow" />
        <button type="button" class="link" title="paste an HLO line and enter peaks: what it should take by FLOPs, bytes and links" onClick={openCalculator}>
          calculator: what an operation should take
        </button>
      </footer>
    </main>
  );
}
