import { expect, test } from 'vitest';
import { epochOf, sightingAt } from '../../../src/domain/fact/backfill.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { newSighting } from '../../../src/domain/hash/sighting.ts';
import { Memo } from '../../../src/domain/ids.ts';
import { received } from '../../store/evidence.ts';
import { DUE } from '../records.ts';

const { network, blockchainHash, vaultId, accountId, addressId } = DUE;
const KEY = { network, blockchainHash, vaultId, accountId, addressId, memo: null } as const;
const SECOND = { ...newSighting({ ...KEY, stream: 'incoming' }), epoch: 1 };
const STATE = { ...EMPTY_HASH_STATE, sightings: [SECOND] };

test('a record is of the epoch that webhooks reported at its position', () => {
  expect(sightingAt(STATE, received())).toBe(SECOND);
  expect(epochOf(STATE, received())).toBe(1);
});

test('a record at a position without webhooks is of the first epoch', () => {
  expect(epochOf(STATE, received({ memo: Memo('7') }))).toBe(0);
  expect(epochOf(EMPTY_HASH_STATE, received())).toBe(0);
});

test('a record without a hash has no position', () => {
  expect(sightingAt(STATE, received({ blockchainHash: null }))).toBe(undefined);
  expect(epochOf(STATE, received({ blockchainHash: null }))).toBe(0);
});
