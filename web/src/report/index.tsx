/** Report: the program taken apart by every category. Above a graph of the whole program, below what is held at the chosen steps. */
import { useEffect } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { NoTrace, Splitter } from '../memory';
import { Choice } from '../memory/buffers';
import { view } from '../app/router';
import { ErrorState } from '../memory/error_state';
import { panByKey, showAll, zoomByKey } from '../memory/gestures';
import { AddressMap } from '../memory/map';
import { StepAxis } from '../memory/minimap';
import { ScopeTab } from '../memory/scope_tab';
import { ScopeStrip } from '../memory/strip';
import { change, failure, hoverStep, range, setWindow, summary, windowNow } from '../memory/state';
import { Pictures } from '../memory/tab_exports';
import { startViews } from '../memory/lower_state';
import { AxisChoice } from '../memory/axis_choice';
import { AreaChart } from './area_chart';
import { startReportBase } from './base_state';
import { startBaseBuffers } from './base_buffers_state';
import { ReportBar } from './bar';
import { BuffersControls, BuffersPane, BuffersLine } from './buffers_tab';
import { DetailsTab, OnlyDifferences } from './details_tab';
import { GroupControls, GroupsTab } from './groups_tab';
import {
  asked,
  bySpace,
  chooseStep,
  graphNow,
  hasSteps,
  level,
  reportTab,
  setSteps,
  splitBy,
  SPLITS,
  startReport,
  stepA,
  type GraphId,
  type ReportTab,
} from './state';
import { HelpBox } from './help_box';
import { MapControls, ModuleMap } from './module_map';
import { startMap } from './map_state';
import { PlotChart, PlotSwitch } from './plot_chart';
import { startPlot } from './plot_state';
import { startTimes } from './times_state';
import { SpacesChart } from './spaces_chart';
import { SaveReport } from './save';
import { TabList } from '../ui/tab_list';
import { Unread } from '../ui/unread';
import { Treemap, TreemapControls } from './treemap_view';
import { TransfersTab } from './transfers_tab';
import { Switch } from './switch';
import { together } from '../util/listen';

export { ReportBar };

const GRAPHS: Record<GraphId, string> = { total: 'Total', plot: 'Chosen buffers', map: 'Addresses', modules: 'Module map', scope: 'By scope' };
const TABS: Record<ReportTab, string> = { details: 'Details', ops: 'Ops', kinds: 'Kinds', transfers: 'Transfers', buffers: 'Buffers' };

/** Where keys zoom: the step under the pointer, else the middle. */
function anchor(): number {
  const at = hoverStep.peek();
  const w = windowNow.peek();
  return at ? Math.min(1, Math.max(0, (at.step - w.from) / (w.to - w.from))) : 0.5;
}

function keys(): () => void {
  return together([
    registerKeys('charts', {
      zoom: (_, stroke) => zoomByKey(stroke === 0, false, anchor()),
      zoom_fast: (_, stroke) => zoomByKey(stroke === 0, true, anchor()),
      pan: (_, stroke) => panByKey(stroke === 1, false),
      pan_fast: (_, stroke) => panByKey(stroke === 1, true),
      fit: fit,
      reset: showAll,
    }),
    registerKeys('memory', {
      peak: toPeak,
      buffer_step: (_, stroke) => {
        const at = stepA.peek();
        if (at === null) return false;
        chooseStep(Math.min(Math.max(0, at + (stroke === 0 ? -1 : 1)), (summary.peek()?.steps ?? 1) - 1), false);
      },
    }),
    registerKeys('everywhere', {
      escape: () => {
        if (range.peek()) range.value = null;
        else if (asked.peek().length > 1) setSteps(asked.peek().slice(0, 1));
        else return false;
      },
    }),
  ]);
}

function fit(): void {
  if (range.peek()) setWindow(range.peek() as { from: number; to: number });
  else showAll();
  range.value = null;
}

function toPeak(): void {
  const step = summary.peek()?.peak.step;
  if (step !== null && step !== undefined) chooseStep(step, false);
}

export function ReportView() {
  useEffect(() => together([startViews(), startReport(), startReportBase(), startBaseBuffers(), startPlot(), startTimes(), startMap(), keys()]), []);
  const s = summary.value;
  if (failure.value && !s) return <ErrorState error={failure.value} />;
  return (
    <div class={`memory report${s ? '' : ' memory-loading'}${reportTab.value === 'buffers' && graphNow.value === 'total' ? ' r-low' : ''}`}>
      {s ? null : <Unread what="curve, categories and groups of this program" />}
      <div class="m-left">
        {s && s.steps === 0 && graphNow.value !== 'modules' && graphNow.value !== 'scope' ? <NoTraceGraph /> : <Graph />}
        <Splitter name="report" />
        <Tabs />
      </div>
    </div>
  );
}

