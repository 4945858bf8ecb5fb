import type { Deposit } from '../../domain/deposit/deposit.ts';
import { arrivedWeight, depositWeight, sightingWeight } from '../../domain/hash/hash-limits.ts';
import type { ChangeSet, KeyedHashState } from '../../domain/hash/hash-state.ts';
import {
  type BlockchainHash,
  type DepositId,
  type HashKey,
  type NetworkKey,
  type TransactionId,
} from '../../domain/ids.ts';
import type { OwnHash } from '../../domain/withdrawal/own-hash.ts';
import { sameKey, type Sighting } from '../../domain/hash/sighting.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { TwoPeriodCache } from './two-period-cache.ts';
import type { HashRow } from '../records.ts';
import type { RecordSource, Writes } from '../port.ts';

type Source = Pick<RecordSource, 'hashState' | 'deposit' | 'withdrawal' | 'ownHashesOf'>;

/** A hash state in memory, which facts change before it is written. */
interface OpenHashState extends HashKey {
  /** Whether some fact has named the hash. */
  named: boolean;
  /** Whether the store knew the hash when it was read, or first read in this period. */
  stored: boolean;
  /** The period in which it was read last. */
  period: number;
  sightings: Sighting[];
  /** By id: a hash may hold thousands. */
  readonly deposits: Deposit[];
  withdrawals: Withdrawal[];
  ownHashes: OwnHash[];
  /** Its `arrivedWeight`, kept current: to weigh thousands of records for each notification is slow. */
  arrived: number;
}

/** A changed deposit that is not written yet. */
interface UnwrittenDeposit {
  /** The deposit as the store has it; undefined where the store has none. */
  readonly before: Deposit | undefined;
  readonly hashState: OpenHashState;
  /** The fact that changed it first. */
  readonly seq: number;
}

