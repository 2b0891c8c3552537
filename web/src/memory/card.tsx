/** The card at the right: everything about the pinned buffer, or the five largest savings when none is pinned. */
import { useEffect, useRef } from 'preact/hooks';
import { compact } from '../app/media';
import { registerKeys } from '../app/keys';
import { Icon } from '../ui/icons';
import { Later } from '../ui/later';
import { exactBytes } from '../util/format';
import { sizeText } from './bytes';
import { card, cardFailure, hoverBuffer, pin, pinned, preview, summary } from './state';
import { followPointer } from './preview';
import { cardChoice, cardOpen } from './lower_state';
import { listen, together } from '../util/listen';

const STORE = 'xprofd.memory.card';

function keys(): () => void {
  return together([
    registerKeys('memory', {
      follow: (_, stroke) => {
        const next = stroke === 0 ? card.peek()?.before : card.peek()?.after;
        if (!next) return false;
        pin(next.buffer);
      },
    }),
    registerKeys('everywhere', {
      card: () => {
        cardChoice.value = !cardOpen.peek();
      },
    }),
  ]);
}

export function Card() {
  const panel = useRef<HTMLElement>(null);
  useEffect(keys, []);
  useEffect(() => followPointer(() => panel.current?.matches(':hover') ?? false), []);
  // A pin opens the drawer; that it was closed by hand before does not matter then.
  const at = pinned.value;
  useEffect(() => {
    if (at !== null && compact.peek()) cardChoice.value = true;
  }, [at]);
  const open = cardOpen.value;
  const c = at === null ? preview.value : card.value;
  if (!summary.value) return null;
  if (!open)
    return (
      <button
        type="button"
        class="m-card-tab"
        title="details (I)"
        aria-label="open the details"
        onClick={() => {
          cardChoice.value = true;
        }}
      >
        <Icon name="right" size={12} />
      </button>
    );
  return (
    <aside ref={panel} class={`m-card${compact.value ? ' drawer' : ''}`} aria-label="details">
      <Edge panel={panel} />
      <div class="m-card-scroll">
        {c ? <Later part="PinnedCard" c={c} waiting={<Waiting />} /> : at !== null ? <Waiting /> : null}
        {at === null || (!c && cardFailure.value) ? <Savings /> : null}
      </div>
    </aside>
  );
}

/** Until the card of the pinned buffer is here, and where it never comes: a link of another capture names a buffer that this one lacks. */
function Waiting() {
  const why = cardFailure.value;
  return (
    <div class="m-sec" aria-busy={!why}>
      <div class="m-card-title">
        <span class="soft">buffer {pinned.value}</span>
        <Unpin />
      </div>
      {why ? <p role="status">{why}</p> : null}
    </div>
  );
}

export function Unpin() {
  return (
    <button
      type="button"
      class="m-icon"
      title="unpin (Esc)"
      aria-label="unpin"
      onClick={() => {
        if (pinned.peek() !== null) pin(null);
        else cardChoice.value = false;
        if (compact.peek()) cardChoice.value = false;
      }}
    >
      <Icon name="close" size={14} />
    </button>
  );
}

function Savings() {
  const s = summary.value;
  if (!s) return null;
  return (
    <>
      <section class="m-sec">
        <div class="m-card-title">
          <b>Largest savings at the peak</b>
          {compact.value ? <Unpin /> : null}
        </div>
        {s.savings.length === 0 ? <p class="faint">no single buffer lowers the peak</p> : null}
        <ul class="m-savings">
          {s.savings.map((item) => (
            <li
              key={item.buffer}
              onMouseEnter={() => {
                hoverBuffer.value = item.buffer;
              }}
              onMouseLeave={() => {
                hoverBuffer.value = null;
              }}
            >
              <button
                type="button"
                onClick={() => pin(item.buffer)}
                title={`${exactBytes(item.size_bytes)}; without it the peak falls by ${exactBytes(item.saving_bytes)}`}
              >
                <code class="m-op cut">%{item.name}</code>
                <span class={`num ${item.saving_bytes > 0 ? 'good' : 'faint'}`}>{item.saving_bytes > 0 ? sizeText(-item.saving_bytes) : 'no change'}</span>
                <code class="cut faint">{item.shape}</code>
                <span class="num faint">of {sizeText(item.size_bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section class="m-sec">
        {s.savings.length > 1 ? (
          <p class="soft">
            Savings overlap: each is how far the peak falls without that one buffer. Another step then becomes the peak, so a saving is often less than the
            size.
          </p>
        ) : null}
        <p class="soft">click a box or row to pin it</p>
      </section>
    </>
  );
}

/** The left edge can be dragged; the width is kept per browser, a double click gives the default back. */
function Edge({ panel }: { panel: { current: HTMLElement | null } }) {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = bar.current;
    const target = panel.current;
    if (!element || !target) return;
    const apply = (px: number | null) => {
      if (px === null) target.style.removeProperty('width');
      else target.style.width = `${px}px`;
    };
    const store = (px: number | null) => {
      try {
        if (px === null) localStorage.removeItem(STORE);
        else localStorage.setItem(STORE, String(px));
      } catch {
        // Storage may be blocked; the width then lasts for this page.
      }
    };
    const limit = (px: number) => Math.round(Math.min(Math.max(px, 240), innerWidth * 0.6));
    try {
      const kept = Number(localStorage.getItem(STORE));
      if (kept >= 240) apply(limit(kept));
    } catch {
      // As above: the default width is used.
    }
    const press = (down: PointerEvent) => {
      const right = target.getBoundingClientRect().right;
      let width = 0;
      element.setPointerCapture(down.pointerId);
      const move = (event: PointerEvent) => {
        width = limit(right - event.clientX);
        apply(width);
      };
      const release = () => {
        deafen();
        if (width) store(width);
      };
      const deafen = listen(element, { pointermove: move, pointerup: release });
      down.preventDefault();
    };
    const reset = () => {
      apply(null);
      store(null);
    };
    return listen(element, { pointerdown: press, dblclick: reset });
  }, []);
  return <div ref={bar} class="m-card-edge" role="separator" aria-orientation="vertical" title="drag to widen; double click to reset" />;
}
