/** One small chart for each memory space of the program, each on its own scale: they differ by factors of thousands. */
import { effect, signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/client';
import type { Curve, SpaceSummary } from '../api/types';
import { modules } from '../app/state';
import { cssColor } from '../app/theme';
import { view } from '../app/router';
import { baseSummary } from '../memory/baseline_state';
import { Drawing, hatch } from '../charts/drawing';
import { change, settled, subject, summary } from '../memory/state';
import { sizeText } from '../memory/bytes';
import { TipBox } from '../charts/tip';
import { signed } from './lines';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';

const curves = signal<ReadonlyMap<number, Curve>>(new Map());
const LEFT = 156;
const RIGHT = 14;
const LEAST = 34;

/** What lies above the capacity. Pure. */
export function overflowOf(peak: number, capacity: number | null): number {
  return capacity === null ? 0 : Math.max(0, peak - capacity);
}

/** Its peak less that of the same memory space of the pinned baseline, which may have none; null without a baseline. Pure but for the signal. */
export function changeOf(space: SpaceSummary): number | null {
  const base = baseSummary.value;
  return base ? space.peak_bytes - (base.spaces.find(({ color }) => color === space.color)?.peak_bytes ?? 0) : null;
}

/** Known of the open space, and of the main memory. */
function capacityOf(space: SpaceSummary): number | null {
  const s = summary.value;
  if (s && s.space.color === space.color) return s.capacity_bytes;
  return space.color === 0 ? (modules.value?.capacity_bytes ?? null) : null;
}

const shown = () => (summary.value?.spaces ?? []).filter((space) => space.peak_bytes > 0 || (space.reserved_bytes ?? 0) > 0);

function startSpaces(): () => void {
  return effect(() => {
    if (!settled.value) {
      curves.value = new Map();
      return;
    }
    for (const space of shown())
      if (space.steps > 0)
        api
          .curve({ ...subject.value, space: space.color, px: 1024 }, { key: `report/space/${space.color}`, quiet: true, part: 'a memory space' })
          .then((answer) => {
            curves.value = new Map(curves.peek()).set(space.color, answer);
          })
          .catch(() => {});
  });
}

export function SpacesChart() {
  useEffect(startSpaces, []);
  const place = useRef({ width: 1, height: 1 });
  const [at, setAt] = useState<{ space: SpaceSummary; share: number; x: number; y: number } | null>(null);
  const spaces = shown();
  const find = (x: number, y: number) => {
    const k = Math.floor((y / place.current.height) * spaces.length);
    const share = (x - LEFT) / Math.max(1, place.current.width - LEFT - RIGHT);
    return spaces[k] ? { space: spaces[k], share } : null;
  };
  return (
    <div class="r-spaces">
      <div class="r-spaces-sized" style={{ minHeight: `${spaces.length * LEAST}px` }}>
        <Drawing
          class="r-spaces-canvas"
          picture="memory spaces"
          tabIndex={0}
          label={`${plural(spaces.length, 'memory space')}: ${spaces.map((space) => `${space.name} peak ${formatBytes(space.peak_bytes)}${changeOf(space) === null ? '' : ` (${signed(changeOf(space) ?? 0)} vs before)`}`).join(', ')}`}
          watch={() => void [curves.value, summary.value, baseSummary.value]}
          draw={(g, width, height) => {
            place.current = { width, height };
            const high = height / Math.max(1, spaces.length);
            spaces.forEach((space, k) => {
              drawSpace(g, space, curves.peek().get(space.color) ?? null, width, k * high, high);
            });
          }}
          onMove={(x, y, event) => {
            const found = find(x, y);
            setAt(found ? { ...found, x: event.clientX, y: event.clientY } : null);
          }}
          onLeave={() => setAt(null)}
          onClick={(x, y) => {
            const found = find(x, y);
            if (found) change({ space: found.space.color, mode: 'report', split: 'space', rtab: view.peek().rtab ?? null });
          }}
        />
      </div>
      {at ? <Tip {...at} /> : null}
    </div>
  );
}

function drawSpace(g: CanvasRenderingContext2D, space: SpaceSummary, curve: Curve | null, width: number, top: number, high: number): void {
  const capacity = capacityOf(space);
  const reserved = space.reserved_bytes ?? space.peak_bytes;
  const over = overflowOf(space.peak_bytes, capacity);
  const most = Math.max(1, reserved, space.peak_bytes, over > 0 ? (capacity ?? 0) : 0) * 1.08;
  const bottom = top + high - 3;
  const y = (bytes: number) => bottom - (bytes / most) * (high - 6);
  const plotWidth = width - LEFT - RIGHT;
  const open = summary.value?.space.color === space.color;
  g.font = `${open ? '600 ' : ''}12px ${cssColor('--font')}`;
  g.textAlign = 'left';
  g.textBaseline = 'middle';
  g.fillStyle = cssColor(open ? '--accent' : '--fg');
  g.fillText(space.name, 12, top + Math.min(12, high / 2));
  g.font = `11px ${cssColor('--font')}`;
  g.fillStyle = cssColor('--fg-soft');
  if (high >= 30) g.fillText(`${sizeText(space.peak_bytes)} of ${sizeText(reserved)}`, 12, top + 25);
  const by = changeOf(space);
  if (by !== null) {
    g.textAlign = 'right';
    g.fillStyle = cssColor(by > 0 ? '--grow' : by < 0 ? '--shrink' : '--fg-soft');
    g.fillText(signed(by), LEFT - 8, top + Math.min(12, high / 2));
    g.textAlign = 'left';
  }
  g.strokeStyle = cssColor('--rule');
  g.strokeRect(LEFT + 0.5, top + 0.5, plotWidth - 1, high - 3);
  const resident = curve?.resident_bytes ?? space.peak_bytes;
  g.fillStyle = cssColor('--o-none');
  g.fillRect(LEFT, y(resident), plotWidth, bottom - y(resident));
  if (curve && curve.n > 0) {
    g.fillStyle = cssColor('--m-temp');
    g.beginPath();
    g.moveTo(LEFT, y(resident));
    for (let c = 0; c < curve.n; c++) {
      const value = y(resident + curve.max_bytes[c]);
      g.lineTo(LEFT + (c / curve.n) * plotWidth, value);
      g.lineTo(LEFT + ((c + 1) / curve.n) * plotWidth, value);
    }
    g.lineTo(LEFT + plotWidth, y(resident));
    g.fill();
  }
  const line = (bytes: number, colour: string) => {
    g.strokeStyle = cssColor(colour);
    g.setLineDash([5, 4]);
    g.beginPath();
    g.moveTo(LEFT, Math.round(y(bytes)) + 0.5);
    g.lineTo(LEFT + plotWidth, Math.round(y(bytes)) + 0.5);
    g.stroke();
    g.setLineDash([]);
  };
  line(reserved, '--fg-soft');
  if (capacity === null || over === 0) return;
  line(capacity, '--bad');
  hatch(g, LEFT, y(space.peak_bytes), plotWidth, y(capacity) - y(space.peak_bytes), cssColor('--bad'));
  g.textAlign = 'right';
  g.fillStyle = cssColor('--bad');
  g.fillText(`${formatBytes(over)} over the capacity`, LEFT + plotWidth - 6, Math.max(top + 8, y(space.peak_bytes) - 7));
}

function Tip({ space, share, x, y }: { space: SpaceSummary; share: number; x: number; y: number }) {
  const curve = curves.value.get(space.color);
  const capacity = capacityOf(space);
  const c = curve && curve.n > 0 && share >= 0 && share < 1 ? Math.floor(share * curve.n) : null;
  return (
    <TipBox x={x} y={y}>
      <div class="m-hover-head">{space.name}</div>
      <div>
        peak {formatBytes(space.peak_bytes)} <span class="soft">{exactBytes(space.peak_bytes)}</span>
        {changeOf(space) === null ? '' : `, ${signed(changeOf(space) ?? 0)} vs before`}
      </div>
      <div>reserved {formatBytes(space.reserved_bytes)}</div>
      <div>
        {capacity === null
          ? 'capacity unknown'
          : `capacity ${formatBytes(capacity)}${overflowOf(space.peak_bytes, capacity) > 0 ? `, ${formatBytes(overflowOf(space.peak_bytes, capacity))} over` : ''}`}
      </div>
      {curve && c !== null ? (
        <div>
          step {formatCount(curve.max_step[c])} of its {formatCount(curve.steps)}: {formatBytes(curve.resident_bytes + curve.max_bytes[c])}
        </div>
      ) : (
        <div class="soft">{space.steps === 0 ? 'no heap trace: only what is always there' : ''}</div>
      )}
      <div class="soft">click to open this memory space</div>
    </TipBox>
  );
}
