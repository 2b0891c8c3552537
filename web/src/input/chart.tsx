/** The steps as bars: a click chooses one, a drag a range; below, three steps as lanes of time. */
import { signal } from '@preact/signals';
import { unitOf } from '../overview/numbers';
import { CanvasPart } from '../trace/canvas_part';
import { durationText } from '../trace/time';
import { plural } from '../util/format';
import { listen } from '../util/listen';
import type { InputStepsAnswer, InputVerdictAnswer } from '../api/answers';
import { colours, LOADER, type Part, PROGRAM } from './classes';
import { barAt, drawBars, drawLanes, frameOf, LANES, lanesHeight } from './draw';
import { bars, chosen, lanes, openTrace, pixels, problem, range, rowOf, selectRange, selectStep } from './state';
import { setStyle } from '../ui/size';

const hover = signal<{ row: number; x: number; y: number } | null>(null);
/** Bar where a drag began. */
let pressed = -1;

function attach(canvas: HTMLCanvasElement): () => void {
  const rowAt = (event: MouseEvent): number => {
    const box = canvas.getBoundingClientRect();
    return barAt(frameOf(box.width), bars.peek()?.n ?? 0, event.clientX - box.left);
  };
  const measure = new ResizeObserver(() => {
    const f = frameOf(canvas.clientWidth);
    if (canvas.clientWidth) pixels.value = Math.max(1, Math.floor(f.right - f.left));
  });
  measure.observe(canvas);
  const stop = listen(
    canvas,
    {
      mousemove: (event) => {
        const row = rowAt(event);
        hover.value = row < 0 ? null : { row, x: event.clientX, y: event.clientY };
      },
      mouseleave: () => {
        hover.value = null;
      },
      mousedown: (event) => {
        pressed = event.button === 0 ? rowAt(event) : -1;
      },
      dblclick: () => openTrace(),
    },
    {
      mouseup: (event) => {
        const all = bars.peek();
        const from = pressed,
          to = rowAt(event);
        pressed = -1;
        if (!all || from < 0 || to < 0) return;
        if (from === to) selectStep(all.number[to]);
        else selectRange(all.number[from], all.number[to]);
      },
    },
  );
  return () => {
    measure.disconnect();
    stop();
    hover.value = null;
  };
}

const there = (all: InputStepsAnswer, parts: Part[]) => parts.filter((part) => (all[part.key] as number[]).some((ps) => ps > 0));

function Legend({ all }: { all: InputStepsAnswer }) {
  const devices = all.busy_ps.some((ps) => ps !== null);
  const program = there(all, PROGRAM);
  const loader = there(all, LOADER).filter((part) => !program.some((one) => one.class === part.class));
  return (
    <span class="ov-legend">
      {[...program, ...loader].map((part) => (
        <span key={part.key}>
          <i class={`swatch in-${part.class}`} /> {part.title}
        </span>
      ))}
      {devices ? (
        <span>
          <i class="swatch in-busy" /> device busy
        </span>
      ) : (
        <span class="soft">no work of a device was recorded</span>
      )}
      {all.loaders > 1 ? <span class="soft">below: mean of the loaders, the tick is the busiest</span> : null}
    </span>
  );
}

function Tip({ all }: { all: InputStepsAnswer }) {
  const at = hover.value;
  if (!at || at.row >= all.n) return null;
  const place = (element: HTMLElement | null) => {
    if (!element) return;
    element.style.left = `${Math.max(4, Math.min(at.x + 14, innerWidth - 290))}px`;
    element.style.top = `${Math.min(at.y + 14, innerHeight - 260)}px`;
  };
  const line = (part: Part, word: string) => {
    const ps = (all[part.key] as number[])[at.row];
    return ps > 0 ? (
      <span key={part.key}>
        {word}
        {part.title} <span class="num">{durationText(ps)}</span>
      </span>
    ) : null;
  };
  return (
    <div class="ov-tip" role="tooltip" ref={place}>
      <b>
        step {all.number[at.row]} <span class="num">{durationText(all.duration_ps[at.row])}</span>
      </b>
      {all.steps[at.row] > 1 ? <span class="soft">the slowest of {plural(all.steps[at.row], 'step')}</span> : null}
      {PROGRAM.map((part) => line(part, ''))}
      {LOADER.map((part) => line(part, all.loaders > 1 ? 'all loaders: ' : 'loader: '))}
      {all.loaders > 1 ? (
        <span>
          busiest loader <span class="num">{durationText(all.loader_most_ps[at.row])}</span>
        </span>
      ) : null}
      {all.busy_ps[at.row] === null ? null : (
        <span>
          device busy <span class="num">{durationText(all.busy_ps[at.row])}</span>
        </span>
      )}
    </div>
  );
}

export function StepsPart({ a }: { a: InputVerdictAnswer }) {
  const all = bars.value;
  const unit = unitOf(a.step_ps || 1);
  return (
    <section class="in-steps" aria-label="steps">
      <header class="ov-title">
        <h2>Steps</h2>
        <span class="soft">
          {unit.word}
          {all && all.total > all.n ? `, a bar is the slowest of ${all.steps[0]} steps` : ''}
        </span>
        {all?.n ? <Legend all={all} /> : null}
      </header>
      {problem.value ? (
        <p class="ov-note" role="alert">
          {problem.value}
        </p>
      ) : null}
      {all?.n ? (
        <>
          <CanvasPart
            class="in-chart"
            label={`${plural(all.total, 'step')}: ${a.headline}. ${a.detail}. The tab Steps has the numbers.`}
            attach={attach}
            watch={() => void [bars.value, lanes.value, chosen.value, hover.value, range.value]}
            draw={(g, width, height, font) => {
              const now = bars.peek(),
                at = chosen.peek();
              if (now)
                drawBars(
                  g,
                  width,
                  height,
                  {
                    all: now,
                    unit,
                    selected: at === null ? -1 : rowOf(now, at),
                    hover: hover.peek()?.row ?? -1,
                    range: range.peek(),
                    program: lanes.peek()?.lanes.find((lane) => lane.role === 'program')?.name ?? '',
                    loader: now.loaders > 1 ? `mean of ${now.loaders}` : '1 thread',
                    font,
                  },
                  colours(),
                );
            }}
          />
          <Tip all={all} />
        </>
      ) : (
        <p class="ov-note" aria-busy={!all}>
          {all ? `No steps: ${all.why_none}.` : 'reading the steps …'}
        </p>
      )}
    </section>
  );
}

export function LanesPart() {
  const a = lanes.value;
  if (!a) return null;
  const hidden = a.lanes.filter((lane) => lane.role === 'loader').length - LANES;
  const at = a.steps.number.indexOf(chosen.value ?? Number.NaN);
  return (
    <section class="in-lanes" aria-label="three steps">
      <div ref={setStyle('height', `${lanesHeight(a)}px`)}>
        <CanvasPart
          class="in-lane"
          label={
            at < 0
              ? 'three steps'
              : `step ${chosen.value}: ${durationText(a.steps.duration_ps[at])}, including ${durationText(a.steps.wait_ps[at])} waiting for a batch`
          }
          watch={() => void [lanes.value, chosen.value]}
          draw={(g, width, _, font) => {
            const now = lanes.peek();
            if (now) drawLanes(g, width, now, font, colours(), chosen.peek());
          }}
        />
      </div>
      {hidden > 0 ? <p class="ov-foot">{plural(hidden, 'more loader')}: tab Threads</p> : null}
    </section>
  );
}
