/** What narrows the page, as chips; each goes away by its x. */
import { view } from '../app/router';
import type { ViewKey } from '../app/view_keys';
import { CLASS_WORDS, GROUP_WORDS } from '../charts/colours';
import { baseName } from '../app/links';
import { change } from './state';
import { FILTERS } from './lower_state';

function wordOf(key: string, value: string): string {
  if (key === 'class') return CLASS_WORDS[value] ?? value;
  if (key === 'group') return GROUP_WORDS[value] ?? value;
  return key === 'source' ? baseName(value) : value;
}

export function FilterChips() {
  const keys: { key: ViewKey; title: string }[] = [...FILTERS.map(({ key, title }) => ({ key, title })), { key: 'shape', title: 'shape' }];
  const set = keys.filter(({ key }) => view.value[key]);
  if (set.length === 0) return null;
  return (
    <span class="m-chips">
      {set.map(({ key, title }) => {
        const value = view.value[key] as string;
        return (
          <span key={key} class="m-chip" title={value}>
            <span class="faint">{title}</span> <span class="cut">{wordOf(key, value)}</span>
            <button type="button" aria-label={`remove the filter ${title} ${value}`} onClick={() => change({ [key]: null })}>
              ×
            </button>
          </span>
        );
      })}
    </span>
  );
}
