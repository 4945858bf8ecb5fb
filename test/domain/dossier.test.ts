import { expect, test } from 'vitest';
import {
  changes,
  dossierOf,
  EMPTY_DOSSIER,
  isEmpty,
  isOwnHash,
  NO_CHANGES,
  sightingIn,
} from '../../src/domain/dossier.ts';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../src/domain/ids.ts';
import type { OwnHashStanding } from '../../src/domain/own-hash.ts';
import { chainView, DUE } from './records.ts';

test('nothing is known of a hash before it is heard of, and nothing comes of nothing', () => {
  expect(EMPTY_DOSSIER).toEqual({ sightings: [], deposits: [], withdrawals: [], ownHashes: [] });
  expect(Object.values(NO_CHANGES).flat()).toEqual([]);
  expect(isEmpty(changes({}))).toBe(true);
});

test('one record of any kind is a change', () => {
  expect(isEmpty(changes({ deposits: [DUE] }))).toBe(false);
  expect(isEmpty(changes({ pinned: [{ asset: AssetId('X'), decimals: 6 }] }))).toBe(false);
});

test.for<[standings: OwnHashStanding[], own: boolean]>([
  [[], false],
  [['refuted'], false],
  [['told'], true],
  [['confirmed'], true],
  [['refuted', 'told'], true],
  [['refuted', 'refuted'], false],
])('a hash that is said to be our own as %o is: %s', ([standings, own]) => {
  const { network, blockchainHash } = DUE;
  const ownHashes = standings.map((standing, at) => {
    return { network, blockchainHash, transactionId: TransactionId(`wd-${at}`), standing };
  });
  expect(isOwnHash({ ownHashes })).toBe(own);
});

test('a sighting is found at its own place', () => {
  const [here, there] = [chainView(), chainView({ vaultId: VaultId('v2') })];
  const dossier = { ...EMPTY_DOSSIER, sightings: [there, here] };
  expect(sightingIn(dossier, chainView())).toBe(here);
  expect(sightingIn(dossier, chainView({ stream: 'incoming' }))).toBeUndefined();
});

test('a dossier is found by its hash on its network; there is an empty one for any other', () => {
  const { network, blockchainHash } = DUE;
  const known = { ...EMPTY_DOSSIER, network, blockchainHash, deposits: [DUE] };
  expect(dossierOf([known], { network, blockchainHash })).toBe(known);
  for (const other of [
    { network, blockchainHash: BlockchainHash('0xb2') },
    { network: NetworkKey('polygon'), blockchainHash },
    { network: null, blockchainHash: null },
  ]) {
    expect(dossierOf([known], other)).toBe(EMPTY_DOSSIER);
  }
});
