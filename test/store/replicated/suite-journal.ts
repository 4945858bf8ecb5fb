import type { TwoConnections } from './followed-ledger.ts';

let create: (() => TwoConnections) | undefined;

/** Says how the project `postgres` makes a new journal; its setup file calls this before each file. */
export function journalsFrom(source: () => TwoConnections): void {
  create = source;
}

/** A new journal of the project `postgres`. */
export function suiteJournal(): TwoConnections {
  if (create === undefined) throw new Error('the setup file of the project postgres did not run');
  return create();
}
