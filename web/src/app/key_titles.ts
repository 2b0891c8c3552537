/** Texts of the help beside the table of keys; loaded with the help. */
import type { KeyScope } from './key_table';

interface TypingRow {
  sample: string;
  text: string;
}

/** What the palette understands as a prefix. */
export const TYPING_ROWS: TypingRow[] = [
  { sample: '%fusion.2', text: 'ops by name' },
  { sample: '#params', text: 'buffers' },
  { sample: '@jit_', text: 'modules' },
  { sample: ':115', text: 'go to step 115' },
  { sample: '>theme', text: 'actions' },
  { sample: '/fusion.*2$/', text: 'regex' },
  { sample: 'peak>10GiB', text: 'by size (list of runs)' },
];

export const SCOPE_TITLES: Record<KeyScope, [title: string, detail: string]> = {
  everywhere: ['Everywhere', ''],
  runs: ['Runs', 'start page'],
  charts: ['Charts', 'Memory, Trace, Graph, Roofline'],
  overview: ['Overview', ''],
  memory: ['Memory', ''],
  trace: ['Trace', ''],
  graph: ['Graph', ''],
  ops: ['Ops', ''],
  roofline: ['Roofline', ''],
  heap: ['Heap file', ''],
  input: ['Input', ''],
  tables: ['Tables', ''],
};

/** Columns of the help, each with its groups; every group is in one of them. */
export const COLUMNS: (KeyScope | 'typing')[][] = [
  ['everywhere', 'runs', 'heap'],
  ['typing', 'charts'],
  ['overview', 'memory'],
  ['trace', 'ops', 'input'],
  ['graph', 'roofline', 'tables'],
];
