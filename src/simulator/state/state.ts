import { Table } from './table.ts';
import type { TableChange } from './table.ts';

/** Every table's rows at one moment. Rows are shared with the live state, which never changes them. */
export interface StateSnapshot {
  tables: ReadonlyMap<string, ReadonlyMap<string, object>>;
}

/**
 * All that the custody core knows: the world's tables and those of the surface. Nothing outside is
 * state; scheduled work is derived from records again (`resume`) after a restore.
 *
 * Restore: stop what is scheduled, `clock.reset(time of the snapshot)` if virtual, `restore`, then
 * `resume()` of every subsystem. Reset is the restore of a snapshot taken right after the start.
 */
export class State {
  readonly seed: string;
  readonly #tables = new Map<string, Table<object>>();
  readonly #hooks: ((change: TableChange) => void)[] = [];

  /** The same seed and the same calls give the same ids, hashes, keys and notifications. */
  constructor(options: { seed: string | number }) {
    this.seed = String(options.seed);
  }

  /** The table of this name, made at first use. Each table has one owner, who fixes its row type. */
  table<R extends object>(name: string): Table<R> {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new Table<object>(name, (change) => {
        for (const hook of this.#hooks) hook(change);
      });
      this.#tables.set(name, table);
    }
    // One owner per name fixes the row type; the cast only forgets that one map holds all tables.
    return table as unknown as Table<R>;
  }

  /** Hears every put and delete of every table, in order. */
  onChange(hook: (change: TableChange) => void): void {
    this.#hooks.push(hook);
  }

  snapshot(): StateSnapshot {
    const tables = new Map<string, ReadonlyMap<string, object>>();
    for (const [name, table] of this.#tables) tables.set(name, table.copy());
    return { tables };
  }

  /** Tables that the snapshot does not know become empty. */
  restore(snapshot: StateSnapshot): void {
    for (const name of snapshot.tables.keys()) this.table(name);
    for (const [name, table] of this.#tables) table.load(snapshot.tables.get(name) ?? new Map());
  }
}
