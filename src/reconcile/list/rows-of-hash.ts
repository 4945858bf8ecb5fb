import type { Priority } from '../../custody/budget/lane.ts';
import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { BlockchainHash, NetworkKey, VaultId } from '../../domain/ids.ts';
import { transactionOf } from '../../translation/transaction.ts';
import { PAGE_SIZE_MAX } from '../../wire/page.ts';
import { failedBy, type FailedLookUp } from '../pacing/outcome-kind.ts';

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

/** Rows that look-ups brought, and their requests. */
export interface Answered {
  readonly transactions: readonly CustodyTransaction[];
  readonly requests: number;
}

/** The custody API's answer about a hash. */
export type RowsOfHash =
  /** `incomplete`: rows are missing, so nothing follows from their sum or from an absence. */
  ({ readonly kind: 'complete' | 'incomplete' } & Answered) | FailedLookUp;

/** A hash, or only a part of its transactions. */
type HashFilter = Pick<VaultHash, 'blockchainHash'> & Partial<VaultHash>;

/**
 * Asks for all transactions of a hash (the specification, "Transaction endpoints"). The specification
 * does not name these filters, so the service may ignore one and send other rows too.
 */
export async function rowsOfHash(
  custody: CustodyClient,
  { vaultId, network, blockchainHash }: HashFilter,
  asked: {
    readonly priority: Priority;
    readonly deadlineMs: number;
    readonly pageSize?: number;
  },
): Promise<RowsOfHash> {
  const { pageSize = PAGE_SIZE_MAX, ...options } = asked;
  const query = {
    page: 0,
    pageSize,
    ...(vaultId === undefined ? {} : { vaultId }),
    ...(network === undefined ? {} : { network }),
    blockchainHash,
  };
  const page = await custody.transactions(query, options);
  if (page.kind !== 'ok') return failedBy(page);
  const { rows, total, unreadable } = page.value;
  const isWhole = page.value.page === 0 && rows.length === total && unreadable.length === 0;
  const kind = isWhole ? 'complete' : 'incomplete';
  return { kind, transactions: rows.map(transactionOf), requests: 1 };
}
