import { storedAmount } from '../domain/amount.ts';
import { AssetId, TransactionId } from '../domain/ids.ts';
import type { BalanceChange, ChangeKind } from '../domain/notification.ts';
import type { EventRun, SeenEvents, Teller } from '../domain/seen-events.ts';
import type { SightingKey } from '../domain/sighting.ts';
import { packChange, unpackChange, type PackedChange } from './change-codec.ts';

/** [type, transactionId, from, to], and who told after them where no webhook did. */
type PackedRun = [
  EventRun['type'],
  string | null,
  number | null,
  number | null,
  Exclude<Teller, 'webhook'>?,
];

/** [asset, amount, kind, decimals] of a change at the sighting's own place. */
type PackedHere = [string, string, ChangeKind, number | null];

type Place = Pick<SightingKey, 'accountId' | 'addressId' | 'memo'>;

/** Runs as compact JSON values. */
export function packSeen(seen: SeenEvents): PackedRun[] {
  return seen.map(({ type, transactionId, from, to, toldBy }) =>
    toldBy === 'webhook'
      ? [type, transactionId, from, to]
      : [type, transactionId, from, to, toldBy],
  );
}

/** Reads what `packSeen` wrote. */
export function unpackSeen(packed: unknown): EventRun[] {
  return (packed as PackedRun[]).map(([type, id, from, to, told]) => {
    const transactionId = id === null ? null : TransactionId(id);
    const toldBy = told ?? 'webhook';
    return from === null || to === null
      ? { type, transactionId, toldBy, from: null, to: null }
      : { type, transactionId, toldBy, from, to };
  });
}

/** A sighting's balance changes as compact JSON values; its own place is not repeated in them. */
export function packPosted(
  list: readonly BalanceChange[],
  place: Place,
): (PackedChange | PackedHere)[] {
  return list.map((change) => {
    const isHere =
      change.accountId === place.accountId &&
      change.addressId === place.addressId &&
      change.memo === place.memo;
    if (!isHere) return packChange(change);
    return [change.asset, change.amount.toString(), change.kind, change.decimals];
  });
}

/** Reads what `packPosted` wrote for a sighting at this place. */
export function unpackPosted(packed: unknown, place: Place): BalanceChange[] {
  const { accountId, addressId, memo } = place;
  return (packed as (PackedChange | PackedHere)[]).map((change) => {
    if (change.length !== 4) return unpackChange(change);
    const [asset, amount, kind, decimals] = change;
    const what = { asset: AssetId(asset), amount: storedAmount(amount), kind };
    return { ...what, accountId, addressId, memo, decimals };
  });
}
