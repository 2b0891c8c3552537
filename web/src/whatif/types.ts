/** Answer of /api/v1/memory/whatif with a plan. */
import type { Answers } from '../api/answers';

export type Tried = NonNullable<Answers['memory/whatif']['rows']>;
export type Plan = Answers['memory/whatif'] & { rows: Tried; try: Tried };

/** Of /api/v1/memory/whatif/held. */
export type ChangedSteps = Answers['memory/whatif/held'];
