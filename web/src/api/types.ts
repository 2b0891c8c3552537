/**
 * The answers of the HTTP API (docs/API.md), as TypeScript. Columns are arrays of equal length `n`; a `Name` is an
 * index into the `names` table of the same answer; unknown is null. Integers beyond 2^53 arrive as decimal strings.
 */

export * from './types_memory';
export * from './types_run';
export * from './types_views';
