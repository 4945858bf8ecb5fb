import type { Break, BreakStep, Finding } from '../domain/break.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { Changes, Dossier } from '../domain/dossier.ts';
import type { Entry } from '../domain/entry.ts';
import type {
  AssetId,
  BlockchainHash,
  DepositId,
  IdMint,
  NetworkKey,
  TransactionId,
} from '../domain/ids.ts';
import type { Movement, MovementKey } from '../domain/movement.ts';
import { withOwnHash, type OwnHash } from '../domain/own-hash.ts';
import { sameKey, type Sighting } from '../domain/sighting.ts';
import type { ExemptDifference } from '../domain/exemption.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import { ExemptionBook } from './exemption-book.ts';
import { BreakBook } from './break-book.ts';
import { MovementSums } from './movement-sums.ts';
import type {
  AcknowledgementRow,
  CustodyEffectRow,
  DeliveryOutcome,
  FeedItem,
  JournalRow,
  NotificationRow,
  PolicyRow,
  PostedEntry,
  QuarantineRow,
  ReconciliationRow,
  RestoreRow,
  RecordSource,
  SignatureRow,
  Writes,
} from './records.ts';

/** A dossier being worked on, with what of it must be written. */
interface OpenDossier {
  sightings: Sighting[];
  deposits: Deposit[];
  withdrawals: Withdrawal[];
  ownHashes: OwnHash[];
  readonly changedOwnHashes: Set<TransactionId>;
  readonly changedSightings: Set<Sighting>;
  readonly changedDeposits: Set<DepositId>;
}

function dossierKey(network: NetworkKey, hash: BlockchainHash): string {
  return `${network}\u0000${hash}`;
}

function dossierKeyOf({ network, blockchainHash }: OwnHash): string {
  return dossierKey(network, blockchainHash);
}

function addTo<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** The tables that are only appended to, between two flushes. */
interface Appended {
  readonly journal: JournalRow[];
  readonly notifications: NotificationRow[];
  readonly entries: PostedEntry[];
  readonly feed: FeedItem[];
  readonly acknowledgements: AcknowledgementRow[];
  readonly reconciliations: ReconciliationRow[];
  readonly policies: PolicyRow[];
  readonly restores: RestoreRow[];
  readonly closes: Writes['closes'][number][];
  readonly custodyEffects: CustodyEffectRow[];
  readonly signatures: SignatureRow[];
}

function nothingAppended(): Appended {
  return {
    journal: [],
    notifications: [],
    entries: [],
    feed: [],
    acknowledgements: [],
    reconciliations: [],
    policies: [],
    restores: [],
    closes: [],
    custodyEffects: [],
    signatures: [],
  };
}

/**
 * The records that one transaction works on. Facts of one batch see each other's effects here
 * before anything is written; every record is read at most once and written at most once, however
 * many facts of the batch touch it.
 */
export class WorkingSet {
  readonly #source: RecordSource;
  #head: number;
  #appended = nothingAppended();
  readonly #dossiers = new Map<string, OpenDossier>();
  readonly #withdrawals = new Map<TransactionId, Withdrawal | undefined>();
  readonly #changedWithdrawals = new Set<TransactionId>();
  readonly #movements: MovementSums;
  readonly #notifications = new Map<string, { readonly digest: string }>();
  readonly #quarantine = new Map<string, QuarantineRow>();
  readonly #breaks: BreakBook;
  readonly exemptions: ExemptionBook;
  #assets = new Map<AssetId, number>();
  #intakeCounts = new Map<DeliveryOutcome, number>();
  #policy: PolicyRow | undefined;

  constructor(source: RecordSource, journalHead: number) {
    this.#source = source;
    this.#head = journalHead;
    this.#breaks = new BreakBook(source);
    this.exemptions = new ExemptionBook(source);
    this.#movements = new MovementSums((key) => source.movement(key));
  }

  /** The place that the next journalled fact will take. */
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

  seen(id: string): { readonly digest: string } | undefined {
    return this.#notifications.get(id) ?? this.#source.seen(id);
  }

  record(row: NotificationRow): void {
    this.#notifications.set(row.id, row);
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

  dossier(network: NetworkKey, hash: BlockchainHash): Dossier {
    return this.#open(network, hash);
  }

