/** The memory tool: the bar of its modes, and the mode that is open. Run, module, space, steps and filters are of
 *  the tool, not of a mode: they stay in the address, and what was answered for them stays here. */
import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { registerKeys } from '../app/keys';
import { view } from '../app/router';
import { Later } from '../ui/later';
import { pageUnit, unitFor } from '../util/format';
import { MemoryView } from '.';
import { followBaseline, turnBaseline } from './baseline_state';
import { startFollowing } from './follow_op';
import { Badges } from './headline';
import { ModeBar, MODES, modeNow, openMode } from './modes';
import { start, summary } from './state';
import { together } from '../util/listen';

export function MemoryTool() {
  const mode = modeNow.value;
  const compiled = mode !== 'time';
  useEffect(() => {
    const stops = [registerKeys('memory', { mode: (_, stroke) => openMode(MODES[stroke].id) })];
    if (compiled)
      stops.push(
        start(),
        followBaseline(),
        startFollowing(),
        registerKeys('memory', { baseline: turnBaseline }),
        effect(() => {
          pageUnit.value = unitFor(summary.value?.peak.held_bytes, view.value.unit === 'mib');
        }),
      );
    return together(stops);
  }, [compiled]);
  const waiting = <div class="memory" aria-busy="true" />;
  return (
    <main class="main m-tool">
      <ModeBar>
        {mode === 'report' ? (
          <Later part="ReportBar" />
        ) : mode === 'compare' ? (
          <Later part="CompareBar" />
        ) : mode === 'time' ? (
          <Later part="OverTimeBar" />
        ) : (
          <Badges />
        )}
      </ModeBar>
      {mode === 'report' ? (
        <Later part="ReportView" waiting={waiting} />
      ) : mode === 'compare' ? (
        <Later part="CompareView" waiting={waiting} />
      ) : mode === 'time' ? (
        <Later part="OverTimeView" waiting={waiting} />
      ) : (
        <MemoryView />
      )}
    </main>
  );
}
