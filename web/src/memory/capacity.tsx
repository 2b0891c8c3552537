/** Where the capacity comes from, and a box to set another one. */
import { useState } from 'preact/hooks';
import type { Summary } from '../api/types';
import { setView, view } from '../app/router';
import { exactBytes } from '../util/format';
import { pastedCapacity } from '../app/pasted';
import { Pop } from './pop';
import { parseSize } from './sizes';

export function CapacityInput({ s }: { s: Summary }) {
  const known = s.capacity_bytes !== null;
  const set = view.value.hbm !== undefined;
  const from = s.capacity_from?.replace(/^capacity (from )?/, '');
  const label = !known
    ? 'capacity unknown, set it'
    : set && Number(view.value.hbm) === pastedCapacity.value
      ? 'capacity from the pasted error'
      : set
        ? 'capacity set by you'
        : from
          ? `capacity from ${from}`
          : 'capacity';
  const title = known ? `capacity ${exactBytes(s.capacity_bytes)}; click to set another` : `${s.capacity_unknown ?? 'no reason given'}; click to set it`;
  return (
    <Pop label={label} title={title} class={known ? 'm-cap link' : 'link'}>
      {(close) => <CapacityForm close={close} set={set} />}
    </Pop>
  );
}

function CapacityForm({ close, set }: { close: () => void; set: boolean }) {
  const [text, setText] = useState('');
  const bytes = parseSize(text);
  return (
    <form
      class="m-cap-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (bytes === null) return;
        setView({ hbm: bytes });
        close();
      }}
    >
      <label>
        Memory of the device{' '}
        <input
          type="text"
          placeholder="16GiB, 15.75G, bytes"
          value={text}
          aria-invalid={text !== '' && bytes === null}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="btn" aria-disabled={bytes === null}>
        Set
      </button>
      {set ? (
        <button
          type="button"
          class="btn quiet"
          onClick={() => {
            setView({ hbm: null });
            close();
          }}
        >
          as found
        </button>
      ) : null}
      <p class="faint">{text === '' ? 'saved in the link' : bytes === null ? 'not a valid size' : exactBytes(bytes)}</p>
    </form>
  );
}