  withdrawal(transactionId: TransactionId): Withdrawal | undefined {
    if (!this.#withdrawals.has(transactionId)) {
      this.#withdrawals.set(transactionId, this.#source.withdrawal(transactionId));
    }
    return this.#withdrawals.get(transactionId);
  }

  deposit(depositId: DepositId): Deposit | undefined {
    for (const dossier of this.#dossiers.values()) {
      const known = dossier.deposits.find((deposit) => deposit.depositId === depositId);
      if (known !== undefined) return known;
    }
    const stored = this.#source.deposit(depositId);
    if (stored === undefined) return undefined;
    const dossier = this.#open(stored.network, stored.blockchainHash);
    return dossier.deposits.find((deposit) => deposit.depositId === depositId);
  }

  movement(key: MovementKey): Movement | undefined {
    return this.#movements.get(key);
  }

  putMovement(movement: Movement): void {
    this.#movements.put(movement);
  }

  /** Every hash that a transaction has or is said to have. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[] {
    for (const { network, blockchainHash } of this.#source.ownHashesOf(transactionId)) {
      this.#open(network, blockchainHash);
    }
    return [...this.#dossiers.values()]
      .flatMap(({ ownHashes }) => ownHashes.filter((own) => own.transactionId === transactionId))
      .sort((left, right) => (dossierKeyOf(left) < dossierKeyOf(right) ? -1 : 1));
  }

  pinnedDecimals(asset: AssetId): number | undefined {
    return this.#assets.get(asset) ?? this.#source.pinnedDecimals(asset);
  }

  policy(): PolicyRow | undefined {
    this.#policy ??= this.#source.policy();
    return this.#policy;
  }

  setPolicy(row: PolicyRow): void {
    this.#policy = row;
    this.#appended.policies.push(row);
  }

  addRestore(row: RestoreRow): void {
    this.#appended.restores.push(row);
  }

  acknowledge(row: AcknowledgementRow): void {
    this.#appended.acknowledgements.push(row);
  }

  addReconciliation(row: ReconciliationRow): void {
    this.#appended.reconciliations.push(row);
  }

  addClose(close: Writes['closes'][number]): void {
    this.#appended.closes.push(close);
  }

  putCustodyEffects(rows: readonly CustodyEffectRow[]): void {
    this.#appended.custodyEffects.push(...rows);
  }

  addSignature(row: SignatureRow): void {
    this.#appended.signatures.push(row);
  }

  unresolvedBreak(key: string): Break | undefined {
    return this.#breaks.unresolved(key);
  }

  putBreak(step: BreakStep, seq: number): void {
    this.#breaks.put(step, seq);
  }

  /** Takes over what a rule decided for the fact at `seq`. */
  apply(all: Changes, fact: { seq: number; at: number; mint: IdMint }): void {
    for (const { asset, decimals } of all.pinned) this.#assets.set(asset, decimals);
    for (const withdrawal of all.withdrawals) this.#putWithdrawal(withdrawal);
    for (const own of all.ownHashes) this.#putOwnHash(own);
    for (const sighting of all.sightings) this.#putSighting(sighting);
    for (const deposit of all.deposits) this.#putDeposit(deposit);
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

  /** Ends the open break of an exempt difference, and keeps the difference for when its rule ends. */
  exempt(difference: ExemptDifference, fact: { seq: number; at: number }): void {
    this.exemptions.put(difference);
    this.heal(difference.finding.key, `exempt: ${difference.rule}`, fact);
  }

  heal(key: string, reason: string, fact: { seq: number; at: number }): void {
    this.#breaks.heal(key, reason, fact);
  }

  #open(network: NetworkKey, hash: BlockchainHash): OpenDossier {
    const key = dossierKey(network, hash);
    const known = this.#dossiers.get(key);
    if (known !== undefined) return known;
    const stored = this.#source.dossier(network, hash);
    // One that was changed in this transaction may have left for another hash.
    const withdrawals = stored.withdrawals
      .map((withdrawal) => this.#withdrawals.get(withdrawal.transactionId) ?? withdrawal)
      .filter((one) => one.network === network && one.blockchainHash === hash);
    const fresh: OpenDossier = {
      sightings: [...stored.sightings],
      deposits: [...stored.deposits],
      withdrawals,
      ownHashes: [...stored.ownHashes],
      changedOwnHashes: new Set(),
      changedSightings: new Set(),
      changedDeposits: new Set(),
    };
    this.#dossiers.set(key, fresh);
    return fresh;
  }

  #putOwnHash(own: OwnHash): void {
    const dossier = this.#open(own.network, own.blockchainHash);
    dossier.ownHashes = withOwnHash(dossier.ownHashes, own);
    dossier.changedOwnHashes.add(own.transactionId);
  }

