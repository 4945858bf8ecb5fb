import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import { incomingSighting, type Snapshot } from './snapshot.ts';

/**
 * Most transactions remembered, some 10 MB: more than a reading compares at once. The grace period of
 * an evicted one begins anew.
 */
const TRANSACTIONS_MAX = 100_000;

interface FirstReading {
  readonly rolledBackAt: number;
  readonly readAt: number;
}

/**
 * When the custody API was first read after the rollback of each transaction. The grace period of a
 * rollback begins then: while nobody reads the API, it cannot show that an older row has changed.
 * In memory: a restart begins the period anew.
 */
export class FirstReadings {
  readonly #readings = new Map<TransactionId, FirstReading>();

  /** Notes the rows of a reading. Returns the first reading of each that was rolled back. */
  note(
    rows: readonly CustodyTransaction[],
    our: Pick<Snapshot, 'hashStates' | 'at'>,
  ): Snapshot['readSince'] {
    const since = new Map<TransactionId, number>();
    for (const row of rows) {
      const rolledBackAt = incomingSighting(row, our)?.rolledBackAt ?? null;
      if (rolledBackAt === null) continue;
      const { transactionId } = row;
      const known = this.#readings.get(transactionId);
      const first = known?.rolledBackAt === rolledBackAt ? known : { rolledBackAt, readAt: our.at };
      putBounded(this.#readings, [transactionId, first], TRANSACTIONS_MAX);
      since.set(transactionId, first.readAt);
    }
    return since;
  }
}
