/** The Trace Viewer: minimap and ruler above the rows, a panel with details and totals below. */
import { allocators } from './allocator_track';
import { liveBytes } from './memory_track';
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { pickHost } from '../app/pickers';
import { view } from '../app/router';
import { run } from '../app/state';
import { ErrorState } from '../memory/error_state';
import { formatCount } from '../util/format';
import { startFlows } from './flow_state';
import { followLink } from './follow_link';
import { startKeys } from './keys';
import { startCollective } from './collective_state';
import { startGaps } from './gaps_tab';
import { Minimap, startOverview } from './minimap';
import { Panel } from './panel';
import { RowsView } from './rows_view';
import { Ruler } from './ruler';
import { startSearch } from './search_state';
import { startTotals } from './selection_state';
import { makeSentences } from './sentence';
import { change, failure, layout, paint, rows, sharpening, start, subject, tableShown, views } from './state';
import { startSteps } from './steps_state';
import { Toolbar } from './toolbar';
import { startTop } from './top_card';
import { TraceTwin } from './twin';
import { Strips } from './warnings';
import { Unread } from '../ui/unread';
import { together } from '../util/listen';

export function TraceView() {
  useEffect(
    () =>
      together([
        start(),
        startOverview(),
        startSteps(),
        startSearch(),
        startTotals(),
        startTop(),
        startGaps(),
        startFlows(),
        startCollective(),
        liveBytes.start(),
        allocators.start(),
        startKeys(),
        followLink(),
        effect(() => {
          void views.value;
          makeSentences();
          paint();
        }),
      ]),
    [],
  );
  if (failure.value && !rows.value) {
    return (
      <main class="main">
        <ErrorState error={failure.value} />
        <OneHost />
      </main>
    );
  }
  return (
    <main class="main trace">
      <Toolbar />
      <div class={`t-load${sharpening.value || !rows.value ? ' on' : ''}`} />
      <Strips />
      <Minimap />
      <Ruler />
      <div class="t-middle">
        {tableShown.value ? <TraceTwin /> : <RowsView />}
        <Empty />
        {rows.value ? null : <Unread what="rows of devices and threads" />}
      </div>
      <Panel />
    </main>
  );
}

/** All hosts together may be too much where one is not. */
function OneHost() {
  const hosts = (run.value?.hosts ?? []).filter((host) => host.name && !host.error);
  if (subject.value.host || hosts.length < 2) return null;
  return (
    <p class="t-note">
      This shows all {formatCount(hosts.length)} hosts together. Show only one:{' '}
      {hosts.slice(0, 8).map((host) => (
        <button key={host.name} type="button" class="link" onClick={() => pickHost(host.name)}>
          {host.name}
        </button>
      ))}
      {hosts.length > 8 ? ' or any other with the picker above' : ''}
    </p>
  );
}

/** In the rows' place: why there are none, and what to do. */
function Empty() {
  const r = rows.value;
  const l = layout.value;
  if (!r || !l || l.items.length + l.pinned.length > 0) {
    if (r && r.processes.n > 0 && r.processes.kind.every((kind) => kind === 'host') && !r.rows.kind.some((kind) => kind === 'xla_ops')) return null;
    return null;
  }
  const other = r.hosts.find((h) => h.has_events && h.name !== r.host);
  return (
    <div class="t-empty">
      {l.filtered > 0 ? (
        <p>
          {formatCount(l.filtered)} rows hidden by the filter <code>{view.value.rows}</code>.{' '}
          <button type="button" class="link" onClick={() => change({ rows: null })}>
            Clear
          </button>
        </p>
      ) : (
        <p>
          No events on {r.host || 'this host'}: the capture took none, or they were dropped before the file was written. Capture again while the program runs.{' '}
          {other ? (
            <button type="button" class="link" onClick={() => change({ host: other.name })}>
              Show {other.name}
            </button>
          ) : null}
        </p>
      )}
      <p class="soft">{String(subject.value.run ?? '')}</p>
    </div>
  );
}
