import type { Oom } from '../api/types';
import { pastedError } from './pasted';
import { cards } from './cards';
import { exactBytes, formatBytes, formatCount, plural } from '../util/format';
import { sending } from './hlo_paste';
import { answer, failed, LIMIT, read, reading, takeProgram, text } from './oom_paste';
import { closePalette } from './palette_state';
import { hrefOf, setView, view } from './router';

interface Other {
  id: string;
  peak: number | null;
  /** The peak is what the message needs, as far as its digits go. */
  fits: boolean;
}

/** A message prints two decimals of GiB. */
const ROUNDED = 0.005;

/** Runs whose largest module has the name the error speaks of: those that need as much first, then the nearest. */
function runsWith({ module, needed_bytes: needed, color }: Oom): Other[] {
  if (!module) return [];
  const name = module.replace(/\(\d+\)$/, '');
  const far = (peak: number | null) => (peak === null || needed === null ? Infinity : Math.abs(peak - needed));
  return [...cards.value.values()]
    .filter((card) => card.module_name === name)
    .map((card) => ({
      id: card.id,
      peak: card.peak_bytes,
      fits: (color === null || Number(card.peak_space) === color) && far(card.peak_bytes) <= (needed ?? 0) * ROUNDED,
    }))
    .sort((a, b) => Number(b.fits) - Number(a.fits) || (far(a.peak) === far(b.peak) ? 0 : far(a.peak) - far(b.peak)));
}

const SHOWN = 6;

/** Where the program may be: what needs as much stands alone, the others behind a line. */
function Others({ oom, list }: { oom: Oom; list: Other[] }) {
  const fitting = list.filter(({ fits }) => fits).length;
  const shown = fitting || SHOWN;
  const line = ({ id, peak, fits }: Other) => (
    <p key={id}>
      <a href={hrefOf({ run: id, module: oom.module, space: oom.color, hbm: oom.capacity_bytes })} onClick={closePalette}>
        {id}
      </a>{' '}
      <span class="soft">
        has a module of this name;{' '}
        {peak === null ? 'its peak is not known' : <span title={exactBytes(peak)}>its peak is {formatBytes(peak, { unit: 'own' })}</span>}
        {fits ? ', the same as in the message' : ''}
      </span>
    </p>
  );
  return (
    <>
      {list.slice(0, shown).map(line)}
      {list.length > shown && (
        <details>
          <summary class="soft">
            {plural(list.length - shown, 'more run')} with a module of this name and {fitting ? 'another peak' : 'a peak further away'}
          </summary>
          {list.slice(shown).map(line)}
        </details>
      )}
    </>
  );
}

function Numbers({ oom }: { oom: Oom }) {
  const { needed_bytes: needed, capacity_bytes: capacity } = oom;
  const over = oom.exceeded_bytes ?? (needed !== null && capacity !== null ? needed - capacity : null);
  const all: [string, number | null][] = [
    ['needed', needed],
    ['capacity', capacity],
    ['exceeds by', over],
  ];
  // What the message does not say is left out.
  const rows = all.filter(([, bytes]) => bytes !== null);
  return (
    <p>
      <span class="mono strong">{oom.module ?? 'a program that is not named'}</span>
      {oom.space && <> in {oom.space.toUpperCase()}</>}
      {rows.map(([word, bytes]) => (
        <span key={word} title={exactBytes(bytes)}>
          {' · '}
          {word} <b>{formatBytes(bytes, { unit: 'own' })}</b>
        </span>
      ))}
    </p>
  );
}

function Items({ oom }: { oom: Oom }) {
  const target = oom.match?.module ?? oom.module;
  if (!oom.items.length) return null;
  return (
    <table class="oom-items">
      <thead>
        <tr>
          <th class="num">size</th>
          <th>shape</th>
          <th>from</th>
        </tr>
      </thead>
      <tbody>
        {oom.items.slice(0, 12).map((item, i) => (
          <tr key={i}>
            <td class="num" title={exactBytes(item.size_bytes)}>
              {formatBytes(item.size_bytes, { unit: 'own' })}
            </td>
            <td class="mono">
              {item.buffers.length && view.value.run ? (
                <a href={hrefOf({ tool: 'memory', module: target, space: oom.color, pin: item.buffers[0] })} onClick={closePalette}>
                  {item.shape ?? item.instruction ?? 'buffer'}
                </a>
              ) : (
                (item.shape ?? item.instruction ?? 'unknown')
              )}
            </td>
            <td class="cut">{item.op_name ?? item.tag ?? item.instruction ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function openMatch(oom: Oom): void {
  const pins = oom.items.find((item) => item.buffers.length)?.buffers[0];
  closePalette();
  pastedError.value = text.value;
  setView({ tool: 'memory', module: oom.match?.module ?? oom.module, space: oom.color, hbm: oom.capacity_bytes, pin: pins });
}

function Answer() {
  const oom = answer.value;
  if (!oom) return null;
  if (!oom.understood) {
    return (
      <p class="soft">
        This is not a known out-of-memory error: it names neither the bytes needed nor any buffers. Paste it starting at "RESOURCE_EXHAUSTED" or "Ran out of
        memory".
      </p>
    );
  }
  const others = view.value.run ? [] : runsWith(oom);
  return (
    <>
      <Numbers oom={oom} />
      {oom.match?.sentence && <p class={oom.match.matches === false ? 'warn' : ''}>{oom.match.sentence}</p>}
      <Items oom={oom} />
      {view.value.run && oom.match?.matches !== false && (
        <button type="button" class="btn filled" onClick={() => openMatch(oom)}>
          Open it in Memory
        </button>
      )}
      <Others oom={oom} list={others} />
      {!view.value.run && !others.length && <p class="soft">No run here has this module. A compiler dump contains it: see below or on the right.</p>}
    </>
  );
}

/** A field for an error message; says what it means and leads to the buffers it names. */
export function OomBox({ dialog }: { dialog?: boolean }) {
  const cut = new TextEncoder().encode(text.value).length - LIMIT;
  return (
    <div class={dialog ? 'oom-box in-dialog' : 'oom-box'}>
      {dialog && (
        <h2>
          Paste an out-of-memory message <span class="soft small">finds the module, the memory space and what is too large; HLO text opens as a program</span>
        </h2>
      )}
      <div class="oom-field">
        <textarea
          class="mono"
          rows={dialog ? 8 : 2}
          aria-label="error message"
          spellcheck={false}
          placeholder={
            'RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries (22.90G) exceeds …'
          }
          value={text.value}
          // What is pasted takes the place of the message before.
          onFocus={(event) => event.currentTarget.select()}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onPaste={(event) => {
            if (takeProgram(event.clipboardData?.getData('text') ?? '')) event.preventDefault();
            else setTimeout(read);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void read();
          }}
        />
        <button type="button" class="btn quiet" disabled={reading.value} onClick={() => void read()}>
          Read it <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </button>
      </div>
      {cut > 0 && (
        <p class="small soft">
          the first {formatCount(LIMIT)} bytes are read, {formatCount(cut)} are left out
        </p>
      )}
      {sending.value && (
        <p class={sending.value.failed ? 'bad' : 'soft'} role={sending.value.failed ? 'alert' : 'status'}>
          {sending.value.text}
        </p>
      )}
      {failed.value && <p class="bad">{failed.value}</p>}
      <Answer />
    </div>
  );
}
