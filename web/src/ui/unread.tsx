/** Over what has no answer yet: hatched, never blank, and nothing there that would say something untrue. What it lies in is positioned. */
export function Unread({ what }: { what: string }) {
  return (
    <div class="m-unread" aria-busy="true">
      <p>
        <b>Not read yet</b>
        <span class="soft">{what} come here</span>
      </p>
    </div>
  );
}
