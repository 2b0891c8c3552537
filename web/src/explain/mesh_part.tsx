/**
 * What shardings and replica groups mean for the devices: the global array, and the axes of a mesh that is typed in (in the address as `mesh`).
 * Where an op has no sharding, or another one is wanted, it is typed too (`shard`: the op, a blank, the sharding: it is of that op alone).
 */
import { setView, view } from '../app/router';
import { Section } from './section';
import { TypedBox } from './typed_box';
import type { Explanation } from './types';

/** The program says something about devices (also where another sharding is typed over its own); else there is only what is typed. */
export const hasDevices = (d: Explanation) =>
  Boolean(d.contains.collective?.groups || (d.sharding && (!d.sharding.typed || d.text.parts.label.includes('sharding'))));

export function typedSharding(op: string): string | undefined {
  const said = view.value.shard ?? '';
  return said.startsWith(`${op} `) ? said.slice(op.length + 1) : undefined;
}

interface BoxProps {
  id: string;
  label: string;
  value: string;
  example: string;
  title: string;
  take: (text: string) => void;
}

function Box({ id, label, value, example, title, take }: BoxProps) {
  return (
    <p class="x-mesh">
      <label for={id}>{label}</label>
      <TypedBox id={id} class="x-box wide" value={value} placeholder={example} title={title} take={take} />
      {value ? (
        <button type="button" class="link" title={`clear the ${label.toLowerCase()}`} onClick={() => take('')}>
          clear
        </button>
      ) : null}
    </p>
  );
}

export function MeshPart({ d, problem }: { d: Explanation; problem: string }) {
  const { sharding } = d;
  const { collective } = d.contains;
  if (d.pasted && !hasDevices(d)) return null;
  const along = [sharding?.mesh, collective?.mesh].filter((words): words is string => Boolean(words));
  const mesh = view.value.mesh ?? '';
  const typed = typedSharding(d.name) ?? '';
  const known = hasDevices(d);
  const whole = sharding?.global_dims ? `whole job [${sharding.global_dims.join(',')}]` : '';
  return (
    <Section
      id={known ? 'mesh' : 'whole'}
      title="Across devices"
      answer={whole || (mesh ? `mesh ${mesh}` : known ? 'mesh not given' : 'no sharding in the program')}
      onlyClosed
    >
      {sharding ? (
        <p>
          {sharding.typed ? <code class="wrap">{sharding.text}</code> : null} {sharding.words}
        </p>
      ) : null}
      {collective?.groups ? <p>{collective.words}</p> : null}
      <Box
        id="x-mesh"
        label="Mesh"
        value={mesh}
        example="data=4,model=2"
        title="device axes with sizes, innermost last; or only sizes: 4x2"
        take={(text) => setView({ mesh: text || null }, { push: false })}
      />
      {d.pasted ? null : (
        <Box
          id="x-sharding"
          label="Sharding"
          value={typed}
          example={sharding && !sharding.typed ? sharding.text : 'P(data, None)'}
          title="how the whole array is sharded: mesh axes per dimension, P(data, None, (x, y)), or HLO syntax, {devices=[4,1]<=[4]}"
          take={(text) => setView({ shard: text ? `${d.name} ${text}` : null }, { push: false })}
        />
      )}
      {problem ? (
        <p class="x-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {along.map((words) => (
        <p key={words}>{words}</p>
      ))}
      {mesh || problem ? null : <p class="soft">Enter the mesh to name its axes; it is saved in the link.</p>}
      {sharding || problem || d.pasted ? null : <p class="soft">The op has no sharding, so its shape is for one device. Enter one to see the global shape.</p>}
    </Section>
  );
}
