import type { Database, Statement } from 'better-sqlite3';
import type { NotificationRow } from '../../records.ts';
import { insertInto, type RowStatement } from '../table/statement.ts';

/** Vaults whose newest notification is kept in memory. */
const VAULTS_KEPT_MAX = 100_000;

/** What a commit adds to one row of `notification_counts`. */
interface Added {
  readonly vaultId: string;
  readonly status: string;
  count: number;
  newestSeq: number;
}

/**
 * Writes notifications, each with the one before it of its vault, and their counts. `add` takes them
 * in the order of the journal; `count` ends a commit.
 */
export class NotificationWriter {
  readonly #row: RowStatement<'notifications'>;
  readonly #count: Statement<[string, string, number, number]>;
  readonly #newestStored: Statement<[string], number | null>;
  /** Each vault's newest notification, '' for those without a vault. */
  readonly #newest = new Map<string, number>();
  readonly #added = new Map<string, Added>();

  constructor(db: Database) {
    this.#row = insertInto(db, 'notifications');
    this.#count = db.prepare(
      `INSERT INTO notification_counts (vault_id, status, count, newest_seq) VALUES (?, ?, ?, ?)
       ON CONFLICT (vault_id, status) DO UPDATE
       SET count = count + excluded.count, newest_seq = excluded.newest_seq`,
    );
    this.#newestStored = db
      .prepare<[string], number | null>(
        'SELECT max(newest_seq) FROM notification_counts WHERE vault_id = ?',
      )
      .pluck();
  }

  /** Forgets what a transaction that did not commit may have put in memory. */
  forget(): void {
    this.#newest.clear();
    this.#added.clear();
  }

  /** Writes a notification. `hashId`: the number of its hash; null where it names none. */
  add({ seq, id, status, notification, receivedAt }: NotificationRow, hashId: number | null): void {
    const vaultId = notification?.vaultId ?? '';
    this.#row.run({
      seq,
      id,
      status,
      stream: notification?.stream ?? null,
      type: notification?.type ?? null,
      vault_id: notification?.vaultId ?? null,
      hash_id: hashId,
      transaction_id: notification?.transactionId ?? null,
      confirmations:
        notification === null || notification.stream === 'outgoing'
          ? null
          : notification.confirmations,
      received_at: receivedAt,
      previous_of_vault: this.#newestOf(vaultId),
    });
    this.#newest.set(vaultId, seq);
    const key = `${status} ${vaultId}`;
    const added = this.#added.get(key);
    if (added === undefined) this.#added.set(key, { vaultId, status, count: 1, newestSeq: seq });
    else {
      added.count += 1;
      added.newestSeq = seq;
    }
  }

  /** Writes the counts of the notifications that were added since the last call. */
  count(): void {
    for (const { vaultId, status, count, newestSeq } of this.#added.values()) {
      this.#count.run(vaultId, status, count, newestSeq);
    }
    this.#added.clear();
    if (this.#newest.size >= VAULTS_KEPT_MAX) this.#newest.clear();
  }

  #newestOf(vaultId: string): number | null {
    return this.#newest.get(vaultId) ?? this.#newestStored.get(vaultId) ?? null;
  }
}
