import {
  changeSet,
  NO_CHANGES,
  type ChangeSet,
  type HashState,
  type RuleContext,
} from '../hash/hash-state.ts';
import { NotificationId } from '../ids.ts';
import { isNamedByWebhooksAlone, type Deposit } from './deposit.ts';
import { reverseCredit } from './evaluation.ts';
import { depositsAt, handleIncoming } from './incoming-handler.ts';

/**
 * What follows when a person resolves the `unknown_to_custody` break of a deposit; the break of its
 * correction is another one, and changes nothing.
 *
 * | the deposit | then |
 * |---|---|
 * | was credited, and a webhook rolled it back | the feed reverses its credit |
 * | is booked, and the API has verified nothing at its position | it leaves the books, as if a webhook had rolled it back |
 * | is anything else | nothing changes |
 *
 * If the API shows the transaction later, it is missing in the books, and a sweep books it.
 */
export function takenBack(hashState: HashState, deposit: Deposit, now: RuleContext): ChangeSet {
  if (deposit.evidence === 'none') {
    const { deposit: after, items, found, healed } = reverseCredit(deposit, now);
    return changeSet({ deposits: [after], items, found, healed });
  }
  const { vaultId, network, blockchainHash, accountId, addressId, memo, transactionId } = deposit;
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
  const atPosition = [...depositsAt(hashState, rollback).values()];
  return atPosition.every(isNamedByWebhooksAlone)
    ? handleIncoming(hashState, rollback, now)
    : NO_CHANGES;
}
