/** Below the curves: groups, buffers, scopes and the HLO text of both programs, and what saves them. */
import { apiUrl } from '../api/client';
import { setView, view } from '../app/router';
import { fileName } from '../app/exports';
import { Pictures } from '../memory/tab_exports';
import { TabList } from '../ui/tab_list';
import { formatCount } from '../util/format';
import { BuffersTable, saveBuffers } from './buffers';
import { GroupsTable, sameShown, saveGroups, saveScopes, ScopeTable, turnSame } from './groups';
import { params } from './state';
import { TextTable } from './text';
import type { Comparison } from '../memory/compare_types';

const TABS = [
  { id: '', title: 'Groups' },
  { id: 'buffers', title: 'Buffers' },
  { id: 'scope', title: 'By scope' },
  { id: 'text', title: 'HLO text' },
];

/** The address may name an unknown tab. */
function tabNow(): string {
  return TABS.find((one) => one.id === view.value.by)?.id ?? '';
}

function titleOf(a: Comparison, id: string, title: string) {
  return (
    <>
      {title} {id === '' ? <span class="m-tab-count">{formatCount(a.groups_different)}</span> : null}
    </>
  );
}

function Exports({ a, tab }: { a: Comparison; tab: string }) {
  const route = tab === 'buffers' ? 'compare/buffers' : tab === 'text' ? 'compare/text' : 'compare';
  return (
    <span class="m-exports">
      <a class="btn-s" href={apiUrl('compare', { ...params.value, format: 'md' })} target="_blank" rel="noreferrer">
        Markdown
      </a>
      {tab === 'text' ? null : (
        <button type="button" class="btn-s" onClick={() => (tab === 'buffers' ? saveBuffers() : tab === 'scope' ? saveScopes(a) : saveGroups(a))}>
          CSV
        </button>
      )}
      <a class="btn-s" href={apiUrl(route, params.value)} download={fileName(route.replace('/', '-'), 'json')}>
        JSON
      </a>
      <Pictures />
    </span>
  );
}

export function ComparedTabs({ a }: { a: Comparison }) {
  const tab = tabNow();
  return (
    <section class="m-tabs cp-tabs">
      <div class="m-tab-row">
        <TabList
          class="m-tab-list"
          tabs={TABS.map(({ id, title }) => [id, titleOf(a, id, title)] as const)}
          open={tab}
          choose={(id) => setView({ by: id || null })}
        />
        <span class="m-grow" />
        {tab === '' || tab === 'buffers' ? (
          <label class="cp-only">
            <input type="checkbox" checked={!sameShown()} onChange={turnSame} /> only differences
          </label>
        ) : null}
        <Exports a={a} tab={tab} />
      </div>
      <div class={`m-tab-body cp-tab-${tab || 'groups'}`} role="tabpanel" aria-label={tab === 'scope' ? 'by scope' : tab || 'groups'}>
        {tab === 'scope' ? <ScopeTable a={a} /> : tab === 'buffers' ? <BuffersTable a={a} /> : tab === 'text' ? <TextTable a={a} /> : <GroupsTable a={a} />}
      </div>
    </section>
  );
}
