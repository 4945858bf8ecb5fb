import { Table } from './table.ts';
import type { TableChange } from './table.ts';

/** The rows of every table at one moment. The live state shares them and never changes them. */
export interface StateSnapshot {
  tables: ReadonlyMap<string, ReadonlyMap<string, object>>;
}

/**
 * The whole state of the custody core, in tables. Timers are not state: after a restore each part
 * sets its timers again from its rows (`resume`).
 *
 * To restore: stop the timers, call `clock.reset` with the snapshot's time on a virtual clock, then
 * `restore`, then `resume` of every part. A reset restores a snapshot that was taken directly after
 * the start.
 */
export class State {
  readonly seed: string;
  readonly #tables = new Map<string, Table<object>>();
  readonly #hooks: ((change: TableChange) => void)[] = [];

  /** The same seed and the same calls give the same ids, hashes, keys and notifications. */
  constructor(options: { seed: string | number }) {
    this.seed = String(options.seed);
  }

  /**
   * Returns the table of this name and makes it at first use. Each table has one owner, who fixes
   * its row type.
   */
  table<R extends object>(name: string): Table<R> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new Table<object>(name, (change) => {
        for (const hook of this.#hooks) hook(change);
      });
      this.#tables.set(name, table);
    }
    // The owner fixes the row type. The cast is needed because one map holds all tables.
    return table as unknown as Table<R>;
  }

  /** Calls `hook` for every put and delete of every table, in order. */
  onChange(hook: (change: TableChange) => void): void {
    this.#hooks.push(hook);
  }

  snapshot(): StateSnapshot {
    const tables = new Map<string, ReadonlyMap<string, object>>();
    for (const [name, table] of this.#tables) tables.set(name, table.copy());
    return { tables };
  }

  /** Replaces every row. Tables that the snapshot does not contain become empty. */
  restore(snapshot: StateSnapshot): void {
    for (const name of snapshot.tables.keys()) this.table(name);
    for (const [name, table] of this.#tables) table.load(snapshot.tables.get(name) ?? new Map());
  }
}