  #putSighting(sighting: Sighting): void {
    const dossier = this.#open(sighting.network, sighting.blockchainHash);
    const index = dossier.sightings.findIndex((known) => sameKey(known, sighting));
    if (index === -1) {
      dossier.sightings.push(sighting);
    } else {
      const [before] = dossier.sightings.splice(index, 1, sighting);
      if (before !== undefined) dossier.changedSightings.delete(before);
    }
    dossier.changedSightings.add(sighting);
  }

  #putDeposit(deposit: Deposit): void {
    const dossier = this.#open(deposit.network, deposit.blockchainHash);
    const index = dossier.deposits.findIndex((known) => known.depositId === deposit.depositId);
    if (index !== -1) dossier.deposits.splice(index, 1, deposit);
    else {
      dossier.deposits.push(deposit);
      // In the order in which the store reads them: what is minted must not depend on batching.
      dossier.deposits.sort((left, right) => (left.depositId < right.depositId ? -1 : 1));
    }
    dossier.changedDeposits.add(deposit.depositId);
  }

  #putWithdrawal(withdrawal: Withdrawal): void {
    const before = this.withdrawal(withdrawal.transactionId);
    this.#withdrawals.set(withdrawal.transactionId, withdrawal);
    this.#changedWithdrawals.add(withdrawal.transactionId);
    this.#leaveDossier(before);
    const { network, blockchainHash } = withdrawal;
    if (network === null || blockchainHash === null) return;
    const dossier = this.#open(network, blockchainHash);
    dossier.withdrawals = [
      ...dossier.withdrawals.filter((one) => one.transactionId !== withdrawal.transactionId),
      withdrawal,
    ].sort((left, right) => (left.transactionId < right.transactionId ? -1 : 1));
  }

  #leaveDossier(before: Withdrawal | undefined): void {
    if (before === undefined || before.network === null || before.blockchainHash === null) return;
    const dossier = this.#dossiers.get(dossierKey(before.network, before.blockchainHash));
    if (dossier === undefined) return;
    dossier.withdrawals = dossier.withdrawals.filter(
      (one) => one.transactionId !== before.transactionId,
    );
  }

  #post(entry: Entry, fact: { seq: number; at: number }): void {
    this.#appended.entries.push({ entry, seq: fact.seq, postedAt: fact.at });
    this.#movements.post(entry, fact.at);
  }

  /** Hands over what is to be written since the last call, and keeps the records at hand. */
  takeWrites(): Writes {
    const appended = this.#appended;
    const writes: Writes = {
      ...appended,
      quarantine: [...this.#quarantine.values()],
      sightings: [...this.#dossiers.values()].flatMap((one) => [...one.changedSightings]),
      deposits: [...this.#dossiers.values()].flatMap((one) =>
        one.deposits.filter((deposit) => one.changedDeposits.has(deposit.depositId)),
      ),
      withdrawals: [...this.#changedWithdrawals].flatMap((id) => this.#withdrawals.get(id) ?? []),
      ownHashes: [...this.#dossiers.values()].flatMap((one) =>
        one.ownHashes.filter((own) => one.changedOwnHashes.has(own.transactionId)),
      ),
      ...this.#movements.takeWrites(),
      assets: this.#assets,
      ...this.#breaks.takeWrites(),
      ...this.exemptions.takeWrites(),
      intakeCounts: this.#intakeCounts,
    };
    this.#forgetWritten();
    return writes;
  }

  #forgetWritten(): void {
    this.#appended = nothingAppended();
    for (const dossier of this.#dossiers.values()) {
      dossier.changedSightings.clear();
      dossier.changedDeposits.clear();
      dossier.changedOwnHashes.clear();
    }
    this.#quarantine.clear();
    this.#changedWithdrawals.clear();
    this.#assets = new Map();
    this.#intakeCounts = new Map();
  }
}
