// The rows S0.1 to S0.30 that the Memory Viewer has to fulfil, and the tests that hold each. memory_rows.test.mjs fails
// when a row has none, or when one that is named does not exist.
const VECTORS = 'tests/unit/memory/test_vectors.c';
const XPROF = 'tests/unit/memory/test_xprof_vectors.c';
const REAL = 'tests/unit/memory/test_real.c';
const ANSWERS = 'tests/unit/tools/test_answers.c';
const CLI = 'tests/cli/memory.test.mjs';
const MEMORY = 'tests/browser/memory.test.mjs';
const AXIS = 'tests/browser/memory_axis.test.mjs';
const CARD = 'tests/browser/memory_card.test.mjs';
const TABS = 'tests/browser/memory_tabs.test.mjs';
const OOM = 'tests/browser/memory_oom.test.mjs';
const SHELL = 'tests/browser/shell.test.mjs';
const HERE = 'tests/browser/memory_rows.test.mjs';

const HEADLINE = [MEMORY, 'headline: peak, place, sentence, bar and legend, against the API and XLA itself'];
const CHART = [MEMORY, 'chart: drawn, legend, hover box, click inspects'];
const BARS = [TABS, 'bars: three orders whose widths are bytes; hover marks, click pins, folding keeps the sums'];
const PADDED = [CARD, 'a padded temporary: every item'];
const CLASSES = [CARD, 'an aliased parameter, a constant, an output, a temporary with a source'];
const SPACES = [HERE, 'a GPU: its own memory spaces, and no names of a TPU'];

export const ROWS = {
  'S0.1 use over the whole program': [[VECTORS, 'test_basic'], [REAL, 'test_every_step_adds_up'], CHART],
  'S0.2 contents at the peak': [[ANSWERS, 'headline_of_a_transformer'], BARS],
  'S0.3 how near to full': [[CLI, '--hbm is the capacity'], [OOM, 'capacity set by hand, as found again, and one that is none'], [HERE, 'capacity: a line on the chart where one is known, none where not']],
  'S0.4 static, and the way to what was measured': [HEADLINE, [HERE, 'from the compiler: a way to what was measured, or why there is none']],
  'S0.5 TPU, GPU and CPU': [HEADLINE, SPACES],
  'S0.6 memory spaces by platform': [['tests/unit/memory/test_space_names.c', 'by_platform'], SPACES, [MEMORY, 'a module without a heap trace, one without temporaries, another memory space']],
  'S0.7 choice of the module': [['tests/unit/session/test_store.c', 'test_default_module'], [TABS, 'all modules: sort, open another, two of one name stay apart'], [SHELL, 'pickers open, filter, choose by mouse and by keyboard']],
  'S0.8 text: the peak': [[VECTORS, 'test_sharing'], [XPROF, 'test_table'], HEADLINE],
  'S0.9 text: arguments, temporaries, fragmentation, scoped': [[XPROF, 'test_totals'], [XPROF, 'test_scoped'], HEADLINE, [HERE, 'scoped scratch stands beside the classes, with its operation']],
  'S0.10 text: padding, two counts and a hint': [[HERE, 'padding: of all that is held, of temporaries as XProf counts it, and a hint above a tenth']],
  'S0.11 size against program order': [['tests/unit/memory/test_properties.c', 'test_sound'], CHART, [MEMORY, 'near peaks and merged boxes of a large program']],
  'S0.12 the x axis is not time': [['tests/unit/memory/test_axis.c', 'test_places'], [AXIS, 'x axis: instructions, with the same maximum; one scale for chart, map and minimap'], [AXIS, 'x axis: measured time'], [AXIS, 'x axis: an axis that a module does not have is greyed with the reason']],
  'S0.13 the peak is marked': [[VECTORS, 'test_ties_and_ends'], CHART, [MEMORY, 'keys: zoom, pan, fit, reset, back, peak, modes, fold the map']],
  'S0.14 what is always there, and what is not counted': [CHART, [HERE, 'the band is the sum of what is always there, and says that other programs are not in it']],
  'S0.15 buffers by program order': [BARS, [HERE, 'three orders: as allocated, sizes never rise, paddings never rise']],
  'S0.16 buffers by size': [BARS, [HERE, 'three orders: as allocated, sizes never rise, paddings never rise']],
  'S0.17 buffers by padding': [BARS, [HERE, 'three orders: as allocated, sizes never rise, paddings never rise']],
  'S0.18 one colour everywhere': [[HERE, 'a buffer has one colour in bars, map, table and card, after a reload too'], [MEMORY, 'address map: hover, pin, search, colours, full screen']],
  'S0.19 its life over the curve': [[HERE, 'the life of what is hovered: where it begins and ends, as high as its size; arguments and buffer 0 too']],
  'S0.20 the card follows hover and click': [[HERE, 'details: of the hovered buffer, of the pinned one, Escape lets go'], [CARD, 'below 1280 the details are a drawer: opens on a pin and by key, closes by its cross']],
  'S0.21 the name, to search elsewhere': [PADDED, [HERE, 'a copied name is found in the search of the graph']],
  'S0.22 size with and without padding': [['tests/unit/hlo/test_tiling.c', 'vectors_have_their_bytes'], ['tests/unit/hlo/test_real.c', 'tpu_sizes_follow_formula_a1'], PADDED],
  'S0.23 shape, as XLA writes it': [['tests/unit/hlo/test_shape.c', 'vectors_have_their_text_and_sizes'], PADDED],
  'S0.24 framework op, a filter by each part': [CLASSES, [HERE, 'a part of the op path narrows bars, map and table, and says how much that is']],
  'S0.25 kind of allocation': [[VECTORS, 'test_resident'], CLASSES, [HERE, 'a value of a called computation is thread local, and not in the peak']],
  'S0.26 source line and stack': [['tests/unit/hlo/test_source_info.c', 'each_kind_of_source_is_found'], CLASSES, [HERE, 'a source line is a link where a template is given']],
  'S0.27 to Graph and Trace': [['tests/browser/circle.test.mjs', 'trace, graph, text, memory, trace: each opens the exact instruction, and Back returns through all of them'], PADDED],
  'S0.28 addresses over program order': [['tests/unit/tools/test_map.c', 'boxes_and_joined_ones_are_all'], [MEMORY, 'address map: hover, pin, search, colours, full screen']],
  'S0.29 small ones folded': [BARS],
  'S0.30 downloads': [[CLI, 'CSV has the rows and the bytes of the JSON'], [TABS, 'exports: CSV, JSON and PNG of each tab hold what the page shows']],
};
