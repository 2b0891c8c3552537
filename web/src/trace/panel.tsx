/** Below the rows: details of the selected event, totals of the range, call tree, search, steps. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { apiUrl } from '../api/client';
import { fileName } from '../app/exports';
import { TabList } from '../ui/tab_list';
import { formatCount } from '../util/format';
import { Details } from './details';
import { FlameTab } from './flame';
import { GapsTab } from './gaps_tab';
import { found } from './search_state';
import { SearchTab } from './search_tab';
import { SelectionLine, SelectionTab } from './selection';
import { totals } from './selection_state';
import { change, panelOpen, picked, subject, type TabId, tab } from './state';
import { stepsText } from './steps_state';
import { StepsMatrix } from './steps_matrix';
import { StepsTab } from './steps_tab';
import { wide } from '../app/media';
import { view } from '../app/router';
import { listen } from '../util/listen';

const SPLIT_KEY = 'xprofd.trace.panel';

function tabs(): (readonly [TabId, ComponentChildren])[] {
  const words: [TabId, string, string][] = [
    ['details', 'Details', ''],
    ['selection', 'Selection', totals.value ? `${formatCount(totals.value.all.count)} events` : ''],
    ['flame', 'Flame', ''],
    ['search', 'Search', found.value ? formatCount(found.value.count) : ''],
    ['gaps', 'Gaps', ''],
    ['steps', 'Steps', stepsText.value],
  ];
  return words.map(([id, title, count]) => [
    id,
    <>
      {title}
      {count ? <span class="t-count">{count}</span> : null}
    </>,
  ]);
}

/** Beside the tab on a wide screen: the steps by chip, or the details of the selected event. */
function Side() {
  const details = view.value.side === 'details' && tab.value !== 'details';
  return (
    <div class="t-side" role="region" aria-label="beside">
      {tab.value === 'details' ? null : (
        <div class="t-side-tabs">
          <span class="t-choice">
            <button type="button" class={details ? '' : 'on'} aria-pressed={!details} onClick={() => change({ side: null })}>
              Steps
            </button>
            <button type="button" class={details ? 'on' : ''} aria-pressed={details} onClick={() => change({ side: 'details' })}>
              Details
            </button>
          </span>
        </div>
      )}
      {details ? <Details /> : <StepsMatrix />}
    </div>
  );
}

function Body() {
  switch (tab.value) {
    case 'selection':
      return <SelectionTab />;
    case 'flame':
      return <FlameTab />;
    case 'search':
      return <SearchTab />;
    case 'gaps':
      return <GapsTab />;
    case 'steps':
      return <StepsTab />;
    default:
      return <Details />;
  }
}

function hint(): ComponentChildren {
  switch (tab.value) {
    case 'selection':
      return <SelectionLine />;
    case 'search':
      return <span class="soft">Enter next · Shift Enter previous</span>;
    case 'details':
      return (
        <>
          <span class="soft">Esc clears · [ ] follow · , . same name</span>
          {picked.value === null ? null : (
            <a
              class="btn-s"
              title="everything known about this event"
              href={apiUrl('trace/event', { ...subject.value, event: picked.value })}
              download={fileName(`event${picked.value}`, 'json')}
            >
              JSON
            </a>
          )}
        </>
      );
    default:
      return null;
  }
}

export function Panel() {
  const open = panelOpen.value;
  return (
    <>
      <Handle />
      <section class={`t-panel${open ? '' : ' folded'}`}>
        <div class="t-tabs">
          <TabList class="t-tab-list" tabs={tabs()} open={open ? tab.value : null} choose={(id) => change({ tt: id === 'details' ? null : id, panel: null })} />
          <span class="grow" />
          {open ? hint() : null}
        </div>
        {open ? (
          <div class="t-bodies">
            <div class="t-body" role="tabpanel" aria-label={tab.value}>
              <Body />
            </div>
            {wide.value && tab.value !== 'steps' ? <Side /> : null}
          </div>
        ) : null}
      </section>
    </>
  );
}

/** Drag: more room for the rows or the panel; double click folds. The height is kept per browser. */
function Handle() {
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = bar.current;
    const view = element?.closest<HTMLElement>('.trace');
    if (!element || !view) return;
    const apply = (px: number) => view.style.setProperty('--panel', `${px}px`);
    try {
      const stored = Number(localStorage.getItem(SPLIT_KEY));
      if (stored > 60) apply(Math.min(stored, innerHeight - 260));
    } catch {
      // storage may be blocked; the default height is used
    }
    let drag: { y: number; h: number } | null = null;
    const press = (e: MouseEvent) => {
      drag = { y: e.clientY, h: view.querySelector('.t-panel')?.clientHeight ?? 200 };
      e.preventDefault();
    };
    const move = (e: MouseEvent) => {
      if (drag) apply(Math.max(60, Math.min(drag.h - (e.clientY - drag.y), innerHeight - 240)));
    };
    const release = () => {
      if (!drag) return;
      drag = null;
      try {
        localStorage.setItem(SPLIT_KEY, String(view.querySelector('.t-panel')?.clientHeight ?? 200));
      } catch {
        // as above
      }
    };
    const fold = () => change({ panel: panelOpen.peek() ? '0' : null });
    return listen(element, { mousedown: press, dblclick: fold }, { mousemove: move, mouseup: release });
  }, []);
  return <div ref={bar} class="t-handle" role="separator" aria-orientation="horizontal" title="drag to enlarge; double click to fold the panel (I)" />;
}
