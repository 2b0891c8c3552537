/** What the drawing's place says when there is no drawing, or not yet. */
import { useEffect, useState } from 'preact/hooks';
import { setView, view } from '../app/router';
import { modules } from '../app/state';
import { openPalette } from '../app/palette_state';
import { fixed, formatCount } from '../util/format';
import { around, cancelLayout, drawing, failed, phase, retryGraph, tryAnyway } from './graph_state';
import { centre, centreOn, setRadius } from './settings';

interface Nearest {
  name: string;
  line?: number | null;
}

/** "laying out 184 nodes, 0.4 s · Cancel": after a moment, so that quick ones do not flash. */
function Laying({ as }: { as: string }) {
  const now = phase.value;
  const [ticks, setTicks] = useState(0);
  const laying = now.kind === 'laying';
  useEffect(() => {
    if (!laying) return;
    setTicks(0);
    const timer = setInterval(() => setTicks((n) => n + 1), 100);
    return () => clearInterval(timer);
  }, [laying]);
  if (now.kind !== 'laying' || ticks < 2) return null;
  const seconds = (performance.now() - now.since) / 1000;
  return (
    <div class={as} role="status">
      laying out {formatCount(now.nodes)} nodes{now.all > 1 ? `, ${formatCount(now.done)} of ${formatCount(now.all)} computations` : ''}, {fixed(seconds, 1)} s
      ·{' '}
      <button type="button" class="link" onClick={cancelLayout}>
        Cancel
      </button>
    </div>
  );
}

/** Over the drawing while another is on its way. */
export function Progress() {
  const { kind } = phase.value;
  if (kind !== 'laying' && kind !== 'asking') return null;
  return (
    <>
      <div class="g-progress" />
      <Laying as="g-progress-words" />
    </>
  );
}

/** The line over the list that stands in for a drawing; the list stays while one is tried after all. */
export function ListReason() {
  const now = phase.value;
  if (now.kind === 'laying') return <Laying as="g-reason" />;
  if (now.kind !== 'list' || !now.why) return null;
  const { fits } = now;
  return (
    <div class="g-reason" role="status">
      {now.why}
      {fits ? (
        <>
          {' · '}
          <button type="button" class="link" onClick={() => setRadius(fits.radius)}>
            Radius {fits.radius} has {formatCount(fits.nodes)}
          </button>
        </>
      ) : null}
      {' · '}
      <button type="button" class="link" onClick={tryAnyway}>
        Try anyway
      </button>
    </div>
  );
}

function Unknown({ nearest, others, message }: { nearest: Nearest[]; others: number; message: string }) {
  return (
    <div class="g-empty" role="alert">
      <h2>{message}</h2>
      {nearest.length ? (
        <>
          <p class="soft">The nearest names are</p>
          <ul>
            {nearest.slice(0, 5).map((item) => (
              <li key={item.name}>
                <button type="button" class="link mono" onClick={() => centreOn(item.name)}>
                  {item.name}
                </button>
                {item.line ? <span class="faint"> line {item.line}</span> : null}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      {others > 0 ? (
        <p>
          <button type="button" class="btn" onClick={() => openPalette(`%${centre.value}`, true)}>
            search all {formatCount(others + 1)} modules
          </button>
        </p>
      ) : null}
    </div>
  );
}

/** In place of the drawing. */
export function NoDrawing() {
  const error = failed.value;
  if (!error) return drawing.value || around.value || phase.value.kind !== 'empty' ? null : <div class="g-empty soft">reading the program</div>;
  const body = error.body as { nearest?: Nearest[] | { name: string[]; line: number[] }; other_modules?: number } | null;
  const raw = body?.nearest;
  const nearest = Array.isArray(raw) ? raw : (raw?.name.map((name, k) => ({ name, line: raw.line?.[k] })) ?? []);
  const others = body?.other_modules ?? Math.max(0, (modules.value?.n ?? 1) - 1);
  if (error.status === 404 && (centre.value || view.value.comp)) return <Unknown message={error.message} nearest={nearest} others={others} />;
  return (
    <div class="g-empty" role="alert">
      <h2>The graph cannot be drawn</h2>
      <p>{error.message}</p>
      <p class="row">
        <button type="button" class="btn" onClick={retryGraph}>
          Try again
        </button>
        <button
          type="button"
          class="btn"
          title="start over from the op that takes longest"
          onClick={() => setView({ op: null, c: null, comp: null, x: null, more: null, keep: null, lim: null })}
        >
          Start over
        </button>
      </p>
    </div>
  );
}
