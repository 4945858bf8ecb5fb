import type { CustodyClient } from '../../custody/client.ts';
import { readList, type IncompleteCause } from '../../custody/list/pages.ts';
import type { AddressMovement } from '../../domain/chain/address-evidence.ts';
import type { SkipCause } from '../../domain/deposit/record/comparison.ts';
import type { VaultAddress } from '../../store/answers.ts';
import { addressMovementOf } from '../../translation/address-transaction.ts';
import type { AddressTransaction } from '../../wire/transaction.ts';
import { skipCauseOf } from '../list/custody-list.ts';
import { putBounded } from '../pacing/bounded-map.ts';

/** A reading ends this far below the newest compared row: no reorganisation reaches deeper. */
const GROUND_OVERLAP_MS = 86_400_000;

/** Most busy addresses whose compared range is remembered. Other lists fit on one page. */
const GROUNDS_MAX = 10_000;

/** The result of reading one address's list. */
export interface AddressRead {
  readonly address: VaultAddress;
  readonly movements: readonly AddressMovement[];
  readonly requests: number;
  /** Number of rows that this version cannot parse. */
  readonly unreadable: number;
  /** Why rows are missing, or null when none is. */
  readonly missing: SkipCause | null;
}

/** Reads addresses' own lists, newest first, down to what an earlier reading compared. */
export class AddressLists {
  /** By address: all older rows were read. Holds only lists longer than a page. */
  readonly #grounds = new Map<string, number>();
  /** The specification names no sort field. When the service refuses ours, lists are read unsorted. */
  #sorts = true;

  /** Sends at most `room` requests. `movements` are correct even when other rows are missing. */
  async read(
    address: VaultAddress,
    context: { custody: CustodyClient; deadlineMs: number; room: number; now: number },
  ): Promise<AddressRead> {
    const { custody, deadlineMs, room, now } = context;
    const ground = this.#grounds.get(address.addressId);
    let requests = 0;
    const ask = async (at: { page: number; pageSize: number }) => {
      if (requests >= room) return { kind: 'rate-budget', retryAtMs: now } as const;
      requests += 1;
      const query = { ...at, ...(this.#sorts ? { sort: 'timestamp:desc' } : {}) };
      return custody.addressTransactions(
        { ...query, addressId: address.addressId },
        { priority: 'inactive', deadlineMs },
      );
    };
    const read = () =>
      readList<AddressTransaction>({
        read: ask,
        idOf: (row) => row.blockchainHash,
        versionOf: (row) => JSON.stringify([row.status, row.blockHeight, row.timestamp]),
        isPastEnd: (row) => {
          const { minedAt } = addressMovementOf(row, address);
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
    const movements = rows.map((row) => addressMovementOf(row, address));
    if (list.kind === 'complete' && requests > 1) this.#keepGround(address, movements);
    return {
      address,
      movements,
      requests,
      unreadable: list.unreadable.length,
      missing: list.kind === 'complete' ? null : missingOf(list.cause),
    };
  }

  /** Forgets the compared range of an address, so that its whole list is read again. */
  forget({ addressId }: VaultAddress): void {
    this.#grounds.delete(addressId);
  }

  #keepGround({ addressId }: VaultAddress, movements: readonly AddressMovement[]): void {
    const newest = Math.max(...movements.map(({ minedAt }) => minedAt ?? 0));
    putBounded(this.#grounds, [addressId, newest - GROUND_OVERLAP_MS], GROUNDS_MAX);
  }
}

function missingOf(cause: IncompleteCause): SkipCause {
  return cause.kind === 'not-found' ? 'unknown_address' : skipCauseOf(cause);
}
