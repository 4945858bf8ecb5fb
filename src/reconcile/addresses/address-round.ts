import type { CustodyClient } from '../../custody/client.ts';
import type { AddressMovement, Platform } from '../../domain/chain/address-evidence.ts';
import { compareAddressMovement } from '../../domain/chain/address-comparison.ts';
import type { Outcome, SkipCause } from '../../domain/deposit/record/comparison.ts';
import type {
  AddressChecks,
  CustodyRecord,
  CustodyTransaction,
} from '../../domain/fact/custody-record.ts';
import { EMPTY_HASH_STATE } from '../../domain/hash/hash-state.ts';
import type { VaultAddress } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { AddressLists, type AddressRead } from './address-list.ts';
import { compareAddressRow, outcomesOf } from '../comparing/comparison.ts';
import { hashKeyOf, type Snapshot } from '../comparing/snapshot.ts';
import { rowsOfHash } from '../list/rows-of-hash.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import { RevisitSchedule } from './revisit-schedule.ts';
import { Rotation, type RotationContext } from './rotation.ts';
import { Tally } from '../comparing/tally.ts';
import type { VaultList } from '../watching/vault-list.ts';

/**
 * Share of the remaining budget that one run may use. A share spreads the rest over the hour,
 * for any number of runs.
 */
const SHARE_OF_ROOM = 8;

/** Most addresses read per run. */
const ADDRESSES_MAX = 40;

/** Share of a run's requests for address lists. The rest asks for the hashes found there. */
const READING_SHARE = 0.75;

/** Fewest look-ups per run: a list is read in vain when its hashes are never asked for. */
const LOOK_UPS_MIN = 2;

/** Time limit within a run; more urgent steps need the rest. */
const TIME_MS_MAX = 15_000;

/** Most rows per run: rows are held in memory and compared with one snapshot. */
const ROWS_MAX = 5_000;

/** Chain view entries searched for changed addresses; also the most of these kept for later runs. */
const CHANGED_MAX = 500;

/** A row of an address's list, with the transactions that the API knows under the same hash. */
interface LookedAt {
  readonly movement: AddressMovement;
  readonly platform: Platform;
  readonly noticedAt: number;
  /** The service's transactions with this hash, in every vault. */
  readonly transactions: readonly CustodyTransaction[];
  /** Why the transactions could not be read; null when they were read or not needed. */
  readonly unasked?: Outcome;
}

/** Rows read in this run. They are compared once the run's snapshot holds their transactions. */
export interface Looked {
  readonly rows: readonly LookedAt[];
  readonly transactions: readonly CustodyTransaction[];
  readonly requests: number;
  readonly read: readonly AddressRead[];
  readonly tally: Tally;
}

/** The result of the checks: records to journal, and the counts that the run reports. */
export interface ComparedAddresses {
  readonly records: readonly CustodyRecord[];
  readonly checks: AddressChecks;
}

/**
 * Reads the custody API's lists of single addresses with the hour's unused budget. Order: addresses
 * with an unfinished check, addresses that changed recently, then the longest unchecked address.
 * This finds movements that no webhook reported (spec, "Other endpoints referenced").
 */
export class AddressRound {
  readonly #reads: Reads;
  readonly #graceMs: number;
  readonly #now: () => number;
  readonly #rotation: Rotation;
  readonly #lists = new AddressLists();
  readonly #revisits = new RevisitSchedule();
  /** Changed addresses that no run has read since, the newest last. */
  readonly #changed = new Map<string, VaultAddress>();
  #lastEntry: number | null = null;

  constructor(options: {
    reads: Reads;
    vaults: VaultList;
    graceMs: number;
    /** Unix milliseconds. */
    now: () => number;
  }) {
    const { reads, vaults, graceMs, now } = options;
    this.#now = now;
    this.#reads = reads;
    this.#graceMs = graceMs;
    this.#rotation = new Rotation({ reads, vaults });
  }

