/** Answers of the headline of a memory space, and of an out-of-memory message. */
import type { Answers } from './answers';

export type Summary = Answers['memory/summary'];
export type SpaceSummary = Summary['spaces'][number];
export type Largest = NonNullable<Summary['largest']>;
export type SentencePart = Largest['sentence'][number];

export type Oom = Answers['oom'];
