import { breakKey, finding } from './break.ts';
import { changes, type Changes } from './dossier.ts';
import type { TransactionId, VaultId } from './ids.ts';

/** Deliveries of a vault that the custody service still holds for us. */
export interface Backlog {
  /** A transaction whose notifications wait; a vault's are delivered in order, so it tells of all. */
  readonly transactionId: TransactionId;
  /** When the longest waiting of them changed at the custody service, Unix milliseconds. */
  readonly since: number;
}

/** Notifications that wait at the custody service; null when those that waited have been delivered. */
export function decideBacklog(vaultId: VaultId, backlog: Backlog | null): Changes {
  const key = breakKey('delivery_backlog', vaultId);
  if (backlog === null) {
    return changes({ healed: [{ key, reason: 'what waited has been delivered' }] });
  }
  const { transactionId, since } = backlog;
  const detail = `notifications have waited at the custody service since ${new Date(since).toISOString()}: it cannot deliver to us; look whether our webhook URL can be reached`;
  return changes({
    found: [finding('delivery_backlog', { key, subject: { vaultId, transactionId }, detail })],
  });
}
