import { depthOf, type Deposit } from '../../domain/deposit/deposit.ts';
import type { Table } from '../../report/tables/table.ts';
import type { DepositSearch } from '../../store/queries.ts';
import type { Reads } from '../../store/reads.ts';
import { isoTime } from '../parts/value/moments.ts';

/** Most rows of one file, and most pages that are read for it: some seconds of reading. */
const ROWS_MAX = 10_000;
const PAGES_MAX = 100;
const PAGE_SIZE = 500;

/** Deposits with a row each. */
export function depositsTable(
  rows: readonly Deposit[],
  decimals: ReadonlyMap<string, number>,
): Table<Deposit> {
  return {
    name: 'Deposits',
    rows,
    columns: [
      { name: 'depositId', text: (one) => one.depositId },
      { name: 'state', text: (one) => one.state },
      { name: 'reason', text: (one) => one.reason },
      { name: 'asset', text: (one) => one.asset },
      {
        name: 'amount',
        money: ({ amount, asset }) => ({ amount, decimals: decimals.get(asset) ?? null }),
      },
      { name: 'network', text: (one) => one.network },
      { name: 'blockchainHash', text: (one) => one.blockchainHash },
      { name: 'transactionId', text: (one) => one.transactionId },
      { name: 'vaultId', text: (one) => one.vaultId },
      { name: 'accountId', text: (one) => one.accountId },
      { name: 'addressId', text: (one) => one.addressId },
      { name: 'networkAddress', text: (one) => one.networkAddress },
      { name: 'reportedAddress', text: (one) => one.reportedAddress },
      { name: 'memo', text: (one) => one.memo },
      { name: 'attributedTo', text: (one) => one.attributedTo },
      { name: 'confirmations', text: depthOf },
      { name: 'requiredConfirmations', text: (one) => one.requiredConfirmations },
      { name: 'verifiedAt', text: (one) => isoTime(one.verifiedAt) },
      { name: 'creditId', text: (one) => one.credit?.creditId ?? null },
      { name: 'reference', text: (one) => one.credit?.reference ?? null },
      { name: 'firstSeenAt', text: (one) => isoTime(one.firstSeenAt) },
      { name: 'updatedAt', text: (one) => isoTime(one.updatedAt) },
    ],
  };
}

/** The deposits of a search for one file, newest first. `isWhole`: none is missing. */
export async function readForTable(
  reads: Pick<Reads, 'findDeposits'>,
  search: DepositSearch,
): Promise<{ readonly rows: readonly Deposit[]; readonly isWhole: boolean }> {
  const rows: Deposit[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX && rows.length < ROWS_MAX; page += 1) {
    const cursor = after === null ? null : ({ side: 'older', depositId: after } as const);
    const found = await reads.findDeposits(search, { cursor, pageSize: PAGE_SIZE });
    rows.push(...found.items);
    after = found.older;
    if (after === null) break;
  }
  return { rows, isWhole: after === null };
}
