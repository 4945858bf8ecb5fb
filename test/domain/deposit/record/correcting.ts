import { Amount } from '../../../../src/domain/money/amount.ts';
import type { Outcome } from '../../../../src/domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../../../src/domain/fact/custody-record.ts';
import { handleDepositRecord } from '../../../../src/domain/deposit/record/verification.ts';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { EMPTY_HASH_STATE, type ChangeSet } from '../../../../src/domain/hash/hash-state.ts';
import { AssetId, TransactionId, type Memo } from '../../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { newSighting, type Sighting } from '../../../../src/domain/hash/sighting.ts';
import { balanceChange, received } from '../../../store/evidence.ts';
import { runs } from '../../hash/event-runs.ts';
import { ruleContext, DUE, postedBy } from '../../records.ts';

export const FORGED = balanceChange(9000n);
export const USDC = AssetId('ethereum:USDC');
export const NOBODY = TransactionId('nobody');

/** A webhook reports 9,000 at a million confirmations; 100 were paid. */
const WRONG: Deposit = {
  ...DUE,
  amount: Amount(9000n),
  confirmations: 1_000_000,
  verifiedAt: null,
  custodyConfirmations: 0,
};

/** What webhooks reported at the deposit's position: the million confirmations of `WRONG`. */
function sighting({ memo = null, posted = [FORGED], entryId = 5 }: Given): Sighting {
  const { network, blockchainHash, vaultId, accountId, addressId } = DUE;
  const key = { network, blockchainHash, vaultId, accountId, addressId, memo };
  return {
    ...newSighting({ ...key, stream: 'incoming' }),
    seen: runs('confirmation:1000000:dep-tx'),
    entryId,
    posted,
  };
}

export interface Given {
  readonly deposit?: Partial<Deposit>;
  readonly record?: Partial<CustodyTransaction> | null;
  /** The memo of all of them. */
  readonly memo?: Memo | null;
  readonly posted?: readonly BalanceChange[];
  /** The entry that is active at the position. */
  readonly entryId?: number | null;
  readonly others?: readonly Deposit[];
  /** Since when the difference is on record. */
  readonly since?: number | null;
  readonly pinned?: number;
  /** Whether the match gets too old for a credit. */
  readonly expires?: true;
}

/** Decided at 99, with a grace of 10. */
export function decided(given: Given): ChangeSet & { readonly outcome: Outcome } {
  const { record = {}, memo = null, others = [], since = 0, pinned, expires } = given;
  const deposit = { ...WRONG, memo, ...given.deposit };
  const hashState = {
    ...EMPTY_HASH_STATE,
    sightings: [sighting(given)],
    deposits: [deposit, ...others],
  };
  return handleDepositRecord(deposit, record === null ? null : received({ memo, ...record }), {
    graceMs: 10,
    expires,
    now: ruleContext({ source: 'api', pinnedDecimals: () => pinned }),
    correcting: { hashState, openSince: () => since ?? undefined },
  });
}

/** The deposits as they are after it, the entries, the feed and what was found. */
export function outcomeOf(given: Given): string[] {
  const { deposits, entries, items, found } = decided(given);
  return [
    ...deposits.map(({ amount, asset, transactionId, state, reason }) =>
      [state, ...(reason === null ? [] : [reason]), amount, asset, transactionId].join(' '),
    ),
    ...postedBy(entries),
    ...items.map(({ kind, amount }) => `${kind} ${amount}`),
    ...found.map(
      ({ type, key, expected, actual }) =>
        `${type} ${String(expected)} ${String(actual)}${key.includes('corrected') ? ' corrected' : ''}`,
    ),
  ];
}
