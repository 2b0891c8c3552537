/** One of several ways to show something: a row of buttons, of which the chosen one is pressed. */
interface SwitchProps<Id extends string> {
  label: string;
  value: Id;
  choices: { id: Id; text: string; title?: string; off?: boolean }[];
  onChange: (id: Id) => void;
}

export function Switch<Id extends string>({ label, value, choices, onChange }: SwitchProps<Id>) {
  return (
    <span class="r-switch" role="group" aria-label={label}>
      {choices.map(({ id, text, title, off }) => (
        <button key={id} type="button" class={id === value ? 'on' : ''} aria-pressed={id === value} disabled={off} title={title} onClick={() => onChange(id)}>
          {text}
        </button>
      ))}
    </span>
  );
}
