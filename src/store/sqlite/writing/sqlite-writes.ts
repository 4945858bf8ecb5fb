import type { Database } from 'better-sqlite3';
import { addTo } from '../../../domain/counts.ts';
import type { Deposit, DepositState } from '../../../domain/deposit/deposit.ts';
import { agreementOf } from '../../../domain/money/movement.ts';
import type { NamedHash } from '../../../domain/withdrawal/own-hash.ts';
import { packDeposit } from '../../codec/deposit.ts';
import type { HashRow, JournalRow, NotificationRow } from '../../records.ts';
import type { Writes } from '../../port.ts';
import { BreakWriter } from '../breaks/break-writer.ts';
import { CloseWriter } from '../close/close-writer.ts';
import { EXEMPT_DIFFERENCES, EXEMPTIONS } from '../table/rows/break-row.ts';
import { JournalWriter } from '../journal/journal-writer.ts';
import type { HashNumbers } from '../keys/hash-numbers.ts';
import { addressKeysOf } from '../keys/key.ts';
import type { KeyIndex } from '../keys/key-index.ts';
import { NotificationWriter } from './notification-writer.ts';
import { LedgerWriter } from './posting-writer.ts';
import { DEPOSITS } from '../table/rows/deposit-row.ts';
import { MOVEMENTS } from '../table/rows/movement-row.ts';
import { DECIMALS_CORRECTIONS, POLICIES } from '../table/rows/policy-row.ts';
import { QUARANTINE } from '../table/rows/quarantine-row.ts';
import { RECONCILIATIONS } from '../table/rows/run-row.ts';
import { TOKEN_CHANGES } from '../table/rows/token-row.ts';
import { OWN_HASHES, WITHDRAWALS } from '../table/rows/withdrawal-row.ts';
import { sightingRow } from '../table/rows/sighting-row.ts';
import {
  addToCount,
  ChangedRecords,
  insertInto,
  insertRecords,
  upsertInto,
  upsertRecords,
} from '../table/statement.ts';

const HASH_NAME = ['network', 'blockchain_hash'] as const;

const SIGHTING_KEY = ['hash_id', 'vault_id', 'stream', 'account_id', 'address_id', 'memo'] as const;

function statementsOf(db: Database) {
  return {
    quarantine: upsertRecords(db, QUARANTINE),
    hash: db.prepare<[number, string, string]>(
      'INSERT INTO hashes (hash_id, network, blockchain_hash) VALUES (?, ?, ?)',
    ),
    sighting: upsertInto(db, 'sightings', SIGHTING_KEY),
    // Nearly every notification only adds a confirmation: none of the work lists has to move.
    deposit: new ChangedRecords(db, DEPOSITS),
    withdrawal: upsertRecords(db, WITHDRAWALS),
    ownHash: upsertRecords(db, OWN_HASHES, HASH_NAME),
    movement: upsertRecords(db, MOVEMENTS, HASH_NAME),
    movementCount: addToCount(db, 'movement_counts', 'agreement'),
    depositCount: addToCount(db, 'deposit_counts', 'state'),
    intakeCount: addToCount(db, 'intake_counts', 'outcome'),
    asset: upsertInto(db, 'assets', ['asset']),
    decimalsCorrection: insertRecords(db, DECIMALS_CORRECTIONS),
    tokenChange: insertRecords(db, TOKEN_CHANGES),
    credit: insertInto(db, 'credits'),
    feedHead: db.prepare<[], number>('SELECT coalesce(max(feed_seq), 0) FROM credits').pluck(),
    acknowledgement: insertInto(db, 'acknowledgements'),
    reconciliation: insertRecords(db, RECONCILIATIONS),
    policy: insertRecords(db, POLICIES),
    restore: insertInto(db, 'restores'),
    exemptions: insertRecords(db, EXEMPTIONS),
    exemptDifference: upsertRecords(db, EXEMPT_DIFFERENCES),
    exemptNoMore: db.prepare<[string]>('DELETE FROM exempt_differences WHERE key = ?'),
  };
}

/** By how many deposits each state has become more or fewer. */
function stateCounts(changes: Writes['deposits']): ReadonlyMap<DepositState, number> {
  const counts = new Map<DepositState, number>();
  for (const { before, after } of changes) {
    if (before?.state === after.state) continue;
    if (before !== undefined) addTo(counts, before.state, -1);
    addTo(counts, after.state, 1);
  }
  return counts;
}

/** Writes what a transaction decided. Order matters: foreign keys are checked at each statement. */
export class SqliteWrites {
  readonly #put: ReturnType<typeof statementsOf>;
  readonly #journal: JournalWriter;
  readonly #notifications: NotificationWriter;
  readonly #ledger: LedgerWriter;
  readonly #breaks: BreakWriter;
  readonly #closes: CloseWriter;
  readonly #keys: KeyIndex;
  readonly #hashes: HashNumbers;

  constructor(db: Database, keys: KeyIndex, hashes: HashNumbers) {
    this.#keys = keys;
    this.#hashes = hashes;
    this.#put = statementsOf(db);
    this.#journal = new JournalWriter(db);
    this.#notifications = new NotificationWriter(db);
    this.#ledger = new LedgerWriter(db, hashes);
    this.#breaks = new BreakWriter(db);
    this.#closes = new CloseWriter(db, (account) => this.#ledger.numberOf(account));
  }

  /** Forgets what a transaction that did not commit may have put in memory. */
  forget(): void {
    this.#notifications.forget();
    this.#ledger.forget();
    this.#hashes.forget();
    this.#keys.rolledBack();
  }

