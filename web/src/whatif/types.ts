/** Answer of /api/v1/memory/whatif with a plan. */
import type { Answers } from '../api/answers';
import type { Maybe } from '../api/types';

export type Tried = NonNullable<Answers['memory/whatif']['rows']>;
export type Plan = Answers['memory/whatif'] & { rows: Tried; try: Tried };

/** Of /api/v1/memory/whatif/held. */
export interface ChangedSteps {
  steps: {
    step: number;
    now_bytes: number;
    bytes: number;
    groups_total?: number;
    groups?: { shape: string; class: string; group: Maybe<string>; buffer: number; count: number; bytes: number }[];
    buffers?: { n: number; left_out: number; buffer: number[]; now_bytes: number[]; bytes: number[] };
  }[];
}
