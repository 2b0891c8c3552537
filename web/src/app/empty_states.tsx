import type { ComponentChildren } from 'preact';
import { view } from './router';
import { AllRuns } from './run_error';
import { run } from './state';
import { type ToolInfo, TOOLS } from './tools';
import { standOf } from './rail';
import { hrefOf } from './router';
import { Icon } from '../ui/icons';

/** A page that has nothing to show says what is missing, why, and what would provide it. */
export function EmptyState(props: { title: ComponentChildren; children: ComponentChildren }) {
  return (
    <main class="main empty-state">
      <h1>{props.title}</h1>
      {props.children}
    </main>
  );
}

/** What a link wanted to show here, kept readable until the tool is there. */
function Wanted() {
  const { op, module, step, pin } = view.value;
  if (!op && !step && !pin) return null;
  const what = op ?? (pin ? `buffer ${pin}` : `step ${step}`);
  return (
    <p class="wanted">
      The link points to <span class="mono strong">{what}</span>
      {module && (
        <>
          {' '}
          in <span class="mono">{module}</span>
        </>
      )}
      . The address keeps it, so the link will work once the tool exists.
    </p>
  );
}

/** Page of a tool that is not in this version, or has no data in this run. */
export function ToolMissing({ tool }: { tool: ToolInfo }) {
  const stand = standOf(tool.id);
  const data = run.value?.tools.find((item) => item.id === tool.id);
  const open = TOOLS.filter((item) => standOf(item.id).open);
  return (
    <EmptyState
      title={
        <>
          <Icon name={tool.id} size={22} /> {tool.title} is not there yet
        </>
      }
    >
      <p>It will show {tool.shows}.</p>
      <p class="soft">Why not: {stand.reason ?? 'it can be opened'}.</p>
      <p class="soft">
        It needs {tool.needs}
        {data?.reason && data.reason !== 'not in this version' ? `; this run: ${data.reason}` : ''}.
      </p>
      {tool.meanwhile && (
        <p>
          Until then <span class="mono">{tool.meanwhile}</span> prints the time, calls and bytes of every instruction;{' '}
          <a href={hrefOf({ tool: null, mode: 'report', rtab: 'ops' })}>Report &gt; Ops</a> shows what each instruction holds and its measured time.
        </p>
      )}
      <Wanted />
      <p class="row">
        {open.map((item) => (
          <a key={item.id} class="btn" href={hrefOf({ tool: item.id === 'memory' ? null : item.id })}>
            Open {item.title}
          </a>
        ))}
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          Files of this run
        </a>
      </p>
    </EmptyState>
  );
}

export function NoTool({ name }: { name: string }) {
  return (
    <EmptyState title="No such page">
      <p>
        The address names the tool <span class="mono">{name}</span>, which this version does not have.
      </p>
      <p>
        <a class="btn" href={hrefOf({ tool: null })}>
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
      <p>{reason}</p>
      <p class="row">
        <a class="btn" href={hrefOf({ tool: 'files' })}>
          Files of this run
        </a>
        <AllRuns />
      </p>
    </EmptyState>
  );
}
