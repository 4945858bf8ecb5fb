import type { Deposit } from '../domain/deposit.ts';
import { arrivedWeight, depositWeight, sightingWeight } from '../domain/crowd.ts';
import type { Changes, HashDossier } from '../domain/dossier.ts';
import {
  firstEntryIdOf,
  type BlockchainHash,
  type DepositId,
  type HashKey,
  type NetworkKey,
  type TransactionId,
} from '../domain/ids.ts';
import type { OwnHash } from '../domain/own-hash.ts';
import { sameKey, type Sighting } from '../domain/sighting.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import { Recent } from './recent.ts';
import type { HashRow, RecordSource, Writes } from './records.ts';

type Source = Pick<RecordSource, 'dossier' | 'deposit' | 'withdrawal' | 'ownHashesOf'>;

/** A dossier being worked on, with what of it must be written. */
interface OpenDossier extends HashKey {
  /** Undefined until something is kept of the hash. */
  hashId: number | undefined;
  /** Whether the store knew the hash when it was opened here, or asked for first in a period. */
  stored: boolean;
  /** In which it was asked for last. */
  period: number;
  sightings: Sighting[];
  /** By id: a hash may hold thousands. */
  readonly deposits: Deposit[];
  withdrawals: Withdrawal[];
  ownHashes: OwnHash[];
  /** `arrivedWeight` of it, kept up to date: to weigh thousands for each notification takes long. */
  arrived: number;
}

/** What the store has of a record that was changed; undefined where it has none. */
interface Unwritten<Item> {
  readonly dossier: OpenDossier;
  readonly before: Item | undefined;
}

interface UnwrittenDeposit extends Unwritten<Deposit> {
  /** The fact that changed it first. */
  readonly seq: number;
}

/** Where a deposit is in a list by id, or would be. */
function placeOf(depositId: DepositId, deposits: readonly Deposit[]): number {
  let from = 0;
  let to = deposits.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const isBefore = (deposits[middle]?.depositId ?? depositId) < depositId;
    if (isBefore) from = middle + 1;
    else to = middle;
  }
  return from;
}

function depositIn({ deposits }: OpenDossier, depositId: DepositId): Deposit | undefined {
  const found = deposits[placeOf(depositId, deposits)];
  return found?.depositId === depositId ? found : undefined;
}

function byHash(left: HashKey, right: HashKey): number {
  if (left.network !== right.network) return left.network < right.network ? -1 : 1;
  return left.blockchainHash < right.blockchainHash ? -1 : 1;
}

function numberOf({ network, blockchainHash, hashId }: OpenDossier): number {
  if (hashId === undefined) throw new Error(`${network} ${blockchainHash} has no number`);
  return hashId;
}

/**
 * What is known of each hash, as it is worked on: read once, written once a transaction however
 * many facts touch it, and kept at hand for the facts after it.
 */
export class Dossiers {
  readonly #source: Source;
  readonly #open = new Map<NetworkKey, Recent<BlockchainHash, OpenDossier>>();
  /** The one asked for last: a rule's changes are nearly always all about one hash. */
  #latest: OpenDossier | undefined;
  readonly #sightings = new Map<Sighting, Unwritten<Sighting>>();
  readonly #deposits = new Map<DepositId, UnwrittenDeposit>();
  /** By hash, the transactions whose standing there has changed. */
  readonly #ownHashes = new Map<OpenDossier, Set<TransactionId>>();
  readonly #ofDeposit = new Recent<DepositId, OpenDossier>();
  /** Null where the store has none. */
  readonly #withdrawals = new Recent<TransactionId, Withdrawal | null>();
  readonly #changedWithdrawals = new Set<TransactionId>();
  #period = 0;
  /** Of the hashes that were asked for in this period, one for each and what arrived there. */
  #weight = 0;
  #newHashes: HashRow[] = [];
  #named = { seq: 0, count: 0 };

  constructor(source: Source) {
    this.#source = source;
  }

  /** How much was asked for in this period, in records: hashes with what arrived at them, withdrawals. */
  get size(): number {
    return this.#withdrawals.size + this.#weight;
  }

  /** Lets go of what has not been asked for of late. To be called when all is written. */
  age(): void {
    for (const [network, ofNetwork] of this.#open) {
      ofNetwork.age();
      // Whoever knows the webhook's URL can make up networks without end.
      if (ofNetwork.isEmpty) this.#open.delete(network);
    }
    this.#ofDeposit.age();
    this.#withdrawals.age();
    this.#latest = undefined;
    this.#weight = 0;
    this.#period += 1;
  }

