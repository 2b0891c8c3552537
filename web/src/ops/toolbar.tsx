/** The tool bar of Ops: whose clock, columns and exports. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { apiUrl, csvUrl } from '../api/client';
import { view } from '../app/router';
import { TypedBox } from '../explain/typed_box';
import { Choice } from '../memory/buffers';
import { fileName } from '../app/exports';
import { Pop } from '../memory/pop';
import { Icon } from '../ui/icons';
import { CompareChoice, SideChoices } from './compare';
import { compareQuestion, comparing } from './compare_state';
import { grouping, GROUPING_WORDS, groupName, GROUPINGS, openGroup, shownQuestion } from './groups_state';
import { boxName, hierarchies, hierarchy, setHierarchy } from './icicle_state';
import { WayChoice } from './layers';
import { layersQuestion } from './layers_state';
import { change, filterProblem, layersShown, ops } from './state';
import { columns, showColumn, shownColumns } from './table_state';
import { type Hierarchy, HIERARCHY_WORDS } from './tree';

function Views() {
  const layers = layersShown.value;
  const pick = (oview: string | null) => () => change({ oview });
  return (
    <span class="segment" role="group" aria-label="view">
      <button type="button" class={layers ? '' : 'on'} aria-pressed={!layers} onClick={pick(null)}>
        Operations
      </button>
      <button type="button" class={layers ? 'on' : ''} aria-pressed={layers} title="L" onClick={pick('layers')}>
        Layers
      </button>
    </span>
  );
}

const CLOCK_TITLES = {
  device:
    'all times on this page are by the chips’ own clocks; the host-aligned clock, by which Trace draws, moves time between operations where its alignment jumps: its totals are the column “other clock”',
  host: 'all times on this page are host-aligned: the events have no times on a clock of the device',
  mixed: 'times are by the device’s own clock, and host-aligned where events have none',
};
const CLOCK_WORDS = { device: 'device clock', host: 'host clock, the only one', mixed: 'device clock, and the host’s where events have none' };

function ClockWord() {
  const said = ops.value?.clock;
  if (!said) return null;
  return (
    <span class="op-badge" title={CLOCK_TITLES[said]}>
      {CLOCK_WORDS[said]}
    </span>
  );
}

export function ColumnsMenu() {
  const shown = shownColumns.value;
  return (
    <Pop
      label={
        <>
          Columns <b>{shown.length}</b> of {columns.value.length}
        </>
      }
      title="choose columns"
    >
      {() => (
        <fieldset class="m-columns op-columns">
          {columns.value.map(({ id, title, hint }) => (
            <label key={id} title={hint}>
              <input type="checkbox" checked={shown.includes(id)} onChange={(event) => showColumn(id, event.currentTarget.checked)} />{' '}
              {title === '#' ? 'rank' : title}
            </label>
          ))}
          <button type="button" class="link" onClick={() => change({ ocols: null })}>
            reset
          </button>
        </fieldset>
      )}
    </Pop>
  );
}

export function Downloads({ route, params, name }: { route: string; params: Record<string, string | number | boolean | null | undefined>; name: string }) {
  return (
    <>
      <a class="btn-s" href={csvUrl(route, params)} download={fileName(name, 'csv')}>
        CSV
      </a>
      <a class="btn-s" href={apiUrl(route, params)} download={fileName(name, 'json')}>
        JSON
      </a>
    </>
  );
}

const WAIT_MS = 150;

/** The filter box; what is not a filter is said below it. */
export function FilterBox({ field }: { field: { current: HTMLInputElement | null } }) {
  const asked = view.value.ofilter ?? '';
  const [text, setText] = useState(asked);
  const sent = useRef(asked);
  // What others write into the address stands in the box; what was sent from here does not come back over newer letters.
  useEffect(() => {
    if (asked !== sent.current) setText(asked);
    sent.current = asked;
  }, [asked]);
  useEffect(() => {
    if (text === (view.peek().ofilter ?? '')) return;
    const timer = setTimeout(() => {
      sent.current = text;
      change({ ofilter: text });
    }, WAIT_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const problem = filterProblem.value;
  return (
    <span class="op-filter">
      <label class={`field${problem ? ' bad' : ''}`}>
        <Icon name="search" size={13} />
        <input
          ref={field}
          type="search"
          placeholder="name, scope, file, bound:hbm, roofline<50"
          aria-label="filter operations: text or /expression/; bound:hbm, roofline<50, self>1%, avg>10us, group:matmul, scope:block_*, src:file.py:12; a space means and, | or, - not"
          aria-invalid={Boolean(problem)}
          aria-describedby={problem ? 'op-problem' : undefined}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <kbd>/</kbd>
      </label>
      {problem ? (
        <span id="op-problem" class="op-problem" role="alert">
          {problem}
        </span>
      ) : null}
    </span>
  );
}

/** The box of the icicle that narrows the table. */
function BoxChip() {
  if (!boxName.value) return null;
  return (
    <span class="m-chip" title={view.value.obox}>
      <span class="cut">{boxName.value}</span>
      <button type="button" aria-label={`all operations, not only ${boxName.value}`} onClick={() => change({ obox: null })}>
        ×
      </button>
    </span>
  );
}

/** The group whose operations are listed. */
function GroupChip() {
  const open = openGroup.value;
  if (open === undefined) return null;
  const name = groupName(open, grouping.value);
  return (
    <span class="m-chip" title={name}>
      <span class="cut">{name}</span>
      <button type="button" aria-label={`back to the groups from ${name}`} onClick={() => change({ oin: null }, true)}>
        ×
      </button>
    </span>
  );
}

/** Which steps count: all, or those that are typed. */
export function StepsMenu() {
  const { osteps } = view.value;
  return (
    <>
      <Pop
        label={
          <>
            steps <b>{osteps ?? 'all'}</b>
          </>
        }
        title="only executions in some steps"
        boxClass="op-steps"
      >
        {(close) => (
          <>
            <span class="row">
              <span aria-hidden="true">steps</span>
              <TypedBox
                class="x-box wide"
                label="steps that count"
                placeholder="all, or 100-102,105"
                value={osteps ?? ''}
                take={(text) => {
                  change({ osteps: text.replaceAll(' ', '') || null });
                  if (text) close();
                }}
              />
            </span>
            <p class="soft">Numbers as in Overview and Trace. Each operation then has the executions that begin in these steps alone.</p>
          </>
        )}
      </Pop>
      {osteps ? (
        <button type="button" class="link" aria-label={`all steps, not only ${osteps}`} onClick={() => change({ osteps: null })}>
          ×
        </button>
      ) : null}
    </>
  );
}

export function ToolBar({ field }: { field: { current: HTMLInputElement | null } }) {
  return (
    <div class="op-toolbar" role="toolbar" aria-label="operations">
      <Views />
      {comparing.value ? null : layersShown.value ? (
        <WayChoice />
      ) : (
        <Choice label="by" value={hierarchy.value} options={hierarchies.value} titles={HIERARCHY_WORDS} onChange={(by) => setHierarchy(by as Hierarchy)} />
      )}
      {layersShown.value || comparing.value ? null : (
        <>
          <FilterBox field={field} />
          <BoxChip />
          <Choice
            label="group"
            value={grouping.value}
            options={[...GROUPINGS]}
            titles={GROUPING_WORDS}
            onChange={(by) => change({ ogroup: by === 'none' ? null : by, oin: null })}
          />
          <GroupChip />
        </>
      )}
      {comparing.value ? null : <StepsMenu />}
      <CompareChoice />
      {comparing.value ? <SideChoices /> : null}
      <span class="m-grow" />
      <ClockWord />
      {comparing.value ? (
        <Downloads route="trace/ops/compare" params={compareQuestion.value} name="operations_compared" />
      ) : layersShown.value ? (
        <Downloads route="trace/layers" params={layersQuestion.value} name="layers" />
      ) : (
        <>
          <ColumnsMenu />
          <Downloads route="trace/ops" params={{ ...shownQuestion.value, percentiles: 1 }} name="operations" />
        </>
      )}
    </div>
  );
}
