import type { CallOptions } from '../../custody/call/caller.ts';
import type { CustodyClient } from '../../custody/client.ts';
import { readList } from '../../custody/list/pages.ts';
import type { CustodyConfig } from '../../ops/config/config.ts';
import { failureText } from './failure-text.ts';

/**
 * The configured vaults, or why they could not be read. `others`: vaults that the API client also
 * sees; their transactions are booked and credited too.
 */
export type VaultsFound =
  | {
      readonly kind: 'found';
      readonly vaultIds: readonly string[];
      readonly others: readonly string[];
    }
  | { readonly kind: 'failed'; readonly detail: string };

/** All vaults of the service, or the configured ones, which must exist. */
export async function vaultsOf(
  client: CustodyClient,
  config: CustodyConfig,
  options: CallOptions,
): Promise<VaultsFound> {
  const list = await readList({
    read: (at) => client.vaults(at, options),
    idOf: (vault) => vault.vaultId,
    newestFirst: false,
  });
  if (list.kind === 'incomplete') {
    const { cause } = list;
    const isOfTheList =
      cause.kind === 'unstable' || cause.kind === 'cut' || cause.kind === 'too-long';
    const detail = isOfTheList
      ? `the list of vaults could not be read whole (${cause.kind}): name them in custody.vaults`
      : failureText(cause, config);
    return { kind: 'failed', detail };
  }
  const there = new Set(list.rows.keys());
  if (config.vaults === 'all') return { kind: 'found', vaultIds: [...there], others: [] };
  const wanted = new Set(config.vaults);
  const others = [...there].filter((vaultId) => !wanted.has(vaultId));
  const missing = config.vaults.filter((vaultId) => !there.has(vaultId));
  return missing.length === 0
    ? { kind: 'found', vaultIds: config.vaults, others }
    : {
        kind: 'failed',
        detail: `the service does not know ${missing.join(', ')}: check custody.vaults`,
      };
}
