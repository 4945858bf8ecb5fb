import type { AddressMovement } from '../domain/address-evidence.ts';
import type { AddressPlace } from '../store/reads.ts';
import { remember } from './remember.ts';
import { nextIntervalMs } from './turns.ts';

/** Addresses, and movements noticed, that are remembered; beyond it the oldest are forgotten. */
const REMEMBERED_MAX = 10_000;

interface Turn {
  readonly place: AddressPlace;
  readonly dueAt: number;
  readonly intervalMs: number;
}

/**
 * Addresses whose last check left something open, and since when. Kept in memory: the rotation
 * comes round to them after a restart, and the open breaks are in the store.
 */
export class Revisits {
  readonly #turns = new Map<string, Turn>();
  readonly #noticed = new Map<string, number>();

  /** Those whose time has come, the longest waiting first. */
  due(now: number, most: number): AddressPlace[] {
    return [...this.#turns.values()]
      .filter((turn) => turn.dueAt <= now)
      .sort((left, right) => left.dueAt - right.dueAt)
      .slice(0, most)
      .map((turn) => turn.place);
  }

  /** Nothing is left open there. */
  done({ addressId }: AddressPlace): void {
    this.#turns.delete(addressId);
  }

  /** Something is: visited again, after twice as long as the last time. */
  later({ vaultId, addressId }: AddressPlace, now: number): void {
    const before = this.#turns.get(addressId);
    if (before !== undefined && before.dueAt > now) return;
    const intervalMs = nextIntervalMs(before?.intervalMs);
    const turn = { place: { vaultId, addressId }, dueAt: now + intervalMs, intervalMs };
    remember(this.#turns, [addressId, turn], REMEMBERED_MAX);
  }

  /** When the movement was first seen to be open. */
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
