/** Answers of the routes below trace/. Times are picoseconds after `base_ps`, lengths picoseconds. */
import type { Answers } from './answers';

export type TraceWindow = Answers['trace/window'];
