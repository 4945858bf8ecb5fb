import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { rolledBackUnderAnotherId } from '../comparing/batch-comparison.ts';
import type { Snapshot } from '../comparing/snapshot.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { roundOf } from './look-up-round.ts';
import { absentIn, lookUpTransaction } from './single-lookups.ts';

/** Most look-ups per run: hardly a transaction gets another id. */
const IDS_MAX = 5;

/** What the custody API says about the ids of credited or verified deposits. */
interface Renamed {
  /** Ids that the API does not know any more. */
  readonly unknown: ReadonlySet<TransactionId>;
  readonly requests: number;
}

/**
 * Looks up credited or verified deposits by their id when a rolled-back row at their position has
 * another id. If the API still knows the deposit's id, the row may be of the transaction as it was
 * before it was mined again: it must reverse no credit, and end no verification. Such an id is asked
 * for again while its row is read, so the ids take turns.
 */
export class RenamedDeposits {
  readonly #backoff = new LookupBackoff<TransactionId>((transactionId) => transactionId);

  async lookUp(
    rows: ReadonlyMap<TransactionId, CustodyTransaction>,
    context: { custody: CustodyClient; snapshot: Snapshot; deadlineMs: number },
  ): Promise<Renamed> {
    const { custody, snapshot, deadlineMs } = context;
    const { at } = snapshot;
    const round = await roundOf(this.#backoff, {
      due: this.#backoff.inTurn(idsOf(rows, snapshot), at),
      max: IDS_MAX,
      now: at,
      ask: (id) => lookUpTransaction(custody, id, deadlineMs),
    });
    return { unknown: new Set(absentIn(round)), requests: round.requests + round.failed };
  }
}

/** The ids of deposits whose position rolled-back rows with another id show. */
function idsOf(
  rows: ReadonlyMap<TransactionId, CustodyTransaction>,
  snapshot: Snapshot,
): TransactionId[] {
  const ids = new Set<TransactionId>();
  for (const row of rows.values()) {
    for (const id of rolledBackUnderAnotherId(row, snapshot)) if (!rows.has(id)) ids.add(id);
  }
  return [...ids];
}
