/** The step chart with its legend, hover box and buttons. */
import type { Live, MapBoxes } from '../api/types';
import { cssColor } from '../app/theme';
import type { Scale } from '../canvas/view';
import { formatBytes, formatCount, pageUnit } from '../util/format';
import { AxisChoice } from './axis_choice';
import { type ChartColors, type ChartInput, chartTop, drawChart, type Life } from './draw_chart';
import { showAll } from './gestures';
import { HoverBox } from './hover';
import { Later } from '../ui/later';
import { tickText } from './ticks';
import { twin } from './lower_state';
import { overlay } from './what_if_state';
import { crosshair, hoverAt, setPlotWidth, useStepsCanvas } from './steps_canvas';
import { card, change, curve, hoverBuffer, inspect, inspected, live, map, range, setWindow, summary } from './state';

const TOP = 16;

function colours(): ChartColors {
  const temp = cssColor('--m-temp');
  return {
    fg: cssColor('--fg'),
    soft: cssColor('--fg-soft'),
    faint: cssColor('--fg-faint'),
    rule: cssColor('--rule'),
    band: `color-mix(in srgb, ${cssColor('--m-param')} 26%, transparent)`,
    bandLine: cssColor('--m-param'),
    live: `color-mix(in srgb, ${temp} 20%, transparent)`,
    pad: cssColor('--m-pad'),
    peak: cssColor('--peak'),
    bad: cssColor('--bad'),
    hatch: cssColor('--bad'),
    accent: cssColor('--accent'),
    bg: cssColor('--bg'),
  };
}

/** All tenancies of a buffer as one life. The map has no arguments and no boxes under a pixel; what is live at the step
 *  has them, and those that are live during the whole program without steps of their own. */
function lifeIn(answer: MapBoxes | Live | null, buffer: number): Life | null {
  const found: Life = { start: Infinity, end: -1, bytes: 0, label: '' };
  for (let k = 0; answer && k < answer.n; k++) {
    if (answer.buffer[k] !== buffer) continue;
    found.start = Math.min(found.start, answer.start_step[k] ?? 0);
    found.end = Math.max(found.end, answer.end_step[k] ?? summary.peek()?.steps ?? 0);
    found.bytes = Math.max(found.bytes, answer.size_bytes[k]);
    found.label = `life of ${answer.names[answer.name[k]] ?? ''}`;
  }
  return found.end >= 0 ? found : null;
}

/** The life to outline: that of the hovered buffer, else of the pinned one. */
function lifeShown(): Life | null {
  const hovered = hoverBuffer.value;
  if (hovered !== null) {
    const found = lifeIn(map.value, hovered) ?? lifeIn(live.value, hovered);
    if (found) return found;
  }
  const c = card.value;
  if (!c) return null;
  const resident = c.class !== 'temporary';
  const end = summary.value?.steps ?? 0;
  return {
    start: resident ? 0 : (c.life.start_step ?? 0),
    end: resident ? end : (c.life.end_step ?? end),
    bytes: c.size_bytes,
    label: `life of ${c.name}`,
  };
}

function draw(g: CanvasRenderingContext2D, _: number, height: number, scale: Scale): void {
  const s = summary.peek();
  const c = curve.peek();
  if (!s || !c) return;
  const input: ChartInput = {
    curve: c,
    scale,
    top: TOP,
    bottom: height - 4,
    maxBytes: chartTop(s.peak.held_bytes, s.reserved_bytes, s.capacity_bytes),
    capacityBytes: s.capacity_bytes,
    peakBytes: s.peak.held_bytes,
    life: lifeShown(),
    range: range.peek(),
    under: overlay.peek() !== null,
    font: `11px ${getComputedStyle(g.canvas).fontFamily}`,
    bytesText: (b) => formatBytes(b),
    tickText,
  };
  drawChart(g, input, colours(), `peak ${formatBytes(s.peak.held_bytes)}`);
  overlay.peek()?.(g, input);
  crosshair(g, scale, height);
}

function watch(): void {
  void [curve.value, summary.value, inspected.value, hoverBuffer.value, card.value, live.value, range.value, map.value, overlay.value];
}

