import { expect, test } from 'vitest';
import {
  changeSet,
  hashStateOf,
  EMPTY_HASH_STATE,
  isEmpty,
  isOwnHash,
  NO_CHANGES,
  sightingIn,
} from '../../../src/domain/hash/hash-state.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { OwnHashCertainty } from '../../../src/domain/withdrawal/own-hash.ts';
import { chainView, DUE } from '../records.ts';

test('an unknown hash has an empty state, and a change set without records is empty', () => {
  expect(EMPTY_HASH_STATE).toEqual({ sightings: [], deposits: [], withdrawals: [], ownHashes: [] });
  expect(Object.values(NO_CHANGES).flat()).toEqual([]);
  expect(isEmpty(changeSet({}))).toBe(true);
});

test('one record of any kind is a change', () => {
  expect(isEmpty(changeSet({ deposits: [DUE] }))).toBe(false);
  expect(isEmpty(changeSet({ pinned: [{ asset: AssetId('X'), decimals: 6 }] }))).toBe(false);
});

test.for<[certainties: OwnHashCertainty[], own: boolean]>([
  [[], false],
  [['refuted'], false],
  [['claimed'], true],
  [['confirmed'], true],
  [['refuted', 'claimed'], true],
  [['refuted', 'refuted'], false],
])('a hash that is said to be our own as %o is: %s', ([certainties, own]) => {
  const { network, blockchainHash } = DUE;
  const ownHashes = certainties.map((certainty, at) => {
    return { network, blockchainHash, transactionId: TransactionId(`wd-${at}`), certainty };
  });
  expect(isOwnHash({ ownHashes })).toBe(own);
});

test('a sighting is found at its own position', () => {
  const [here, there] = [chainView(), chainView({ vaultId: VaultId('v2') })];
  const hashState = { ...EMPTY_HASH_STATE, sightings: [there, here] };
  expect(sightingIn(hashState, chainView())).toBe(here);
  expect(sightingIn(hashState, chainView({ stream: 'incoming' }))).toBeUndefined();
});

test('a hash state is found by its hash on its network; any other hash has an empty one', () => {
  const { network, blockchainHash } = DUE;
  const known = { ...EMPTY_HASH_STATE, network, blockchainHash, deposits: [DUE] };
  expect(hashStateOf([known], { network, blockchainHash })).toBe(known);
  for (const other of [
    { network, blockchainHash: BlockchainHash('0xb2') },
    { network: NetworkKey('polygon'), blockchainHash },
    { network: null, blockchainHash: null },
  ]) {
    expect(hashStateOf([known], other)).toBe(EMPTY_HASH_STATE);
  }
});
