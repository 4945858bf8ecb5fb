import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { BlockchainHash, NetworkKey, VaultId } from '../../domain/ids.ts';
import { transactionOf } from '../../translation/transaction.ts';
import { PAGE_SIZE_MAX } from '../../wire/page.ts';
import { isOutOfReach } from '../pacing/outcome-kind.ts';

/** A hash of a vault. */
export interface VaultHash {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
}

/** The key of a vault's hash in a map. */
export function vaultHashKey({ vaultId, network, blockchainHash }: VaultHash): string {
  return JSON.stringify([vaultId, network, blockchainHash]);
}

/** The custody API's answer about a vault's hash. */
export type RowsOfHash =
  | { readonly kind: 'complete'; readonly rows: readonly CustodyTransaction[] }
  /** The answer is incomplete: nothing follows from its sum. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'failed'; readonly final: boolean };

/** Asks for all transactions of a vault's hash (the specification, "Transaction endpoints"). */
export async function rowsOfHash(
  custody: CustodyClient,
  { vaultId, network, blockchainHash }: VaultHash,
  options: { readonly priority: Priority; readonly deadlineMs: number },
): Promise<RowsOfHash> {
  const query = { page: 0, pageSize: PAGE_SIZE_MAX, vaultId, network, blockchainHash } as const;
  const page = await custody.transactions(query, options);
  if (page.kind !== 'ok') return { kind: 'failed', final: isOutOfReach(page.kind) };
  const { rows, total, unreadable } = page.value;
  const whole = rows.length === total && unreadable.length === 0;
  return whole ? { kind: 'complete', rows: rows.map(transactionOf) } : { kind: 'incomplete' };
}
