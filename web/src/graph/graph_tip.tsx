/** The box beside the pointer over the drawing: the whole of what the box has no room for. */
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { TipBox } from '../charts/tip';
import { formatCount } from '../util/format';
import type { Target } from './drawing';
import { drawing, shown } from './graph_state';
import { framesOf, metaOf } from './meta';
import { text } from './state';
import { bytesText, bytesTip, flopText, timeText } from './words';
import { estimatePs, saidOf } from './times_state';

const over = signal<{ x: number; y: number; target: Target; key: string } | null>(null);

export function placeTip(x: number, y: number, target: Target | null): void {
  const key = target ? JSON.stringify([target.kind, 'node' in target ? target.node : target.stub]) : '';
  over.value = target ? { x, y, target, key } : null;
}

const DELAY_MS = 150;

function NodeWords({ k }: { k: number }) {
  const a = shown.value;
  if (!a || a.nodes.ix[k] === undefined) return null;
  const n = a.nodes;
  const said = saidOf(n.ix[k], n.cycles[k], n.pair_ix[k]);
  const estimate = estimatePs(n.cycles[k]);
  const all = text.value;
  const line = all?.defined.get(n.name[k]);
  const frames = all && line !== undefined ? framesOf(all, metaOf(all.lines[line]), 4) : [];
  const flops = n.flops[k];
  return (
    <>
      <div>
        <b class="mono">{n.name[k]}</b> {n.pair[k] ? <span class="mono">/ {n.pair[k]} </span> : null}
        <span class="soft">
          {n.opcode[k]} {n.kind[k]} · line {n.line[k]}
        </span>
      </div>
      {n.label[k] ? <div class="mono">{n.label[k]}</div> : null}
      {n.op_name[k] ? <div>{n.op_name[k]}</div> : null}
      <div class="mono g-tip-shape">{n.shape[k].length > 400 ? `${n.shape[k].slice(0, 400)} …` : n.shape[k]}</div>
      <div>
        {bytesText(n.size_bytes[k])} {n.space[k]} <span class="soft">{bytesTip(n.size_bytes[k])}</span>
      </div>
      {said.text ? (
        <div>
          {said.text}{' '}
          {estimate !== null ? (
            <span class="soft">
              compiler: {timeText(estimate)}, {formatCount(n.cycles[k])} cycles
            </span>
          ) : null}
        </div>
      ) : null}
      {flops ? (
        <div>
          {flopText(flops)}
          {n.matmul[k] ? ` · matmul ${n.matmul[k]}` : ''}
        </div>
      ) : null}
      {n.collective[k] ? <div class="bad">holds a collective: {n.collective[k]}</div> : null}
      {n.note[k] ? <div class="warn">{n.note[k]}</div> : null}
      {frames.map((frame, i) => (
        <div key={i} class="soft">
          {frame.file.replace(/^.*\//, '')}:{frame.line} {frame.function}
        </div>
      ))}
    </>
  );
}

export function GraphTip() {
  const at = over.value;
  const [ready, setReady] = useState('');
  useEffect(() => {
    if (!at) {
      setReady('');
      return;
    }
    const timer = setTimeout(() => setReady(at.key), DELAY_MS);
    return () => clearTimeout(timer);
  }, [at?.key]);
  const d = drawing.value;
  if (!at || !d || ready !== at.key) return null;
  const { target } = at;
  return (
    <TipBox x={at.x} y={at.y}>
      {target.kind === 'stub' ? (
        <>
          <div>
            <b class="mono">{d.scene.stubs[target.stub]?.name}</b> <span class="soft">line {d.scene.stubs[target.stub]?.line}</span>
          </div>
          <div>click to go there, Shift+click to draw the edge</div>
        </>
      ) : target.kind === 'chip' ? (
        <div>{target.chip.text}: click to show more</div>
      ) : (
        <NodeWords k={target.node} />
      )}
    </TipBox>
  );
}
