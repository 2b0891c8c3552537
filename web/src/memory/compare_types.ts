/** Answers of the routes below /api/v1/compare. */
import type { Answers } from '../api/answers';

type Answer = Answers['compare'];
/** Over HTTP a comparison of unknown memory is an error: only `xprofd diff` has nulls here. */
type Sizes = 'peak_bytes' | 'reserved_bytes' | 'padding_bytes' | 'sum_bytes' | 'resident_bytes' | 'heap_bytes' | 'steps';
export type ComparedSide = Answer['before'] & Record<Sizes, number>;
export type Comparison = Answer & { before: ComparedSide; after: ComparedSide; difference_bytes: number };
export type FindingChange = Answer['findings'][number];
export type GroupState = Answer['groups']['state'][number];
export type ComparedBuffers = Answers['compare/buffers'];
export type ComparedText = Answers['compare/text'];
export type LineState = ComparedText['rows']['state'][number];
