/** Everything the drawing can be saved as. */
import { apiUrl } from '../api/client';
import { cssColor } from '../app/theme';
import { toast } from '../app/toast';
import { fileName, savePicture, saveText } from '../app/exports';
import { Pop } from '../memory/pop';
import { Icon } from '../ui/icons';
import { lookNow } from './colours';
import { drawScene } from './draw';
import { around, drawing } from './graph_state';
import { SvgPen } from './pen';
import { centre, merge, radius, wholeComputation } from './settings';
import { subject } from './state';

function svgText(): string | null {
  const d = drawing.peek();
  if (!d) return null;
  const pen = new SvgPen();
  const view = { x: -16, y: -16, width: d.width + 32, height: d.height + 32 };
  drawScene(pen, d, { ...lookNow(), zoom: 1, view, hover: -1 });
  return pen.svg(view.x, view.y, view.width, view.height, cssColor('--bg'), around.peek()?.title ?? 'graph');
}

function saveSvg(): void {
  const text = svgText();
  if (text) saveText(text, fileName(centre.peek() || 'graph', 'svg'), 'image/svg+xml');
  else toast('there is no drawing to save');
}

export function Exports() {
  const what = wholeComputation.value || centre.value;
  return (
    <Pop
      label={
        <>
          <Icon name="save" size={14} /> <span>Export</span>
        </>
      }
      title="save the drawing"
      class="g-tool"
    >
      {(close) => (
        <ul class="m-menu">
          <li>
            <button
              type="button"
              class="link"
              onClick={() => {
                close();
                saveSvg();
              }}
            >
              SVG, the whole drawing
            </button>
          </li>
          <li>
            <button
              type="button"
              class="link"
              onClick={() => {
                close();
                savePicture('graph');
              }}
            >
              PNG, the visible part
            </button>
          </li>
          <li>
            <a
              href={apiUrl('graph/dot', { ...subject(), node: what, radius: radius.value, merge: merge.value ? 1 : 0 })}
              download={fileName(what || 'graph', 'dot')}
              onClick={close}
            >
              DOT, XProf’s nodes for Graphviz
            </a>
          </li>
        </ul>
      )}
    </Pop>
  );
}