/** The index of a deposit in a list sorted by id, or the index to insert it at. */
function cursorOf(depositId: DepositId, deposits: readonly Deposit[]): number {
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

function depositIn({ deposits }: OpenHashState, depositId: DepositId): Deposit | undefined {
  const found = deposits[cursorOf(depositId, deposits)];
  return found?.depositId === depositId ? found : undefined;
}

function byHash(left: HashKey, right: HashKey): number {
  if (left.network !== right.network) return left.network < right.network ? -1 : 1;
  return left.blockchainHash < right.blockchainHash ? -1 : 1;
}

/**
 * The hash states that a batch of facts changes. Each is read once, written once a transaction
 * however many facts change it, and kept in memory for the facts after it.
 */
export class HashStates {
  readonly #source: Source;
  readonly #open = new Map<NetworkKey, TwoPeriodCache<BlockchainHash, OpenHashState>>();
  /** The state read last: the changes of one rule are nearly always about one hash. */
  #latest: OpenHashState | undefined;
  readonly #sightings = new Set<Sighting>();
  readonly #deposits = new Map<DepositId, UnwrittenDeposit>();
  /** By hash, the transactions whose certainty there has changed. */
  readonly #ownHashes = new Map<OpenHashState, Set<TransactionId>>();
  readonly #ofDeposit = new TwoPeriodCache<DepositId, OpenHashState>();
  /** Null where the store has none. */
  readonly #withdrawals = new TwoPeriodCache<TransactionId, Withdrawal | null>();
  readonly #changedWithdrawals = new Set<TransactionId>();
  #period = 0;
  /** The hashes that were read in this period: one for each, plus its `arrived`. */
  #weight = 0;
  #newHashes: HashRow[] = [];

  constructor(source: Source) {
    this.#source = source;
  }

  /** How many records were read in this period: withdrawals, hashes, and what arrived at each. */
  get size(): number {
    return this.#withdrawals.size + this.#weight;
  }

  /** Forgets what was not read in this period. The caller has written everything. */
  age(): void {
    for (const [network, ofNetwork] of this.#open) {
      ofNetwork.age();
      // Whoever knows the webhook's URL can invent any number of networks.
      if (ofNetwork.isEmpty) this.#open.delete(network);
    }
    this.#ofDeposit.age();
    this.#withdrawals.age();
    this.#latest = undefined;
    this.#weight = 0;
    this.#period += 1;
  }

  of(network: NetworkKey, hash: BlockchainHash): KeyedHashState {
    return this.#at(network, hash);
  }

  /** How many records arrived at a hash (`arrivedWeight`). */
  arrivedAt(network: NetworkKey, hash: BlockchainHash): number {
    return this.#at(network, hash).arrived;
  }

  /** Whether the store may have records of a hash that are not in memory. */
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
    const hashState = this.#at(stored.network, stored.blockchainHash);
    return depositIn(hashState, depositId);
  }

  /** Every hash that a transaction has or had, or that somebody claimed for it. */
  ownHashesOf(transactionId: TransactionId): readonly OwnHash[] {
    const hashStates = new Set(
      this.#source
        .ownHashesOf(transactionId)
        .map(({ network, blockchainHash }) => this.#at(network, blockchainHash)),
    );
    for (const [hashState, changed] of this.#ownHashes) {
      if (changed.has(transactionId)) hashStates.add(hashState);
    }
    return [...hashStates]
      .flatMap(({ ownHashes }) => ownHashes.filter((own) => own.transactionId === transactionId))
      .sort(byHash);
  }

  /** Notes the hashes that the fact at `seq` names first, in the order in which it does. */
  nameAll(all: ChangeSet, seq: number): void {
    for (const { network, blockchainHash } of all.withdrawals) {
      if (network !== null && blockchainHash !== null) this.nameHash(network, blockchainHash, seq);
    }
    for (const records of [all.ownHashes, all.sightings, all.deposits, all.entries]) {
      for (const { network, blockchainHash } of records)
        this.nameHash(network, blockchainHash, seq);
    }
  }

  /** Notes a hash as new, where the fact at `seq` is the first to name it. */
  nameHash(network: NetworkKey, blockchainHash: BlockchainHash, seq: number): void {
    const hashState = this.#at(network, blockchainHash);
    if (hashState.named) return;
    hashState.named = true;
    this.#newHashes.push({ network, blockchainHash, seq });
  }

  putOwnHash(own: OwnHash): void {
    const hashState = this.#at(own.network, own.blockchainHash);
    const { transactionId } = own;
    // In the same list: thousands may change at once, and a new list for each takes seconds.
    const index = hashState.ownHashes.findIndex((known) => known.transactionId === transactionId);
    if (index === -1) hashState.ownHashes.push(own);
    else hashState.ownHashes[index] = own;
    const changed = this.#ownHashes.get(hashState);
    if (changed === undefined) this.#ownHashes.set(hashState, new Set([own.transactionId]));
    else changed.add(own.transactionId);
  }

  putSighting(sighting: Sighting): void {
    const hashState = this.#at(sighting.network, sighting.blockchainHash);
    const index = hashState.sightings.findIndex((known) => sameKey(known, sighting));
    const known = hashState.sightings[index];
    if (known === undefined) hashState.sightings.push(sighting);
    else hashState.sightings[index] = sighting;
    this.#grow(hashState, sightingWeight(sighting) - (known ? sightingWeight(known) : 0));
    if (known !== undefined) this.#sightings.delete(known);
    this.#sightings.add(sighting);
  }

  putDeposit(deposit: Deposit, seq: number): void {
    const hashState = this.#at(deposit.network, deposit.blockchainHash);
    const { deposits } = hashState;
    const { depositId } = deposit;
    const index = cursorOf(depositId, deposits);
    const known = deposits[index]?.depositId === depositId ? deposits[index] : undefined;
    const unwritten = this.#deposits.get(depositId);
    if (known !== undefined) deposits[index] = deposit;
    else {
      // In the order in which the store reads them, so that ids do not depend on batching.
      deposits.splice(index, 0, deposit);
      this.#grow(hashState, depositWeight(deposit));
      this.#ofDeposit.set(depositId, hashState);
    }
    this.#deposits.set(depositId, unwritten ?? { hashState, before: known, seq });
  }

  putWithdrawal(withdrawal: Withdrawal): void {
    const { transactionId, network, blockchainHash } = withdrawal;
    const before = this.withdrawal(transactionId);
    this.#withdrawals.set(transactionId, withdrawal);
    this.#changedWithdrawals.add(transactionId);
    this.#leave(before);
    if (network === null || blockchainHash === null) return;
    const hashState = this.#at(network, blockchainHash);
    hashState.withdrawals = [
      ...hashState.withdrawals.filter((one) => one.transactionId !== transactionId),
      withdrawal,
    ].sort((left, right) => (left.transactionId < right.transactionId ? -1 : 1));
  }

  takeWrites(): Pick<Writes, 'hashes' | 'sightings' | 'deposits' | 'withdrawals' | 'ownHashes'> {
    const writes = {
      hashes: this.#newHashes,
      sightings: [...this.#sightings],
      deposits: [...this.#deposits].flatMap(([depositId, { hashState, before, seq }]) => {
        const after = depositIn(hashState, depositId);
        return after === undefined ? [] : [{ after, before, seq }];
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

  #at(network: NetworkKey, blockchainHash: BlockchainHash): OpenHashState {
    const latest = this.#latest;
    if (latest?.blockchainHash === blockchainHash && latest.network === network) return latest;
    const known = this.#open.get(network)?.get(blockchainHash);
    const hashState = known ?? this.#opened(network, blockchainHash);
    if (hashState.period !== this.#period) {
      hashState.period = this.#period;
      hashState.stored = hashState.named;
      this.#weight += 1 + hashState.arrived;
    }
    this.#latest = hashState;
    return hashState;
  }

  #opened(network: NetworkKey, blockchainHash: BlockchainHash): OpenHashState {
    const stored = this.#source.hashState(network, blockchainHash);
    // A withdrawal that was changed in this transaction may have another hash now.
    const withdrawals = stored.withdrawals
      .map((withdrawal) => this.#withdrawals.get(withdrawal.transactionId) ?? withdrawal)
      .filter((one) => one.network === network && one.blockchainHash === blockchainHash);
    const fresh: OpenHashState = {
      network,
      blockchainHash,
      named: stored.isStored,
      stored: stored.isStored,
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

  #grow(hashState: OpenHashState, weight: number): void {
    hashState.arrived += weight;
    this.#weight += weight;
  }

  #networkOf(network: NetworkKey): TwoPeriodCache<BlockchainHash, OpenHashState> {
    let ofNetwork = this.#open.get(network);
    if (ofNetwork === undefined) {
      ofNetwork = new TwoPeriodCache();
      this.#open.set(network, ofNetwork);
    }
    return ofNetwork;
  }

  #leave(before: Withdrawal | undefined): void {
    if (before === undefined || before.network === null || before.blockchainHash === null) return;
    const hashState = this.#open.get(before.network)?.get(before.blockchainHash);
    if (hashState === undefined) return;
    hashState.withdrawals = hashState.withdrawals.filter(
      (one) => one.transactionId !== before.transactionId,
    );
  }
}
