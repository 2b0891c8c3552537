/** While the card is a drawer and shut: what is pinned, in one row above the tabs. */
import { Icon } from '../ui/icons';
import { exactBytes, formatCount } from '../util/format';
import { sizeText } from './bytes';
import { card, pin, pinned } from './state';
import { cardChoice, cardOpen } from './lower_state';

export function PinnedRow() {
  const c = card.value;
  if (pinned.value === null || cardOpen.value || !c) return null;
  const saves = c.saving_bytes ?? 0;
  return (
    <div class="m-pinned-row" role="status">
      <Icon name="pin" size={13} />
      <code class="cut strong">%{c.name}</code>
      <span class="soft cut">
        <span title={exactBytes(c.size_bytes)}>{sizeText(c.size_bytes)}</span>
        {c.padding_bytes === null ? '' : c.padding_bytes > 0 ? `, padding ${sizeText(c.padding_bytes)}` : ', no padding'}
        {c.life.start_step === null || c.life.end_step === null ? '' : `, steps ${formatCount(c.life.start_step)}–${formatCount(c.life.end_step)}`}
      </span>
      {c.peak_without_bytes === null ? null : (
        <span title={exactBytes(c.peak_without_bytes)}>
          peak without it <b>{sizeText(c.peak_without_bytes)}</b> {saves > 0 ? <b class="good">{sizeText(-saves)}</b> : null}
        </span>
      )}
      <span class="m-grow" />
      <button
        type="button"
        class="btn-s"
        onClick={() => {
          cardChoice.value = true;
        }}
      >
        Details<kbd>I</kbd>
      </button>
      <button type="button" class="m-icon" title="unpin (Esc)" aria-label="unpin" onClick={() => pin(null)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}
