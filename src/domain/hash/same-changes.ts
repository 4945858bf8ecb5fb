import { plus, ZERO, type Amount } from '../money/amount.ts';
import type { RuleContext } from './hash-state.ts';
import type { AssetId } from '../ids.ts';
import type { BalanceChange } from '../fact/notification.ts';

/** A text that is equal for equal balance changes in any order. */
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

/** Whether two lists of balance changes post the same, in any order. */
export function sameContent(
  left: readonly BalanceChange[],
  right: readonly BalanceChange[],
): boolean {
  if (left.length !== right.length) return false;
  // Fast path: a repeat usually keeps the order.
  if (left.every((change, at) => sameChange(change, right[at]))) return true;
  return contentOf(left) === contentOf(right);
}

/** Sums per key, as a text that is equal for equal sums. A missing sum is zero. */
function sumsBy(
  list: readonly BalanceChange[],
  keyOf: (change: BalanceChange) => readonly (string | null)[],
): string {
  const sums = new Map<string, Amount>();
  for (const change of list) {
    const key = JSON.stringify(keyOf(change));
    sums.set(key, plus(sums.get(key) ?? ZERO, change.amount));
  }
  const moved = [...sums].filter(([, sum]) => sum !== ZERO);
  return JSON.stringify(moved.map(([key, sum]) => `${key}=${sum}`).sort());
}

/** What a comparison of sums distinguishes, besides asset and kind. */
const DISTINGUISHED = {
  kind: () => [],
  address: ({ accountId, addressId }) => [accountId, addressId],
  position: ({ accountId, addressId, memo }) => [accountId, addressId, memo],
} as const satisfies Record<string, (change: BalanceChange) => readonly (string | null)[]>;

/**
 * Whether two lists have equal sums. `by` `kind`: per asset and kind alone, so that a credit that
 * moves to its registered memo changes none. `address` and `position`: also per account and
 * address, or per account, address and memo.
 */
export function sameSums(
  left: readonly BalanceChange[],
  right: readonly BalanceChange[],
  by: keyof typeof DISTINGUISHED,
): boolean {
  const keyOf = (change: BalanceChange) => [
    change.asset,
    change.kind,
    ...DISTINGUISHED[by](change),
  ];
  return sumsBy(left, keyOf) === sumsBy(right, keyOf);
}

/** Decimals to pin: one row per asset that carries decimals and has none pinned yet. */
export function pinsOf(
  list: readonly BalanceChange[] | null,
  now: RuleContext,
): { asset: AssetId; decimals: number }[] {
  let pins: Map<AssetId, number> | undefined;
  for (const { asset, decimals } of list ?? []) {
    if (decimals === null || now.pinnedDecimals(asset) !== undefined) continue;
    pins ??= new Map();
    if (!pins.has(asset)) pins.set(asset, decimals);
  }
  return pins === undefined ? [] : Array.from(pins, ([asset, decimals]) => ({ asset, decimals }));
}

/** The sum per asset, in the order in which the assets first appear. */
export function sumsByAsset(list: readonly BalanceChange[]): Map<AssetId, Amount> {
  const sums = new Map<AssetId, Amount>();
  for (const { asset, amount } of list) sums.set(asset, plus(sums.get(asset) ?? ZERO, amount));
  return sums;
}

/**
 * The first asset whose sums differ between two lists. Sums are in smallest units; an asset that
 * one list lacks counts as zero. Undefined when all sums are equal.
 */
export function firstDifference(
  theirs: readonly BalanceChange[],
  ours: readonly BalanceChange[],
): { asset: AssetId; expected: Amount; actual: Amount } | undefined {
  const [expected, actual] = [sumsByAsset(theirs), sumsByAsset(ours)];
  return [...new Set([...expected.keys(), ...actual.keys()])]
    .map((asset) => ({
      asset,
      expected: expected.get(asset) ?? ZERO,
      actual: actual.get(asset) ?? ZERO,
    }))
    .find((one) => one.expected !== one.actual);
}
