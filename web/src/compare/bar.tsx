/** Beside the switch of modes: the baseline, the other one, what exchanges them, and whether they can be compared. */
import { labelOf, needRuns, runs } from '../app/state';
import { moduleItems, runTitle } from '../app/pickers';
import { setView, view } from '../app/router';
import { pinBaseline, unpinBaseline } from '../memory/baseline_state';
import { summary } from '../memory/state';
import { Icon } from '../ui/icons';
import { Picker, type PickerItem } from '../ui/picker';
import { formatBytes } from '../util/format';
import { answer, baseModules, baseRun, hasBase, swap } from './state';
import type { Comparison } from '../memory/compare_types';

function withHeading(items: PickerItem[], heading: string): PickerItem[] {
  return items.map((item, i) => (i === 0 ? { ...item, heading } : item));
}

function allRuns(): PickerItem[] {
  const list = runs.value;
  if (!list) return [];
  const order = list.id.map((_, i) => i).sort((a, b) => list.mtime_ms[b] - list.mtime_ms[a]);
  return withHeading(
    order.map((i) => ({ key: `r${list.id[i]}`, title: list.label[i], exact: list.id[i] })),
    'runs',
  );
}

/** Modules, memory spaces and hosts of the baseline's run. */
function baseItems(): PickerItem[] {
  const list = baseModules.value;
  const items: PickerItem[] = [];
  if (list) {
    const order = list.key.map((_, i) => i).sort((a, b) => (list.peak_bytes[b] ?? -1) - (list.peak_bytes[a] ?? -1));
    items.push(
      ...withHeading(
        order.map((i) => ({ key: `m${list.key[i]}`, title: list.name[i], mono: true, side: formatBytes(list.peak_bytes[i]), exact: list.key[i] })),
        'programs of the run before',
      ),
    );
    const at = list.key.indexOf(answer.value?.before.module ?? '');
    const spaces = list.spaces.color.map((_, i) => i).filter((i) => list.spaces.module[i] === at);
    if (spaces.length > 1)
      items.push(
        ...withHeading(
          spaces.map((i) => ({ key: `s${list.spaces.color[i]}`, title: list.spaces.name[i], side: formatBytes(list.spaces.peak_bytes[i]) })),
          'memory spaces',
        ),
      );
  }
  const hosts = (baseRun.value?.hosts ?? []).filter((host) => host.name);
  if (hosts.length > 1)
    items.push(...withHeading([{ key: 'h', title: 'all hosts' }, ...hosts.map((host) => ({ key: `h${host.name}`, title: host.name }))], 'its hosts'));
  return items;
}

const onlyName = (key: string) => key.replace(/\(\d+\)$/, '');

function pickBase(key: string): void {
  const v = view.peek();
  const [kind, rest] = [key[0], key.slice(1)];
  if (kind === 'r') pinBaseline(rest);
  else if (kind === 'm') setView({ base_module: rest, base_space: null });
  else if (kind === 's') setView({ base_space: rest === v.space || (rest === '0' && !v.space) ? null : rest });
  else setView({ base_host: rest || null });
}

function pickOther(key: string): void {
  const [kind, rest] = [key[0], key.slice(1)];
  setView(kind === 'r' ? { run: rest, mode: 'compare' } : { module: rest }, { push: true });
}

function Value({ run, module, space }: { run: string; module: string; space?: string }) {
  return (
    <>
      <b>{run}</b> <span class="mono">{module}</span>
      {space ? <span class="soft"> {space}</span> : null}
    </>
  );
}

function SameWorkload({ a }: { a: Comparison }) {
  const compiler = a.before.versions && a.after.versions;
  return (
    <span
      class="good cp-check"
      title={`same argument and result types and shapes, platform and device kind; ${compiler ? `both were compiled by ${a.after.versions}` : 'at least one profile does not record the compiler version'}`}
    >
      <Icon name="check" size={13} /> same arguments{compiler ? ', device, compiler' : ' and device'}
    </span>
  );
}

export function CompareBar() {
  const v = view.value;
  const a = answer.value;
  const open = a?.after.module ?? summary.value?.module.key ?? v.module ?? '';
  return (
    <>
      <span class="cp-pickers">
        <Icon name="pin" size={14} />
        <Picker
          label="before"
          value={
            hasBase.value ? (
              <Value
                run={labelOf(v.base ?? '')}
                module={onlyName(a?.before.module ?? v.base_module ?? '')}
                space={v.base_space === undefined ? v.base_host : `space ${v.base_space}`}
              />
            ) : (
              'choose'
            )
          }
          current={a ? `m${a.before.module}` : `r${v.base}`}
          items={[...baseItems(), ...allRuns()]}
          empty="the list of runs is being read"
          onPick={pickBase}
          onOpen={needRuns}
        />
        <button type="button" class="btn-s" title="swap the two; every sign flips" aria-label="swap before and after" disabled={!a} onClick={swap}>
          ⇄
        </button>
        <Picker
          label="after"
          value={<Value run={runTitle()} module={onlyName(open)} space={v.host} />}
          current={`m${open}`}
          items={[
            ...withHeading(
              moduleItems().map((item) => ({ ...item, key: `m${item.key}` })),
              'programs of this run',
            ),
            ...allRuns(),
          ]}
          onPick={pickOther}
          onOpen={needRuns}
        />
      </span>
      <span class="m-grow" />
      {a?.same_workload ? <SameWorkload a={a} /> : null}
      {hasBase.value ? (
        <button type="button" class="btn-s" title="stop comparing (b)" onClick={unpinBaseline}>
          Unpin
        </button>
      ) : null}
    </>
  );
}
