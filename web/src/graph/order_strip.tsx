/** The whole program as one strip: every op at its place in time, the selected one marked, arcs to its far users. */
import { signal, untracked } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isAborted } from '../api/client';
import { cssColor, themeVersion } from '../app/theme';
import { Drawing as Picture } from '../charts/drawing';
import { formatCount } from '../util/format';
import { graphApi, type Order } from './api';
import { stripeOfGroup } from './draw';
import { isAnswered, isKnown } from './known';
import { centreOn, picked, centre, wholeComputation } from './settings';
import { effectHere, subject } from './state';
import { timeText } from './words';
import { estimatePs } from './times_state';

const order = signal<Order | null>(null);
const width = signal(0);

async function load(params: Record<string, string | number | undefined>): Promise<void> {
  try {
    order.value = await graphApi.order(params, { key: 'graph/order', quiet: true });
  } catch (error) {
    if (!isAborted(error)) order.value = null;
  }
}

function startOrder(): () => void {
  let asked = '';
  return effectHere(() => {
    const px = Math.floor(width.value);
    if (px < 50) return;
    const name = picked.value || centre.value;
    const marked = name && isKnown(name) ? name : undefined;
    // The strip is there without a mark as well, but is not asked for twice.
    if (name && !marked && !isAnswered()) return;
    const params = { ...subject(), px, node: marked, computation: wholeComputation.value || undefined };
    const key = JSON.stringify(params);
    if (key === asked) return;
    asked = key;
    untracked(() => void load(params));
  });
}

const TOP = 9;
const HEIGHT = 9;

function draw(g: CanvasRenderingContext2D, w: number): void {
  const o = order.peek();
  if (!o) return;
  const scale = w / Math.max(1, o.group.length);
  o.group.forEach((group, k) => {
    if (!group) return;
    g.fillStyle = stripeOfGroup(group);
    g.fillRect(k * scale, TOP, Math.max(scale, 1), HEIGHT);
  });
  const at = o.node;
  if (!at || at.px === null || at.px === undefined) return;
  const x = at.px * scale + 0.5;
  g.strokeStyle = cssColor('--fg-soft');
  g.lineWidth = 1;
  const arc = (to: number) => {
    const x1 = to * scale + 0.5;
    if (Math.abs(x1 - x) < 12) return;
    g.beginPath();
    g.moveTo(x, TOP);
    g.bezierCurveTo(x, 1, x, 1, x + Math.sign(x1 - x) * Math.min(8, Math.abs(x1 - x) / 2), 1.5);
    g.lineTo(x1 - Math.sign(x1 - x) * Math.min(8, Math.abs(x1 - x) / 2), 1.5);
    g.bezierCurveTo(x1, 1, x1, 1, x1, TOP);
    g.stroke();
  };
  for (const to of at.users_px) arc(to);
  g.setLineDash([2, 2]);
  for (const from of at.operands_px) arc(from);
  g.setLineDash([]);
  g.fillStyle = cssColor('--cursor');
  g.beginPath();
  g.moveTo(x, TOP + HEIGHT);
  g.lineTo(x - 4, TOP + HEIGHT + 5);
  g.lineTo(x + 4, TOP + HEIGHT + 5);
  g.fill();
  g.fillRect(x - 0.75, TOP - 2, 1.5, HEIGHT + 2);
}

/** The op of a pixel column. */
function columnAt(x: number): number {
  const o = order.peek();
  if (!o?.group.length) return -1;
  return Math.min(o.group.length - 1, Math.max(0, Math.floor((x / Math.max(1, width.peek())) * o.group.length)));
}

export function OrderStrip() {
  useEffect(startOrder, []);
  const o = order.value;
  const total = o?.by === 'cycles' ? estimatePs(o.total) : null;
  const far = o?.node?.users ?? 0;
  return (
    <div class="g-order">
      <span class="soft small">Program order</span>
      <Picture
        class="g-order-canvas"
        label={`program order, ${o?.by === 'cycles' ? 'by the compiler’s estimate' : 'by line'}: ${picked.value || centre.value || 'nothing'} is marked, ${formatCount(far)} users; click jumps`}
        watch={() => void [order.value, themeVersion.value]}
        draw={draw}
        onResize={(w) => {
          width.value = w;
        }}
        onClick={(x) => {
          const k = columnAt(x);
          const name = k >= 0 ? nameOf(o?.first_ix[k] ?? -1) : '';
          if (name) centreOn(name);
        }}
      />
      <span class="small soft num">
        {o ? (o.by === 'cycles' ? (total === null ? `${formatCount(o.total)} cycles` : `${timeText(total)} est.`) : `${formatCount(o.total)} ops`) : ''}
      </span>
    </div>
  );
}

/** The route takes ids and names; an index is known by the columns of the strip itself. */
function nameOf(ix: number): string {
  const o = order.peek();
  const k = o?.first_ix.indexOf(ix) ?? -1;
  return o?.first_name?.[k] ?? '';
}
