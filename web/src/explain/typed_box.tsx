/** A field whose text is taken with Enter, or when it is left. What is typed stays while answers arrive and the panel is drawn anew. */
import { useState } from 'preact/hooks';

interface Props {
  value: string;
  take: (text: string) => void;
  class: string;
  id?: string;
  title?: string;
  placeholder: string;
  label?: string;
  decimal?: boolean;
}

export function TypedBox({ value, take, class: className, id, title, placeholder, label, decimal }: Props) {
  const [draft, setDraft] = useState<string | null>(null);
  const end = (text: string) => {
    setDraft(null);
    take(text.trim());
  };
  return (
    <input
      id={id}
      class={className}
      title={title}
      placeholder={placeholder}
      aria-label={label}
      inputMode={decimal ? 'decimal' : undefined}
      value={draft ?? value}
      onInput={(event) => setDraft(event.currentTarget.value)}
      onChange={(event) => end(event.currentTarget.value)}
      onBlur={() => setDraft(null)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') event.stopPropagation(); // letters and digits are keys of the page
        if (event.key === 'Enter') end(event.currentTarget.value);
      }}
    />
  );
}
