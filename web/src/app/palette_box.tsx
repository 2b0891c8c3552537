import { useEffect, useRef } from 'preact/hooks';
import { Dialog } from './dialog';
import { Icon } from '../ui/icons';
import { Later } from '../ui/later';
import { closePalette, enterWaits, oomOpen, paletteText } from './palette_state';
import { view } from './router';

/** The field at once, so that nothing typed right after Ctrl+K is lost, Enter included; what it finds is part of a later chunk. */
function Waiting() {
  return (
    <label class="palette-head">
      <Icon name="search" />
      <input
        value={paletteText.value ?? ''}
        aria-label="search everything"
        onInput={(event) => {
          paletteText.value = event.currentTarget.value;
          enterWaits.value = false;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') enterWaits.value = true;
        }}
      />
      <kbd>Esc</kbd>
    </label>
  );
}

/** From the key press on, also while what finds is on its way. */
function OpenBox() {
  // Back and forward may open another program below it: what was found here is not of that one.
  const { run, host, module } = view.value;
  const opened = useRef(`${run}\n${host}\n${module}`);
  useEffect(() => {
    if (opened.current !== `${run}\n${host}\n${module}`) closePalette();
  }, [run, host, module]);
  const oom = oomOpen.value;
  return (
    <Dialog key={String(oom)} label={oom ? 'paste an error' : 'search'} class="palette" close={closePalette}>
      <Later part="PaletteInside" waiting={<Waiting />} />
    </Dialog>
  );
}

/** Search over everything (Ctrl+K), or the field for an error message. */
export function PaletteBox() {
  return paletteText.value === null ? null : <OpenBox />;
}
