/**
 * Every key and gesture, once: the handlers, the `?` overlay and the palette read this table.
 * Letters and digits go by place (`code`), so other layouts work; signs go by what they print (`key`), with the US place
 * as the fallback.
 */
import { TOOLS } from './tools';

export type KeyScope = 'everywhere' | 'runs' | 'charts' | 'overview' | 'memory' | 'trace' | 'graph' | 'ops' | 'roofline' | 'input' | 'heap' | 'tables';

export interface Stroke {
  code?: string;
  key?: string;
  shift?: boolean;
  ctrl?: boolean;
  alt?: boolean;
}

export interface KeyRow {
  id: string;
  scope: KeyScope;
  text: string;
  /** Caps as drawn; a word in lower case is drawn as plain text (a mouse gesture, "or"). */
  caps: string[];
  strokes: Stroke[];
  /** Acts in a text field as well. */
  inText?: boolean;
  /** Listed in the palette as an action. */
  action?: boolean;
}

const at = (code: string, more: Omit<Stroke, 'code'> = {}): Stroke => ({ code, ...more });
const sign = (key: string, code?: string): Stroke => (code ? { key, code } : { key });

function row(scope: KeyScope, id: string, caps: string, text: string, strokes: Stroke[], more: Partial<KeyRow> = {}): KeyRow {
  return { id, scope, text, caps: caps.split(' '), strokes, ...more };
}

const drags = [1, 2, 3, 4];

