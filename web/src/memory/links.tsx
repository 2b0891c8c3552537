/** Links from names to other tools; where a tool is not there, the name stays and says why. */
import { hrefOf } from '../app/router';
import { run } from '../app/state';
import { type ToolStand, toolStand } from '../app/tools';
import { copyText } from '../app/toast';
import { change } from './state';

export function standOf(tool: string): ToolStand {
  return toolStand(run.value?.tools.find((item) => item.id === tool));
}

/** An instruction: opens it in Graph. */
export function OpName({ name }: { name: string }) {
  const stand = standOf('graph');
  const text = name.startsWith('%') ? name : `%${name}`;
  if (stand.open)
    return (
      <a class="m-op" href={hrefOf({ tool: 'graph', op: text })}>
        {text}
      </a>
    );
  return (
    <button type="button" class="m-op" title={`copy the name (Graph: ${stand.reason})`} onClick={() => copyText(text, text)}>
      {text}
    </button>
  );
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** A source line: shows what it holds. */
export function SourceName({ file, line, text }: { file: string; line: number | null; text?: string }) {
  const full = line === null ? file : `${file}:${line}`;
  const short = line === null ? baseName(file) : `${baseName(file)}:${line}`;
  return (
    <button
      type="button"
      class="m-op"
      title={`${full}: show the buffers of this line`}
      onClick={() => change({ tab: 'buffers', source: full, scope: null })}
    >
      {text ?? short}
    </button>
  );
}
