/** The card at the right: everything about the pinned buffer, or the five largest savings when none is pinned. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { BufferCard } from '../api/types';
import { registerKeys } from '../app/keys';
import { hrefOf, view } from '../app/router';
import { copyText } from '../app/toast';
import { Icon } from '../ui/icons';
import { Later } from '../ui/later';
import { exactBytes } from '../util/format';
import { sizeText } from './bytes';
import { CLASS_WORDS, GROUP_WORDS } from './colours';
import { CardLife } from './card_life';
import { CardPadding } from './card_padding';
import { CardSizes } from './card_sizes';
import { CardSource } from './card_source';
import { CardTenants } from './card_tenants';
import { groupColour } from './group_colour';
import { standOf } from './links';
import { card, cardFailure, change, hoverBuffer, pin, pinned, preview, summary } from './state';
import { followPointer } from './preview';
import { cardChoice, cardOpen, drawer } from './views';
import { listen } from '../util/listen';

const STORE = 'xprofd.memory.card';

function keys(): () => void {
  const stops = [
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
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function Card() {
  const panel = useRef<HTMLElement>(null);
  useEffect(keys, []);
  useEffect(() => followPointer(() => panel.current?.matches(':hover') ?? false), []);
  // A pin opens the drawer; that it was closed by hand before does not matter then.
  const at = pinned.value;
  useEffect(() => {
    if (at !== null && drawer.peek()) cardChoice.value = true;
  }, [at]);
  const open = cardOpen.value;
  const c = at === null ? preview.value : card.value;
  if (!summary.value) return null;
  if (!open)
    return (
      <button type="button" class="m-card-tab" title="details (I)" aria-label="open the details" onClick={() => { cardChoice.value = true; }}>
        <Icon name="right" size={12} />
      </button>
    );
  return (
    <aside ref={panel} class={`m-card${drawer.value ? ' drawer' : ''}`} aria-label="details">
      <Edge panel={panel} />
      <div class="m-card-scroll">{c ? <Pinned c={c} /> : at !== null ? <Waiting /> : null}{at === null || (!c && cardFailure.value) ? <Savings /> : null}</div>
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
        <Close />
      </div>
      {why ? <p role="status">{why}</p> : null}
    </div>
  );
}

function Close() {
  return (
    <button
      type="button"
      class="m-icon"
      title="unpin (Esc)"
      aria-label="unpin"
      onClick={() => {
        if (pinned.peek() !== null) pin(null);
        else cardChoice.value = false;
        if (drawer.peek()) cardChoice.value = false;
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
          {drawer.value ? <Close /> : null}
        </div>
        {s.savings.length === 0 ? <p class="faint">no single buffer lowers the peak</p> : null}
        <ul class="m-savings">
          {s.savings.map((item) => (
            <li key={item.buffer} onMouseEnter={() => { hoverBuffer.value = item.buffer; }} onMouseLeave={() => { hoverBuffer.value = null; }}>
              <button type="button" onClick={() => pin(item.buffer)} title={`${exactBytes(item.size_bytes)}; without it the peak falls by ${exactBytes(item.saving_bytes)}`}>
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
          <p class="soft">Savings overlap: each is how far the peak falls without that one buffer. Another step then becomes the peak, so a saving is often less than the size.</p>
        ) : null}
        <p class="soft">click a box or row to pin it</p>
      </section>
    </>
  );
}

function Pinned({ c }: { c: BufferCard }) {
  return (
    <>
      <Head c={c} />
      <CardSizes c={c} />
      <CardPadding c={c} />
      <CardLife c={c} />
      <CardTenants c={c} />
      <CardSource c={c} />
      {c.instruction ? <Later part="ExplainToggle" run={view.value.run} host={view.value.host} module={view.value.module ?? summary.value?.module.key} node={c.instruction} /> : null}
    </>
  );
}

function Head({ c }: { c: BufferCard }) {
  const [help, setHelp] = useState(false);
  const xprofShape = c.xprof?.shape && c.xprof.shape !== c.shape ? `\nXProf shows ${c.xprof.shape}` : '';
  const words = CLASS_WORDS[c.class] ?? c.class;
  const number = c.parameter_number === null ? '' : ` ${c.parameter_number}`;
  return (
    <section class="m-sec m-sec-head">
      <div class="m-card-title">
        {pinned.value === null ? null : (
          <span class="m-pin" aria-hidden="true">
            ◆
          </span>
        )}
        <code class="strong" title={`logical buffer ${c.id}`}>
          %{c.name}
        </code>
        <button type="button" class="m-icon" title="copy the name" aria-label="copy the name" onClick={() => copyText(`%${c.name}`, 'name')}>
          <Icon name="copy" size={14} />
        </button>
        {pinned.value === null ? <span class="faint">click to pin</span> : <Close />}
      </div>
      {c.parameter_name ? <div class="m-param-name cut" title={c.parameter_name}>{c.parameter_name}</div> : null}
      <button type="button" class="m-shape" aria-expanded={help} title={`how to read this shape${xprofShape}`} onClick={() => setHelp(!help)}>
        {c.shape}
      </button>
      {help ? (
        <ul class="m-shape-words">
          {c.shape_words.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      ) : null}
      <div class="m-card-chips">
        <button type="button" class="m-chip" title="show buffers of this class" onClick={() => change({ tab: 'buffers', class: c.class })}>
          {words}
          {number}
        </button>
        <button type="button" class="m-chip" title={`${c.opcode ?? 'no op'}: show buffers of this group`} onClick={() => change({ tab: 'buffers', group: c.group })}>
          <i class="swatch" style={{ background: groupColour(c.group) }} />
          {GROUP_WORDS[c.group] ?? c.group}
        </button>
        <span class="m-tool-links">
          <button type="button" class="btn-s" title="add it to the chosen buffers of the Report" onClick={() => change({ mode: 'report', graph: 'plot', plot: `${view.value.plot ?? ''},${c.buffer}` })}>
            Plot
          </button>
          <ToolLink tool="graph" title="Graph" c={c} own={c.links.graph === null ? 'no instruction defines it' : null} />
          <ToolLink tool="trace" title="Trace" c={c} own={c.links.trace ? null : (c.links.trace_reason ?? 'the program did not run in this profile')} />
        </span>
      </div>
    </section>
  );
}

function ToolLink({ tool, title, c, own }: { tool: string; title: string; c: BufferCard; own: string | null }) {
  const stand = standOf(tool);
  const reason = own ?? stand.reason;
  if (reason !== null || !stand.open)
    return (
      <span class="btn-s off" tabIndex={0} aria-disabled="true" title={`${title}: ${reason ?? ''}`}>
        {title}
      </span>
    );
  return (
    <a class="btn-s" href={hrefOf({ tool, op: `%${c.instruction ?? c.name}` })}>
      {title}
    </a>
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
