import type { CustodyClient } from '../../custody/client.ts';
import { readList } from '../../custody/list/pages.ts';
import { Freshness } from './freshness.ts';

/** The watched vaults: those of the configuration, or all that the API lists. */
export class VaultList {
  readonly #freshness = new Freshness();
  #known: readonly string[];
  readonly #lists: boolean;

  constructor(vaults: 'all' | readonly string[]) {
    this.#lists = vaults === 'all';
    this.#known = vaults === 'all' ? [] : vaults;
  }

  /** The vaults of the last list, and the requests used. */
  async read(context: {
    custody: CustodyClient;
    now: number;
    deadlineMs: number;
  }): Promise<{ vaults: readonly string[]; requests: number }> {
    const { custody, now, deadlineMs } = context;
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
