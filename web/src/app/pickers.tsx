import { openTool } from './open_tool';
import { Picker, type PickerItem } from '../ui/picker';
import { exactBytes, formatBytes, plural, unitFor } from '../util/format';
import { narrow } from './media';
import { setView, view } from './router';
import { cards } from './cards';
import { labelOf, modules, modulesError, needRuns, openRun, run, runs, runsError } from './state';

/** In a list each size has its own unit: 2.0 KiB, not 0.0 MiB. */
const bytes = (size: number | null) => formatBytes(size, { unit: unitFor(size, view.value.unit === 'mib') });

/** Index of the open module in the list of modules, or -1 while it is unknown. */
export function moduleIndex(): number {
  const list = modules.value;
  if (!list) return -1;
  const wanted = view.value.module;
  if (!wanted) return list.default_module === null ? -1 : list.key.indexOf(list.default_module);
  const exact = list.key.indexOf(wanted);
  return exact >= 0 ? exact : list.name.indexOf(wanted);
}

/** Name and key of the open module, as the address has it while the list is unknown. */
export const moduleName = (): string | undefined => modules.value?.name[moduleIndex()] ?? view.value.module;
export const moduleKey = (): string | undefined => modules.value?.key[moduleIndex()] ?? view.value.module;

function runItems(): PickerItem[] {
  const list = runs.value;
  if (!list) return [];
  const order = list.id.map((_, i) => i).sort((a, b) => list.mtime_ms[b] - list.mtime_ms[a]);
  const items: PickerItem[] = order.map((i) => ({
    key: list.id[i],
    title: list.label[i],
    side: cards.value.get(list.id[i])?.module_name ?? list.folder[i],
    exact: list.id[i],
  }));
  // Samples are hidden once there are runs.
  if (list.n > 0 && !view.value.run?.startsWith('sample:')) return items;
  const heading = (i: number) => (i === 0 ? 'samples' : undefined);
  return [...items, ...list.samples.map((one, i) => ({ key: one.id, title: one.id, side: one.title, heading: heading(i) }))];
}

const noRuns = () => runsError.value?.message ?? (runs.value ? 'no run' : 'the list of runs is being read');

export const runTitle = (): string => labelOf(view.value.run ?? '');

/** The run and its program, for titles and print. */
export const runAndProgram = (): string => [runTitle(), moduleName()].filter(Boolean).join(' · ');

/** Hosts of the open run; files of a dump belong to none. */
function namedHosts() {
  return (run.value?.hosts ?? []).filter((host) => host.name);
}

/** A file that is cut or unreadable says so. */
function hostItems(): PickerItem[] {
  const hosts = namedHosts();
  const items = hosts.map((host) => ({
    key: host.name,
    title: host.name,
    side: host.error ? 'not readable' : host.complete ? '' : 'truncated',
    exact: host.error ?? host.file,
  }));
  return items.length > 1 ? [{ key: '', title: 'all hosts', side: plural(items.length, 'file') }, ...items] : items;
}

function hostValue(): string {
  const hosts = namedHosts();
  if (view.value.host) return view.value.host;
  return hosts.length === 1 ? hosts[0].name : `all ${hosts.length}`;
}

function hostDetail() {
  const hosts = namedHosts().filter((host) => !view.value.host || host.name === view.value.host);
  const cut = hosts.filter((host) => !host.complete || host.error);
  if (!cut.length) return null;
  const one = cut[0].error ? 'not readable' : 'truncated';
  return <span class="bad">{hosts.length === 1 ? one : `${cut.length} not whole`}</span>;
}

/** Times, rows and events are numbered per selection of hosts, so the address would refer to others. */
const OF_HOST = ['t0', 't1', 'r0', 'r1', 'ev', 'also', 'marks', 'open', 'folded', 'others', 'top', 'hide', 'h'];
export const pickHost = (host: string) => setView({ ...Object.fromEntries(OF_HOST.map((key) => [key, null])), host: host || null }, { push: true });

/** Pins a run, or a program of this run, as the baseline; a second click takes the pin away. */
function pin(base: string | undefined, module: string | null): void {
  const same = view.value.base === base && (view.value.base_module ?? null) === module;
  setView({ base: same ? null : base, base_module: same ? null : module, base_host: null, base_space: null });
}
const pinRun = (run: string) => pin(run, null);
const pinModule = (module: string) => pin(view.value.run, module);

function RunAndHost() {
  const hosts = hostItems();
  if (!narrow.value) {
    return (
      <>
        <Picker
          label="run"
          value={runTitle()}
          current={view.value.run}
          items={runItems()}
          empty={noRuns()}
          onPick={openRun}
          onOpen={needRuns}
          onPin={openTool() === 'memory' ? pinRun : undefined}
          pinned={view.value.base}
        />
        {hosts.length > 0 && (
          <>
            <span class="crumb-rule">/</span>
            <Picker label="host" value={hostValue()} detail={hostDetail()} current={view.value.host ?? ''} items={hosts} onPick={pickHost} />
          </>
        )}
      </>
    );
  }
  // One picker for both below 1024: the hosts of the open run first.
  const items = [
    ...hosts.map((item, i) => ({ ...item, key: `h${item.key}`, heading: i === 0 ? 'hosts of this run' : undefined })),
    ...runItems().map((item, i) => ({ ...item, key: `r${item.key}`, heading: i === 0 ? 'runs' : undefined })),
  ];
  const pick = (key: string) => (key[0] === 'h' ? pickHost(key.slice(1)) : openRun(key.slice(1)));
  return (
    <Picker
      label="run"
      value={runTitle()}
      detail={hosts.length > 0 ? hostValue() : null}
      current={`r${view.value.run}`}
      items={items}
      empty={noRuns()}
      onPick={pick}
      onOpen={needRuns}
    />
  );
}

