/** An icicle on the page: what Memory shows of bytes and Ops of time. What a box is called, its colour and what a click does come from them. */
import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { cssColor } from '../app/theme';
import { boxAt, type IcicleBox, type IcicleTree, layoutIcicle } from '../canvas/icicle';
import { fitText } from '../canvas/text';
import { fillColour, inkColour } from './colours';
import { Drawing, hatch } from './drawing';
import { TipBox } from './tip';

interface Props {
  tree: IcicleTree;
  /** Height of a row in pixels. */
  row: number;
  label: string;
  /** Name under which the picture is saved. */
  picture: string;
  /** Words of a box, the longest first; the last may be cut. */
  words: (box: IcicleBox) => string[];
  /** Variable of its colour; '': it is not of one kind. */
  colour: (node: number) => string;
  /** Share of a box that is hatched at its end, and the colour of the lines where the box has none. */
  hatched?: (box: IcicleBox) => number;
  hatchVariable?: string;
  /** Boxes outside of the selection are dimmed. */
  isIn?: (node: number) => boolean;
  /** Pale boxes with a strong edge, as Trace has; else full ones. */
  thin?: boolean;
  /** Boxes with a frame. */
  marked?: readonly number[];
  tip: (box: IcicleBox) => ComponentChildren;
  onPick: (box: IcicleBox, event: MouseEvent) => void;
  onOpen?: (box: IcicleBox) => void;
}

export function Icicle(props: Props) {
  const { tree, row } = props;
  const boxes = useRef<IcicleBox[]>([]);
  const [at, setAt] = useState<{ box: IcicleBox; x: number; y: number } | null>(null);
  const depth = useMemo(() => tree.depth.reduce((most, d) => Math.max(most, d), 0), [tree]);
  const find = (x: number, y: number) => boxAt(boxes.current, Math.floor(y / row), x);
  const act = (work?: (box: IcicleBox, event: MouseEvent) => void) =>
    work &&
    ((x: number, y: number, event: MouseEvent) => {
      const box = find(x, y);
      if (box) work(box, event);
    });
  return (
    <div class="m-icicle">
      <div class="m-icicle-sized" style={{ height: `${(depth + 1) * row + 2}px` }}>
        <Drawing
          class="m-icicle-canvas"
          picture={props.picture}
          label={props.label}
          draw={(g, width) => {
            boxes.current = layoutIcicle(tree, width);
            for (const box of boxes.current) {
              g.globalAlpha = props.isIn && !props.isIn(box.node) ? 0.3 : 1;
              drawBox(g, props, box, at?.box.node === box.node);
            }
            g.globalAlpha = 1;
          }}
          onMove={(x, y, event) => {
            const box = find(x, y);
            setAt(box ? { box, x: event.clientX, y: event.clientY } : null);
          }}
          onLeave={() => setAt(null)}
          onClick={act(props.onPick)}
          onDoubleClick={act(props.onOpen)}
        />
      </div>
      {at ? (
        <TipBox x={at.x} y={at.y}>
          {props.tip(at.box)}
        </TipBox>
      ) : null}
    </div>
  );
}

const paleFill = (variable: string) => `color-mix(in srgb, ${cssColor(variable)} 42%, ${cssColor('--bg')})`;

function drawBox(g: CanvasRenderingContext2D, props: Props, box: IcicleBox, hovered: boolean): void {
  const { row } = props;
  const variable = box.joined > 1 ? '' : props.colour(box.node);
  const y = box.depth * row + 1;
  const w = Math.max(box.width - 1, 1);
  const pale = props.thin && variable;
  g.fillStyle = pale ? paleFill(variable) : variable ? fillColour(variable) : cssColor('--bg-sunk');
  g.fillRect(box.x, y, w, row - 1);
  if (pale) {
    g.fillStyle = fillColour(variable);
    g.fillRect(box.x, y, Math.min(2, w), row - 1);
  }
  const share = props.hatched?.(box) ?? 0;
  if (share > 0.02) {
    const part = share * w;
    const lines = variable && !pale ? 'rgb(255 255 255 / 50%)' : `color-mix(in srgb, ${cssColor(props.hatchVariable ?? '--fg')} 40%, transparent)`;
    hatch(g, box.x + w - part, y, part, row - 1, lines);
  }
  const marked = box.joined === 1 && props.marked?.includes(box.node);
  if (!variable || hovered || marked) {
    g.strokeStyle = cssColor(marked ? '--accent' : hovered ? '--fg' : '--rule');
    g.lineWidth = marked ? 2 : 1;
    g.strokeRect(box.x + 0.5, y + 0.5, w - 1, row - 2);
  }
  if (w < 26) return;
  g.font = `12px ${cssColor('--font')}`;
  g.textBaseline = 'middle';
  g.fillStyle = variable && !pale ? inkColour(variable) : cssColor('--fg');
  const text = fitText(g, props.words(box), w - 10);
  if (!variable || pale) {
    // Words stay legible on the hatch.
    g.strokeStyle = pale ? paleFill(variable) : cssColor('--bg-sunk');
    g.lineWidth = 3;
    g.strokeText(text, box.x + 5, y + row / 2);
  }
  g.fillText(text, box.x + 5, y + row / 2);
}
