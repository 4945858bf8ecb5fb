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
 * When a transaction moved money, by its block's time where that is known. Else an own transaction
 * is dated by its last change, which is that it was mined, and a receipt by when it was first seen:
 * each further confirmation changes it.
 */
export function datedOf(
  transaction: CustodyTransaction,
  minedAt?: number,
): Pick<CountedEffect, 'at' | 'datedBy'> {
  if (minedAt !== undefined) return { at: minedAt, datedBy: 'block' };
  const { type, createdAt, updatedAt } = transaction;
  const at = type === 'incoming' ? (createdAt ?? updatedAt) : updatedAt;
  return at > 0 ? { at, datedBy: 'custody' } : {};
}

/** Whether a receipt's record does not tell on which side of a moment it was mined. */
export function straddles(
  { type, createdAt, updatedAt }: CustodyTransaction,
  moment: number,
): boolean {
  return type === 'incoming' && (createdAt ?? updatedAt) < moment && updatedAt >= moment;
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
