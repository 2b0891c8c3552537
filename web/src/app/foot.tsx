import { reachable } from '../api/client';
import { lookedAt, runs } from './state';

export function Hint({ caps, text }: { caps: string[]; text: string }) {
  return (
    <span class="hint">
      {caps.map((cap) => (cap === '–' ? cap : <kbd key={cap}>{cap}</kbd>))} {text}
    </span>
  );
}

export function Watching() {
  const root = runs.value?.root;
  if (!reachable.value) {
    return (
      <span>
        <i class="dot lost" />
        the server does not answer
      </span>
    );
  }
  if (!root || !lookedAt.value) return null;
  return (
    <span class="cut" title={`${root}, last looked at ${new Date(lookedAt.value).toLocaleTimeString()}`}>
      <i class="dot" />
      watching {root}
    </span>
  );
}
