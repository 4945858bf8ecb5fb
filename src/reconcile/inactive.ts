import type { CustodyClient } from '../custody/client.ts';
import type { AddressMovement, Platform } from '../domain/address-evidence.ts';
import { compareAddressMovement } from '../domain/address-movement.ts';
import type { Outcome, SkipCause } from '../domain/compare.ts';
import type { AddressChecks, CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import { EMPTY_DOSSIER } from '../domain/dossier.ts';
import type { AddressPlace, Reads } from '../store/reads.ts';
import { transactionOf } from '../translation/transaction.ts';
import { PAGE_SIZE_MAX } from '../wire/page.ts';
import { AddressLists, type AddressRead } from './address-list.ts';
import { compareAddressRow, dossierKeyOf, outcomesOf, type Snapshot } from './comparison.ts';
import { skipCauseOf } from './custody-list.ts';
import { Revisits } from './revisits.ts';
import { Rotation } from './rotation.ts';
import { Tally } from './tally.ts';
import type { VaultList } from './watching/vault-list.ts';

/**
 * A run takes this part of what the budget leaves: however often runs come, what is left is spread
 * over the hour, and never used up at its beginning.
 */
const SHARE_OF_ROOM = 8;

/** Addresses asked per run at most. */
const ADDRESSES_MAX = 40;

/** Part of a run's room for lists of addresses; the rest is for the hashes that they bring up. */
const READING_SHARE = 0.75;

/** However little room there is: an address whose hash is never asked for would be read in vain. */
const LOOK_UPS_MIN = 2;

/** Time of a run that may go to it; what is more urgent needs the rest. */
const TIME_MS_MAX = 15_000;

/** Rows per run: they are held in memory, and our side of them is read at one moment. */
const ROWS_MAX = 5_000;

/** Lines of the chain view looked through for addresses that just changed. */
const CHANGED_MAX = 500;

interface Visit {
  readonly custody: CustodyClient;
  readonly now: number;
  readonly deadlineMs: number;
}

/** A row of an address's list, with what the transactions API has under its hash. */
interface LookedAt {
  readonly movement: AddressMovement;
  readonly platform: Platform;
  readonly noticedAt: number;
  /** Platform transactions under the hash in the vault. */
  readonly transactions: readonly CustodyTransaction[];
  /** Why they could not be asked for, where they should have been. */
  readonly unasked?: Outcome;
}

/** What was read; nothing is judged before the transactions are in the run's snapshot. */
export interface Looked {
  readonly rows: readonly LookedAt[];
  readonly transactions: readonly CustodyTransaction[];
  readonly requests: number;
  readonly read: readonly AddressRead[];
  readonly tally: Tally;
}

/** How the checks ended: their evidence, and what the run says about them. */
export interface Judged {
  readonly records: readonly CustodyRecord[];
  readonly checks: AddressChecks;
}

/**
 * Asks addresses for their own lists, with what the hour's budget leaves over: those whose last
 * check is not done with, those that just changed, and the one that was not looked at the longest.
 * It finds the movements that nobody told us about.
 */
export class InactiveChecks {
  readonly #reads: Reads;
  readonly #graceMs: number;
  readonly #now: () => number;
  readonly #rotation: Rotation;
  readonly #lists = new AddressLists();
  readonly #revisits = new Revisits();
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

  /** Reads as many addresses as the budget has room for; null when it has none. */
  async look(run: { custody: CustodyClient; deadlineMs: number }): Promise<Looked | null> {
    const { custody } = run;
    const now = this.#now();
    const visit = { custody, now, deadlineMs: Math.min(run.deadlineMs, now + TIME_MS_MAX) };
    const left = custody.room('inactive');
    const room = Math.min(ADDRESSES_MAX, Math.ceil(left / SHARE_OF_ROOM));
    if (room === 0) return null;
    const read = await this.#readAddresses(Math.ceil(room * READING_SHARE), visit);
    if (read.addresses.length === 0 && read.requests === 0) return null;
    const lookUps = Math.max(LOOK_UPS_MIN, room - read.requests);
    const looked = await this.#lookUp(read.addresses, { ...visit, room: lookUps });
    return { ...looked, requests: looked.requests + read.requests, read: read.addresses };
  }

  /** Ends the comparisons; `snapshot` holds the dossiers of all rows and transactions. */
  judge({ rows, read, tally }: Looked, snapshot: Snapshot): Judged {
    const records: CustodyRecord[] = [];
    const open = new Set<string>();
    for (const { movement, platform, noticedAt, transactions, unasked } of rows) {
      const graceMs = this.#graceMs;
      const evidence = { movement, platform, noticedAt, graceMs, joins: true } as const;
      const compared = compareAddressRow(evidence, snapshot);
      const outcome = compared.asks
        ? (unasked ?? outcomeOfKnown(transactions, snapshot))
        : compared.outcome;
      tally.add(outcome);
      if (compared.record !== null) records.push(compared.record);
      if (outcome.kind === 'matched') this.#revisits.forgetNotice(movement);
      else {
        this.#revisits.notice(movement, noticedAt);
        open.add(movement.addressId);
      }
    }
    for (const { place, missing } of read) {
      if (open.has(place.addressId)) this.#lists.forget(place);
      if (open.has(place.addressId) || isPassing(missing)) this.#revisits.later(place, snapshot.at);
      else this.#revisits.done(place);
    }
    const checks = {
      checked: read.length,
      outcomes: tally.counts(),
      cursor: this.#rotation.cursor,
    };
    return { records, checks };
  }

  /** The due first, and of the room no more than half to what the rotation did not choose. */
  async #readAddresses(
    room: number,
    visit: Visit,
  ): Promise<{ addresses: AddressRead[]; requests: number }> {
    const chosen = await this.#urgent(Math.floor(room / 2), visit.now);
    const addresses: AddressRead[] = [];
    let requests = 0;
    let rows = 0;
    while (requests < room && rows < ROWS_MAX && this.#now() < visit.deadlineMs) {
      const place = chosen.shift() ?? (await this.#rotation.next(visit));
      requests += this.#rotation.takeRequests();
      if (place === null) break;
      if (addresses.some((one) => one.place.addressId === place.addressId)) continue;
      const one = await this.#lists.read(place, { ...visit, room: Math.max(1, room - requests) });
      requests += one.requests;
      rows += one.movements.length;
      addresses.push(one);
      if (isPassing(one.missing)) break;
    }
    return { addresses, requests };
  }

  async #urgent(most: number, now: number): Promise<AddressPlace[]> {
    const due = this.#revisits.due(now, most);
    const query = { afterEntry: this.#lastEntry, limit: CHANGED_MAX };
    const changed = await this.#reads.addressesChanged(query);
    this.#lastEntry = changed.lastEntry;
    const seen = new Set(due.map((place) => place.addressId));
    const fresh = changed.places.filter((place) => !seen.has(place.addressId));
    return [...due, ...fresh].slice(0, most);
  }

  /** Asks the transactions API for the hashes that nothing of ours explains. */
  async #lookUp(
    read: readonly AddressRead[],
    visit: Visit & { room: number },
  ): Promise<Omit<Looked, 'read'>> {
    const tally = new Tally();
    for (const one of read) {
      tally.skip('unreadable_row', one.unreadable);
      if (one.missing !== null) tally.skip(one.missing, 1);
    }
    const movements = read.flatMap((one) => one.movements);
    const dossiers = await this.#dossiersOf(movements);
    const lookUps = new LookUps(visit);
    const rows: LookedAt[] = [];
    for (const movement of movements) {
      const noticedAt = this.#revisits.noticed(movement, visit.now);
      const grace = { at: visit.now, graceMs: this.#graceMs };
      const context = { platform: 'unasked', noticedAt, grace } as const;
      const dossier = dossiers.get(dossierKeyOf(movement)) ?? EMPTY_DOSSIER;
      const verdict = compareAddressMovement(movement, dossier, context);
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
      const platform = transactions.length === 0 ? 'unknown' : 'unasked';
      rows.push({ movement, platform, noticedAt, transactions });
    }
    const { requests } = lookUps;
    return { rows, tally, requests, transactions: rows.flatMap((row) => row.transactions) };
  }

  async #dossiersOf(movements: readonly AddressMovement[]) {
    const hashes = new Map(movements.map((one) => [dossierKeyOf(one), one]));
    const view = await this.#reads.reconcilerView({
      hashes: [...hashes.values()],
      transactionIds: [],
    });
    return new Map(view.dossiers.map((one) => [dossierKeyOf(one), one]));
  }
}

