/** Answers that the charts, tables and the card of a memory space draw, and the search. */
import type { Answers } from './answers';

export type Curve = Answers['memory/curve'];

export type Steps = Answers['memory/steps'];

export type Scopes = Answers['memory/scopes'];

export type MapBoxes = Answers['memory/map'];

export type Live = Answers['memory/live'];

export type DiffSide = Diff['only_a'];

export type Diff = Answers['memory/diff'];

export type Range = Answers['memory/range'];

export type Buffers = Answers['memory/buffers'];

export type BufferCard = Answers['memory/buffer'];
export type Neighbour = NonNullable<BufferCard['before']>;

export type Tree = Answers['memory/tree'];

export type WhatIf = Answers['memory/whatif'];

export type Search = Answers['search'];
