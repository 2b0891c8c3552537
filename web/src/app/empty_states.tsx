import type { ComponentChildren } from 'preact';
import { AllRuns } from './run_error';
import { hrefOf } from './router';
import { asSentence } from '../util/format';

/** A page that has nothing to show says what is missing, why, and what would provide it. */
export function EmptyState(props: { title: ComponentChildren; children: ComponentChildren }) {
  return (
    <main class="main empty-state">
      <h1>{props.title}</h1>
      {props.children}
    </main>
  );
}

export function NoTool({ name }: { name: string }) {
  return (
    <EmptyState title="No such page">
      <p>
        The address names the tool <span class="mono">{name}</span>, which this version does not have.
      </p>
      <p>
        <a class="btn" href={hrefOf({ tool: 'memory' })}>
          Open Memory
        </a>
      </p>
    </EmptyState>
  );
}

/** Memory without data: the reason, and the files that were read. */
export function NoData({ title, reason }: { title: string; reason: string }) {
  return (
    <EmptyState title={`No data for ${title} in this run`}>
      <p>{asSentence(reason)}</p>
      <p class="row">
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          Files of this run
        </a>
        <AllRuns />
      </p>
    </EmptyState>
  );
}
