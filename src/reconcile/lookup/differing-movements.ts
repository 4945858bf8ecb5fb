import type { CustodyClient } from '../../custody/client.ts';

import { LOCAL_BREAKS, type Break } from '../../domain/break/break.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Reads } from '../../store/reads.ts';
import type { Tally } from '../comparing/tally.ts';
import { roundOf } from './look-up-round.ts';
import { rowsOfHash, vaultHashKey, type VaultHash } from '../list/rows-of-hash.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';

/** Most open breaks of a type read per run. */
const OPEN_MAX = 1_000;

/** Most hashes looked up per run. */
const LOOK_UPS_MAX = 5;

/**
 * Movements with an open break because books and chain view differ. A webhook that is not true may
 * cause this, for example a forged or an old rollback of a deposit whose transaction does not change
 * any more: the list of changes never shows that transaction again. So its hash is looked up, at
 * growing intervals, and its rows are compared.
 */
export class DifferingMovements {
  readonly #reads: Pick<Reads, 'openBreaksOf'>;
  readonly #backoff = new LookupBackoff<VaultHash>(vaultHashKey);

  constructor(reads: Pick<Reads, 'openBreaksOf'>) {
    this.#reads = reads;
  }

  async lookUp(context: {
    custody: CustodyClient;
    now: number;
    deadlineMs: number;
    tally: Tally;
  }): Promise<{ transactions: readonly CustodyTransaction[]; requests: number }> {
    const { custody, now, deadlineMs, tally } = context;
    const round = await roundOf(this.#backoff, {
      due: this.#backoff.due(await this.#open(), now),
      max: Math.min(LOOK_UPS_MAX, custody.room('look-up')),
      now,
      ask: (hash) => rowsOfHash(custody, hash, { priority: 'look-up', deadlineMs }),
    });
    tally.skip('rate_budget', round.postponed);
    tally.skip('api_unavailable', round.failed);
    const complete = round.answers.filter(({ answer }) => answer.kind === 'complete');
    const transactions = complete.flatMap(({ answer }) => answer.transactions);
    return { transactions, requests: round.requests };
  }

  /** The hashes with an open break, each once. */
  async #open(): Promise<readonly VaultHash[]> {
    const found = new Map<string, VaultHash>();
    for (const type of LOCAL_BREAKS) {
      for (const one of await this.#reads.openBreaksOf(type, OPEN_MAX)) {
        for (const hash of hashOf(one)) found.set(vaultHashKey(hash), hash);
      }
    }
    return [...found.values()];
  }
}

function hashOf({ subject: { vaultId, network, blockchainHash } }: Break): VaultHash[] {
  if (vaultId === null || network === null || blockchainHash === null) return [];
  return [{ vaultId, network, blockchainHash }];
}
