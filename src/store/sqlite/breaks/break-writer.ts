import type { Database } from 'better-sqlite3';
import type { Writes } from '../../port.ts';
import type { BreakCountRow, LookRoundRow } from '../table/count-tables.ts';
import { BREAK_EVENTS, BREAKS } from '../table/rows/break-row.ts';
import { insertRecords, upsertRecords } from '../table/statement.ts';

type Kind = Omit<BreakCountRow, 'count'>;

/** Writes breaks and their history, and counts breaks by type, severity and state. */
export class BreakWriter {
  readonly #break;
  readonly #event;
  readonly #kind;
  readonly #count;
  readonly #none;
  readonly #round;

  constructor(db: Database) {
    this.#break = upsertRecords(db, BREAKS);
    this.#event = insertRecords(db, BREAK_EVENTS);
    this.#kind = db.prepare<[string], Kind>(
      'SELECT type, severity, state FROM breaks WHERE break_id = ?',
    );
    this.#count = db.prepare<[string, string, string, number]>(
      `INSERT INTO break_counts (type, severity, state, count) VALUES (?, ?, ?, ?)
       ON CONFLICT (type, severity, state) DO UPDATE SET count = count + excluded.count`,
    );
    this.#none = db.prepare('DELETE FROM break_counts WHERE count = 0');
    this.#round = db.prepare<[LookRoundRow]>(
      'UPDATE look_round SET break_id = @break_id, difference = @difference WHERE only_row = @only_row',
    );
  }

  write({
    breaks,
    breakEvents,
    reviewCursor,
  }: Pick<Writes, 'breaks' | 'breakEvents' | 'reviewCursor'>): void {
    for (const one of breaks) {
      const before = this.#kind.get(one.breakId);
      if (before !== undefined) this.#add(before, -1);
      this.#add(one, 1);
      this.#break.run(one, {});
    }
    // Counts of zero depend on how facts were batched; a replay must make equal rows.
    if (breaks.length > 0) this.#none.run();
    for (const event of breakEvents) this.#event.run(event, {});
    if (reviewCursor === null) return;
    const { breakId, difference } = reviewCursor;
    this.#round.run({ only_row: 1, break_id: breakId, difference });
  }

  #add({ type, severity, state }: Kind, by: 1 | -1): void {
    this.#count.run(type, severity, state, by);
  }
}
