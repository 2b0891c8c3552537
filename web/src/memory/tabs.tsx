/** The tabs below the charts; from 1920 pixels two panes stand side by side. */
import { useEffect } from 'preact/hooks';
import { broad } from '../app/media';
import { registerKeys } from '../app/keys';
import { run } from '../app/state';
import { foundCount, startDoctor } from '../app/doctor_state';
import { Later } from '../ui/later';
import { TabList } from '../ui/tab_list';
import { isPinned } from './baseline_state';
import { formatBytes, formatCount, plural } from '../util/format';
import { BuffersLine, BuffersTab } from './buffers';
import { stepRow } from './buffers_state';
import { CompareControl } from './diff';
import { ScopeTab } from './scope_tab';
import { FoldControl, StepTab } from './step_tab';
import { Exports } from './tab_exports';
import { change, inspected, live, openTab, pin, pinned, tab, type TabId } from './state';
import { changeCount, whatIfPlan } from './what_if_state';
import { clearFilters, compareStep, isFiltered, startViews, stepBuffer, twin } from './lower_state';
import { together } from '../util/listen';

function keys(): () => void {
  return together([
    registerKeys('memory', {
      buffer_step: (_, stroke) => {
        const by = stroke === 0 ? -1 : 1;
        if (tab.peek() === 'buffers') stepRow(by);
        else return stepBuffer(by);
      },
    }),
    registerKeys('everywhere', {
      table_twin: () => change({ table: twin.peek() ? null : 1 }),
      escape: () => {
        if (pinned.peek() !== null) pin(null);
        else if (compareStep.peek() !== null) change({ b: null });
        else if (isFiltered.peek()) clearFilters();
        else return false;
      },
    }),
  ]);
}

export function Tabs() {
  useEffect(() => together([startViews(), keys(), startDoctor()]), []);
  const base = isPinned.value ? <Later part="BaseTablesFollow" /> : null;
  const peaks: TabId[] = changeCount.value > 0 ? ['peaks'] : [];
  if (!broad.value) {
    const open = tab.value === 'peaks' && peaks.length === 0 ? 'step' : tab.value;
    return (
      <section class="m-tabs">
        <TabRow ids={['step', 'buffers', 'scope', 'modules', 'findings', ...peaks]} open={open} />
        {base}
        <div class="m-tab-body" role="tabpanel" aria-label={open} tabIndex={0}>
          {open === 'step' ? (
            <StepTab />
          ) : open === 'buffers' ? (
            <BuffersTab />
          ) : open === 'scope' ? (
            <ScopeTab head={false} />
          ) : open === 'findings' ? (
            <FindingsPane />
          ) : open === 'peaks' ? (
            <Later part="NextPeaks" />
          ) : (
            <Later part="ModulesTab" />
          )}
        </div>
      </section>
    );
  }
  const left: TabId = tab.value === 'findings' ? 'findings' : tab.value === 'peaks' && peaks.length > 0 ? 'peaks' : 'step';
  const right: TabId = tab.value === 'modules' ? 'modules' : 'buffers';
  return (
    <div class="m-panes">
      {base}
      <section class="m-tabs">
        <TabRow ids={['step', 'findings', ...peaks]} open={left} />
        {left !== 'step' ? (
          <div class="m-tab-body">{left === 'peaks' ? <Later part="NextPeaks" /> : <FindingsPane />}</div>
        ) : (
          <div class="m-tab-body m-tab-split">
            <StepTab />
            <ScopeTab />
          </div>
        )}
      </section>
      <section class="m-tabs">
        <TabRow ids={['buffers', 'modules']} open={right} />
        <div class="m-tab-body">{right === 'modules' ? <Later part="ModulesTab" /> : <BuffersTab />}</div>
      </section>
    </div>
  );
}

/** The list comes with the later parts of the page. */
function FindingsPane() {
  return <Later part="Findings" waiting={<p class="m-note">…</p>} />;
}

function TabRow({ ids, open }: { ids: TabId[]; open: TabId }) {
  return (
    <div class="m-tab-row">
      <TabList class="m-tab-list" tabs={ids.map((id) => [id, titleOf(id)] as const)} open={open} choose={openTab} />
      <span class="m-grow" />
      {open === 'step' ? <StepLine /> : open === 'buffers' ? <BuffersLine /> : null}
      <Exports id={open} />
    </div>
  );
}

function wordsOf(id: TabId): [string, string] {
  switch (id) {
    case 'step':
      return [inspected.value === null ? 'Held' : `At step ${formatCount(inspected.value)}`, ''];
    case 'buffers':
      return ['Buffers', live.value && whatIfPlan.value === null ? formatCount(live.value.count) : ''];
    case 'scope':
      return ['By scope', ''];
    case 'peaks':
      return ['Next peaks', ''];
    case 'modules':
      return ['All modules', run.value ? formatCount(run.value.modules.n) : ''];
    default:
      return ['Findings', foundCount.value === null ? '' : formatCount(foundCount.value)];
  }
}

function titleOf(id: TabId) {
  const [title, count] = wordsOf(id);
  return (
    <>
      {title}
      {count ? <span class="m-tab-count">{count}</span> : null}
    </>
  );
}

/** "167 buffers, 6,226.3 MiB; 44 under 16 KiB folded", the fold slider and the comparison. */
function StepLine() {
  const l = live.value;
  if (!l) return null;
  return (
    <span class="m-step-line">
      <span>
        <span class="m-cut">{plural(l.count, 'buffer')}, </span>
        <span>
          {formatBytes(l.live_bytes)}
          {l.rest.count > 0 ? ';' : ''}
        </span>
        {l.rest.count > 0 ? <span class="m-cut"> {formatCount(l.rest.count)} not listed</span> : null}
      </span>
      <FoldControl />
      <CompareControl />
    </span>
  );
}
