import type { AddressMovement } from '../../domain/chain/address-evidence.ts';
import type { VaultAddress } from '../../store/answers.ts';
import { remember } from '../pacing/bounded-map.ts';
import { nextBackoffMs } from '../pacing/lookup-backoff.ts';

/** Most addresses and movements remembered; the oldest are evicted. */
const REMEMBERED_MAX = 10_000;

interface Turn {
  readonly address: VaultAddress;
  readonly dueAt: number;
  readonly intervalMs: number;
}

/**
 * Addresses whose last check found an unexplained movement, and when to check them again. Held in
 * memory only: after a restart the rotation reaches them, and open breaks are in the store.
 */
export class RevisitSchedule {
  readonly #turns = new Map<string, Turn>();
  readonly #noticed = new Map<string, number>();

  /** Addresses that are due, the longest overdue first. */
  due(now: number, most: number): VaultAddress[] {
    return [...this.#turns.values()]
      .filter((turn) => turn.dueAt <= now)
      .sort((left, right) => left.dueAt - right.dueAt)
      .slice(0, most)
      .map((turn) => turn.address);
  }

  /** Removes an address: its check found nothing unexplained. */
  done({ addressId }: VaultAddress): void {
    this.#turns.delete(addressId);
  }

  /** Schedules the next check after twice the last interval. */
  later({ vaultId, addressId }: VaultAddress, now: number): void {
    const before = this.#turns.get(addressId);
    if (before !== undefined && before.dueAt > now) return;
    const intervalMs = nextBackoffMs(before?.intervalMs);
    const turn = { address: { vaultId, addressId }, dueAt: now + intervalMs, intervalMs };
    remember(this.#turns, [addressId, turn], REMEMBERED_MAX);
  }

  /** When the movement was first found unexplained, Unix milliseconds. */
  noticed(movement: AddressMovement, now: number): number {
    return this.#noticed.get(noticeKey(movement)) ?? now;
  }

  notice(movement: AddressMovement, at: number): void {
    remember(this.#noticed, [noticeKey(movement), at], REMEMBERED_MAX);
  }

  forgetNotice(movement: AddressMovement): void {
    this.#noticed.delete(noticeKey(movement));
  }
}

function noticeKey({ addressId, network, blockchainHash, status }: AddressMovement): string {
  return JSON.stringify([addressId, network, blockchainHash, status]);
}
