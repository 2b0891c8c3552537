/** CSV and JSON of the open tab: the server's; while a baseline is pinned made here, with the numbers before and the differences. */
import type { ComparedSteps } from '../api/answers';
import { apiUrl, call, csvUrl, isAborted, type Params } from '../api/client';
import { toast } from '../app/toast';
import type { ComparedBuffers } from '../memory/compare_types';
import { ALL_ROWS, csvText, fileName, saveText } from '../app/exports';
import { baseParams, baseSteps, baseWhy, isCompared } from './base_state';
import { BUFFERS, csvBeside, DETAILS, GROUPS, jsonBeside, restLine, type Sheet, TRANSFERS } from './base_export';
import { joinBuffers, pairsOf, pairsParams } from './base_buffers_state';
import { asksOf, joinDetails, joinGroups, type Joined, joinTransfers } from './base_join';
import { inner, level, opsBy, reportParams, reportTab, type ReportTab } from './state';
import type { Details, GroupRow, Groups, Transfers, Values } from './types';

/** What the tab asks of a program. */
function questionOf(tab: ReportTab): { route: string; params: Params } {
  if (tab === 'details') return { route: 'report/details', params: {} };
  if (tab === 'transfers') return { route: 'report/transfers', params: { limit: ALL_ROWS } };
  const by = tab === 'buffers' ? 'buffer' : tab === 'kinds' ? 'signature' : opsBy.value;
  return { route: 'report/groups', params: { by, level: level.value, limit: ALL_ROWS, ...(tab === 'buffers' ? {} : { inner: inner.value }) } };
}

type Kind = 'csv' | 'json';
type Text = (kind: Kind) => string;

const textOf =
  <R extends Values>(sheet: Sheet<R>, answer: object, rows: Joined<R>[], pair: ComparedSteps): Text =>
  (kind) =>
    kind === 'csv' ? csvText(...csvBeside(sheet, rows, pair)) : `${JSON.stringify(jsonBeside(sheet, answer, rows, pair))}\n`;

async function textBeside(tab: ReportTab, base: Params, pair: ComparedSteps): Promise<Text> {
  const { route, params } = questionOf(tab);
  const ask = <A,>() =>
    Promise.all([
      call<A>(route, { ...reportParams.peek(), ...params }, { key: 'report/save' }),
      call<A>(route, { ...base, ...params }, { key: 'report/save/base' }),
    ]);
  const { place } = asksOf(pair);
  if (tab === 'details') {
    const [is, was] = await ask<Details>();
    return textOf(DETAILS, is, joinDetails(is.rows, was.rows, place), pair);
  }
  if (tab === 'transfers') {
    const [is, was] = await ask<Transfers>();
    return textOf(TRANSFERS, is, joinTransfers(is, was, place), pair);
  }
  const pairs = tab === 'buffers' ? call<ComparedBuffers>('compare/buffers', pairsParams.peek(), { key: 'report/save/pairs' }) : null;
  const [is, was] = await ask<Groups>();
  const rows = pairs ? joinBuffers(is, was, pairsOf(await pairs), place) : joinGroups(is, was, place);
  const rest = restLine(rows, is.total, was.total, place, (left) => ({ ...left, name: '(rest)' }) as GroupRow);
  return textOf(pairs ? BUFFERS : GROUPS, is, [...rows, ...rest], pair);
}

function save(kind: Kind): void {
  const tab = reportTab.peek();
  const base = baseParams.peek();
  const pair = baseSteps.peek();
  if (!base || !pair) {
    toast('the matching steps of the program before are not known yet');
    return;
  }
  textBeside(tab, base, pair)
    .then((text) => saveText(text(kind), fileName(`report.${tab}.to_baseline`, kind), kind === 'csv' ? undefined : 'application/json'))
    .catch((error: unknown) => {
      if (!isAborted(error)) toast(error instanceof Error ? error.message : String(error));
    });
}

export function SaveReport() {
  const tab = reportTab.value;
  if (isCompared.value && !baseWhy.value)
    return (
      <>
        {(['csv', 'json'] as const).map((kind) => (
          <button key={kind} type="button" class="btn-s" title="with the numbers before and the differences" onClick={() => save(kind)}>
            {kind.toUpperCase()}
          </button>
        ))}
      </>
    );
  const { route, params: own } = questionOf(tab);
  const params = { ...reportParams.value, ...own };
  // A CSV is the whole table without asking for it.
  const { limit, ...whole } = params;
  const title = isCompared.value ? `without the program before: ${baseWhy.value}` : undefined;
  return (
    <>
      <a class="btn-s" title={title} href={csvUrl(route, whole)} download={fileName(`report.${tab}`, 'csv')}>
        CSV
      </a>
      <a class="btn-s" title={title} href={apiUrl(route, params)} download={fileName(`report.${tab}`, 'json')}>
        JSON
      </a>
    </>
  );
}
