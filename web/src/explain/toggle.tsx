/** "Explain this op" in the cards of other pages: a switch, then the panel. Whether it is open is kept for the page. */
import { signal } from '@preact/signals';
import { Explain } from './index';

const open = signal(false);

interface Props {
  run?: string;
  host?: string;
  module?: string;
  node: string;
}

export function ExplainToggle(props: Props) {
  return (
    <section class="x-toggle">
      <button
        type="button"
        aria-expanded={open.value}
        onClick={() => {
          open.value = !open.peek();
        }}
      >
        <i class="x-arrow" aria-hidden="true">
          {open.value ? '▾' : '▸'}
        </i>
        <b>Explain</b> %{props.node.replace(/^%/, '')}
      </button>
      {open.value ? <Explain {...props} bare /> : null}
    </section>
  );
}