  of(network: NetworkKey, hash: BlockchainHash): HashDossier {
    return this.#at(network, hash);
  }

  /** How much of what arrived at a hash is known, in records. */
  arrivedAt(network: NetworkKey, hash: BlockchainHash): number {
    return this.#at(network, hash).arrived;
  }

  /** Whether the store may keep more of a hash than is at hand. */
  isStored({ network, blockchainHash }: HashKey): boolean {
    return this.#at(network, blockchainHash).stored;
  }

  withdrawal(transactionId: TransactionId): Withdrawal | undefined {
    let known = this.#withdrawals.get(transactionId);
    if (known === undefined) {
      known = this.#source.withdrawal(transactionId) ?? null;
      this.#withdrawals.set(transactionId, known);
    }
    return known ?? undefined;
  }

  deposit(depositId: DepositId): Deposit | undefined {
    const known = this.#ofDeposit.get(depositId);
    const stored = known ?? this.#source.deposit(depositId);
    if (stored === undefined) return undefined;
    const dossier = this.#at(stored.network, stored.blockchainHash);
    return depositIn(dossier, depositId);
  }

  /** Every hash that a transaction has or is said to have. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[] {
    const dossiers = new Set(
      this.#source
        .ownHashesOf(transactionId)
        .map(({ network, blockchainHash }) => this.#at(network, blockchainHash)),
    );
    for (const [dossier, changed] of this.#ownHashes) {
      if (changed.has(transactionId)) dossiers.add(dossier);
    }
    return [...dossiers]
      .flatMap(({ ownHashes }) => ownHashes.filter((own) => own.transactionId === transactionId))
      .sort(byHash);
  }

  /** Numbers the hashes that a fact is the first to tell of, in the order in which it does. */
  name(all: Changes, seq: number): void {
    for (const { network, blockchainHash } of all.withdrawals) {
      if (network !== null && blockchainHash !== null) this.nameHash(network, blockchainHash, seq);
    }
    for (const told of [all.ownHashes, all.sightings, all.deposits, all.entries]) {
      for (const { network, blockchainHash } of told) this.nameHash(network, blockchainHash, seq);
    }
  }

  /** The number of a hash: a new one, where the fact at `seq` is the first to tell of it. */
  nameHash(network: NetworkKey, blockchainHash: BlockchainHash, seq: number): number {
    const dossier = this.#at(network, blockchainHash);
    if (dossier.hashId !== undefined) return dossier.hashId;
    if (this.#named.seq !== seq) this.#named = { seq, count: 0 };
    const hashId = firstEntryIdOf(seq) + this.#named.count;
    this.#named.count += 1;
    dossier.hashId = hashId;
    this.#newHashes.push({ network, blockchainHash, hashId });
    return hashId;
  }

  putOwnHash(own: OwnHash): void {
    const dossier = this.#at(own.network, own.blockchainHash);
    const { transactionId } = own;
    // In its place: thousands may change at once, and a new list for each of them takes seconds.
    const index = dossier.ownHashes.findIndex((known) => known.transactionId === transactionId);
    if (index === -1) dossier.ownHashes.push(own);
    else dossier.ownHashes[index] = own;
    const changed = this.#ownHashes.get(dossier);
    if (changed === undefined) this.#ownHashes.set(dossier, new Set([own.transactionId]));
    else changed.add(own.transactionId);
  }

  putSighting(sighting: Sighting): void {
    const dossier = this.#at(sighting.network, sighting.blockchainHash);
    const index = dossier.sightings.findIndex((known) => sameKey(known, sighting));
    const known = dossier.sightings[index];
    if (known === undefined) dossier.sightings.push(sighting);
    else dossier.sightings[index] = sighting;
    this.#grow(dossier, sightingWeight(sighting) - (known ? sightingWeight(known) : 0));
    const unwritten = known && this.#sightings.get(known);
    if (known !== undefined) this.#sightings.delete(known);
    this.#sightings.set(sighting, { dossier, before: unwritten ? unwritten.before : known });
  }

  putDeposit(deposit: Deposit, seq: number): void {
    const dossier = this.#at(deposit.network, deposit.blockchainHash);
    const { deposits } = dossier;
    const { depositId } = deposit;
    const place = placeOf(depositId, deposits);
    const known = deposits[place]?.depositId === depositId ? deposits[place] : undefined;
    const unwritten = this.#deposits.get(depositId);
    if (known !== undefined) deposits[place] = deposit;
    else {
      // In the order in which the store reads them: what is minted must not depend on batching.
      deposits.splice(place, 0, deposit);
      this.#grow(dossier, depositWeight(deposit));
      this.#ofDeposit.set(depositId, dossier);
    }
    this.#deposits.set(depositId, unwritten ?? { dossier, before: known, seq });
  }

  putWithdrawal(withdrawal: Withdrawal): void {
    const { transactionId, network, blockchainHash } = withdrawal;
    const before = this.withdrawal(transactionId);
    this.#withdrawals.set(transactionId, withdrawal);
    this.#changedWithdrawals.add(transactionId);
    this.#leave(before);
    if (network === null || blockchainHash === null) return;
    const dossier = this.#at(network, blockchainHash);
    dossier.withdrawals = [
      ...dossier.withdrawals.filter((one) => one.transactionId !== transactionId),
      withdrawal,
    ].sort((left, right) => (left.transactionId < right.transactionId ? -1 : 1));
  }

  takeWrites(): Pick<
    Writes,
    'hashes' | 'hashIdOf' | 'sightings' | 'deposits' | 'withdrawals' | 'ownHashes'
  > {
    const writes = {
      hashes: this.#newHashes,
      hashIdOf: ({ network, blockchainHash }: HashKey) =>
        numberOf(this.#at(network, blockchainHash)),
      sightings: Array.from(this.#sightings, ([after, { before, dossier }]) => ({
        after,
        before,
        hashId: numberOf(dossier),
      })),
      deposits: [...this.#deposits].flatMap(([depositId, { dossier, before, seq }]) => {
        const after = depositIn(dossier, depositId);
        return after === undefined ? [] : [{ after, before, seq, hashId: numberOf(dossier) }];
      }),
      withdrawals: [...this.#changedWithdrawals].flatMap((id) => this.#withdrawals.get(id) ?? []),
      ownHashes: [...this.#ownHashes].flatMap(([{ ownHashes }, changed]) =>
        ownHashes.filter((own) => changed.has(own.transactionId)),
      ),
    };
    this.#sightings.clear();
    this.#deposits.clear();
    this.#ownHashes.clear();
    this.#changedWithdrawals.clear();
    this.#newHashes = [];
    return writes;
  }