  /** What was written since the last call is durable. */
  committed(): void {
    this.#keys.committed();
  }

  /** Appends journal rows as they are; a replay into an empty store needs nothing else of them. */
  appendJournal(rows: readonly JournalRow[]): void {
    this.#journal.append(rows);
  }

  write(writes: Writes): void {
    this.appendJournal(writes.journal);
    for (const row of writes.hashes) this.#putHash(row);
    this.#putNotifications(writes.notifications);
    for (const row of writes.quarantine) this.#put.quarantine.run(row, {});
    this.#putDecimals(writes);
    this.#ledger.write(writes.entries);
    for (const sighting of writes.sightings) {
      this.#put.sighting.run(sightingRow(sighting, this.#hashes.of(sighting)));
    }
    this.#putDeposits(writes.deposits);
    for (const withdrawal of writes.withdrawals) {
      this.#put.withdrawal.run(withdrawal, { hash_id: this.#numberIn(withdrawal) });
    }
    this.#putOwnHashes(writes.ownHashes);
    this.#putMovements(writes);
    this.#putFeed(writes.feed);
    for (const { creditId, ...row } of writes.acknowledgements) {
      this.#put.acknowledgement.run({ credit_id: creditId, ...row });
    }
    this.#breaks.write(writes);
    this.#putRuns(writes);
    this.#putExemptions(writes);
    this.#closes.write(writes);
    for (const [outcome, count] of writes.intakeCounts) this.#put.intakeCount.run(outcome, count);
    this.#keys.advance(writes.headSeq);
  }

  #putDecimals({ assets, decimalsCorrections }: Writes): void {
    for (const [asset, decimals] of assets) this.#put.asset.run({ asset, decimals });
    for (const correction of decimalsCorrections) this.#put.decimalsCorrection.run(correction, {});
  }

  #putHash(hash: HashRow): void {
    this.#put.hash.run(this.#hashes.add(hash, hash.seq), hash.network, hash.blockchainHash);
  }

  /** The number of a record's hash; null where the record has none. */
  #numberIn(record: NamedHash): number | null {
    const { network, blockchainHash } = record;
    if (network === null || blockchainHash === null) return null;
    return this.#hashes.of({ network, blockchainHash });
  }

  #putDeposits(changes: Writes['deposits']): void {
    for (const { before, after, seq } of changes) {
      const hashId = this.#hashes.of(after);
      this.#put.deposit.write({ before, after }, { hash_id: hashId, first_seq: seq });
      if (before !== undefined) {
        this.#putLaterAddress(before, after, hashId);
        continue;
      }
      this.#keys.add({ space: 'deposit', key: after.depositId, row: hashId });
      for (const key of addressKeysOf(after)) {
        this.#keys.add({ space: 'address', key, row: hashId });
      }
    }
    for (const [state, count] of stateCounts(changes)) {
      if (count !== 0) this.#put.depositCount.run(state, count);
    }
  }

  /** Writes the key of an on-chain address that only the custody API's record named. */
  #putLaterAddress(before: Deposit, after: Deposit, hashId: number): void {
    if (before.networkAddress === after.networkAddress) return;
    const known = addressKeysOf(before);
    for (const key of addressKeysOf(after)) {
      if (!known.includes(key)) this.#keys.write({ space: 'address', key, row: hashId });
    }
  }

  #putNotifications(rows: readonly NotificationRow[]): void {
    for (const row of rows) {
      const { notification, id, seq } = row;
      this.#notifications.add(row, notification === null ? null : this.#numberIn(notification));
      this.#keys.add({ space: 'notification', key: id, row: seq });
    }
    this.#notifications.count();
  }

  #putOwnHashes(ownHashes: Writes['ownHashes']): void {
    for (const own of ownHashes) {
      this.#put.ownHash.run(own, { hash_id: this.#hashes.of(own) });
    }
  }

  #putMovements({ movements, movementCounts }: Writes): void {
    for (const movement of movements) {
      const extra = { hash_id: this.#hashes.of(movement), agreement: agreementOf(movement) };
      this.#put.movement.run(movement, extra);
    }
    for (const [agreement, count] of movementCounts) {
      if (count !== 0) this.#put.movementCount.run(agreement, count);
    }
  }

  #putFeed(feed: Writes['feed']): void {
    if (feed.length === 0) return;
    let head = this.#put.feedHead.get() ?? 0;
    for (const { item, seq, createdAt } of feed) {
      head += 1;
      this.#put.credit.run({
        feed_seq: head,
        seq,
        credit_id: item.creditId,
        kind: item.kind,
        hash_id: this.#hashes.of(item.deposit),
        deposit_id: item.deposit.depositId,
        amount: item.amount.toString(),
        reverses: item.reverses,
        deposit: packDeposit(item.deposit),
        created_at: createdAt,
      });
    }
  }

  #putExemptions({ exemptionRules, exemptDifferences }: Writes): void {
    for (const row of exemptionRules) this.#put.exemptions.run(row, {});
    for (const [key, difference] of exemptDifferences) {
      if (difference === null) this.#put.exemptNoMore.run(key);
      else this.#put.exemptDifference.run(difference, {});
    }
  }

  #putRuns({ reconciliations, policies, restores, tokenChanges }: Writes): void {
    for (const change of tokenChanges) this.#put.tokenChange.run(change, {});
    for (const run of reconciliations) this.#put.reconciliation.run(run, {});
    for (const { seq, feedLength, history, restoredAt } of restores) {
      this.#put.restore.run({ seq, feed_length: feedLength, history, restored_at: restoredAt });
    }
    for (const row of policies) this.#put.policy.run(row, {});
  }
}
