/** Beside the text: who uses the instruction of the current line, and what it takes, each with its line. */
import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { view } from '../app/router';
import { formatCount } from '../util/format';
import { Swatch } from './left';
import { goNamed, here, loading, text } from './state';
import { instructionAt, usesOf } from './text';
import { loadNeighbourGroups, neighbourGroups } from './text_groups_state';

const LISTED = 200;

interface Neighbour {
  name: string;
  line: number;
}

const lists = computed<{ uses: Neighbour[]; operands: Neighbour[]; called: Neighbour[]; of: string; isOp: boolean } | null>(() => {
  const all = text.value;
  if (!all || here.value < 0) return null;
  const instruction = instructionAt(all, here.value);
  const head = instruction ? undefined : all.heads.find((item) => item.line === here.value);
  const name = instruction?.name ?? head?.name;
  if (!name) return null;
  const known = (names: string[]) => names.map((item) => ({ name: item, line: all.defined.get(item) ?? -1 }));
  return {
    of: name,
    isOp: Boolean(instruction),
    uses: usesOf(all, name).map((line) => ({ name: instructionAt(all, line)?.name ?? '', line })),
    operands: known(instruction?.operands ?? []),
    called: known(instruction?.others ?? []),
  };
});

/** The square of the op's group; its place stays empty while it is unknown. */
function Square({ name }: { name: string }) {
  const group = neighbourGroups.value?.get(name);
  return group ? <Swatch group={group} /> : <i class="swatch" />;
}

function List({ title, items, none, squares }: { title: string; items: Neighbour[]; none: string; squares?: boolean }) {
  return (
    <section>
      <h3 aria-level={2}>
        {title} <span class="soft">{formatCount(items.length)}</span>
      </h3>
      {items.length ? null : <p class="faint">{none}</p>}
      <ul>
        {items.slice(0, LISTED).map((item, k) => (
          <li key={k}>
            {squares && <Square name={item.name} />}
            <button type="button" class="link mono cut cut-front" title={item.name} onClick={() => goNamed(item.name)}>
              <bdi>{item.name}</bdi>
            </button>
            <span class="faint">{item.line + 1}</span>
          </li>
        ))}
        {items.length > LISTED ? (
          <li class="faint">
            {formatCount(items.length - LISTED)} more; find %{lists.value?.of} in the text
          </li>
        ) : null}
      </ul>
    </section>
  );
}

export function TextSide() {
  const all = lists.value;
  const { run, host, module } = view.value;
  // While the next program's text is on its way the lists are those of the one before.
  const node = all?.isOp && !loading.value ? all.of : '';
  useEffect(() => {
    if (node) void loadNeighbourGroups(node);
  }, [node, run, host, module]);
  return (
    <section class="g-uses" aria-label="uses and operands">
      {all ? (
        <>
          <List title="Uses" items={all.uses} none="none" squares={all.isOp} />
          <List title="Operands" items={all.operands} none="none" squares={all.isOp} />
          {all.called.length ? <List title="Calls, waits for" items={all.called} none="" /> : null}
        </>
      ) : (
        <p class="faint">Click a name to see its users and operands here.</p>
      )}
    </section>
  );
}