  /** Reads as many addresses as the budget allows; null when the budget allows none. */
  async look(sweep: { custody: CustodyClient; deadlineMs: number }): Promise<Looked | null> {
    const { custody } = sweep;
    const now = this.#now();
    const run = { custody, now, deadlineMs: Math.min(sweep.deadlineMs, now + TIME_MS_MAX) };
    const left = custody.room('inactive');
    const room = Math.min(ADDRESSES_MAX, Math.ceil(left / SHARE_OF_ROOM));
    if (room === 0) return null;
    const read = await this.#readAddresses(Math.ceil(room * READING_SHARE), run);
    if (read.addresses.length === 0 && read.requests === 0) return null;
    const lookUps = Math.max(LOOK_UPS_MIN, room - read.requests);
    const looked = await this.#lookUp(read.addresses, { ...run, room: lookUps });
    return { ...looked, requests: looked.requests + read.requests, read: read.addresses };
  }

  /** Compares the rows that were read. `snapshot` holds the hash states of all rows. */
  compare({ rows, read, tally }: Looked, snapshot: Snapshot): ComparedAddresses {
    const records: CustodyRecord[] = [];
    const open = new Set<string>();
    for (const { movement, platform, noticedAt, transactions, unasked } of rows) {
      const graceMs = this.#graceMs;
      const evidence = { movement, platform, noticedAt, graceMs, joins: true } as const;
      const compared = compareAddressRow(evidence, snapshot);
      const outcome = compared.asks
        ? (unasked ?? outcomeOfKnown(inVaultOf(movement, transactions), snapshot))
        : compared.outcome;
      tally.add(outcome);
      if (compared.record !== null) records.push(compared.record);
      if (outcome.kind === 'matched') this.#revisits.forgetNotice(movement);
      else {
        this.#revisits.notice(movement, noticedAt);
        open.add(movement.addressId);
      }
    }
    for (const { address, missing } of read) {
      if (open.has(address.addressId)) this.#lists.forget(address);
      if (open.has(address.addressId) || isPassing(missing))
        this.#revisits.later(address, snapshot.at);
      else this.#revisits.done(address);
    }
    const checks = {
      checked: read.length,
      outcomes: tally.counts(),
      cursor: this.#rotation.cursor,
    };
    return { records, checks };
  }

  /** Addresses due for a revisit first. At most half of the requests go to these. */
  async #readAddresses(
    room: number,
    run: RotationContext,
  ): Promise<{ addresses: AddressRead[]; requests: number }> {
    const chosen = await this.#urgent(Math.floor(room / 2), run.now);
    const addresses: AddressRead[] = [];
    let requests = 0;
    let rows = 0;
    while (requests < room && rows < ROWS_MAX && this.#now() < run.deadlineMs) {
      const address = chosen.shift() ?? (await this.#rotation.next(run));
      requests += this.#rotation.takeRequests();
      if (address === null) break;
      if (addresses.some((one) => one.address.addressId === address.addressId)) continue;
      const one = await this.#lists.read(address, { ...run, room: Math.max(1, room - requests) });
      this.#changed.delete(address.addressId);
      requests += one.requests;
      rows += one.movements.length;
      addresses.push(one);
      if (isPassing(one.missing)) break;
    }
    return { addresses, requests };
  }

  async #urgent(most: number, now: number): Promise<VaultAddress[]> {
    const due = this.#revisits.due(now, most);
    const query = { afterEntry: this.#lastEntry, limit: CHANGED_MAX };
    const changed = await this.#reads.addressesChanged(query);
    this.#lastEntry = changed.lastEntry;
    // More may change than one run reads: the others have their turn in the next runs.
    for (const address of changed.addresses.toReversed()) {
      putBounded(this.#changed, [address.addressId, address], CHANGED_MAX);
    }
    const seen = new Set(due.map((address) => address.addressId));
    const fresh = [...this.#changed.values()].filter((address) => !seen.has(address.addressId));
    return [...due, ...fresh.toReversed()].slice(0, most);
  }

  /** Asks the transactions API for hashes that our records do not explain. */
  async #lookUp(
    read: readonly AddressRead[],
    run: RotationContext & { room: number },
  ): Promise<Omit<Looked, 'read'>> {
    const tally = new Tally();
    for (const one of read) {
      tally.skip('unreadable_row', one.unreadable);
      if (one.missing !== null) tally.skip(one.missing, 1);
    }
    const movements = read.flatMap((one) => one.movements);
    const hashStates = await this.#hashStatesOf(movements);
    const lookUps = new LookUps(run);
    const rows: LookedAt[] = [];
    for (const movement of movements) {
      const noticedAt = this.#revisits.noticed(movement, run.now);
      const grace = { at: run.now, graceMs: this.#graceMs };
      const context = { platform: 'unasked', noticedAt, grace } as const;
      const hashState = hashStates.get(hashKeyOf(movement)) ?? EMPTY_HASH_STATE;
      const verdict = compareAddressMovement(movement, hashState, context);
      if (verdict.consequence !== 'ask') {
        rows.push({ movement, platform: 'unasked', noticedAt, transactions: [] });
        continue;
      }
      const found = await lookUps.find(movement);
      if (found.kind === 'skipped') {
        rows.push({ movement, platform: 'unasked', noticedAt, transactions: [], unasked: found });
        continue;
      }
      const { transactions } = found;
      const platform = inVaultOf(movement, transactions).length === 0 ? 'unknown' : 'unasked';
      rows.push({ movement, platform, noticedAt, transactions });
    }
    const { requests } = lookUps;
    return { rows, tally, requests, transactions: rows.flatMap((row) => row.transactions) };
  }

  async #hashStatesOf(movements: readonly AddressMovement[]) {
    const hashes = new Map(movements.map((one) => [hashKeyOf(one), one]));
    const view = await this.#reads.reconcilerView({
      hashes: [...hashes.values()],
      transactionIds: [],
    });
    return new Map(view.hashStates.map((one) => [hashKeyOf(one), one]));
  }
}

