import { breakKey, finding } from './break.ts';
import { changeSet, type ChangeSet } from '../hash/hash-state.ts';
import type { TransactionId, VaultId } from '../ids.ts';

/** Deliveries of a vault that wait at the custody service. */
export interface Backlog {
  /**
   * A transaction whose notifications wait. A vault's notifications arrive in order, so one
   * represents all.
   */
  readonly transactionId: TransactionId;
  /** When the oldest of them changed at the custody service, Unix milliseconds. */
  readonly since: number;
}

/** Handles the state of a vault's backlog; null when all of it was delivered. */
export function handleBacklog(vaultId: VaultId, backlog: Backlog | null): ChangeSet {
  const key = breakKey('delivery_backlog', vaultId);
  if (backlog === null) {
    return changeSet({ healed: [{ key, reason: 'what waited has been delivered' }] });
  }
  const { transactionId, since } = backlog;
  const detail = `notifications have waited at the custody service since ${new Date(since).toISOString()}: it cannot deliver to us; look whether our webhook URL can be reached`;
  return changeSet({
    found: [finding('delivery_backlog', { key, subject: { vaultId, transactionId }, detail })],
  });
}
