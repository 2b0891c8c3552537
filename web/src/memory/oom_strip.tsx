/** The error of a program that did not fit: from the run, or pasted. What was understood is bold. */
import { effect, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { api, isAborted } from '../api/client';
import type { Oom } from '../api/types';
import { firstBytes } from '../app/oom_paste';
import { openOom } from '../app/palette_state';
import { hrefOf } from '../app/router';
import { run } from '../app/state';
import { formatBytes } from '../util/format';
import { cutParts, shortParts } from './oom_text';
import { pastedCapacity, pastedError } from '../app/pasted';
import { change, pin, subject, summary } from './state';

export { pastedError } from '../app/pasted';

const MAX_ERROR_BYTES = 8000;

const pasted = signal<Oom | null>(null);
const problem = signal<string | null>(null);
/** The strip of the run's own error was closed by hand. */
const closed = signal<string | null>(null);

function follow(): () => void {
  return effect(() => {
    const text = pastedError.value;
    const open = subject.value.run;
    if (!text) {
      pasted.value = null;
      problem.value = null;
      return;
    }
    api
      .oom({ text: firstBytes(text, MAX_ERROR_BYTES), run: open }, { key: 'memory/oom' })
      .then((answer) => {
        pasted.value = answer;
        pastedCapacity.value = answer.capacity_bytes;
        problem.value = null;
        // The message knows what the device really offers; the table of devices does not.
        if (answer.capacity_bytes !== null && answer.match?.matches && subject.peek().hbm === '') change({ hbm: answer.capacity_bytes });
      })
      .catch((error: unknown) => {
        if (isAborted(error)) return;
        pasted.value = null;
        problem.value = error instanceof Error ? error.message : String(error);
      });
  });
}

export function OomStrip() {
  useEffect(follow, []);
  const s = summary.value;
  const own = s?.oom ?? null;
  const text = pastedError.value;
  return (
    <>
      {text && problem.value ? (
        <div class="strip error m-oom" role="alert">
          <b class="what">Pasted error</b>
          <span class="text">could not be read: {problem.value}</span>
          <Actions />
        </div>
      ) : text && pasted.value ? (
        <Strip oom={pasted.value} text={text} title="Pasted error" own={false} />
      ) : own && closed.value !== s?.run ? (
        <Strip oom={own} text={run.value?.error_text ?? ''} title={own.understood ? 'Did not fit' : 'Error'} own />
      ) : null}
    </>
  );
}

function Strip({ oom, text, title, own }: { oom: Oom; text: string; title: string; own: boolean }) {
  const [whole, setWhole] = useState(false);
  const all = cutParts(text.trimEnd(), oom.parts);
  const short = shortParts(all);
  const shown = whole ? all : short.parts;
  return (
    <div class="strip error m-oom" role="status">
      <b class="what">{title}</b>
      <div class="text">
        {shown.length > 0 ? (
          <code class="m-oom-text">
            {shown.map((part, k) =>
              part.what ? (
                <b key={k} title={part.what}>
                  {part.text}
                </b>
              ) : (
                <span key={k}>{part.text}</span>
              ),
            )}
          </code>
        ) : (
          <NumbersOnly oom={oom} />
        )}
        {short.cut > 0 ? (
          <button type="button" class="link" onClick={() => setWhole(!whole)}>
            {whole ? 'less' : `whole text (${all.reduce((sum, part) => sum + part.text.length, 0).toLocaleString('en-US')} characters)`}
          </button>
        ) : null}
        {oom.understood ? null : <div>Not a known form of an out-of-memory error.</div>}
        <Items oom={oom} />
      </div>
      <div class="m-oom-side">
        <Match oom={oom} />
        <Actions form={oom.form} own={own} />
      </div>
    </div>
  );
}

function NumbersOnly({ oom }: { oom: Oom }) {
  return (
    <span>
      needs {formatBytes(oom.needed_bytes)} of {formatBytes(oom.capacity_bytes)}
      {oom.space ? ` in ${oom.space}` : ''}
    </span>
  );
}

/** Allocations that the message names, as far as they are buffers here. */
function Items({ oom }: { oom: Oom }) {
  const seen = new Set<number>();
  const found = oom.items.filter((item) => item.buffers.length > 0 && !seen.has(item.buffers[0]) && seen.add(item.buffers[0])).slice(0, 4);
  if (found.length === 0) return null;
  return (
    <div class="m-oom-items">
      named in it:{' '}
      {found.map((item) => (
        <button key={`${item.instruction}${item.size_bytes}`} type="button" class="m-op" onClick={() => pin(item.buffers[0])}>
          {item.instruction ? `%${item.instruction.replace(/^%/, '')}` : (item.shape ?? formatBytes(item.size_bytes))} {formatBytes(item.size_bytes)}
        </button>
      ))}
    </div>
  );
}

/** The message is about another memory space than the one below. */
function OtherSpace({ color }: { color: number | null }) {
  const s = summary.value;
  const space = color === null || s?.space.color === color ? undefined : s?.spaces.find((one) => one.color === color);
  if (!s || !space) return null;
  return space.peak_bytes > 0 ? (
    <>
      {'; '}
      <a href={hrefOf({ space: color })}>show {space.name}</a>, below is {s.space.name}
    </>
  ) : (
    <>
      ; below is {s.space.name}. No buffer is in {space.name}: a single operation needs that much (<a href={hrefOf({ tab: 'findings' })}>findings</a>)
    </>
  );
}

function Match({ oom }: { oom: Oom }) {
  const match = oom.match;
  if (!match) return null;
  const here = summary.value?.module;
  const other = match.module !== null && here && match.module !== here.key && match.module !== here.name;
  if (other && match.matches !== false)
    return (
      <span>
        this is about <a href={hrefOf({ module: match.module, space: oom.color })}>{match.module}</a>
      </span>
    );
  const from = oom.capacity_bytes !== null && match.matches ? '; its capacity is used' : '';
  return (
    <span>
      {match.sentence ?? (match.matches ? 'matches this module' : 'is about another module')}
      {match.sentence ? '' : from}
      <OtherSpace color={oom.color} />
    </span>
  );
}

function Actions({ form, own = false }: { form?: string | null; own?: boolean }) {
  return (
    <span class="m-oom-actions">
      {form ? <span class="faint">{form}</span> : null}
      <button type="button" class="link" onClick={openOom}>
        {own ? 'paste an error' : 'paste another'}
      </button>
      <button
        type="button"
        class="link"
        onClick={() => {
          if (own) closed.value = summary.peek()?.run ?? null;
          pastedError.value = null;
        }}
      >
        close
      </button>
    </span>
  );
}
