import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AssetId, VaultId } from '../../../src/domain/ids.ts';
import {
  sumOf,
  sumsByVaultAsset,
  Totals,
  unreversed,
  vaultAssetKey,
} from '../../../src/domain/money/roll-forward.ts';
import { line, moved } from '../close/day-lines.ts';

test('totals are kept by vault and asset, in the order of first sight', () => {
  const totals = new Totals();
  const [b, a] = ['b', 'a'].map((vault) => ({
    vaultId: VaultId(vault),
    asset: AssetId('bitcoin:BTC'),
  }));
  if (a === undefined || b === undefined) throw new Error('no places');
  totals.add(b, 'deposits', Amount(5n));
  totals.add(a, 'fees', Amount(-1n));
  totals.add(b, 'deposits', Amount(2n));
  totals.add(b, 'change', Amount(3n));
  expect(
    totals.rows().map(({ vaultAsset, effects }) => [vaultAsset.vaultId, moved(effects)]),
  ).toEqual([
    ['b', 'deposits 7, change 3'],
    ['a', 'fees -1'],
  ]);
  expect(moved(totals.effects(b))).toBe('deposits 7, change 3');
  expect(sumOf(totals.effects({ ...a, asset: AssetId('bitcoin:X') }))).toBe(0n);
});

test('amounts are summed by vault and asset, in the order of first sight', () => {
  const part = (vault: string, asset: string, amount: bigint) => ({
    vaultId: VaultId(vault),
    asset: AssetId(asset),
    amount: Amount(amount),
  });
  const parts = [part('b', 'X', 5n), part('a', 'X', 1n), part('b', 'Y', 7n), part('b', 'X', -2n)];
  expect(sumsByVaultAsset(parts)).toEqual([
    part('b', 'X', 3n),
    part('a', 'X', 1n),
    part('b', 'Y', 7n),
  ]);
});

test('an entry that another one reversed is out of force, and so is the reversal', () => {
  const lines = [
    line(5n, { entryId: 1 }),
    line(2n, { entryId: 2 }),
    line(-5n, { entryId: 3, reverses: 1 }),
    line(7n, { entryId: 4 }),
  ];
  expect(unreversed(lines).map(({ entryId }) => entryId)).toEqual([2, 4]);
});

test('each pair of vault and asset has its own key', () => {
  const key = (vault: string, asset: string) =>
    vaultAssetKey({ vaultId: VaultId(vault), asset: AssetId(asset) });
  expect(key('v1', 'e:A')).toBe(key('v1', 'e:A'));
  expect(
    new Set([key('v1', 'e:A'), key('v1e', ':A'), key('v2', 'e:A'), key('v1', 'e:B')]).size,
  ).toBe(4);
});
