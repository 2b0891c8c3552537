/** The whole drawing in the corner that is free, with what is on screen; a click goes there. */
import { useComputed } from '@preact/signals';
import { Drawing as Picture } from '../charts/drawing';
import { setView, view } from '../app/router';
import { cssColor } from '../app/theme';
import { Icon } from '../ui/icons';
import { centreAt, moved, onScreen, screen, toScreen } from './camera_state';
import { colourBy } from './settings';
import { scale, lookNow } from './colours';
import { drawMini } from './draw';
import { drawing, mainNode, hover } from './graph_state';
import { headerHeight } from './scene';

const WIDTH = 112;
const HEIGHT = 68;

function placeOf(): { x: number; y: number; scale: number } {
  const d = drawing.peek();
  if (!d) return { x: 0, y: 0, scale: 1 };
  const scale = Math.min((WIDTH - 6) / Math.max(1, d.width), (HEIGHT - 6) / Math.max(1, d.height));
  return { x: (WIDTH - d.width * scale) / 2, y: (HEIGHT - d.height * scale) / 2, scale };
}

/** As classes; the first of equally free ones is taken. */
const CORNERS = ['top', 'bottom', 'bottom left', 'top left'] as const;
const EDGE = 12;

/** Where it is: it stays there while nothing lies under it. */
let now: (typeof CORNERS)[number] = 'top';

/** The corner that hides the least: of boxes everything, of an opened fusion the line with its name. */
function freeCorner(): (typeof CORNERS)[number] {
  const d = drawing.value;
  void moved.value;
  if (!d) return 'top';
  const hidden = CORNERS.map((corner) => {
    const left = corner.endsWith('left') ? EDGE : screen.width - WIDTH - EDGE;
    const top = corner.startsWith('top') ? EDGE : screen.height - HEIGHT - EDGE;
    return d.boxes.reduce((sum, box, k) => {
      const height = d.scene.nodes[k].body >= 0 ? headerHeight : box.height;
      const [x0, y0] = toScreen(box.x, box.y);
      const [x1, y1] = toScreen(box.x + box.width, box.y + height);
      const wide = Math.min(x1, left + WIDTH) - Math.max(x0, left);
      const high = Math.min(y1, top + HEIGHT) - Math.max(y0, top);
      return wide > 0 && high > 0 ? sum + wide * high : sum;
    }, 0);
  });
  if (hidden[CORNERS.indexOf(now)] > 0) now = CORNERS[hidden.indexOf(Math.min(...hidden))];
  return now;
}

export function Minimap() {
  const corner = useComputed(freeCorner);
  if (view.value.mini === '0')
    return (
      <button type="button" class="g-mini-open btn-s" onClick={() => setView({ mini: null })}>
        overview
      </button>
    );
  return (
    <div class={`g-mini ${corner.value}`}>
      <Picture
        label="overview of the drawing"
        watch={() => void [moved.value, drawing.value, mainNode.value, colourBy.value, scale.value, hover.value]}
        draw={(g) => {
          const d = drawing.peek();
          if (!d) return;
          const at = placeOf();
          drawMini(g, d, lookNow(), at.x, at.y, at.scale);
          const seen = onScreen();
          g.strokeStyle = cssColor('--accent');
          g.lineWidth = 1.2;
          g.strokeRect(at.x + seen.x * at.scale, at.y + seen.y * at.scale, seen.width * at.scale, seen.height * at.scale);
        }}
        onClick={(x, y) => {
          const at = placeOf();
          centreAt((x - at.x) / at.scale, (y - at.y) / at.scale);
        }}
        onMove={(x, y, event) => {
          if (!(event.buttons & 1)) return;
          const at = placeOf();
          centreAt((x - at.x) / at.scale, (y - at.y) / at.scale);
        }}
      />
      <button type="button" class="g-mini-close" aria-label="close the overview" onClick={() => setView({ mini: 0 })}>
        <Icon name="close" size={10} />
      </button>
    </div>
  );
}
