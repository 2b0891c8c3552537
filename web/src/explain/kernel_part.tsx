/** The kernel that a custom call holds, as MLIR: read when the section is open. */
import { useEffect, useState } from 'preact/hooks';
import { apiUrl, transport } from '../api/client';
import { view } from '../app/router';
import { copyText } from '../app/toast';
import { formatCount, plural } from '../util/format';
import { bytesText } from './numbers';
import { isOpen, Section } from './section';
import type { Explanation } from './types';

/** Lines that are shown; the link has all. */
const SHOWN = 400;

export function KernelPart({ d }: { d: Explanation }) {
  const [text, setText] = useState<string | null>(null);
  const { run, host } = view.value;
  const params = { run, host, module: d.module, node: d.name };
  const url = apiUrl('graph/kernel', params);
  const wanted = Boolean(d.kernel_bytes) && isOpen('kernel');
  useEffect(() => {
    if (!wanted) return;
    const stop = new AbortController();
    setText(null);
    transport
      .ask(url, { signal: stop.signal })
      .then(async (answer) => setText(answer.ok ? await answer.text() : `the server answered ${answer.status}`))
      .catch(() => {});
    return () => stop.abort();
  }, [url, wanted]);
  if (!d.kernel_bytes) return null;
  const lines = text?.split('\n') ?? [];
  return (
    <Section id="kernel" title="Kernel" answer={`MLIR, ${bytesText(d.kernel_bytes)} of bytecode`}>
      <p class="row">
        <a href={url} target="_blank" rel="noreferrer">
          open as text
        </a>
        <a href={apiUrl('graph/kernel', { ...params, format: 'bytes' })} download={`${d.name}.mlirbc`}>
          bytecode
        </a>
        <button type="button" class="link" disabled={text === null} onClick={() => void copyText(text ?? '', 'kernel')}>
          copy
        </button>
        <span class="soft">{text === null ? 'reading' : plural(lines.length, 'line')}</span>
      </p>
      <pre class="x-kernel mono" tabIndex={0}>
        {lines.slice(0, SHOWN).join('\n')}
      </pre>
      {lines.length > SHOWN ? <p class="faint">{formatCount(lines.length - SHOWN)} more lines; open as text to see all</p> : null}
    </Section>
  );
}
