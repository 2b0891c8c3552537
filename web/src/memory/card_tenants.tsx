/** The bytes themselves: their address, who held them before and after, who shares them now. */
import type { BufferCard, Neighbour } from '../api/types';
import { exactBytes, formatBytes, formatCount, smallBytes, zeroText } from '../util/format';
import { hoverBuffer, pin } from './state';

export function BufferLink({ buffer, name }: { buffer: number; name: string }) {
  return (
    <button
      type="button"
      class="m-op cut"
      title={`%${name}`}
      onMouseEnter={() => {
        hoverBuffer.value = buffer;
      }}
      onMouseLeave={() => {
        hoverBuffer.value = null;
      }}
      onClick={() => pin(buffer)}
    >
      {name}
    </button>
  );
}

/** "2,834.5 – 3,346.5 MiB": zero keeps its decimals here, both ends read alike. */
function place(c: BufferCard): string {
  if (c.offset_bytes === null) return '';
  const end = c.offset_bytes + (c.assigned_bytes ?? c.size_bytes);
  const unit = end < smallBytes() ? 'own' : undefined;
  const from = c.offset_bytes === 0 ? zeroText() : formatBytes(c.offset_bytes, { unit, withUnit: false });
  return `${from} – ${formatBytes(end, { unit })}`;
}

export function CardTenants({ c }: { c: BufferCard }) {
  return (
    <>
      {c.offset_bytes !== null && c.class === 'temporary' ? (
        <section class="m-sec">
          <h3>
            These bytes{' '}
            <span
              class="side"
              title={`offset ${exactBytes(c.offset_bytes)} (0x${c.offset_bytes.toString(16)}) in allocation ${c.allocation?.index ?? 'unknown'}`}
            >
              {place(c)}
            </span>
          </h3>
          <dl class="m-pairs">
            <Before word="before" keyName="[" neighbour={c.before} />
            <Before word="after" keyName="]" neighbour={c.after} />
          </dl>
        </section>
      ) : c.allocation ? (
        <section class="m-sec">
          <h3>
            Allocation {formatCount(c.allocation.index)}
            <span class="side" title={exactBytes(c.allocation.size_bytes)}>
              {formatBytes(c.allocation.size_bytes, { unit: 'own' })}
            </span>
          </h3>
          <p class="soft">{c.allocation.members > 1 ? `${formatCount(c.allocation.members)} values share it` : 'separate, not in the heap'}</p>
        </section>
      ) : null}
      <Aliases c={c} />
    </>
  );
}

function Before({ word, keyName, neighbour }: { word: string; keyName: string; neighbour: Neighbour | null }) {
  return (
    <>
      <dt title={`key ${keyName}`}>{word}</dt>
      <dd>
        {neighbour ? (
          <>
            <BufferLink buffer={neighbour.buffer} name={neighbour.name} />{' '}
            <span class="soft">
              {formatCount(neighbour.start_step)}–{formatCount(neighbour.end_step)}
              {neighbour.more > 0 ? ` +${formatCount(neighbour.more)} more` : ''}
            </span>
          </>
        ) : (
          <span class="soft">none</span>
        )}
      </dd>
    </>
  );
}

function Aliases({ c }: { c: BufferCard }) {
  const donated = c.donated === true;
  const output = c.aliased_output;
  if (output === null && !donated && c.shares.length === 0 && c.class !== 'parameter') return null;
  return (
    <section class="m-sec">
      <h3>
        Aliases <span class="side">{donated ? 'donated' : c.class === 'parameter' ? 'not donated' : ''}</span>
      </h3>
      {output !== null ? <p>reused for output {`{${output.join(',')}}`}</p> : null}
      {output === null && c.class === 'parameter' ? (
        <p class="soft">{donated ? 'donated: the program may overwrite it' : 'owned by the caller: the program cannot overwrite it'}</p>
      ) : null}
      {c.shares.length > 0 ? (
        <ul class="m-shares">
          {c.shares.slice(0, 20).map((share) => (
            <li key={share.buffer}>
              shares with <BufferLink buffer={share.buffer} name={share.name} /> <code class="cut faint">{share.shape}</code>
            </li>
          ))}
          {c.shares.length > 20 ? <li class="faint">showing 20 of {formatCount(c.shares.length)}</li> : null}
        </ul>
      ) : null}
    </section>
  );
}
