import type { CustodyClient } from '../custody/client.ts';
import { readList, type IncompleteCause } from '../custody/pages.ts';
import type { AddressMovement } from '../domain/address-evidence.ts';
import type { SkipCause } from '../domain/compare.ts';
import type { AddressPlace } from '../store/reads.ts';
import { addressMovementOf } from '../translation/address-transaction.ts';
import type { AddressTransaction } from '../wire/transaction.ts';
import { skipCauseOf } from './custody-list.ts';
import { remember } from './remember.ts';

/** Reorganisations reach no further back than this below what was compared already. */
const GROUND_OVERLAP_MS = 86_400_000;

/** Busy addresses whose ground is remembered; of others one page is the whole list anyway. */
const GROUNDS_MAX = 10_000;

/** What reading one address's list brought. */
export interface AddressRead {
  readonly place: AddressPlace;
  readonly movements: readonly AddressMovement[];
  readonly requests: number;
  /** Rows that this version does not understand. */
  readonly unreadable: number;
  /** Why rows are missing, or null when none is. */
  readonly missing: SkipCause | null;
}

/** Reads addresses' own lists, newest first, down to what an earlier reading compared. */
export class AddressLists {
  /** By address: everything older was read; only of lists longer than a page. */
  readonly #grounds = new Map<string, number>();
  /** The spec shows no sort field: a service that refuses ours is read unsorted. */
  #sorts = true;

  /** At most `room` requests; `movements` are true even where others are missing. */
  async read(
    place: AddressPlace,
    visit: { custody: CustodyClient; deadlineMs: number; room: number; now: number },
  ): Promise<AddressRead> {
    const { custody, deadlineMs, room, now } = visit;
    const ground = this.#grounds.get(place.addressId);
    let requests = 0;
    const ask = async (at: { page: number; pageSize: number }) => {
      if (requests >= room) return { kind: 'rate-budget', retryAtMs: now } as const;
      requests += 1;
      const query = { ...at, ...(this.#sorts ? { sort: 'timestamp:desc' } : {}) };
      return custody.addressTransactions(
        { ...query, addressId: place.addressId },
        { priority: 'inactive', deadlineMs },
      );
    };
    const read = () =>
      readList<AddressTransaction>({
        read: ask,
        idOf: (row) => row.blockchainHash,
        versionOf: (row) => JSON.stringify([row.status, row.blockHeight, row.timestamp]),
        isPastEnd: (row) => {
          const { minedAt } = addressMovementOf(row, place);
          return this.#sorts && ground !== undefined && minedAt !== null && minedAt < ground;
        },
        newestFirst: this.#sorts,
      });
    let list = await read();
    if (list.kind === 'incomplete' && list.cause.kind === 'refused' && this.#sorts) {
      this.#sorts = false;
      list = await read();
    }
    const rows = [...list.rows.values()];
    const movements = rows.map((row) => addressMovementOf(row, place));
    if (list.kind === 'complete' && requests > 1) this.#keepGround(place, movements);
    return {
      place,
      movements,
      requests,
      unreadable: list.unreadable.length,
      missing: list.kind === 'complete' ? null : missingOf(list.cause),
    };
  }

  /** Whoever still has to be compared must be read again. */
  forget({ addressId }: AddressPlace): void {
    this.#grounds.delete(addressId);
  }

  #keepGround({ addressId }: AddressPlace, movements: readonly AddressMovement[]): void {
    const newest = Math.max(...movements.map(({ minedAt }) => minedAt ?? 0));
    remember(this.#grounds, [addressId, newest - GROUND_OVERLAP_MS], GROUNDS_MAX);
  }
}

function missingOf(cause: IncompleteCause): SkipCause {
  return cause.kind === 'not-found' ? 'unknown_address' : skipCauseOf(cause);
}
