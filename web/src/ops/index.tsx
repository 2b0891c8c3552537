/** Ops: where the time goes, by operation: a hierarchy whose widths are time, a table, and one operation at the right. */
import { useEffect, useRef } from 'preact/hooks';
import { EmptyState } from '../app/empty_states';
import { Hint } from '../app/foot';
import { standOf } from '../app/open_tool';
import { hrefOf } from '../app/router';
import { Unread } from '../ui/unread';
import { asSentence, formatCount, plural } from '../util/format';
import { OpCard } from './card';
import { CompareView } from './compare';
import { comparing } from './compare_state';
import { startExplained, startRuns } from './card_state';
import { startGroups } from './groups_state';
import { TimeIcicle } from './icicle_part';
import { startTree } from './icicle_state';
import { opsKeys } from './keys';
import { PeaksLine } from './peaks_line';
import { LayersView } from './layers';
import { failure, layersShown, ops, startOps } from './state';
import { HostsNote, notes } from './states';
import { OpsTable } from './table';
import { current } from './table_state';
import { ToolBar } from './toolbar';
import { together } from '../util/listen';

function Foot() {
  const o = ops.value;
  return (
    <footer class="op-foot">
      {comparing.value ? (
        <Hint caps={['B']} text="stop comparing" />
      ) : layersShown.value ? (
        <>
          <Hint caps={['[', ']']} text="previous, next layer" />
          <Hint caps={['H']} text="other repeats" />
          <Hint caps={['L']} text="operations" />
        </>
      ) : (
        <>
          <Hint caps={['↑', '↓']} text="operation" />
          <Hint caps={['Enter']} text="in Trace" />
          <Hint caps={['/']} text="filter" />
          <Hint caps={['H']} text="next hierarchy" />
          <Hint caps={['L']} text="layers" />
          <Hint caps={['B']} text="compare" />
        </>
      )}
      <Hint caps={['?']} text="all keys" />
      <span class="m-grow" />
      {comparing.value ? null : layersShown.value ? (
        <span class="soft">colour: against the median of the row</span>
      ) : o ? (
        <span class="soft">{`${formatCount(o.ops.n)} of ${plural(o.total, 'operation')}`}</span>
      ) : null}
    </footer>
  );
}

function Operations() {
  const o = ops.value;
  return (
    <>
      <div class="op-left">
        <TimeIcicle />
        <div class="op-line">
          <h1>Operations</h1>
          {o ? <span class="soft">{`${plural(o.total, 'operation')}${o.programs > 1 ? ` in ${plural(o.programs, 'program')}` : ''}`}</span> : null}
          <span class="m-grow" />
          <PeaksLine />
        </div>
        {notes().map((note) => (
          <p key={note} class="op-note">
            {note}
          </p>
        ))}
        <HostsNote />
        <div class="op-table">{o ? <OpsTable /> : <Unread what="the operations of this run" />}</div>
      </div>
      <OpCard />
    </>
  );
}

export function OpsView() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => together([startOps(), startTree(), startGroups(), startExplained(), startRuns(), opsKeys(field)]), []);
  const o = ops.value;
  if (failure.value && !o)
    return (
      <EmptyState title="The operations of this run cannot be shown">
        <p role="alert">{failure.value.message}</p>
      </EmptyState>
    );
  if (o && !o.known)
    return (
      <EmptyState title="No operation has a time in this run">
        <p>{asSentence(o.reason ?? '')}</p>
        <p class="row">
          {standOf('trace').open ? (
            <a class="btn" href={hrefOf({ tool: 'trace' })}>
              What ran, in Trace
            </a>
          ) : null}
          <a class="btn" href={hrefOf({ tool: 'files' })}>
            Files of this run
          </a>
        </p>
      </EmptyState>
    );
  return (
    <main class={`main op-main${current.value >= 0 ? ' with-card' : ''}`}>
      <ToolBar field={field} />
      <div class="op-body">{comparing.value ? <CompareView /> : layersShown.value ? <LayersView /> : <Operations />}</div>
      <Foot />
    </main>
  );
}
