/** The answer of graph/explain and explain (docs/API.md). Unknown numbers are null. */
import type { Answers, Peaks } from '../api/answers';

export type { Peaks };

export type Explanation = Answers['explain'];
export type Neighbours = Explanation['operands'];
export type Layout = NonNullable<Explanation['layout']>;
export type Expected = Explanation['expected'];
export type Contains = Explanation['contains'];

/** graph/times, when the program ran under a trace. */
export interface Times {
  known: boolean;
  reason: string | null;
  ix?: number[];
  count?: number[];
  mean_ps?: (number | string)[];
  min_ps?: (number | string)[];
  max_ps?: (number | string)[];
  /** Of half an asynchronous pair: what the chip waits for it, at its done. */
  wait_mean_ps?: (number | null)[];
  done?: (string | null)[];
}
