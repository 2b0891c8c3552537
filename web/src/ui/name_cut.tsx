/** Names that are shown whole, and how much of the end of longer ones stays: it tells them from their like ("fusion.119"), as the beginning does. */
export const SHORT = 13;
const TAIL = 8; // as .middle of base.css has it

/** A name that is cut in the middle where there is no room. */
export function NameCut({ name, css = 'mono' }: { name: string; css?: string }) {
  if (name.length <= SHORT) return <span class={`${css} cut`}>{name}</span>;
  return (
    <span class={`${css} middle`} title={name}>
      <span class="cut">{name.slice(0, -TAIL)}</span>
      {name.slice(-TAIL)}
    </span>
  );
}
