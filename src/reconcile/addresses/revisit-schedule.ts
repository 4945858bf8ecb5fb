import type { AddressMovement } from '../../domain/chain/address-evidence.ts';
import type { VaultAddress } from '../../store/answers.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import { isDue, nextBackoffMs, type AskedTimes } from '../pacing/lookup-backoff.ts';

/** Most addresses and movements kept; the oldest are evicted. */
const ENTRIES_MAX = 10_000;

interface Revisit extends AskedTimes {
  readonly address: VaultAddress;
  readonly intervalMs: number;
}

/**
 * Addresses whose last check found an unexplained movement, and when to check them again. Held in
 * memory only: after a restart the rotation reaches them, and open breaks are in the store.
 */
export class RevisitSchedule {
  readonly #revisits = new Map<string, Revisit>();
  readonly #noticed = new Map<string, number>();

  /** Addresses that are due, the longest overdue first. */
  due(now: number, most: number): VaultAddress[] {
    return [...this.#revisits.values()]
      .filter((revisit) => isDue(now, revisit))
      .sort((left, right) => left.dueAt - right.dueAt)
      .slice(0, most)
      .map((revisit) => revisit.address);
  }

  /** Removes an address: its check found nothing unexplained. */
  done({ addressId }: VaultAddress): void {
    this.#revisits.delete(addressId);
  }

  /** Schedules the next check after twice the last interval. */
  later({ vaultId, addressId }: VaultAddress, now: number): void {
    const before = this.#revisits.get(addressId);
    if (before !== undefined && !isDue(now, before)) return;
    const intervalMs = nextBackoffMs(before?.intervalMs);
    const times = { askedAt: now, dueAt: now + intervalMs, intervalMs };
    const revisit = { address: { vaultId, addressId }, ...times };
    putBounded(this.#revisits, [addressId, revisit], ENTRIES_MAX);
  }

  /** When the movement was first found unexplained, Unix milliseconds; never after `now`. */
  noticed(movement: AddressMovement, now: number): number {
    return Math.min(this.#noticed.get(noticeKey(movement)) ?? now, now);
  }

  notice(movement: AddressMovement, at: number): void {
    putBounded(this.#noticed, [noticeKey(movement), at], ENTRIES_MAX);
  }

  forgetNotice(movement: AddressMovement): void {
    this.#noticed.delete(noticeKey(movement));
  }
}

function noticeKey({ addressId, network, blockchainHash, status }: AddressMovement): string {
  return JSON.stringify([addressId, network, blockchainHash, status]);
}
