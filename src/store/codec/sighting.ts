import { storedAmount } from '../../domain/money/amount.ts';
import { AssetId, TransactionId } from '../../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../../domain/fact/notification.ts';
import type { EventRun, EventHistory, EvidenceSource } from '../../domain/hash/event-history.ts';
import type { SightingKey } from '../../domain/hash/sighting.ts';
import { packChange, unpackChange, type PackedChange } from './change.ts';

/** A run as stored: [type, transactionId, from, to]; another source than a webhook follows them. */
type PackedRun = [
  EventRun['type'],
  string | null,
  number | null,
  number | null,
  Exclude<EvidenceSource, 'webhook'>?,
];

/** A change at the sighting's own position as stored: [asset, amount, kind, decimals]. */
type PackedHere = [string, string, ChangeKind, number | null];

/** The parts of a sighting's position that most of its balance changes would repeat. */
type Position = Pick<SightingKey, 'accountId' | 'addressId' | 'memo'>;

/** The runs of an event history as compact JSON values. */
export function packSeen(seen: EventHistory): PackedRun[] {
  return seen.map(({ type, transactionId, from, to, source }) =>
    source === 'webhook'
      ? [type, transactionId, from, to]
      : [type, transactionId, from, to, source],
  );
}

/** Reads what `packSeen` wrote. `packed`: the parsed JSON, which the caller trusts. */
export function unpackSeen(packed: unknown): EventRun[] {
  return (packed as PackedRun[]).map(([type, id, from, to, other]) => {
    const transactionId = id === null ? null : TransactionId(id);
    const source: EvidenceSource = other ?? 'webhook';
    return from === null || to === null
      ? { type, transactionId, source, from: null, to: null }
      : { type, transactionId, source, from, to };
  });
}

/**
 * A sighting's balance changes as compact JSON values; amounts are decimal strings. Changes at the
 * sighting's own position do not repeat it.
 */
export function packPosted(
  list: readonly BalanceChange[],
  position: Position,
): (PackedChange | PackedHere)[] {
  return list.map((change) => {
    const isHere =
      change.accountId === position.accountId &&
      change.addressId === position.addressId &&
      change.memo === position.memo;
    if (!isHere) return packChange(change);
    return [change.asset, change.amount.toString(), change.kind, change.decimals];
  });
}

/** Reads what `packPosted` wrote for a sighting at this position. */
export function unpackPosted(packed: unknown, position: Position): BalanceChange[] {
  const { accountId, addressId, memo } = position;
  return (packed as (PackedChange | PackedHere)[]).map((change) => {
    if (change.length !== 4) return unpackChange(change);
    const [asset, amount, kind, decimals] = change;
    const sum = { asset: AssetId(asset), amount: storedAmount(amount), kind };
    return { ...sum, accountId, addressId, memo, decimals };
  });
}
