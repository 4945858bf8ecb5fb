import type { Break, BreakStep, BreakType, Finding } from '../../domain/break/break.ts';
import { addTo } from '../../domain/counts.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { ChangeSet, KeyedHashState } from '../../domain/hash/hash-state.ts';
import type { Entry } from '../../domain/money/entry.ts';
import type {
  AssetId,
  BlockchainHash,
  DepositId,
  IdMint,
  NetworkKey,
  TransactionId,
} from '../../domain/ids.ts';
import type { Movement, MovementKey } from '../../domain/money/movement.ts';
import type { NamedHash, OwnHash } from '../../domain/withdrawal/own-hash.ts';
import type { ExemptDifference } from '../../domain/break/exemption.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { noAppendedRows, type AppendedRows } from './appended-rows.ts';
import { ExemptionBook } from './exemption-book.ts';
import { BreakBook } from './break-book.ts';
import { HashStates } from './hash-states.ts';
import { MovementSums } from './movement-sums.ts';
import type {
  CustodyEffectRow,
  DeliveryOutcome,
  JournalRow,
  ReviewCursor,
  MovementCounts,
  NotificationRow,
  PolicyRow,
  QuarantineRow,
} from '../records.ts';
import type { RecordSource, Writes } from '../port.ts';

/**
 * The records that a batch of facts changes. Facts of one batch see each other's effects before
 * anything is written. A record is written at most once a transaction, however many facts change it,
 * and stays in memory for the transactions after it.
 */
export class UnitOfWork {
  readonly #source: RecordSource;
  #head: number;
  #appended = noAppendedRows();
  readonly #hashStates: HashStates;
  readonly #movements: MovementSums;
  readonly #notifications = new Map<string, number>();
  readonly #quarantine = new Map<string, QuarantineRow>();
  readonly #breaks: BreakBook;
  readonly exemptions: ExemptionBook;
  readonly #pinned = new Map<AssetId, number>();
  #assets = new Map<AssetId, number>();
  #intakeCounts = new Map<DeliveryOutcome, number>();
  #policy: PolicyRow | undefined;
  #reviewCursor: ReviewCursor | null = null;

  constructor(source: RecordSource, journalHead: number) {
    this.#source = source;
    this.#head = journalHead;
    this.#breaks = new BreakBook(source);
    this.exemptions = new ExemptionBook(source.exemptions);
    this.#hashStates = new HashStates(source);
    this.#movements = new MovementSums(
      (key) => (this.#hashStates.isStored(key) ? source.movement(key) : undefined),
      () => source.run.movementCounts(),
    );
  }

  /** The journal position of the next fact. */
  get nextSeq(): number {
    return this.#head + 1;
  }

  journal(row: JournalRow): void {
    if (row.seq !== this.nextSeq) throw new Error(`journal gap: ${row.seq} after ${this.#head}`);
    this.#appended.journal.push(row);
    this.#head = row.seq;
  }