export const KEY_ROWS: KeyRow[] = [
  row('everywhere', 'palette', 'Ctrl K', 'palette: anything by name', [at('KeyK', { ctrl: true })], { inText: true }),
  row('everywhere', 'search', '/', 'search in this page', [sign('/', 'Slash')]),
  row('everywhere', 'next_match', 'Enter', 'next match', [at('Enter')]),
  row('everywhere', 'previous_match', 'Shift Enter', 'previous match', [at('Enter', { shift: true })]),
  row('everywhere', 'escape', 'Esc', 'unpin, clear filter, close', [at('Escape')], { inText: true }),
  row('everywhere', 'copy_link', 'Y', 'copy a link to this view', [at('KeyY')], { action: true }),
  row('everywhere', 'table_twin', 'T', 'table or picture', [at('KeyT')]),
  row('everywhere', 'card', 'I', 'the details panel', [at('KeyI')]),
  row(
    'everywhere',
    'tool',
    `Shift 1 – ${TOOLS.length}`,
    `${TOOLS[0].title} … ${TOOLS[TOOLS.length - 1].title}`,
    TOOLS.map((_, i) => at(`Digit${i + 1}`, { shift: true })),
  ),
  row('everywhere', 'module_step', 'Alt ↑ or ↓', 'previous, next module', [at('ArrowUp', { alt: true }), at('ArrowDown', { alt: true })]),
  row('everywhere', 'to_runs', 'U', 'back to the runs', [at('KeyU')], { action: true }),
  row('everywhere', 'help', '?', 'this help', [sign('?')], { action: true }),

  row('runs', 'open_newest', 'O', 'open the newest', [at('KeyO')], { action: true }),
  row('runs', 'show_new', 'N', 'show new runs', [at('KeyN')], { action: true }),
  row('runs', 'mark', 'Space', 'mark a run', [at('Space')]),
  row('runs', 'compare', 'C', 'compare both marked', [at('KeyC')]),
  row('runs', 'look_again', 'R', 'look again', [at('KeyR')]),

  row('charts', 'zoom', 'W S', 'zoom in, out at the pointer', [at('KeyW'), at('KeyS')]),
  row('charts', 'zoom_fast', 'Shift W S', 'four times as fast', [at('KeyW', { shift: true }), at('KeyS', { shift: true })]),
  row('charts', 'pan', 'A D', 'pan left, right', [at('KeyA'), at('KeyD')]),
  row('charts', 'pan_fast', 'Shift A D', 'four times as far', [at('KeyA', { shift: true }), at('KeyD', { shift: true })]),
  row('charts', 'fit', 'F', 'fit the selection', [at('KeyF')]),
  row('charts', 'reset', '0 or Z', 'whole range', [at('Digit0'), at('KeyZ')]),
  row('charts', 'previous_range', 'Backspace', 'previous range', [at('Backspace')]),
  row('charts', 'measure', 'M', 'mark; press again to measure', [at('KeyM')]),
  row('charts', 'mode', '1 2 3 4', 'select, pan, zoom, measure; with Alt in Memory', [
    ...drags.map((digit) => at(`Digit${digit}`)),
    ...drags.map((digit) => at(`Digit${digit}`, { alt: true })),
  ]),
  row('charts', 'wheel', 'wheel', 'zoom at the pointer', []),
  row('charts', 'wheel_pan', 'Shift wheel', 'pan', []),
  row('charts', 'drag', 'drag', 'select a range, with totals', []),
  row('charts', 'drag_pan', 'Shift drag', 'pan', []),
  row('charts', 'click', 'click', 'pin details', []),
  row('charts', 'click_add', 'Ctrl click', 'add to the selection', []),
  row('charts', 'double_click', 'double click', 'fit what is under the pointer', []),

  row(
    'overview',
    'verdict',
    '1 – 5',
    'show the rows behind a verdict',
    [1, 2, 3, 4, 5].map((digit) => at(`Digit${digit}`)),
  ),
  row('overview', 'step', '← →', 'previous, next step', [at('ArrowLeft'), at('ArrowRight')]),
  row('overview', 'outlier', 'Shift ← →', 'previous, next outlier', [at('ArrowLeft', { shift: true }), at('ArrowRight', { shift: true })]),
  row('overview', 'step_in_trace', 'Enter', 'the step in Trace', [at('Enter')]),
  row('overview', 'ops', 'O', 'the operations, in Ops', [at('KeyO')], { action: true }),
  row('overview', 'roofline', 'R', 'the operations, in Roofline', [at('KeyR')], { action: true }),
  row('overview', 'base', 'B', 'use as “before”, or stop', [at('KeyB')], { action: true }),
  row('overview', 'step_click', 'click', 'only this step; again: all', []),
  row('overview', 'step_double_click', 'double click', 'the step in Trace', []),

  row(
    'memory',
    'mode',
    '1 2 3 4',
    'Viewer, Report, Compare, Over time',
    [1, 2, 3, 4].map((digit) => at(`Digit${digit}`)),
  ),
  row('memory', 'live_of', 'L', 'over time: live at A, at B, or what differs', [at('KeyL')]),
  row('memory', 'baseline', 'B', 'use as “before”, or stop', [at('KeyB')], { action: true }),
  row('memory', 'what_if', 'Alt W', 'what if: open, close', [at('KeyW', { alt: true })], { action: true }),
  row('memory', 'peak', 'P', 'go to the peak', [at('KeyP')]),
  row('memory', 'buffer_step', '← →', 'previous, next buffer', [at('ArrowLeft'), at('ArrowRight')]),
  row('memory', 'change_step', 'Shift ← →', 'report: next change above 1 %', [at('ArrowLeft', { shift: true }), at('ArrowRight', { shift: true })]),
  row('memory', 'full_map', 'Shift F', 'report: map in full window', [at('KeyF', { shift: true })]),
  row('memory', 'follow', '[ ]', 'what held these bytes before, after', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('memory', 'fold_map', 'Shift M', 'fold the address map', [at('KeyM', { shift: true })]),

  row('trace', 'event_step', '← →', 'previous, next event', [at('ArrowLeft'), at('ArrowRight')]),
  row('trace', 'row_step', '↑ ↓', 'row above, below', [at('ArrowUp'), at('ArrowDown')]),
  row('trace', 'follow_flow', '[ ]', 'follow the flow back, forward', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('trace', 'same_name', ', .', 'same name, on this row', [sign(',', 'Comma'), sign('.', 'Period')]),
  row('trace', 'fold_group', 'Space', 'fold or open the group', [at('Space')]),
  row('trace', 'gaps', 'G', 'idle gaps, longest first', [at('KeyG')]),
  row('trace', 'unmark', 'Delete', 'remove the last mark', [at('Delete')]),
  row('trace', 'pin_row', 'P', 'pin the row to the top', [at('KeyP')]),
  row('trace', 'hide_row', 'V', 'hide the row', [at('KeyV')]),
  row('trace', 'row_height', '+ −', 'taller, shorter row', [sign('+', 'Equal'), sign('-', 'Minus')]),

  row('graph', 'follow_edge', '[ ]', 'go to an operand, a user', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('graph', 'node_step', '← ↑ → ↓', 'go to the nearest node in that direction', [at('ArrowLeft'), at('ArrowUp'), at('ArrowRight'), at('ArrowDown')]),
  row('graph', 'radius', '+ −', 'radius', [sign('+', 'Equal'), sign('-', 'Minus')]),
  row('graph', 'open_fusion', 'E', 'open a fusion', [at('KeyE')]),
  row('graph', 'path', 'P', 'path to another op', [at('KeyP')]),
  row('graph', 'text_pane', 'Shift T', 'show or hide the HLO text', [at('KeyT', { shift: true })], { action: true }),
  row('graph', 'centre', 'double click', 'centre here', []),
  row('graph', 'stub', 'Shift click', 'draw a far edge', []),

  row('heap', 'files', '[ ]', 'the file before, after', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('heap', 'base', 'B', 'compare with this file', [at('KeyB')], { action: true }),
  row('heap', 'swap', 'X', 'swap the two files', [at('KeyX')], { action: true }),
  row('heap', 'width', 'M', 'boxes by bytes, count, growth', [at('KeyM')], { action: true }),
  row('heap', 'group', 'G', 'lines, functions, stacks, sizes', [at('KeyG')], { action: true }),
  row('heap', 'zoom_box', 'double click', 'the box fills the width', []),
  row('heap', 'pair', 'Ctrl click', 'compare two boxes', []),
  row('ops', 'op_step', '↑ ↓', 'operation above, below', [at('ArrowUp'), at('ArrowDown')]),
  row('ops', 'in_trace', 'Enter', 'its first run, in Trace', [at('Enter')]),
  row('ops', 'in_graph', 'G', 'in Graph', [at('KeyG')]),
  row('ops', 'in_memory', 'M', 'the memory of its buffer', [at('KeyM')]),
  row('ops', 'hierarchy', 'H', 'next hierarchy', [at('KeyH')], { action: true }),
  row('ops', 'layers', 'L', 'layers, or operations', [at('KeyL')], { action: true }),
  row('ops', 'baseline', 'B', 'compare steps, or stop', [at('KeyB')], { action: true }),
  row('ops', 'other_layer', '[ ]', 'the same part of the previous, next layer', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('ops', 'zoom_out', 'Backspace', 'one box up', [at('Backspace')]),

  row('input', 'by_time', '[ ]', 'slower, faster step', [sign('[', 'BracketLeft'), sign(']', 'BracketRight')]),
  row('input', 'in_order', '← →', 'previous, next step', [at('ArrowLeft'), at('ArrowRight')]),
  row('input', 'input_in_trace', 'Enter', 'the step in Trace', [at('Enter')]),
  row('roofline', 'lost_step', '↑ ↓ ← →', 'previous, next by time lost', [at('ArrowUp'), at('ArrowDown'), at('ArrowLeft'), at('ArrowRight')]),
  row('roofline', 'in_ops', 'Enter', 'in Ops', [at('Enter')]),
  row('roofline', 'in_graph', 'G', 'in Graph', [at('KeyG')]),
  row('roofline', 'in_trace', 'Shift T', 'in Trace', [at('KeyT', { shift: true })]),
  row('roofline', 'in_memory', 'M', 'the memory of its buffer', [at('KeyM')]),
  row('roofline', 'peaks', 'P', 'edit peaks', [at('KeyP')]),
  row('roofline', 'lens', 'Z', 'zoom where the lens is', []),

  row('tables', 'row_step', '↑ ↓', 'row', [at('ArrowUp'), at('ArrowDown')]),
  row('tables', 'row_ends', 'Home End', 'first, last row', [at('Home'), at('End')]),
  row('tables', 'open_row', 'Enter', 'open the row', [at('Enter')]),
  row('tables', 'pin_row', 'Space', 'pin the row', [at('Space')]),
  row('tables', 'sort', 'Shift S', 'sort by this column', [at('KeyS', { shift: true })]),
  row('tables', 'group', 'G', 'group by …', [at('KeyG')]),
  row('tables', 'copy_row', 'Shift C', 'copy row, exact bytes', [at('KeyC', { shift: true })]),
];