export function Chart() {
  const canvas = useStepsCanvas(() => ({
    picture: 'memory in program order',
    draw,
    resized: setPlotWidth,
    watch,
    click: (_, step) => inspect(step),
    hover: hoverAt,
  }));
  const s = summary.value;
  return (
    <div class={`m-chart${twin.value ? ' m-twin' : ''}`}>
      <ChartLegend />
      {twin.value ? <Later part="CurveTwin" /> : null}
      <canvas
        ref={canvas}
        class="m-chart-canvas"
        tabIndex={0}
        role="application"
        aria-label={
          s
            ? `Memory in program order, ${formatCount(s.steps)} steps, peak ${formatBytes(s.peak.held_bytes)} at step ${s.peak.step ?? 'unknown'}. Arrow keys step through buffers, T shows a table.`
            : 'Memory in program order'
        }
      />
      <HoverBox />
    </div>
  );
}

/** Values of the curves at a step: from what is held there, from a column that is this step alone, from the summary. A
 *  column of several steps has the values of others. */
function valuesAt(step: number | null): { live: number | null; unpadded: number | null } {
  const c = curve.value;
  const held = live.value;
  const peak = summary.value?.peak;
  if (step !== null && held?.step === step) return { live: held.live_bytes, unpadded: held.total_unpadded_bytes };
  if (peak?.step === step) return { live: peak?.held_bytes ?? null, unpadded: peak?.unpadded_bytes ?? null };
  for (let k = 0; c && step !== null && k < c.n; k++) {
    if (step !== c.step[k] || c.count[k] !== 1) continue;
    return { live: c.max_bytes[k] + c.resident_bytes, unpadded: c.max_unpadded_bytes[k] + (c.resident_unpadded_bytes ?? c.resident_bytes) };
  }
  return { live: null, unpadded: null };
}

function ChartLegend() {
  const s = summary.value;
  if (!s) return null;
  const at = valuesAt(inspected.value);
  const spread = s.xprof.differs.find((d) => d.what === 'peak_bytes');
  return (
    <div class={`m-legend${s.near_peaks.length > 1 ? ' m-legend-full' : ''}`}>
      <b title="program order, not time">
        {s.space.name}
        <span class="w-long"> in program order</span>
      </b>
      <span class="m-unit">{pageUnit.value}</span>
      <span
        class="m-key"
        title={spread ? `XProf shows ${formatBytes(spread.xprof)}: ${spread.reason}` : 'always there plus the temporaries live after the step'}
      >
        <i class="k-line" /> <span>live</span> <b>{formatBytes(at.live, { withUnit: false })}</b>
      </span>
      <span class="m-key" title="all bytes the compiler set aside: always there plus the heap">
        <i class="k-dash" /> <span>reserved</span> <b>{formatBytes(s.reserved_bytes, { withUnit: false })}</b>
      </span>
      <span class="m-key m-key-long" title="the same values without tile padding, including arguments">
        <i class="k-dot" /> <span class="w-long">without padding</span>
        <span class="w-short">unpadded</span> <b>{formatBytes(at.unpadded, { withUnit: false })}</b>
      </span>
      <span class="m-key" title="arguments, outputs and constants of this program; other loaded programs are not counted">
        <i class="k-band" /> <span class="w-long">always there</span>
        <span class="w-short">resident</span> <b>{formatBytes(s.resident_bytes, { withUnit: false })}</b>
      </span>
      <span class="m-grow" />
      <NearPeaks />
      <AxisChoice />
      <button type="button" class="btn-s" onClick={() => inspect(s.peak.step)} title="Go to the peak (P)">
        Peak<kbd>P</kbd>
      </button>
      <button type="button" class="btn-s" onClick={() => (range.value ? setWindow(range.value) : showAll())} title="Fit the selection, or show all (F)">
        Fit<kbd>F</kbd>
      </button>
    </div>
  );
}

/** Other maxima within 10 % of the peak: what remains when the first one is mended. */
function NearPeaks() {
  const s = summary.value;
  if (!s || s.near_peaks.length < 2) return null;
  return (
    <select
      class="btn-s m-near"
      aria-label="separate peaks within 10 % of the highest"
      value={String(inspected.value)}
      onChange={(e) => change({ step: (e.currentTarget as HTMLSelectElement).value })}
    >
      <option value="">{s.near_peaks.length} peaks within 10 %</option>
      {s.near_peaks.map((p) => (
        <option key={p.step} value={String(p.step)}>
          step {formatCount(p.step)}: {formatBytes(p.held_bytes)}
        </option>
      ))}
    </select>
  );
}