  count(outcome: DeliveryOutcome): void {
    addTo(this.#intakeCounts, outcome, 1);
  }

  /** How many records were read since the last call of `age`. */
  get size(): number {
    return this.#hashStates.size + this.#movements.size + this.#breaks.size;
  }

  /** Forgets the records that were not read since the last call. The caller has written everything. */
  age(): void {
    this.#hashStates.age();
    this.#movements.age();
    this.#breaks.letGo();
    this.exemptions.letGo();
    this.#pinned.clear();
  }

  /** The journal position of the fact that took this id. */
  seen(id: string): number | undefined {
    return this.#notifications.get(id) ?? this.#source.seen(id);
  }

  record(row: NotificationRow): void {
    const { seq, id, notification } = row;
    this.#notifications.set(id, seq);
    const network = notification?.network ?? null;
    const hash = notification?.blockchainHash ?? null;
    if (network !== null && hash !== null) this.#hashStates.nameHash(network, hash, seq);
    this.#appended.notifications.push(row);
  }

  keptAside(id: string, digest: string): boolean {
    for (const row of this.#quarantine.values()) {
      if (row.notificationId === id && row.digest === digest) return true;
    }
    return this.#source.keptAside(id, digest);
  }

  putQuarantine(row: QuarantineRow): void {
    this.#quarantine.set(row.quarantineId, row);
  }

  /** The journalled bytes of a fact. */
  body(seq: number): Uint8Array | undefined {
    const appended = this.#appended.journal[seq - (this.#appended.journal[0]?.seq ?? 0)];
    return appended?.body ?? this.#source.body(seq);
  }

  hashState(network: NetworkKey, hash: BlockchainHash): KeyedHashState {
    return this.#hashStates.of(network, hash);
  }

  /** Hash states of the hashes that records name, each once and in their order. */
  hashStatesOf(named: readonly NamedHash[]): KeyedHashState[] {
    const found = new Set<KeyedHashState>();
    for (const { network, blockchainHash } of named) {
      if (network !== null && blockchainHash !== null) {
        found.add(this.hashState(network, blockchainHash));
      }
    }
    return [...found];
  }

  /** How many records arrived at a hash (`arrivedWeight`). */
  arrivedAt(network: NetworkKey, hash: BlockchainHash): number {
    return this.#hashStates.arrivedAt(network, hash);
  }

  withdrawal(transactionId: TransactionId): Withdrawal | undefined {
    return this.#hashStates.withdrawal(transactionId);
  }

  deposit(depositId: DepositId): Deposit | undefined {
    return this.#hashStates.deposit(depositId);
  }

  movement(key: MovementKey): Movement | undefined {
    return this.#movements.get(key);
  }

  movementCount(kind: keyof MovementCounts): number {
    return this.#movements.count(kind);
  }

  putMovement(movement: Movement): void {
    this.#movements.put(movement);
  }

  /** Every hash that a transaction has or had, or that somebody claimed for it. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[] {
    return this.#hashStates.ownHashesOf(transactionId);
  }

  pinnedDecimals(asset: AssetId): number | undefined {
    const known = this.#pinned.get(asset);
    if (known !== undefined) return known;
    const stored = this.#source.pinnedDecimals(asset);
    if (stored !== undefined) this.#pinned.set(asset, stored);
    return stored;
  }

  policy(): PolicyRow | undefined {
    this.#policy ??= this.#source.policy();
    return this.#policy;
  }

  setPolicy(row: PolicyRow): void {
    this.#policy = row;
    this.#appended.policies.push(row);
  }

  /** Adds a row to a table that is only appended to. */
  append<Table extends keyof AppendedRows>(table: Table, row: Writes[Table][number]): void {
    this.#appended[table].push(row);
  }

  putReviewCursor(cursor: ReviewCursor): void {
    this.#reviewCursor = cursor;
  }

  putCustodyEffects(rows: readonly CustodyEffectRow[]): void {
    // One by one: there may be more of them than a call takes arguments.
    for (const row of rows) this.#appended.custodyEffects.push(row);
  }

  unresolvedBreak(key: string): Break | undefined {
    return this.#breaks.unresolved(key);
  }

  unresolvedCount(types: readonly BreakType[]): number {
    return this.#breaks.unresolvedCount(types);
  }

  putBreak(step: BreakStep, seq: number): void {
    this.#breaks.put(step, seq);
  }

  /** Applies the change set of the fact at `seq`. */
  apply(all: ChangeSet, fact: { seq: number; at: number; mint: IdMint }): void {
    this.#hashStates.nameAll(all, fact.seq);
    for (const { asset, decimals } of all.pinned) {
      this.#assets.set(asset, decimals);
      this.#pinned.set(asset, decimals);
    }
    for (const withdrawal of all.withdrawals) this.#hashStates.putWithdrawal(withdrawal);
    for (const own of all.ownHashes) this.#hashStates.putOwnHash(own);
    for (const sighting of all.sightings) this.#hashStates.putSighting(sighting);
    for (const deposit of all.deposits) this.#hashStates.putDeposit(deposit, fact.seq);
    for (const entry of all.entries) this.#post(entry, fact);
    for (const item of all.items) {
      this.#appended.feed.push({ item, seq: fact.seq, createdAt: fact.at });
    }
    for (const { key, reason } of all.healed) {
      this.exemptions.drop(key);
      this.heal(key, reason, fact);
    }
    for (const found of all.found) this.find(found, fact);
  }

  /** Opens a break, or brings the open one of its key up to date. */
  find(found: Finding, fact: { seq: number; at: number; mint: IdMint }): void {
    this.exemptions.drop(found.key);
    this.#breaks.find(found, fact);
  }

  /** Resolves the open break of an exempt difference, and stores the difference until its rule ends. */
  exempt(difference: ExemptDifference, fact: { seq: number; at: number }): void {
    this.exemptions.put(difference);
    this.heal(difference.finding.key, `exempt: ${difference.rule}`, fact);
  }

  heal(key: string, reason: string, fact: { seq: number; at: number }): void {
    this.#breaks.heal(key, reason, fact);
  }

  #post(entry: Entry, fact: { seq: number; at: number }): void {
    this.#appended.entries.push({ entry, seq: fact.seq, postedAt: fact.at });
    this.#movements.post(entry, fact.at);
  }

  /** Returns the changes since the last call. The records stay in memory. */
  takeWrites(): Writes {
    const appended = this.#appended;
    const writes: Writes = {
      ...appended,
      headSeq: this.#head,
      quarantine: [...this.#quarantine.values()],
      ...this.#hashStates.takeWrites(),
      ...this.#movements.takeWrites(),
      assets: this.#assets,
      ...this.#breaks.takeWrites(),
      ...this.exemptions.takeWrites(),
      reviewCursor: this.#reviewCursor,
      intakeCounts: this.#intakeCounts,
    };
    this.#forgetWritten();
    return writes;
  }

  #forgetWritten(): void {
    this.#appended = noAppendedRows();
    this.#notifications.clear();
    this.#quarantine.clear();
    this.#assets = new Map();
    this.#intakeCounts = new Map();
    this.#reviewCursor = null;
  }
}
