import type { Database } from 'better-sqlite3';
import type { Break, BreakType } from '../../domain/break.ts';
import { BreakId } from '../../domain/ids.ts';
import type { Movement } from '../../domain/movement.ts';
import type { LookRound, MovementCounts } from '../records.ts';
import { MOVEMENTS_PER_STEP } from '../run-desk.ts';
import { breakOf } from './break-row.ts';
import { movementOf } from './row.ts';
import type { LookRoundRow } from './count-tables.ts';
import type { BreakRow, MovementRow } from './tables.ts';

/** Word for word the conditions of the indexes `movements_to_judge` and `movements_to_heal`. */
const TO_JUDGE = `judged <> 'now' AND (standing = 'differs' OR standing = 'chain_only')`;
const TO_HEAL = `judged = 'before' AND standing <> 'differs' AND standing <> 'chain_only'`;

/** Earlier than any break of its type. */
const BEFORE_ALL = '';

/** What a run asks of the store, never more than a bounded part of it. */
export class RunRecords {
  readonly #toJudge;
  readonly #toHeal;
  readonly #movementCounts;
  readonly #typeOf;
  readonly #breaksAfter;
  readonly #breakCount;
  readonly #round;

  constructor(db: Database) {
    const inOrder = 'ORDER BY changed_at, hash_id, vault_id, asset LIMIT ?';
    this.#toJudge = db.prepare<[number, number], MovementRow>(
      `SELECT * FROM movements WHERE ${TO_JUDGE} AND changed_at <= ? ${inOrder}`,
    );
    this.#toHeal = db.prepare<[number], MovementRow>(
      `SELECT * FROM movements WHERE ${TO_HEAL} ${inOrder}`,
    );
    this.#movementCounts = db.prepare<[], { standing: keyof MovementCounts; count: number }>(
      'SELECT standing, count FROM movement_counts',
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

  movementsToJudge({ until, limit }: { until: number; limit: number }): readonly Movement[] {
    return this.#toJudge.all(until, limit).map(movementOf);
  }

  movementsToHeal(limit: number): readonly Movement[] {
    return this.#toHeal.all(limit).map(movementOf);
  }

  movementCounts(): MovementCounts {
    const counts = {
      agrees: 0,
      custody_agrees: 0,
      differs: 0,
      chain_only: 0,
      books_only: 0,
      unjudged: 0,
    };
    for (const { standing, count } of this.#movementCounts.all()) counts[standing] = count;
    return counts;
  }

  /** Unresolved breaks, type by type and the oldest of each first, after one of them. */
  unresolvedBreaksAfter(
    breakId: BreakId | null,
    { types, limit }: { types: readonly BreakType[]; limit: number },
  ): readonly Break[] {
    const stoppedAt = breakId === null ? undefined : this.#typeOf.get(breakId);
    // The rules may have gone since, and with them the type: then the round begins again.
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

  /** Whether more waits for runs than one commit takes. */
  needsStep(until: number): boolean {
    const limit = MOVEMENTS_PER_STEP + 1;
    const { breakId, difference } = this.lookRound();
    return (
      breakId !== null ||
      difference !== null ||
      this.#toJudge.all(until, limit).length === limit ||
      this.#toHeal.all(limit).length === limit
    );
  }

  unresolvedCount(types: readonly BreakType[]): number {
    return types.reduce((sum, type) => sum + (this.#breakCount.get(type) ?? 0), 0);
  }

  lookRound(): LookRound {
    const row = this.#round.get();
    const breakId = row?.break_id ?? null;
    return {
      breakId: breakId === null ? null : BreakId(breakId),
      difference: row?.difference ?? null,
    };
  }
}
