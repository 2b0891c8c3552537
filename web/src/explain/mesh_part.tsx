/** What shardings and replica groups mean for the devices: the global array, and the axes of a mesh that is typed in (in the address as `mesh`). */
import { setView, view } from '../app/router';
import { Section } from './section';
import type { Explanation } from './types';

export function MeshPart({ d, problem }: { d: Explanation; problem: string }) {
  const { sharding } = d;
  const { collective } = d.contains;
  if (!sharding && !collective?.groups) return null;
  const along = [sharding?.mesh, collective?.mesh].filter((words): words is string => Boolean(words));
  const typed = view.value.mesh ?? '';
  const take = (text: string) => setView({ mesh: text.trim() || null }, { push: false });
  return (
    <Section id="mesh" title="Across devices" answer={typed ? `mesh ${typed}` : 'mesh not given'} onlyClosed>
      {sharding ? <p>{sharding.words}</p> : null}
      {collective?.groups ? <p>{collective.words}</p> : null}
      <p class="x-mesh">
        <label for="x-mesh">Mesh</label>
        <input
          id="x-mesh"
          class="x-box wide"
          value={typed}
          placeholder="data=4,model=2"
          title="axes of the devices with their sizes, the last the innermost; or sizes alone: 4x2"
          onChange={(event) => take(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') event.stopPropagation(); // letters are keys of the page
            if (event.key === 'Enter') take(event.currentTarget.value);
          }}
        />
        {typed ? (
          <button type="button" class="link" onClick={() => take('')}>
            clear
          </button>
        ) : null}
      </p>
      {problem ? (
        <p class="x-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {along.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {typed || problem ? null : <p class="soft">The profile numbers the devices; what they are to the program, its mesh says. Type it, and it is kept in the link.</p>}
    </Section>
  );
}
