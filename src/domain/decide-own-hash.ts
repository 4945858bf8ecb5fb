import { breakKey, finding, type Finding } from './break.ts';
import type { Deposit } from './deposit.ts';
import { disclaimDeposits } from './decide-outgoing.ts';
import {
  changes,
  NO_CHANGES,
  type Changes,
  type Circumstances,
  type HashDossier,
} from './dossier.ts';
import type { TransactionId } from './ids.ts';
import type { OwnHash } from './own-hash.ts';
import type { Withdrawal } from './withdrawal.ts';

/**
 * Whether the custody API has known of the deposit for long enough to know, too, whose transaction
 * paid it: an own one exists before its hash does, and its hash before the deposit is confirmed. So
 * it does not matter when webhooks first told of the one or the other.
 */
function isLongShown(
  { transactionId, verifiedAt }: Deposit,
  context: { incoming: readonly TransactionId[]; graceMs: number; at: number },
): boolean {
  const { incoming, graceMs, at } = context;
  if (transactionId === null || verifiedAt === null) return false;
  return incoming.includes(transactionId) && at - verifiedAt >= graceMs;
}

/** Webhooks made customers' deposits look like our own transfer; one such break is open per hash. */
function disownedFinding(hash: HashDossier, count: number): Finding {
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
 * The custody API was asked what there is under a hash, and showed in a whole answer these incoming
 * transactions and no outgoing one. So the hash is none of those that webhooks alone told of; one that
 * the API has ever shown, under whatever hash, is asked for by itself. No transaction becomes
 * unknown by this: that needs a look-up of its own.
 */
export function decideDisownedHash(
  hash: HashDossier,
  context: {
    incoming: readonly TransactionId[];
    withdrawalOf: (transactionId: TransactionId) => Withdrawal | undefined;
    graceMs: number;
    now: Circumstances;
  },
): Changes {
  const { incoming, withdrawalOf, graceMs, now } = context;
  const { at } = now;
  if (hash.ownHashes.some(({ standing }) => standing === 'confirmed')) return NO_CHANGES;
  if (!hash.deposits.some((one) => isLongShown(one, { incoming, graceMs, at }))) return NO_CHANGES;
  const told = hash.ownHashes.filter(({ standing }) => standing === 'told');
  const neverShown = told.filter((own) => withdrawalOf(own.transactionId)?.custody === 'unasked');
  const disowned = neverShown.map((own): OwnHash => ({ ...own, standing: 'disowned' }));
  if (disowned.length < told.length) return changes({ ownHashes: disowned });
  const { settled } = disclaimDeposits(hash.deposits, now);
  return changes({
    ownHashes: disowned,
    deposits: settled.map((part) => part.deposit),
    items: settled.flatMap((part) => part.items),
    found: [
      ...(settled.length > 0 ? [disownedFinding(hash, disowned.length)] : []),
      ...settled.flatMap((part) => part.found),
    ],
    healed: settled.flatMap((part) => part.healed),
  });
}
