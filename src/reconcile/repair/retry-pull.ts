import type { CustodyClient } from '../../custody/client.ts';
import type { VaultId } from '../../domain/ids.ts';
import { Turns } from '../turns.ts';

/**
 * Pulls what waits for a vault forward. Accumulated backoff gates it, also when we can be reached
 * again (spec, "Delivery rules", 5). One pull moves the whole vault, whichever transactions wait, so
 * a vault has one at a time, at growing intervals while it goes on waiting.
 */
export class RetryPulls {
  readonly #turns = new Turns<VaultId>((vaultId) => vaultId);

  /** The requests that it cost, and the vaults that were pulled forward: one or none. */
  async pull(
    vaultId: VaultId,
    context: { custody: CustodyClient; now: number; deadlineMs: number },
  ): Promise<{ requests: number; pulledForward: number }> {
    const { custody, now, deadlineMs } = context;
    if (this.#turns.due([vaultId], now).length === 0) return { requests: 0, pulledForward: 0 };
    const options = { priority: 'repair', deadlineMs } as const;
    const pulled = await custody.subscriptions.pullRetriesForward(vaultId, options);
    this.#turns.take(vaultId, now);
    return { requests: 1, pulledForward: pulled.kind === 'ok' ? 1 : 0 };
  }

  /** Nothing waits for the vault any more. */
  done(vaultId: VaultId): void {
    this.#turns.forget(vaultId);
  }
}
