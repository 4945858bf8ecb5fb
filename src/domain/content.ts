import { plus, ZERO, type Amount } from './amount.ts';
import type { Circumstances } from './dossier.ts';
import type { AssetId } from './ids.ts';
import type { BalanceChange } from './notification.ts';

/** A stable text of what was posted, whatever the order of its entries. */
function contentOf(list: readonly BalanceChange[]): string {
  return JSON.stringify(
    list
      .map((change) =>
        JSON.stringify([
          change.asset,
          String(change.amount),
          change.kind,
          change.accountId,
          change.addressId,
          change.memo,
        ]),
      )
      .sort(),
  );
}

function sameChange(left: BalanceChange, right: BalanceChange | undefined): boolean {
  return (
    left.amount === right?.amount &&
    left.asset === right.asset &&
    left.kind === right.kind &&
    left.accountId === right.accountId &&
    left.addressId === right.addressId &&
    left.memo === right.memo
  );
}

/** Whether two lists post the same, whatever the order of their entries. */
export function sameContent(
  left: readonly BalanceChange[],
  right: readonly BalanceChange[],
): boolean {
  if (left.length !== right.length) return false;
  // Told again, they nearly always come in the order in which they came.
  if (left.every((change, at) => sameChange(change, right[at]))) return true;
  return contentOf(left) === contentOf(right);
}

/** Decimals to pin: of every asset that says them and has none pinned yet. */
export function pinsOf(
  list: readonly BalanceChange[] | null,
  now: Circumstances,
): { asset: AssetId; decimals: number }[] {
  let pins: Map<AssetId, number> | undefined;
  for (const { asset, decimals } of list ?? []) {
    if (decimals === null || now.pinnedDecimals(asset) !== undefined) continue;
    pins ??= new Map();
    if (!pins.has(asset)) pins.set(asset, decimals);
  }
  return pins === undefined ? [] : Array.from(pins, ([asset, decimals]) => ({ asset, decimals }));
}

/** What is moved of each asset, in the order in which the assets are first named. */
export function sumsByAsset(list: readonly BalanceChange[]): Map<AssetId, Amount> {
  const sums = new Map<AssetId, Amount>();
  for (const { asset, amount } of list) sums.set(asset, plus(sums.get(asset) ?? ZERO, amount));
  return sums;
}
