import { breakKey, finding, type Finding } from '../break/break.ts';
import type { Deposit } from '../deposit/deposit.ts';
import { disclaimDeposits } from './outgoing-handler.ts';
import {
  changeSet,
  NO_CHANGES,
  type ChangeSet,
  type RuleContext,
  type KeyedHashState,
} from '../hash/hash-state.ts';
import type { TransactionId } from '../ids.ts';
import type { OwnHash } from './own-hash.ts';
import type { Withdrawal } from './withdrawal.ts';

/**
 * Whether the custody API has known the deposit long enough to know who paid it. An own transaction
 * exists before its hash, and its hash before the deposit is confirmed. So the order of the
 * webhooks does not matter.
 */
function isLongShown(
  { transactionId, verifiedAt }: Deposit,
  context: { incoming: readonly TransactionId[]; graceMs: number; at: number },
): boolean {
  const { incoming, graceMs, at } = context;
  if (transactionId === null || verifiedAt === null) return false;
  return incoming.includes(transactionId) && at - verifiedAt >= graceMs;
}

/**
 * The break for customers' deposits that webhooks marked as own transfers; one is open per hash.
 */
function disownedFinding(hash: KeyedHashState, count: number): Finding {
  const { network, blockchainHash } = hash;
  const [deposit] = hash.deposits;
  return finding('status_mismatch', {
    key: breakKey('status_mismatch', network, blockchainHash, 'disowned'),
    severity: 'critical',
    subject: { vaultId: deposit?.vaultId ?? null, network, blockchainHash },
    detail: `notifications named ${blockchainHash} as the hash of ${count} own transactions, and the custody API knows none under it: its deposits were held for internal and are judged anew`,
  });
}

/**
 * Handles a complete answer about a hash: these incoming transactions, and no outgoing one.
 * Webhooks' claims to the hash are disowned. Transactions that the API has ever shown are looked up
 * one by one instead. This makes no transaction unknown: that needs its own look-up.
 */
export function handleDisownedHash(
  hash: KeyedHashState,
  context: {
    incoming: readonly TransactionId[];
    withdrawalOf: (transactionId: TransactionId) => Withdrawal | undefined;
    graceMs: number;
    now: RuleContext;
  },
): ChangeSet {
  const { incoming, withdrawalOf, graceMs, now } = context;
  const { at } = now;
  if (hash.ownHashes.some(({ certainty }) => certainty === 'confirmed')) return NO_CHANGES;
  if (!hash.deposits.some((one) => isLongShown(one, { incoming, graceMs, at }))) return NO_CHANGES;
  const claimed = hash.ownHashes.filter(({ certainty }) => certainty === 'claimed');
  const neverShown = claimed.filter(
    (own) => withdrawalOf(own.transactionId)?.custody === 'unasked',
  );
  const disowned = neverShown.map((own): OwnHash => ({ ...own, certainty: 'disowned' }));
  if (disowned.length < claimed.length) return changeSet({ ownHashes: disowned });
  const { evaluated } = disclaimDeposits(hash.deposits, now);
  return changeSet({
    ownHashes: disowned,
    deposits: evaluated.map((part) => part.deposit),
    items: evaluated.flatMap((part) => part.items),
    found: [
      ...(evaluated.length > 0 ? [disownedFinding(hash, disowned.length)] : []),
      ...evaluated.flatMap((part) => part.found),
    ],
    healed: evaluated.flatMap((part) => part.healed),
  });
}
