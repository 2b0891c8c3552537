/** What the details panel says of one buffer: loaded later, since nothing is pinned when a page opens. */
import { useState } from 'preact/hooks';
import type { BufferCard } from '../api/types';
import { hrefOf, view } from '../app/router';
import { copyText } from '../app/toast';
import { Icon } from '../ui/icons';
import { Later } from '../ui/later';
import { Unpin } from './card';
import { CardLife } from './card_life';
import { CardPadding } from './card_padding';
import { CardSizes } from './card_sizes';
import { CardSource } from './card_source';
import { CardTenants } from './card_tenants';
import { CLASS_WORDS, GROUP_WORDS } from '../charts/colours';
import { groupColour } from './group_colour';
import { standOf } from '../app/open_tool';
import { change, pinned, summary } from './state';

export function PinnedCard({ c }: { c: BufferCard }) {
  return (
    <>
      <Head c={c} />
      <CardSizes c={c} />
      <CardPadding c={c} />
      <CardLife c={c} />
      <CardTenants c={c} />
      <CardSource c={c} />
      {c.instruction ? (
        <Later part="ExplainToggle" run={view.value.run} host={view.value.host} module={view.value.module ?? summary.value?.module.key} node={c.instruction} />
      ) : null}
    </>
  );
}

/** What the buffer belongs to, and the ways to it in other tools. */
function Chips({ c }: { c: BufferCard }) {
  return (
    <div class="m-card-chips">
      <button type="button" class="m-chip" title="show buffers of this class" onClick={() => change({ tab: 'buffers', class: c.class })}>
        {CLASS_WORDS[c.class] ?? c.class}
        {c.parameter_number === null ? '' : ` ${c.parameter_number}`}
      </button>
      <button
        type="button"
        class="m-chip"
        title={`${c.opcode ?? 'no op'}: show buffers of this group`}
        onClick={() => change({ tab: 'buffers', group: c.group })}
      >
        <i class="swatch" style={{ background: groupColour(c.group) }} />
        {GROUP_WORDS[c.group] ?? c.group}
      </button>
      <span class="m-tool-links">
        <button
          type="button"
          class="btn-s"
          title="add it to the chosen buffers of the Report"
          onClick={() => change({ mode: 'report', graph: 'plot', plot: `${view.value.plot ?? ''},${c.buffer}` })}
        >
          Plot
        </button>
        <ToolLink tool="graph" title="Graph" c={c} own={c.links.graph === null ? 'no instruction defines it' : null} />
        <ToolLink tool="trace" title="Trace" c={c} own={c.links.trace ? null : (c.links.trace_reason ?? 'the program did not run in this profile')} />
      </span>
    </div>
  );
}

function Head({ c }: { c: BufferCard }) {
  const [help, setHelp] = useState(false);
  const xprofShape = c.xprof?.shape && c.xprof.shape !== c.shape ? `\nXProf shows ${c.xprof.shape}` : '';
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
        {pinned.value === null ? <span class="faint">click to pin</span> : <Unpin />}
      </div>
      {c.parameter_name ? (
        <div class="m-param-name cut" title={c.parameter_name}>
          {c.parameter_name}
        </div>
      ) : null}
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
      <Chips c={c} />
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
