// What the first view does not need, in one chunk that is loaded when it is first asked for, or as soon
// as the browser has nothing else to do. A new tool's view is exported here.
export { Help } from './app/help';
export { PaletteInside } from './app/palette';
export { FilesPage } from './start/files_page';
export { ReadingActions, ReadingFiles } from './start/reading';
export { PartStrip } from './start/part_strip';
export { EmptyPage } from './start/empty';
export { GraphView } from './graph';
export { TraceView } from './trace';
export { ExplainToggle } from './explain/toggle';
export { Explain } from './explain';
export { PastedExplain } from './explain/pasted';
export { DoctorView } from './doctor';
export { Findings } from './doctor/findings';
export { CurveTwin, MapTwin } from './memory/charts_twin';
export { Groups } from './memory/groups';
export { DiffView } from './memory/diff_view';
export { NumbersBox } from './memory/numbers';
export { ModulesTab } from './memory/modules_tab';
export { BaseTablesFollow } from './memory/base_tables';
export { ReportBar, ReportView } from './report';
export { CompareBar, CompareView } from './compare';
export { WhatIfDrawer } from './whatif/drawer';
export { WhatIfHead } from './whatif/head';
export { NextPeaks } from './whatif/peaks_tab';
export { framed } from './memory/picture';
export { ErrorState } from './memory/error_state';
export { PinnedRow } from './memory/pinned_row';
