import type { Deposit } from '../../domain/deposit/deposit.ts';
import { csvCell } from '../../report/csv-cell.ts';
import type { DepositSearch } from '../../store/queries.ts';
import type { Reads } from '../../store/reads.ts';
import { decimalText } from '../../pages/parts/figure.ts';
import type { Decimals } from '../../pages/parts/amount.tsx';

/** Most rows of one file, and most pages that are read for it: some seconds of reading. */
const ROWS_MAX = 10_000;
const PAGES_MAX = 100;
const PAGE_SIZE = 500;

const COLUMNS = [
  'depositId',
  'state',
  'reason',
  'asset',
  'amount',
  'amountUnits',
  'network',
  'blockchainHash',
  'transactionId',
  'vaultId',
  'accountId',
  'addressId',
  'memo',
  'attributedTo',
  'confirmations',
  'requiredConfirmations',
  'verifiedAt',
  'creditId',
  'reference',
  'firstSeenAt',
  'updatedAt',
] as const;
type Row = Record<(typeof COLUMNS)[number], string | number | null>;

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The amount in the asset's own unit, without the thin spaces of a page. */
function plainAmount({ amount, asset }: Deposit, decimals: Decimals): string | null {
  const digits = decimals.get(asset);
  if (digits === undefined) return null;
  return decimalText(amount, digits).replaceAll('\u202F', '').replace('−', '-');
}

function rowOf(deposit: Deposit, decimals: Decimals): Row {
  return {
    depositId: deposit.depositId,
    state: deposit.state,
    reason: deposit.reason,
    asset: deposit.asset,
    amount: plainAmount(deposit, decimals),
    amountUnits: deposit.amount.toString(),
    network: deposit.network,
    blockchainHash: deposit.blockchainHash,
    transactionId: deposit.transactionId,
    vaultId: deposit.vaultId,
    accountId: deposit.accountId,
    addressId: deposit.addressId,
    memo: deposit.memo,
    attributedTo: deposit.attributedTo,
    confirmations: Math.max(deposit.confirmations, deposit.custodyConfirmations),
    requiredConfirmations: deposit.requiredConfirmations,
    verifiedAt: timeOf(deposit.verifiedAt),
    creditId: deposit.credit?.creditId ?? null,
    reference: deposit.credit?.reference ?? null,
    firstSeenAt: timeOf(deposit.firstSeenAt),
    updatedAt: timeOf(deposit.updatedAt),
  };
}

/** All deposits of a search as CSV, newest first. `isWhole`: no row is missing. */
export async function depositsCsv(
  reads: Reads,
  search: DepositSearch,
  decimals: Decimals,
): Promise<{ readonly text: string; readonly rows: number; readonly isWhole: boolean }> {
  const lines = [COLUMNS.join(',')];
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX && lines.length <= ROWS_MAX; page += 1) {
    const cursor = after === null ? null : ({ side: 'older', depositId: after } as const);
    const found = await reads.findDeposits(search, { cursor, pageSize: PAGE_SIZE });
    for (const deposit of found.items) {
      const row = rowOf(deposit, decimals);
      lines.push(COLUMNS.map((column) => csvCell(row[column])).join(','));
    }
    after = found.older;
    if (after === null) break;
  }
  return { text: `${lines.join('\r\n')}\r\n`, rows: lines.length - 1, isWhole: after === null };
}
