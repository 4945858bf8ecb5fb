import type { CustodyClient } from '../../custody/client.ts';
import { readList } from '../../custody/pages.ts';
import { Freshness } from './freshness.ts';

/** The vaults that are watched: those of the configuration, or all that the API lists. */
export class VaultList {
  readonly #freshness = new Freshness();
  #known: readonly string[];
  readonly #lists: boolean;

  constructor(vaults: 'all' | readonly string[]) {
    this.#lists = vaults === 'all';
    this.#known = vaults === 'all' ? [] : vaults;
  }

  /** The vaults as they were last listed, and the requests that it cost to know. */
  async read(visit: {
    custody: CustodyClient;
    now: number;
    deadlineMs: number;
  }): Promise<{ vaults: readonly string[]; requests: number }> {
    const { custody, now, deadlineMs } = visit;
    if (!this.#lists || !this.#freshness.isDue(now) || custody.room('inactive') === 0) {
      return { vaults: this.#known, requests: 0 };
    }
    const list = await readList({
      read: (at) => custody.vaults(at, { priority: 'inactive', deadlineMs }),
      idOf: (vault) => vault.vaultId,
      newestFirst: false,
    });
    if (list.kind === 'complete') {
      this.#known = [...list.rows.keys()];
      this.#freshness.succeeded(now);
    } else this.#freshness.failed(now);
    return { vaults: this.#known, requests: list.requests };
  }
}
