import { plus, ZERO, type Amount } from './amount.ts';
import type { CountedEffect, EffectKind } from './close-record.ts';
import type { CustodyTransaction } from './custody.ts';
import { BlockchainHash, type AssetId } from './ids.ts';

/** Statuses in which a transaction has moved money for good, as far as the API can say. */
function isFinal({ type, status }: CustodyTransaction): boolean {
  return type === 'incoming' ? status === 'confirmed' : status === 'mined';
}

function kindOf({ type, changes }: CustodyTransaction): EffectKind {
  if (type === 'outgoing') return 'outgoing';
  return changes?.some(({ kind }) => kind === 'change') === true ? 'change' : 'incoming';
}

/**
 * What a transaction of the API counts for in the custody figures; `pending` when it is final and
 * its balance changes are not published yet. Looks at nothing of ours.
 */
export function effectOf(transaction: CustodyTransaction): CountedEffect | 'pending' {
  const { transactionId, vaultId, network, updatedAt, changes } = transaction;
  const blockchainHash = transaction.blockchainHash ?? BlockchainHash(transactionId);
  const kind = kindOf(transaction);
  const head = { transactionId, vaultId, network, blockchainHash, updatedAt, kind };
  if (!isFinal(transaction)) return { ...head, amounts: [] };
  if (changes === null) return 'pending';
  const sums = new Map<AssetId, Amount>();
  for (const { asset, amount } of changes) sums.set(asset, plus(sums.get(asset) ?? ZERO, amount));
  const amounts = [...sums]
    .filter(([, amount]) => amount !== ZERO)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([asset, amount]) => ({ asset, amount }));
  return { ...head, amounts };
}