/** Graphs over program order need a heap trace; the others stay in reach. */
function GraphSwitch() {
  const graph = graphNow.value;
  const none = summary.value?.steps === 0;
  return (
    <Switch
      label="graph"
      value={graph}
      choices={(Object.keys(GRAPHS) as GraphId[]).map((id) => {
        const off = none && id !== 'modules' && id !== 'scope' && id !== 'total';
        return { id, text: GRAPHS[id], title: off ? 'this memory space has no heap trace, so there are no steps to draw' : undefined, off };
      })}
      onChange={(id) => change({ graph: id === 'total' ? null : id })}
    />
  );
}

function NoTraceGraph() {
  return (
    <>
      <div class="r-tools">
        <GraphSwitch />
      </div>
      <NoTrace />
    </>
  );
}

function Graph() {
  const graph = graphNow.value;
  const spaces = graph === 'total' && bySpace.value;
  return (
    <div class="m-charts r-graph">
      <div class="r-tools">
        <GraphSwitch />
        {graph === 'total' ? (
          <Choice
            label="split by"
            value={bySpace.value ? 'space' : splitBy.value}
            options={[...Object.keys(SPLITS), 'space']}
            titles={{ ...SPLITS, space: 'memory space' }}
            onChange={(by) => change({ split: by === 'op' ? null : by, hide: null })}
          />
        ) : null}
        {graph === 'total' && splitBy.value === 'scope' ? <Levels /> : null}
        {graph === 'plot' ? <PlotSwitch /> : null}
        {graph === 'modules' ? <MapControls /> : null}
        {graph === 'scope' ? <TreemapControls /> : null}
        <span class="m-grow" />
        {graph === 'modules' || graph === 'scope' || spaces ? null : <Fits />}
        <HelpBox />
      </div>
      {graph === 'scope' ? (
        view.value.tshape === 'icicle' ? (
          <ScopeTab head={false} />
        ) : (
          <Treemap />
        )
      ) : graph === 'modules' ? (
        <ModuleMap />
      ) : spaces ? (
        <SpacesChart />
      ) : graph === 'plot' ? (
        <>
          <PlotChart />
          <div class="r-under r-plot-under">
            <ScopeStrip />
            <StepAxis />
          </div>
        </>
      ) : graph === 'map' ? (
        <>
          <AddressMap />
          <StepAxis />
        </>
      ) : (
        <>
          <AreaChart />
          <div class="r-under">
            <ScopeStrip />
            <StepAxis />
          </div>
        </>
      )}
    </div>
  );
}

function Fits() {
  return (
    <>
      <AxisChoice />
      <button type="button" class="btn-s" title="A at the peak (P)" onClick={toPeak}>
        Peak<kbd>P</kbd>
      </button>
      <button type="button" class="btn-s" title="Fit the selection, or show all (F)" onClick={fit}>
        Fit<kbd>F</kbd>
      </button>
    </>
  );
}

function Levels() {
  const options = ['1', '2', '3', '4', '5', '6'];
  return <Choice label="level" value={String(level.value)} options={options} onChange={(next) => change({ level: next === '2' ? null : next })} />;
}

function Tabs() {
  const open = reportTab.value;
  return (
    <section class="m-tabs">
      <div class="m-tab-row">
        <TabList
          class="m-tab-list"
          tabs={Object.entries(TABS) as [ReportTab, string][]}
          open={open}
          choose={(id) => change({ rtab: id === 'details' ? null : id })}
        />
        <span class="m-grow" />
        {open === 'ops' || open === 'kinds' ? <GroupControls kinds={open === 'kinds'} /> : null}
        {open === 'buffers' ? <BuffersLine /> : <OnlyDifferences />}
        <span class="m-exports">
          <SaveReport />
          <Pictures />
        </span>
      </div>
      {open === 'buffers' && hasSteps.value ? <BuffersControls /> : null}
      <div class="m-tab-body" role="tabpanel" aria-label={TABS[open]} tabIndex={0}>
        {open === 'details' ? (
          <DetailsTab />
        ) : open === 'buffers' ? (
          <BuffersPane />
        ) : open === 'transfers' ? (
          <TransfersTab />
        ) : (
          <GroupsTab kinds={open === 'kinds'} />
        )}
      </div>
    </section>
  );
}
