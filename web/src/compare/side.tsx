/** At the right: findings gone, new and there still; operations whose number changed; what is computed again. Wide screens add the
 *  walk from one peak to the other and what both reserve. */
import { useState } from 'preact/hooks';
import { broad } from '../app/media';
import { hrefOf } from '../app/router';
import { fixed, formatBytes, formatCount, pageUnit, plural } from '../util/format';
import { cellText } from '../memory/bytes';
import { roundBytes } from '../memory/headline';
import { signed } from './head';
import type { ComparedSide, Comparison, FindingChange } from '../memory/compare_types';
import { groupPlace, signOf } from './words';

const FOLD = 7;

export function Side({ a }: { a: Comparison }) {
  return (
    <aside class="cp-side" aria-label="what changed">
      {broad.value ? <Walk a={a} /> : null}
      {broad.value ? <Reserved a={a} /> : null}
      <Findings a={a} />
      <Operations a={a} />
      <Again a={a} />
    </aside>
  );
}

const MARKS = { gone: '− gone', new: '+ new', stays: '= stays' } as const;
const MARK_CLASS = { gone: 'good', new: 'bad', stays: 'soft' } as const;

/** Shows an existing saving; for a finding that stays, the present one. */
function savingOf(f: FindingChange): number | null {
  return f.state === 'gone' ? f.before_saving_bytes : f.after_saving_bytes;
}

function Findings({ a }: { a: Comparison }) {
  const [all, setAll] = useState(false);
  const rank = { gone: 0, new: 1, stays: 2 };
  const list = [...a.findings].sort((x, y) => rank[x.state] - rank[y.state] || (savingOf(y) ?? 0) - (savingOf(x) ?? 0));
  const count = (state: FindingChange['state']) => list.filter((f) => f.state === state).length;
  const shown = all ? list : list.slice(0, FOLD);
  return (
    <section class="cp-sec" aria-label="findings">
      <h2>
        Findings
        <span>
          {count('gone')} gone, {count('new')} new, {count('stays')} stay, {pageUnit.value}
        </span>
      </h2>
      {list.length === 0 ? <p class="soft">none on either side</p> : null}
      <ul class="cp-findings">
        {shown.map((f, i) => (
          <li key={`${f.state} ${f.id} ${i}`}>
            <b class={MARK_CLASS[f.state]}>{MARKS[f.state]}</b>
            <span class="soft">{f.id}</span>
            <span class="cp-claim" title={f.claim}>
              {f.claim}
            </span>
            <b
              class="num"
              title={f.state === 'stays' ? 'what it would save now' : f.state === 'gone' ? 'what it would have saved before' : 'what it would save'}
            >
              {(savingOf(f) ?? 0) > 0 ? cellText(savingOf(f)) : 'hint'}
            </b>
          </li>
        ))}
      </ul>
      {list.length > FOLD ? (
        <button type="button" class="link" onClick={() => setAll(!all)}>
          {all ? 'show fewer' : `show ${formatCount(list.length - FOLD)} more`}
        </button>
      ) : null}
    </section>
  );
}

function Counts({ name, before, after, strong }: { name: string; before: number; after: number; strong?: boolean }) {
  const by = after - before;
  return (
    <tr>
      <th scope="row">{strong ? name : <code>{name}</code>}</th>
      <td>{formatCount(before)}</td>
      <td>{formatCount(after)}</td>
      <td class={signOf(by)}>
        <b>{by > 0 ? `+${formatCount(by)}` : formatCount(by)}</b>
      </td>
    </tr>
  );
}

function Operations({ a }: { a: Comparison }) {
  const [open, setOpen] = useState(false);
  const { opcodes } = a;
  const shown = open || broad.value ? opcodes.n : Math.min(opcodes.n, 6);
  return (
    <section class="cp-sec" aria-label="changed operations">
      <table>
        <thead>
          <tr>
            <th scope="col">Changed operations</th>
            <th scope="col">before</th>
            <th scope="col">after</th>
            <th scope="col">more</th>
          </tr>
        </thead>
        <tbody>
          <Counts name="all instructions" before={a.before.instructions_outside_fusions} after={a.after.instructions_outside_fusions} strong />
          {Array.from({ length: shown }, (_, i) => (
            <Counts key={opcodes.opcode[i]} name={opcodes.opcode[i]} before={opcodes.before[i]} after={opcodes.after[i]} />
          ))}
        </tbody>
      </table>
      <p class="soft">
        {opcodes.n > shown ? (
          <button type="button" class="link" onClick={() => setOpen(true)}>
            {formatCount(opcodes.n - shown)} more changed
          </button>
        ) : (
          `${plural(a.opcodes_same, 'opcode')} unchanged`
        )}
        {a.opcodes_left_out > 0 ? `; ${formatCount(a.opcodes_left_out)} not listed` : ''}
      </p>
    </section>
  );
}

