/** The box beside a name in the text: what it is, its shape, where it comes from. */
import { signal } from '@preact/signals';
import { TipBox } from '../charts/tip';
import { framesOf, metaOf } from './meta';
import { text } from './state';
import { instructionAt } from './text';

const over = signal<{ name: string; x: number; y: number } | null>(null);

export function showTextTip(name: string | null, event: MouseEvent | null): void {
  over.value = name && event ? { name, x: event.clientX, y: event.clientY } : null;
}

export function TextTip() {
  const at = over.value;
  const all = text.value;
  if (!at || !all) return null;
  const line = all.defined.get(at.name);
  if (line === undefined) return null;
  const instruction = instructionAt(all, line);
  const meta = metaOf(all.lines[line]);
  const frames = framesOf(all, meta, 3);
  return (
    <TipBox x={at.x} y={at.y}>
      <div>
        <b class="mono">{at.name}</b> <span class="soft">line {line + 1}</span>
      </div>
      {instruction ? (
        <div class="mono">
          {instruction.opcode} {instruction.shape}
        </div>
      ) : (
        <div>a computation</div>
      )}
      {meta?.opName ? <div>{meta.opName}</div> : null}
      {frames.map((frame, k) => (
        <div key={k} class="soft">
          {frame.file.replace(/^.*\//, '')}:{frame.line} {frame.function}
        </div>
      ))}
    </TipBox>
  );
}
