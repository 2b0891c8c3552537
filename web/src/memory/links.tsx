import { baseName } from '../app/links';
import { change } from './state';

/** A source line: shows what it holds. */
export function SourceName({ file, line, text }: { file: string; line: number | null; text?: string }) {
  const full = line === null ? file : `${file}:${line}`;
  const short = line === null ? baseName(file) : `${baseName(file)}:${line}`;
  return (
    <button type="button" class="m-op" title={`${full}: show the buffers of this line`} onClick={() => change({ tab: 'buffers', source: full, scope: null })}>
      {text ?? short}
    </button>
  );
}
