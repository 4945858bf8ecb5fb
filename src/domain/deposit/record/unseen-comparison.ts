import type { CustodyTransaction } from '../../fact/custody-record.ts';
import { ZERO } from '../../money/amount.ts';
import {
  inGrace,
  MATCHED,
  skipped,
  transactionFinding,
  type Grace,
  type Outcome,
} from './comparison.ts';
import { receivedIn } from '../received.ts';
import type { BalanceChange } from '../../fact/notification.ts';
import { sumsByAsset } from '../../hash/same-changes.ts';

/**
 * Compares an incoming API transaction that has no deposit of ours. A confirmed transaction that
 * moved something is a `missing_notification` after the grace period.
 */
export function compareUnseen(record: CustodyTransaction, grace: Grace): Outcome {
  if (record.status === 'mempool' || record.status === 'rolledback') return MATCHED;
  if (record.status !== 'confirmed') return skipped('unknown_status');
  if (record.changes === null) return skipped('balance_changes_pending');
  // Fee, rebate and mint entries make no deposit, but they move the books.
  const [moved] = [
    ...receivedIn(record.changes),
    ...record.changes.filter((change) => change.amount !== ZERO),
  ];
  if (moved === undefined) return MATCHED;
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  return transactionFinding('missing_notification', record, {
    asset: moved.asset,
    expected: moved.amount,
    actual: ZERO,
    detail: `the custody API shows a confirmed incoming of ${moved.amount} ${moved.asset} that no notification told of`,
  });
}

/**
 * Compares an incoming API transaction that is booked without a deposit: it has fee, rebate or mint
 * entries alone. After the grace period other amounts are an `amount_mismatch`, and a rollback, a
 * failure or an unknown status is a `status_mismatch`. `posted`: its balance changes in the books.
 */
export function compareBooked(
  record: CustodyTransaction,
  posted: readonly BalanceChange[],
  grace: Grace,
): Outcome {
  if (record.status === 'confirmed') return compareAmounts(record, posted, grace);
  // The webhook may be ahead of the API, and no time tells.
  if (record.status === 'mempool') return skipped('custody_behind');
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  return transactionFinding('status_mismatch', record, {
    detail: `the custody API says ${record.status}, and no rollback arrived: its entries are still booked`,
  });
}

function compareAmounts(
  record: CustodyTransaction,
  posted: readonly BalanceChange[],
  grace: Grace,
): Outcome {
  if (record.changes === null) return skipped('balance_changes_pending');
  const [theirs, ours] = [sumsByAsset(record.changes), sumsByAsset(posted)];
  const apart = [...theirs.keys(), ...ours.keys()].find(
    (asset) => (theirs.get(asset) ?? ZERO) !== (ours.get(asset) ?? ZERO),
  );
  if (apart === undefined) return MATCHED;
  if (inGrace(record.updatedAt, grace)) return skipped('in_grace');
  const [expected, actual] = [theirs.get(apart) ?? ZERO, ours.get(apart) ?? ZERO];
  return transactionFinding('amount_mismatch', record, {
    asset: apart,
    expected,
    actual,
    detail: `the custody API says the transaction moved ${expected} ${apart}, the notifications say ${actual}`,
  });
}