  #at(network: NetworkKey, blockchainHash: BlockchainHash): OpenDossier {
    const latest = this.#latest;
    if (latest?.blockchainHash === blockchainHash && latest.network === network) return latest;
    const known = this.#open.get(network)?.get(blockchainHash);
    const dossier = known ?? this.#opened(network, blockchainHash);
    if (dossier.period !== this.#period) {
      dossier.period = this.#period;
      dossier.stored = dossier.hashId !== undefined;
      this.#weight += 1 + dossier.arrived;
    }
    this.#latest = dossier;
    return dossier;
  }

  #opened(network: NetworkKey, blockchainHash: BlockchainHash): OpenDossier {
    const stored = this.#source.dossier(network, blockchainHash);
    // One that was changed in this transaction may have left for another hash.
    const withdrawals = stored.withdrawals
      .map((withdrawal) => this.#withdrawals.get(withdrawal.transactionId) ?? withdrawal)
      .filter((one) => one.network === network && one.blockchainHash === blockchainHash);
    const fresh: OpenDossier = {
      network,
      blockchainHash,
      hashId: stored.hashId,
      stored: stored.hashId !== undefined,
      period: this.#period,
      sightings: [...stored.sightings],
      deposits: [...stored.deposits],
      withdrawals,
      ownHashes: [...stored.ownHashes],
      arrived: arrivedWeight(stored),
    };
    this.#networkOf(network).set(blockchainHash, fresh);
    this.#weight += 1 + fresh.arrived;
    for (const { depositId } of fresh.deposits) this.#ofDeposit.set(depositId, fresh);
    return fresh;
  }

  #grow(dossier: OpenDossier, weight: number): void {
    dossier.arrived += weight;
    this.#weight += weight;
  }

  #networkOf(network: NetworkKey): Recent<BlockchainHash, OpenDossier> {
    let ofNetwork = this.#open.get(network);
    if (ofNetwork === undefined) {
      ofNetwork = new Recent();
      this.#open.set(network, ofNetwork);
    }
    return ofNetwork;
  }

  #leave(before: Withdrawal | undefined): void {
    if (before === undefined || before.network === null || before.blockchainHash === null) return;
    const dossier = this.#open.get(before.network)?.get(before.blockchainHash);
    if (dossier === undefined) return;
    dossier.withdrawals = dossier.withdrawals.filter(
      (one) => one.transactionId !== before.transactionId,
    );
  }
}
