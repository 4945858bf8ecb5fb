import {
  NO_CHANGES,
  type ChangeSet,
  type HashState,
  type RuleContext,
} from '../hash/hash-state.ts';
import { NotificationId } from '../ids.ts';
import type { Deposit } from './deposit.ts';
import { handleIncoming } from './incoming-handler.ts';

/** Whether webhooks alone describe the deposit, and nothing was credited for it. */
function isUnproven({ verifiedAt, credit }: Deposit): boolean {
  return verifiedAt === null && credit === null;
}

/**
 * Takes a deposit that the custody API does not know from the books, after a person resolved its
 * `unknown_to_custody` break: as if its webhook had been rolled back. Changes nothing if the API has
 * verified a deposit at this position, or if one was credited. If the API shows the transaction
 * later, it is missing in the books, and a sweep books it.
 */
export function takenBack(hashState: HashState, deposit: Deposit, now: RuleContext): ChangeSet {
  const { vaultId, network, blockchainHash, accountId, addressId, memo, transactionId } = deposit;
  const atPosition = hashState.deposits.filter(
    (one) =>
      one.vaultId === vaultId &&
      one.accountId === accountId &&
      one.addressId === addressId &&
      one.memo === memo,
  );
  if (deposit.evidence === 'none' || !atPosition.every(isUnproven)) return NO_CHANGES;
  const rollback = {
    stream: 'incoming',
    type: 'rollback',
    id: NotificationId(`taken-back/${deposit.depositId}`),
    networkAddress: null,
    confirmations: null,
    changes: null,
    vaultId,
    network,
    blockchainHash,
    accountId,
    addressId,
    memo,
    transactionId,
  } as const;
  return handleIncoming(hashState, rollback, now);
}
