/**
 * What the colour of a box stands for: the category of its operation, or one of a wheel of colours by name, by scope or
 * by step. Colours are looked up per box once, when its lane is drawn first; frames after that read one byte a box. Pure.
 */
import { firstEndingAfter, firstStartingFrom, type Lane, type Names, type RowBoxes } from './boxes';
import { GROUPS, ON_DEVICE, ON_THREAD } from './groups';
import { lastAtOrBelow } from '../util/bisect';

export const COLOURED_BY = ['category', 'name', 'scope', 'step'] as const;
export type ColouredBy = (typeof COLOURED_BY)[number];

/** Colours of the wheel: in a palette they stand behind those of the groups. */
export const WHEEL = 12;
const FIRST = GROUPS.length;
const AS_IT_IS = Uint8Array.from({ length: FIRST + WHEEL }, (_, k) => k);
/** Of what has no name, scope or step: that of programs, grey. */
const NOTHING = 0;

/** The same text has the same colour in every run and on every chip: from its FNV-1a hash. */
export function wheelOf(text: string): number {
  if (!text) return NOTHING;
  let hash = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193);
  return FIRST + (((hash ^ (hash >>> 15)) >>> 0) % WHEEL);
}

/** Steps that follow each other are far apart on the wheel, and a number comes round after twelve. */
export function wheelOfStep(number: number): number {
  return FIRST + (((((number % WHEEL) * 5) % WHEEL) + WHEEL) % WHEEL);
}

/** The steps of one process in the order of their starts. */
export interface StepTable {
  start: ArrayLike<number>;
  end: ArrayLike<number>;
  number: ArrayLike<number>;
}

/** The last step that began at or before the time and has not ended, as the server finds it (xpd_step_of); -1 = none. */
export function stepAt(steps: StepTable, time: number): number {
  const last = lastAtOrBelow(steps.start, time);
  return last >= 0 && steps.end[last] >= time ? last : -1;
}

/** How a lane is drawn: the colour in the palette of box k is colour[key[k]]. */
export interface Shade {
  key: Uint8Array;
  colour: Uint8Array;
}

/** Whose boxes they are. */
export interface Owner {
  process: number;
  /** A thread of a host. */
  thread: boolean;
  /** Of the row. */
  kind: string;
}

interface Told {
  colour: Uint8Array;
  /** Index among the texts. */
  text: Uint32Array;
}

/** What a colour means in the picture. */
export interface Met {
  text: string;
  colour: number;
}

export class Colouring {
  private readonly texts = [''];
  private readonly colours = [NOTHING];
  private readonly index = new Map([['', 0]]);
  private readonly told = new WeakMap<Lane, Told>();

  constructor(
    readonly by: ColouredBy,
    private readonly names: Names,
    private readonly steps: ReadonlyMap<number, StepTable>,
  ) {}

  shade(boxes: RowBoxes, depth: number, owner: Owner): Shade {
    if (this.by === 'category') return { key: boxes.lanes[depth].group, colour: owner.thread ? ON_THREAD : ON_DEVICE };
    return { key: this.tell(boxes, depth, owner).colour, colour: AS_IT_IS };
  }

  /** What was drawn of these lanes in [from, to): steps by number, else most time first; what has no text last. */
  met(lanes: Iterable<Lane>, from: number, to: number): Met[] {
    const time = new Float64Array(this.texts.length).fill(-1);
    for (const lane of lanes) {
      const told = this.told.get(lane);
      if (!told) continue;
      const last = firstStartingFrom(lane, to);
      for (let k = firstEndingAfter(lane, from); k < last; k++) time[told.text[k]] = Math.max(time[told.text[k]], 0) + lane.busy[k];
    }
    const order = [...time.keys()].filter((k) => time[k] >= 0);
    const number = (k: number) => Number(this.texts[k].slice(5));
    order.sort((a, b) => Number(a === 0) - Number(b === 0) || (this.by === 'step' ? number(a) - number(b) : time[b] - time[a]));
    return order.map((k) => ({ text: this.texts[k], colour: this.colours[k] }));
  }

  private textOf(text: string, colour = wheelOf(text)): number {
    let at = this.index.get(text);
    if (at === undefined) {
      at = this.texts.push(text) - 1;
      this.colours.push(colour);
      this.index.set(text, at);
    }
    return at;
  }

  private tell(boxes: RowBoxes, depth: number, owner: Owner): Told {
    const known = this.told.get(boxes.lanes[depth]);
    if (known) return known;
    const paths = this.by === 'scope' && owner.kind === 'name_scope';
    let above: Lane | null = null;
    // A bar of the row of scopes has the scopes above it, too: those have to be known first.
    for (const lane of paths ? boxes.lanes.slice(0, depth + 1) : [boxes.lanes[depth]]) {
      if (!this.told.has(lane))
        this.told.set(lane, this.keep(paths ? this.byPath(lane, above) : this.by === 'step' ? this.byStep(lane, boxes.q, owner) : this.byName(lane)));
      above = lane;
    }
    return this.told.get(boxes.lanes[depth]) as Told;
  }

  private keep(text: Uint32Array): Told {
    const colour = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) colour[k] = this.colours[text[k]];
    return { text, colour };
  }

  private byName(lane: Lane): Uint32Array {
    const of = new Map<number, number>();
    const text = new Uint32Array(lane.n);
    for (let k = 0; k < lane.n; k++) {
      let at = of.get(lane.name[k]);
      if (at === undefined) {
        const name = this.names.get(lane.name[k]);
        at = this.textOf((this.by === 'scope' ? name?.scope : name?.caption) ?? '');
        of.set(lane.name[k], at);
      }
      text[k] = at;
    }
    return text;
  }

  /** "a/b" for the bar "b" below the bar "a": what the operations below them say. */
  private byPath(lane: Lane, above: Lane | null): Uint32Array {
    const text = new Uint32Array(lane.n);
    const outer = above ? this.told.get(above) : undefined;
    let at = 0;
    for (let k = 0; k < lane.n; k++) {
      const middle = (lane.start[k] + lane.end[k]) / 2;
      while (above && at < above.n && above.end[at] < middle) at++;
      const inside = above && outer && at < above.n && above.start[at] <= middle ? this.texts[outer.text[at]] : '';
      const caption = this.names.get(lane.name[k])?.caption ?? '';
      text[k] = this.textOf(inside ? `${inside}/${caption}` : caption);
    }
    return text;
  }

  /** Steps of chips by time; threads of a host have theirs by what started what, which boxes do not say. */
  private byStep(lane: Lane, q: number, owner: Owner): Uint32Array {
    const text = new Uint32Array(lane.n);
    const steps = this.steps.get(owner.process);
    if (!steps || owner.thread) return text;
    // Starts are cut to whole quanta: an operation that begins with its step must not fall into the one before.
    const late = q > 1 ? q : 0;
    let before = -1;
    for (let k = 0; k < lane.n; k++) {
      const step = stepAt(steps, lane.start[k] + late);
      if (step < 0) {
        before = -1;
        continue;
      }
      // Boxes come in the order of time: mostly it is the step of the one before.
      text[k] = step === before ? text[k - 1] : this.textOf(`step ${steps.number[step]}`, wheelOfStep(steps.number[step]));
      before = step;
    }
    return text;
  }
}
