/** A line of the details: what, and how much. */
import type { ComponentChildren } from 'preact';

export function Row({ name, children, title }: { name: string; children: ComponentChildren; title?: string }) {
  return (
    <>
      <dt title={name}>{name}</dt>
      <dd title={title}>{children}</dd>
    </>
  );
}
