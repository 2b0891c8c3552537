/** Answers about the list of runs, one run and its modules. */

import type { Answers, Maybe, ToolState } from './answers';

export type { Maybe, Name } from './answers';
type Big = number | string;

export interface ErrorBody {
  error: { code: string; message: string; where?: Maybe<string>; offset?: Maybe<Big> };
}

/** Body of a 202: the run is being read. */
export interface Progress {
  state: 'loading';
  what: string;
  done_bytes: number;
  total_bytes: number;
  percent: Maybe<number>;
}

export type ToolId = ToolState['id'];

export type Runs = Answers['runs'];
export type Found = Runs['found'][number];
export type LookedFor = Runs['looked_for'][number];
export type RunKind = Answers['run']['kind'];

export type Run = Answers['run'];
export type Host = Run['hosts'][number];
export type Plane = Host['planes'][number];
export type Warning = Run['warnings'][number];

export type Card = Answers['card'];
export type Split = NonNullable<Card['split']>;

export type Modules = Answers['modules'];