/** What the backward pass computes again: more of it is paid in work. */
function Again({ a }: { a: Comparison }) {
  const r = a.recomputed;
  if (r.n === 0) return null;
  return (
    <section class="cp-sec" aria-label="recomputed">
      <h2>
        Recomputed now <span>open in Graph</span>
      </h2>
      <ul class="cp-again">
        {r.scope.map((scope, i) => {
          const by = r.after_fusions[i] - r.before_fusions[i];
          return (
            <li key={scope}>
              <a class="mono cut" href={hrefOf({ tool: 'graph', gq: scope.split('*')[0] })}>
                {scope}
              </a>
              <span>
                {plural(Math.abs(by), 'fusion')} {by > 0 ? 'more' : 'fewer'}
              </span>
            </li>
          );
        })}
      </ul>
      {a.recomputed_left_out > 0 ? <p class="soft">{formatCount(a.recomputed_left_out)} more scopes</p> : null}
    </section>
  );
}

const WALK = 6;

/** From one peak to the other in steps of the largest groups; the rest in one. */
function Walk({ a }: { a: Comparison }) {
  const g = a.groups;
  const top = Array.from({ length: Math.min(WALK, a.groups_different) }, (_, i) => ({
    by: g.difference_bytes[i],
    name:
      groupPlace(a, i)
        .split(/[/,] ?/)
        .pop() ?? '',
    shape: (a.names[g.shape[i]] ?? '').replace(/^\w+/, ''),
  }));
  const rest = a.difference_bytes - top.reduce((sum, step) => sum + step.by, 0);
  const more = a.groups_different - top.length;
  const steps = more > 0 ? [...top, { by: rest, name: `${formatCount(more)} more`, shape: 'groups' }] : top;
  const most = Math.max(a.before.peak_bytes, a.after.peak_bytes, 1);
  let at = a.before.peak_bytes;
  const y = (bytes: number) => `${(1 - bytes / most) * 100}%`;
  const column = (key: string, top_: number, bottom: number, text: string, cls: string, name: string, shape: string) => (
    <div key={key} class="cp-walk-step">
      <div class="cp-walk-plot">
        <i class={cls} style={{ top: y(top_), height: `${((top_ - bottom) / most) * 100}%` }} />
        <b style={{ top: y(top_) }}>{text}</b>
      </div>
      <span class="cut">{name}</span>
      <code class="cut">{shape}</code>
    </div>
  );
  return (
    <section class="cp-sec" aria-label="from peak to peak">
      <h2>
        From peak to peak <span>{pageUnit.value}, largest groups first</span>
      </h2>
      <div class="cp-walk">
        {column('before', a.before.peak_bytes, 0, cellText(a.before.peak_bytes), 'before', 'before', '')}
        {steps.map((step, i) => {
          const from = at;
          at += step.by;
          return column(String(i), Math.max(from, at), Math.min(from, at), signed(step.by), step.by > 0 ? 'grow' : 'shrink', step.name, step.shape);
        })}
        {column('after', a.after.peak_bytes, 0, cellText(a.after.peak_bytes), 'after', 'after', '')}
      </div>
    </section>
  );
}

function Reserved({ a }: { a: Comparison }) {
  const capacity = a.after.capacity_bytes;
  const scale = Math.max(capacity ?? 0, a.before.reserved_bytes, a.after.reserved_bytes, 1);
  const bar = (title: string, side: ComparedSide) => {
    const live = side.peak_bytes - side.resident_bytes;
    const part = (cls: string, bytes: number) => (
      <i class={cls} style={{ width: `${(bytes / scale) * 100}%` }} title={`${formatBytes(bytes)} (${fixed((bytes / scale) * 100, 1)} %)`}>
        {bytes / scale > 0.06 ? cellText(bytes) : ''}
      </i>
    );
    return (
      <div class="cp-reserved">
        <span>{title}</span>
        <div>
          {part('m-seg-param', side.resident_bytes)}
          {part('m-seg-temp', live)}
          {side.fragmentation_bytes === null ? null : part('m-seg-frag', side.fragmentation_bytes)}
        </div>
        <b>{cellText(side.reserved_bytes)}</b>
      </div>
    );
  };
  return (
    <section class="cp-sec" aria-label="reserved">
      <h2>
        Reserved{capacity === null ? '' : `, of ${roundBytes(capacity)}`} <span>always there, temporaries, fragmentation</span>
      </h2>
      {bar('before', a.before)}
      {bar('after', a.after)}
    </section>
  );
}
