import type { CustodyClient } from '../../custody/client.ts';
import type { VaultId } from '../../domain/ids.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';

/**
 * Pulls a vault's next delivery forward. The service's accumulated backoff delays delivery even after
 * we are reachable again (spec, "Delivery rules", 5). One pull moves the whole vault, so each vault
 * gets one pull at a time, at growing intervals while notifications stay pending.
 */
export class RetryPulls {
  readonly #backoff = new LookupBackoff<VaultId>((vaultId) => vaultId);

  /** Returns the requests used and the number of vaults pulled forward, 0 or 1. */
  async pull(
    vaultId: VaultId,
    context: { custody: CustodyClient; now: number; deadlineMs: number },
  ): Promise<{ requests: number; pulledForward: number }> {
    const { custody, now, deadlineMs } = context;
    if (this.#backoff.due([vaultId], now).length === 0) return { requests: 0, pulledForward: 0 };
    const options = { priority: 'repair', deadlineMs } as const;
    const pulled = await custody.subscriptions.pullRetriesForward(vaultId, options);
    this.#backoff.take(vaultId, now);
    return { requests: 1, pulledForward: pulled.kind === 'ok' ? 1 : 0 };
  }

  /** Forgets a vault: nothing is pending any more. */
  done(vaultId: VaultId): void {
    this.#backoff.forget(vaultId);
  }
}
