/** When the buffer is held, when it is used, where it lies idle. */
import type { BufferCard } from '../api/types';
import { broad } from '../app/media';
import { cssColor } from '../app/theme';
import { formatCount, plural } from '../util/format';
import { Drawing } from '../charts/drawing';
import { groupColour } from './group_colour';
import { idleWords, lifeSpan, stepShare, tickPixels } from './life_bar';
import { OpName } from '../app/links';
import { inspect, stepCount, summary } from './state';

export function CardLife({ c }: { c: BufferCard }) {
  const steps = stepCount.value;
  const peak = summary.value?.peak.step ?? null;
  const { start_step: start, end_step: end } = c.life;
  const whole = c.life.untraced || start === null;
  const held = whole ? 'the whole program' : `${formatCount(c.life.steps ?? (end ?? steps) - (start ?? 0))} of ${formatCount(steps)} steps`;
  const idle = idleWords(c.uses.idle_from, c.uses.idle_to, peak);
  return (
    <section class="m-sec">
      <h3>
        Lifetime <span class="side">{held}</span>
      </h3>
      {steps > 0 ? <LifePicture c={c} steps={steps} peak={peak} /> : null}
      {c.life.never_freed && !whole ? <p class="soft">never freed in the heap trace</p> : null}
      {c.life.untraced && c.class === 'temporary' ? <p class="soft">no events in the heap trace, so counted as live all the time</p> : null}
      {idle ? <p>{idle}</p> : null}
      <Uses c={c} />
      {c.life.tenancies.length > 1 ? <p class="soft">its storage is used {formatCount(c.life.tenancies.length)} times</p> : null}
    </section>
  );
}

function LifePicture({ c, steps, peak }: { c: BufferCard; steps: number; peak: number | null }) {
  const { start_step: start, end_step: end } = c.life;
  const span = lifeSpan(start, end, steps);
  return (
    <Drawing
      class="m-life-big"
      label={`held from step ${start ?? 0} to ${end ?? steps} of ${steps}`}
      draw={(g, width) => {
        const top = 16;
        const high = 12;
        const x = span.left * width;
        const w = Math.max(span.width * width, 2);
        const colour = groupColour(c.group);
        g.fillStyle = cssColor('--rule-strong');
        g.fillRect(0, top + high / 2 - 0.75, width, 1.5);
        g.fillStyle = cssColor('--bg');
        g.fillRect(x, top, w, high);
        g.fillStyle = colour;
        g.fillRect(x, top, w, high);
        drawIdle(g, c, steps, width, top, high);
        g.strokeStyle = colour;
        g.lineWidth = 1;
        g.strokeRect(x + 0.5, top + 0.5, Math.max(w - 1, 1), high - 1);
        g.fillStyle = cssColor('--fg');
        for (const tick of tickPixels(c.uses.ticks, steps, width)) g.fillRect(tick, top, 1.5, high);
        drawEnds(g, start, end, x, w, width);
        drawPeak(g, stepShare(peak, steps), width, top, high);
      }}
    />
  );
}

/** Between uses the value only waits: pale. */
function drawIdle(g: CanvasRenderingContext2D, c: BufferCard, steps: number, width: number, top: number, high: number): void {
  const { idle_from: from, idle_to: to } = c.uses;
  if (from === null || to === null || to <= from) return;
  const left = ((from + 1) / steps) * width;
  const right = (to / steps) * width;
  g.globalAlpha = 0.62;
  g.fillStyle = cssColor('--bg');
  g.fillRect(left, top, Math.max(0, right - left), high);
  g.globalAlpha = 1;
}

function drawEnds(g: CanvasRenderingContext2D, start: number | null, end: number | null, x: number, w: number, width: number): void {
  g.font = `11px ${cssColor('--font')}`;
  g.textBaseline = 'alphabetic';
  g.fillStyle = cssColor('--fg-soft');
  const first = start === null ? '' : formatCount(start);
  const last = end === null ? '' : formatCount(end);
  const firstWidth = g.measureText(first).width;
  const lastWidth = g.measureText(last).width;
  // Two numbers above a narrow box are placed to its left and right.
  const apart = w > firstWidth + lastWidth + 6;
  const left = apart ? x - firstWidth / 2 : x - firstWidth + 2;
  const right = apart ? x + w - lastWidth / 2 : x + w + 2;
  g.fillText(first, Math.min(Math.max(left, 0), width - firstWidth - lastWidth - 8), 11);
  g.fillText(last, Math.max(Math.min(right, width - lastWidth), firstWidth + 6), 11);
}

function drawPeak(g: CanvasRenderingContext2D, share: number | null, width: number, top: number, high: number): void {
  if (share === null) return;
  const x = share * width;
  g.fillStyle = cssColor('--peak');
  g.fillRect(x - 0.75, top - 5, 1.5, high + 10);
  g.font = `11px ${cssColor('--font')}`;
  g.textBaseline = 'alphabetic';
  const w = g.measureText('peak').width;
  g.fillText('peak', Math.min(Math.max(x - w / 2, 0), width - w), top + high + 15);
}

function Uses({ c }: { c: BufferCard }) {
  const { first, last, count } = c.uses;
  if (count === 0 && !first) return <p class="soft">never read by this program</p>;
  const shown = broad.value ? 40 : 6;
  return (
    <>
      <p>
        {first ? (
          <>
            first use <OpName name={first.name} />
          </>
        ) : null}
        {last ? (
          <>
            {' '}
            · last <OpName name={last.name} />
          </>
        ) : null}
      </p>
      {c.uses.users.length > 0 ? (
        <details class="m-users" open={broad.value}>
          <summary>
            {plural(c.uses.users_total, 'user')} in program order <span class="side">at step</span>
          </summary>
          <ul>
            {c.uses.users.slice(0, shown).map((user, k) => (
              <li key={`${user.name}${k}`}>
                <OpName name={user.name} />
                <span class="cut faint" title={user.shape}>
                  {user.opcode}
                </span>
                {user.step === null ? (
                  <span class="faint">none</span>
                ) : (
                  <button type="button" class="link num" onClick={() => inspect(user.step)}>
                    {formatCount(user.step)}
                  </button>
                )}
              </li>
            ))}
          </ul>
          {c.uses.users_total > shown ? (
            <p class="faint">
              showing {Math.min(shown, c.uses.users.length)} of {formatCount(c.uses.users_total)}
            </p>
          ) : null}
        </details>
      ) : null}
    </>
  );
}
