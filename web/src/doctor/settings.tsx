/** When rules speak and what was looked at: the lines that `--config` and the address add. Kept in the address. */
import { computed, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { DoctorSetting as Setting } from '../api/answers';
import { setView, view } from '../app/router';
import { formatBytes } from '../util/format';
import { doctor, doctorError } from '../app/doctor_state';

const EXAMPLE = 'giant_share = 30%\nsilence D12 we train in f32 on purpose';

function value(of: number, unit: Setting['unit']): string {
  if (unit === 'share') return `${Number((of * 100).toFixed(1))} %`;
  if (unit === 'us') return `${of} µs`;
  return unit === 'bytes' ? formatBytes(of) : String(of);
}

/** Outlives the list, which is made anew for each answer. */
const open = signal(false);

/** What is not as the documents list it, in one line. */
function settingsText(settings: Setting[]): string {
  return settings.map((one) => `${one.name} ${value(one.value, one.unit)} (usually ${value(one.default_value, one.unit)})`).join(', ');
}

/** The server refuses the lines that the address has. */
const wrong = computed(() => (view.value.config ?? '') !== '' && doctorError.value !== '');

/** Opens the lines below; placed in the row of the count. */
export function SettingsToggle() {
  return (
    <button
      type="button"
      class="link"
      aria-expanded={open.value || wrong.value}
      onClick={() => {
        open.value = !open.value;
      }}
    >
      Thresholds and muted rules
    </button>
  );
}

export function Settings() {
  const inForce = view.value.config ?? '';
  const [text, setText] = useState(inForce);
  useEffect(() => setText(inForce), [inForce]);
  const changed = doctor.value?.settings ?? [];
  if (changed.length === 0 && !open.value && !wrong.value) return null;
  return (
    <div class="d-settings">
      {changed.length > 0 ? <span class="soft"> {settingsText(changed)}</span> : null}
      {open.value || wrong.value ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setView({ config: text.trim() || null });
          }}
        >
          <label class="soft" for="d-config">
            One per line: name = value, or silence D08 place/*: reason (docs/CI.md lists them). They are saved in the link.
          </label>
          <textarea
            id="d-config"
            class="mono"
            rows={4}
            spellcheck={false}
            placeholder={EXAMPLE}
            value={text}
            aria-invalid={wrong.value}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {wrong.value ? (
            <p class="bad" role="alert">
              {doctorError.value}
            </p>
          ) : null}
          <div class="m-controls">
            <button type="submit" class="btn-s">
              Apply
            </button>
            <button type="button" class="btn-s" disabled={inForce === ''} onClick={() => setView({ config: null })}>
              Reset
            </button>
          </div>
        </form>
      ) : null}
    </div>
  );
}
