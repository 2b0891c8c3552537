/** Links from names to other tools; where a tool is not there, the name stays and says why. */
import { standOf } from './open_tool';
import { hrefOf } from './router';
import { copyText } from './toast';

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
