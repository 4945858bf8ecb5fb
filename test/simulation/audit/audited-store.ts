import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { inflateSync } from 'node:zlib';

export interface PostingRow {
  /** The journal position of its entry. */
  seq: number;
  view: 'books' | 'chain';
  hash: string;
  vault: string;
  account: string;
  address: string;
  memo: string;
  asset: string;
  amount: string;
}

export interface FeedRow {
  feed_seq: number;
  credit_id: string;
  kind: 'credit' | 'reversal';
  deposit_id: string;
  amount: string;
  reverses: string | null;
  hash: string;
  network: string;
  vault: string;
  account: string | null;
  address: string | null;
  /** The address on the chain that the item itself names. */
  network_address: string | null;
  memo: string | null;
  asset: string;
}

export interface BreakRow {
  type: string;
  key: string;
  state: string;
  hash: string | null;
  resolved_by: string | null;
}

/** A store as the auditor sees it: plain SQL, and none of the product's code. */
export class AuditedStore {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = new Sqlite(path, { readonly: true });
  }

  close(): void {
    this.#db.close();
  }

  rows<Row>(sql: string, ...values: readonly string[]): Row[] {
    return this.#db.prepare<string[], Row>(sql).all(...values);
  }

  /** What was delivered and kept, as it was received. */
  deliveredBodies(): Uint8Array[] {
    return this.rows<{ content: Uint8Array; start: number; bytes: number }>(
      `SELECT b.content, j.body_start AS start, j.body_bytes AS bytes
       FROM journal j JOIN bodies b ON j.seq BETWEEN b.first_seq AND b.last_seq
       WHERE j.kind IN ('notification', 'quarantined')`,
    ).map(({ content, start, bytes }) => inflateSync(content).subarray(start, start + bytes));
  }

  postings(view: 'books' | 'chain'): PostingRow[] {
    return this.rows<PostingRow>(
      `SELECT e.seq AS seq, a.view AS view, e.blockchain_hash AS hash, a.vault_id AS vault,
              a.account_id AS account, a.address_id AS address, a.memo AS memo,
              a.asset AS asset, p.amount AS amount
       FROM postings p
       JOIN entries e ON e.entry_id = p.entry_id
       JOIN ledger_accounts a ON a.ledger_account = p.ledger_account
       WHERE a.kind = 'position'`,
    ).filter((row) => row.view === view);
  }

  feed(): FeedRow[] {
    return this.rows<FeedRow>(
      `SELECT c.feed_seq, c.credit_id, c.kind, c.deposit_id, c.amount, c.reverses,
              d.blockchain_hash AS hash, d.network AS network, d.vault_id AS vault,
              d.account_id AS account, d.address_id AS address, d.memo AS memo, d.asset AS asset,
              json_extract(c.deposit, '$.networkAddress') AS network_address
       FROM credits c JOIN deposits d ON d.deposit_id = c.deposit_id ORDER BY c.feed_seq`,
    );
  }

  /** Ids of the rollbacks of an item's transaction that were accepted before the item was appended. */
  rollbacksBefore({ credit_id }: FeedRow): string[] {
    return this.rows<{ id: string }>(
      `SELECT n.id AS id FROM credits c
       JOIN deposits d ON d.deposit_id = c.deposit_id
       JOIN notifications n ON n.hash_id = d.hash_id AND n.seq < c.seq
       WHERE c.credit_id = ? AND n.stream = 'incoming' AND n.type = 'rollback'
         AND n.status = 'accepted'
         AND n.transaction_id = json_extract(c.deposit, '$.transactionId')`,
      credit_id,
    ).map(({ id }) => id);
  }

  breaks(): BreakRow[] {
    return this.rows<BreakRow>(
      'SELECT type, key, state, blockchain_hash AS hash, resolved_by FROM breaks',
    );
  }

  /** Whether a break names the hash. A person may let one rest; the product alone may not. */
  isOnRecord(hash: string): boolean {
    return this.breaks().some(
      (one) => one.resolved_by !== 'reconciler' && (one.hash === hash || one.key.includes(hash)),
    );
  }
}