/** By peak; a module whose numbers are not there yet keeps its place in the run. */
export function moduleItems(): PickerItem[] {
  const list = modules.value;
  if (!list) {
    const known = run.value?.modules;
    return known ? known.key.map((key, i) => ({ key, title: known.name[i], mono: true, side: 'peak not read yet' })) : [];
  }
  const order = list.key.map((_, i) => i).sort((a, b) => (list.peak_bytes[b] ?? -1) - (list.peak_bytes[a] ?? -1));
  const twice = new Set(list.name.filter((name, i) => list.name.indexOf(name) !== i));
  return order.map((i) => ({
    key: list.key[i],
    title: twice.has(list.name[i]) ? list.key[i] : list.name[i],
    mono: true,
    side: list.failed_to_compile[i] ? `${bytes(list.peak_bytes[i])}, did not compile` : bytes(list.peak_bytes[i]),
    exact: list.error[i] ?? `${list.key[i]}: ${exactBytes(list.peak_bytes[i])}`,
  }));
}

function ModulePicker() {
  const list = modules.value;
  const at = moduleIndex();
  const name = moduleName();
  const peak = list && at >= 0 ? bytes(list.peak_bytes[at]) : null;
  return (
    <Picker
      label="module"
      value={<span class="mono strong">{name || (!run.value ? '…' : run.value.modules.n === 0 ? 'none' : 'largest')}</span>}
      detail={peak}
      current={list && at >= 0 ? list.key[at] : view.value.module}
      items={moduleItems()}
      empty={modulesError.value?.message ?? 'no module in this run'}
      onPick={(key) => setView({ module: key })}
      onPin={openTool() === 'memory' ? pinModule : undefined}
      pinned={view.value.base === view.value.run ? view.value.base_module : undefined}
    />
  );
}

/** Pages of time take all programs that ran, unless one is chosen. */
function ProgramPicker() {
  const known = run.value?.modules;
  const ran = known ? known.key.map((_, i) => i).filter((i) => known.ran[i]) : [];
  const nameOf = (i: number) => (known && known.name.filter((name) => name === known.name[i]).length > 1 ? known.key[i] : (known?.name[i] ?? ''));
  const items = ran.map((i) => ({
    key: known?.key[i] ?? '',
    title: nameOf(i),
    mono: true,
    side: typeof known?.run_count[i] === 'number' ? plural(known.run_count[i], 'run') : 'runs unknown',
  }));
  const one = view.value.module ?? (items.length === 1 ? items[0].key : undefined);
  const shown = items.find(({ key }) => key === one);
  return (
    <Picker
      label="program"
      value={one ? <span class="mono strong">{shown?.title ?? one}</span> : items.length === 0 ? 'none ran' : `all ${items.length}`}
      detail={shown?.side}
      current={one ?? ''}
      items={items.length > 1 ? [{ key: '', title: 'all programs', side: '' }, ...items] : items}
      empty="no program ran in this run"
      onPick={(key) => setView({ module: key || null })}
    />
  );
}

interface Space {
  color: number;
  name: string;
  peak: number | null;
}

function spacesOf(at: number): Space[] {
  const list = modules.value;
  if (!list || at < 0) return [];
  const out: Space[] = [];
  const spaces = list.spaces;
  for (let i = 0; i < spaces.n; i++) {
    if (spaces.module[i] !== at) continue;
    out.push({ color: spaces.color[i], name: spaces.name[i], peak: spaces.peak_bytes[i] });
  }
  return out.sort((a, b) => (b.peak ?? -1) - (a.peak ?? -1));
}

/** The space that is open: the one asked for, else 0, else the largest (as the server chooses). */
function openSpace(spaces: Space[]): Space | undefined {
  const wanted = view.value.space;
  if (wanted !== undefined) return spaces.find((space) => String(space.color) === wanted);
  return spaces.find((space) => space.color === 0) ?? spaces[0];
}

function SpacePicker() {
  const spaces = spacesOf(moduleIndex());
  if (!spaces.length) return null;
  const open = openSpace(spaces);
  return (
    <>
      <span class="crumb-rule">/</span>
      <Picker
        label="memory"
        value={open?.name ?? view.value.space}
        detail={open ? bytes(open.peak) : null}
        current={open ? String(open.color) : undefined}
        items={spaces.map((space) => ({
          key: String(space.color),
          title: space.name,
          side: bytes(space.peak),
          exact: exactBytes(space.peak),
        }))}
        onPick={(key) => setView({ space: key }, { push: true })}
      />
    </>
  );
}

/** "4 devices · TPU v6 Lite · optimized HLO, shapes per device": what the graph and its text show. */
function GraphLine() {
  const r = run.value;
  const parts = [r?.device_count ? plural(r.device_count, 'device') : '', r?.device_type ?? '', 'optimized HLO, shapes per device'].filter(Boolean);
  return (
    <span class="header-line soft cut" title="the program after compilation, for one device: a sharded array has the shape of one shard">
      {parts.join(' · ')}
    </span>
  );
}

/** A trace is of a host, not of a module or a memory space; a graph is of a module in all its spaces; time is of what ran. */
export function Pickers() {
  const tool = openTool();
  const time = tool === 'ops' || tool === 'roofline';
  return (
    <>
      <RunAndHost />
      {tool === 'trace' ? null : (
        <>
          <span class="crumb-rule">/</span>
          {time ? <ProgramPicker /> : <ModulePicker />}
          {time ? null : tool === 'graph' ? <GraphLine /> : <SpacePicker />}
        </>
      )}
    </>
  );
}
