import type { Database } from 'better-sqlite3';
import type { Break, BreakType } from '../../../domain/break/break.ts';
import { BreakId } from '../../../domain/ids.ts';
import type { Movement } from '../../../domain/money/movement.ts';
import type { ReviewCursor, MovementCounts } from '../../records.ts';
import { MOVEMENTS_PER_STEP } from '../../bookkeeping/run-handler.ts';
import { type MovementRow, movementOf } from '../table/rows/movement-row.ts';
import type { LookRoundRow } from '../table/count-tables.ts';
import { type BreakRow, breakOf } from '../table/rows/break-row.ts';

/** Repeat the conditions of the indexes `movements_to_compare` and `movements_to_heal`. */
const TO_COMPARE = `compared <> 'now' AND (agreement = 'differs' OR agreement = 'chain_only')`;
const TO_HEAL = `compared = 'before' AND agreement <> 'differs' AND agreement <> 'chain_only'`;

/** Sorts before every break's id. */
const BEFORE_ALL = '';

/** Reads the records that a reconciliation run compares, a bounded number at a time. */
export class RunRecords {
  readonly #toCompare;
  readonly #toHeal;
  readonly #movementCounts;
  readonly #typeOf;
  readonly #breaksAfter;
  readonly #breakCount;
  readonly #round;

  constructor(db: Database) {
    const inOrder = 'ORDER BY changed_at, hash_id, vault_id, asset LIMIT ?';
    this.#toCompare = db.prepare<[number, number], MovementRow>(
      `SELECT * FROM movements WHERE ${TO_COMPARE} AND changed_at <= ? ${inOrder}`,
    );
    this.#toHeal = db.prepare<[number], MovementRow>(
      `SELECT * FROM movements WHERE ${TO_HEAL} ${inOrder}`,
    );
    this.#movementCounts = db.prepare<[], { agreement: keyof MovementCounts; count: number }>(
      'SELECT agreement, count FROM movement_counts',
    );
    this.#typeOf = db
      .prepare<[string], string>('SELECT type FROM breaks WHERE break_id = ?')
      .pluck();
    this.#breaksAfter = db.prepare<[string, number, string, number], BreakRow>(
      `SELECT * FROM breaks WHERE type = ? AND state <> 'resolved'
         AND (length(break_id), break_id) > (?, ?)
       ORDER BY length(break_id), break_id LIMIT ?`,
    );
    this.#breakCount = db
      .prepare<[string], number>(
        `SELECT coalesce(sum(count), 0) FROM break_counts WHERE type = ? AND state <> 'resolved'`,
      )
      .pluck();
    this.#round = db.prepare<[], LookRoundRow>('SELECT * FROM look_round');
  }

  /** Differing movements that changed by `until` and were not compared since; oldest first. */
  movementsToCompare({ until, limit }: { until: number; limit: number }): readonly Movement[] {
    return this.#toCompare.all(until, limit).map(movementOf);
  }

  /** Movements that differed when a run compared them and do not differ now; oldest first. */
  movementsToHeal(limit: number): readonly Movement[] {
    return this.#toHeal.all(limit).map(movementOf);
  }

  /** Number of movements by agreement. */
  movementCounts(): MovementCounts {
    const counts = {
      agrees: 0,
      custody_agrees: 0,
      differs: 0,
      chain_only: 0,
      books_only: 0,
      uncompared: 0,
    };
    for (const { agreement, count } of this.#movementCounts.all()) counts[agreement] = count;
    return counts;
  }

  /** Unresolved breaks after one of them, type by type, the oldest of each type first. */
  unresolvedBreaksAfter(
    breakId: BreakId | null,
    { types, limit }: { types: readonly BreakType[]; limit: number },
  ): readonly Break[] {
    const stoppedAt = breakId === null ? undefined : this.#typeOf.get(breakId);
    // The rules may have changed, so that the type is not asked for: the round begins again then.
    const from = Math.max(
      types.findIndex((type) => type === stoppedAt),
      0,
    );
    const found: BreakRow[] = [];
    for (const type of types.slice(from)) {
      const after = type === stoppedAt && breakId !== null ? breakId : BEFORE_ALL;
      found.push(...this.#breaksAfter.all(type, after.length, after, limit - found.length));
      if (found.length === limit) break;
    }
    return found.map(breakOf);
  }

  /** Whether a run must compare more than one commit takes. `until`: changes up to then count. */
  needsStep(until: number): boolean {
    const limit = MOVEMENTS_PER_STEP + 1;
    const { breakId, difference } = this.reviewCursor();
    return (
      breakId !== null ||
      difference !== null ||
      this.#toCompare.all(until, limit).length === limit ||
      this.#toHeal.all(limit).length === limit
    );
  }

  /** Number of unresolved breaks of these types. */
  unresolvedCount(types: readonly BreakType[]): number {
    return types.reduce((sum, type) => sum + (this.#breakCount.get(type) ?? 0), 0);
  }

  /** How far runs have come in comparing open breaks and exempt differences again. */
  reviewCursor(): ReviewCursor {
    const row = this.#round.get();
    const breakId = row?.break_id ?? null;
    return {
      breakId: breakId === null ? null : BreakId(breakId),
      difference: row?.difference ?? null,
    };
  }
}
