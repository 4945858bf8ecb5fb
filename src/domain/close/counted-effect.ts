import { plus, ZERO, type Amount } from '../money/amount.ts';
import type { CountedEffect, EffectKind } from './record.ts';
import type { CustodyTransaction } from '../fact/custody-record.ts';
import { BlockchainHash, type AssetId } from '../ids.ts';

/** Whether a transaction moved balances finally, as far as the API can say. */
function isFinal({ type, status }: CustodyTransaction): boolean {
  return type === 'incoming' ? status === 'confirmed' : status === 'mined';
}

function kindOf({ type, changes }: CustodyTransaction): EffectKind {
  if (type === 'outgoing') return 'outgoing';
  return changes?.some(({ kind }) => kind === 'change') === true ? 'change' : 'incoming';
}

/**
 * When a transaction moved balances, Unix milliseconds: its block's time where known. Otherwise an
 * own transaction takes its last change, when it was mined. A receipt takes its first sighting,
 * because each confirmation changes the record.
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

/** Whether a receipt's record leaves open on which side of a moment it was mined. */
export function straddles(
  { type, createdAt, updatedAt }: CustodyTransaction,
  moment: number,
): boolean {
  return type === 'incoming' && (createdAt ?? updatedAt) < moment && updatedAt >= moment;
}

/**
 * What an API transaction counts for in the custody figures. `pending` when it is final and its
 * balance changes are not published yet (spec, conservation rule 6). Reads no record of ours.
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
