/** By device and by kind: a click keeps one of them in all numbers of the page. */
import { view } from '../app/router';
import { shareWidth } from '../ui/size';
import { fixed, formatCount, plural } from '../util/format';
import { change, summary } from './state';
import { counted, valueText } from './words';

const UNEVEN = 1.05;

export function Devices() {
  const s = summary.value;
  if (!s) return null;
  const d = s.devices;
  const all = d.value.reduce((a, b) => a + Math.max(0, b), 0);
  const uneven = s.uneven !== null && s.uneven > UNEVEN;
  return (
    <div class="hp-parts">
      {d.n ? (
        <div class="hp-part">
          <span class="soft">by device</span>
          <div class={uneven ? 'hp-bar hp-uneven' : 'hp-bar'} role="group" aria-label="by device">
            {d.name.map((name, i) => (
              <button
                key={name}
                type="button"
                class={`hp-device hp-c${i % 4}`}
                aria-pressed={view.value.hdev === name}
                title={`${name}: ${valueText(d.value[i], s.unit)}, ${plural(d.count[i], counted(s))}`}
                ref={shareWidth(all > 0 ? Math.max(0, d.value[i]) / all : 0)}
                onClick={() => change({ hdev: view.value.hdev === name ? null : name })}
              >
                {name} {valueText(d.value[i], s.unit)}
              </button>
            ))}
          </div>
        </div>
      ) : null}
      {uneven ? <p class="op-note">The devices are uneven: the fullest holds {fixed(s.uneven as number, 2)} times as much as the emptiest.</p> : null}
      {s.format === 'jax' && s.kinds.n ? (
        <div class="hp-part">
          <span class="soft">by kind</span>
          <div class="hp-kinds">
            {s.kinds.name.map((name, i) => (
              <button
                key={name}
                type="button"
                class="link"
                aria-pressed={view.value.hkind === name}
                onClick={() => change({ hkind: view.value.hkind === name ? null : name })}
              >
                {name === 'executable' && s.kinds.value[i] > 0 ? <i class="swatch hp-exec" /> : null} {name} <b>{valueText(s.kinds.value[i], s.unit)}</b> in{' '}
                {formatCount(s.kinds.count[i])}
              </button>
            ))}
            {s.kinds.name.some((name, i) => name === 'executable' && s.kinds.value[i] === 0) ? (
              <span class="soft">the runtime gives no size for compiled programs</span>
            ) : null}
          </div>
        </div>
      ) : null}
    </div>
  );
}