/** Whether rows are missing for now: asked again, they may be there. */
function isPassing(missing: SkipCause | null): boolean {
  return missing === 'api_unavailable' || missing === 'rate_budget';
}

/** What a hash that the platform knows came to: whatever of its transactions did not match. */
function outcomeOfKnown(transactions: readonly CustodyTransaction[], snapshot: Snapshot): Outcome {
  const outcomes = transactions.flatMap((transaction) => outcomesOf(transaction, snapshot));
  const open = outcomes.find((outcome) => outcome.kind !== 'matched');
  // They agree, and still the address moved what none of them says: one list is behind the other.
  return open ?? { kind: 'skipped', cause: 'custody_behind' };
}

type Found =
  | { readonly kind: 'found'; readonly transactions: readonly CustodyTransaction[] }
  | Extract<Outcome, { kind: 'skipped' }>;

/** Single look-ups by hash, each hash once, as far as the room goes. */
class LookUps {
  readonly #visit: Visit & { readonly room: number };
  readonly #asked = new Map<string, Found>();
  requests = 0;

  constructor(visit: Visit & { room: number }) {
    this.#visit = visit;
  }

  async find(movement: AddressMovement): Promise<Found> {
    const key = dossierKeyOf(movement);
    const found = this.#asked.get(key) ?? (await this.#ask(movement));
    this.#asked.set(key, found);
    if (found.kind === 'skipped') return found;
    const { vaultId } = movement;
    return {
      kind: 'found',
      transactions: found.transactions.filter((one) => one.vaultId === vaultId),
    };
  }

  async #ask({ network, blockchainHash }: AddressMovement): Promise<Found> {
    const { custody, room, deadlineMs } = this.#visit;
    if (this.requests >= room) return { kind: 'skipped', cause: 'rate_budget' };
    this.requests += 1;
    const page = await custody.transactions(
      { page: 0, pageSize: PAGE_SIZE_MAX, network, blockchainHash },
      { priority: 'inactive', deadlineMs },
    );
    if (page.kind !== 'ok') {
      return {
        kind: 'skipped',
        cause: page.kind === 'not-found' ? 'api_unavailable' : skipCauseOf(page),
      };
    }
    const { rows, total, unreadable } = page.value;
    // "No platform transaction" is only ever said of a whole answer.
    if (rows.length !== total || unreadable.length > 0) {
      return { kind: 'skipped', cause: 'api_unavailable' };
    }
    return { kind: 'found', transactions: rows.map(transactionOf) };
  }
}
