import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons';
import { listen } from '../util/listen';

export interface PickerItem {
  key: string;
  title: string;
  mono?: boolean;
  side?: string;
  /** Greyed, with this reason. */
  off?: string | null;
  /** Starts a group with this heading. */
  heading?: string;
  exact?: string;
}

interface PickerProps {
  label: string;
  value: ComponentChildren;
  detail?: ComponentChildren;
  current?: string;
  items: PickerItem[];
  /** Said when the list is empty or still being read. */
  empty?: string;
  onPick: (key: string) => void;
  onOpen?: () => void;
  /** A pin beside each item: it becomes the baseline. */
  onPin?: (key: string) => void;
  pinned?: string;
}

export function filterItems(items: PickerItem[], text: string): PickerItem[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return items;
  return items.filter((item) => {
    const hay = `${item.title} ${item.side ?? ''}`.toLowerCase();
    return words.every((word) => hay.includes(word));
  });
}

/** A name in the header that opens a list with a filter. */
export function Picker(props: PickerProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    return listen(window, { pointerdown: outside });
  }, [open]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div class="picker" ref={root}>
      <button
        type="button"
        ref={button}
        class="picker-button"
        aria-haspopup="listbox"
        aria-expanded={open}
        onClick={() => {
          if (!open) props.onOpen?.();
          setOpen(!open);
        }}
      >
        <span class="label">{props.label}</span>
        <span class="value cut">{props.value}</span>
        {props.detail && <span class="detail">{props.detail}</span>}
        <Icon name="down" size={12} />
      </button>
      {open && <PickerList {...props} close={close} />}
    </div>
  );
}

const KEY_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 };

function PickerList(props: PickerProps & { close: () => void }) {
  const [text, setText] = useState('');
  const shown = filterItems(props.items, text);
  const start = Math.max(
    0,
    shown.findIndex((item) => item.key === props.current),
  );
  const [active, setActive] = useState(start);
  const at = Math.min(active, shown.length - 1);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }, [at, text]);
  const pick = (item: PickerItem | undefined) => {
    if (!item || item.off) return;
    props.close();
    props.onPick(item.key);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = KEY_STEPS[event.key];
    if (step) setActive(Math.max(0, Math.min(shown.length - 1, at + step)));
    else if (event.key === 'Enter') pick(shown[at]);
    else if (event.key === 'Escape' || event.key === 'Tab') props.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="popup fade-in" role="group" aria-label={props.label} onKeyDown={onKey}>
      <label class="field">
        <Icon name="search" size={13} />
        <input
          ref={(element) => element?.focus()}
          placeholder={`filter ${props.items.length} by name`}
          aria-label={`filter the list of ${props.label}`}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setActive(0);
          }}
        />
      </label>
      <div class="popup-list" role="listbox" aria-label={props.label} ref={list}>
        {shown.map((item, i) => (
          <PickerOption
            key={item.key}
            item={item}
            active={i === at}
            current={item.key === props.current}
            onPick={() => pick(item)}
            onHover={() => setActive(i)}
            onPin={props.onPin}
            pinned={item.key === props.pinned}
          />
        ))}
        {!shown.length && <div class="option faint">{props.items.length ? 'nothing has this name' : (props.empty ?? 'nothing to choose')}</div>}
      </div>
    </div>
  );
}

function PickerOption(props: {
  item: PickerItem;
  active: boolean;
  current: boolean;
  onPick: () => void;
  onHover: () => void;
  onPin?: (key: string) => void;
  pinned: boolean;
}) {
  const { item } = props;
  return (
    <>
      {item.heading && <div class="popup-heading">{item.heading}</div>}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list's own key handler acts on the active option */}
      <div
        class={`option${props.active ? ' active' : ''}`}
        role="option"
        tabIndex={-1}
        aria-selected={props.current}
        aria-disabled={Boolean(item.off)}
        title={item.off ?? item.exact}
        onClick={props.onPick}
        onMouseMove={props.onHover}
      >
        <span class={`title cut${item.mono ? ' mono' : ''}`}>{item.title}</span>
        <span class="side">{item.off ?? item.side}</span>
        {props.onPin ? (
          <button
            type="button"
            class={`option-pin${props.pinned ? ' on' : ''}`}
            aria-pressed={props.pinned}
            title={props.pinned ? 'this is “before”; click to unpin' : 'use as “before”: numbers then show their change'}
            aria-label={`use ${item.title} as “before”`}
            onClick={(event) => {
              event.stopPropagation();
              props.onPin?.(item.key);
            }}
          >
            <Icon name="pin" size={13} />
          </button>
        ) : null}
      </div>
    </>
  );
}
