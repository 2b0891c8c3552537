/** Where the buffer comes from in the user's code. */
import { useState } from 'preact/hooks';
import { broad } from '../app/media';
import type { BufferCard } from '../api/types';
import { copyText } from '../app/toast';
import { formatCount, plural } from '../util/format';
import { baseName } from '../app/links';
import { SourceName } from './links';
import { scopeParts } from './op_path';
import { change } from './state';

type Source = NonNullable<BufferCard['source']>;

/** Only addresses of the web; a template of the user's own may name anything. */
function isWeb(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}

export function CardSource({ c }: { c: BufferCard }) {
  const s = c.source;
  const [all, setAll] = useState(false);
  if (!s || (!s.file && !s.op_name))
    return (
      <section class="m-sec">
        <h3>Source</h3>
        <p class="soft">none recorded: {c.class === 'parameter' ? 'an argument' : 'made by the compiler'}</p>
      </section>
    );
  const shown = all || broad.value ? s.frames : s.frames.slice(0, 1);
  const more = s.frames.length - shown.length;
  return (
    <section class="m-sec">
      <h3>
        Source
        {s.file ? (
          <span class="side">
            <button type="button" class="link" onClick={() => copyText(`${s.file}${s.line === null ? '' : `:${s.line}`}`, 'path')}>
              copy
            </button>
            {isWeb(s.url) ? (
              <a href={s.url} target="_blank" rel="noreferrer noopener">
                open
              </a>
            ) : null}
          </span>
        ) : null}
      </h3>
      <p class="m-source">
        {s.file ? <SourceName file={s.file} line={s.line} /> : null}
        {s.file && s.op_name ? ' in ' : ''}
        <OpPath s={s} />
      </p>
      {s.from ? <p class="faint">{s.from}</p> : null}
      <ul class="m-frames">
        {shown.map((frame, k) => (
          <li key={k} class="mono soft cut" title={`${frame.file}:${frame.line}:${frame.column} ${frame.function}`}>
            {baseName(frame.file)}:{frame.line}
            {frame.column > 0 ? `:${frame.column}` : ''} <span class="faint">{frame.function}</span>
          </li>
        ))}
      </ul>
      {more > 0 ? (
        <button type="button" class="link" onClick={() => setAll(true)}>
          +{plural(more, 'frame')}
        </button>
      ) : null}
      {s.frames_cut === 0 ? null : (
        <p class="faint">{s.frames_cut === null ? 'the stack is cut in the file' : `${formatCount(s.frames_cut)} more frames are in the file`}</p>
      )}
    </section>
  );
}

/** Each part narrows the page to everything below it. */
function OpPath({ s }: { s: Source }) {
  if (!s.op_name) return null;
  const parts = scopeParts(s.op_name);
  return (
    <>
      {parts.map((part, k) => (
        <span key={part.prefix}>
          {k > 0 ? <span class="faint"> / </span> : null}
          <button type="button" class="link" title={`filter everything to ${part.prefix}`} onClick={() => change({ scope: part.prefix, source: null })}>
            {part.name}
          </button>
        </span>
      ))}
    </>
  );
}
