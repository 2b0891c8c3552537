/** The tool bar of Ops: whose clock, columns and exports. */
import { apiUrl, csvUrl } from '../api/client';
import { fileName } from '../memory/exports';
import { Pop } from '../memory/pop';
import { COLUMNS } from './columns';
import { change, ops, question } from './state';
import { showColumn, shownColumns } from './table_state';

const CLOCK_WORDS = { device: 'device clock', host: 'host clock, the only one', mixed: 'device clock, and the host’s where events have none' };

export function ClockWord() {
  const said = ops.value?.clock;
  if (!said) return null;
  return <span class="op-badge" title="of all times on this page">{CLOCK_WORDS[said]}</span>;
}

export function ColumnsMenu() {
  const shown = shownColumns.value;
  return (
    <Pop label={<>Columns <b>{shown.length}</b> of {COLUMNS.length}</>} title="choose columns">
      {() => (
        <fieldset class="m-columns op-columns">
          {COLUMNS.map(({ id, title, hint }) => (
            <label key={id} title={hint}>
              <input type="checkbox" checked={shown.includes(id)} onChange={(event) => showColumn(id, event.currentTarget.checked)} /> {title === '#' ? 'rank' : title}
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

export function ToolBar() {
  return (
    <div class="op-toolbar" role="toolbar" aria-label="operations">
      <span class="m-grow" />
      <ClockWord />
      <ColumnsMenu />
      <Downloads route="trace/ops" params={question.value} name="operations" />
    </div>
  );
}