/** Whether the cause of missing rows is temporary: a later reading may succeed. */
function isPassing(missing: SkipCause | null): boolean {
  return missing === 'api_unavailable' || missing === 'rate_budget';
}

/** The transactions that may explain the movement; those of other vaults may show an own transfer. */
function inVaultOf(
  { vaultId }: AddressMovement,
  transactions: readonly CustodyTransaction[],
): CustodyTransaction[] {
  return transactions.filter((one) => one.vaultId === vaultId);
}

/** Outcomes of a hash that the service knows: those of its transactions that did not match. */
function outcomeOfKnown(transactions: readonly CustodyTransaction[], snapshot: Snapshot): Outcome {
  const outcomes = transactions.flatMap((transaction) => outcomesOf(transaction, snapshot));
  const open = outcomes.find((outcome) => outcome.kind !== 'matched');
  // All transactions match, but none explains this movement: one list is behind the other.
  return open ?? { kind: 'skipped', cause: 'custody_behind' };
}

type Found =
  | { readonly kind: 'found'; readonly transactions: readonly CustodyTransaction[] }
  | Extract<Outcome, { kind: 'skipped' }>;

/** Looks up each hash once, within the allowed number of requests. */
class LookUps {
  readonly #run: RotationContext & { readonly room: number };
  readonly #asked = new Map<string, Found>();
  requests = 0;

  constructor(run: RotationContext & { room: number }) {
    this.#run = run;
  }

  async find(movement: AddressMovement): Promise<Found> {
    const key = hashKeyOf(movement);
    const found = this.#asked.get(key) ?? (await this.#ask(movement));
    this.#asked.set(key, found);
    return found;
  }

  async #ask({ network, blockchainHash }: AddressMovement): Promise<Found> {
    const { custody, room, deadlineMs } = this.#run;
    if (this.requests >= room) return { kind: 'skipped', cause: 'rate_budget' };
    this.requests += 1;
    const asked = { priority: 'inactive', deadlineMs } as const;
    const answer = await rowsOfHash(custody, { network, blockchainHash }, asked);
    // Only a complete answer proves that the service has no transaction under the hash.
    if (answer.kind === 'complete') return { kind: 'found', transactions: answer.transactions };
    return { kind: 'skipped', cause: answer.kind === 'failed' ? answer.cause : 'api_unavailable' };
  }
}
