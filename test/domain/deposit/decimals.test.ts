import { expect, test } from 'vitest';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { asPinned } from '../../../src/domain/deposit/decimals.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { AccountId, AddressId, AssetId, Memo, VaultId } from '../../../src/domain/ids.ts';
import { newSighting, type SightingKey } from '../../../src/domain/hash/sighting.ts';
import { balanceChange } from '../../store/evidence.ts';
import { ruleContext, DUE } from '../records.ts';

const USDC = AssetId('ethereum:USDC');

/** Whether a deposit that came with 18 decimals is still held for them, once 18 is right. */
function isHeld(
  deposit: Partial<Deposit>,
  sightingKey: Partial<SightingKey> = {},
  reported = 18,
): boolean {
  const { network, blockchainHash, vaultId, accountId, addressId, memo } = DUE;
  const key = { network, blockchainHash, vaultId, accountId, addressId, memo };
  const sighting = {
    ...newSighting({ ...key, stream: 'incoming', ...sightingKey }),
    posted: [balanceChange(100n, { decimals: reported })],
  };
  const hashState = { ...EMPTY_HASH_STATE, sightings: [sighting] };
  const before = { ...DUE, decimalsChanged: true, ...deposit };
  return asPinned(before, hashState, ruleContext({ pinnedDecimals: () => 18 })).decimalsChanged;
}

test.for<
  [why: string, isHeld: boolean, deposit: Partial<Deposit>, sightingKey: Partial<SightingKey>]
>([
  ['it came with the right ones', false, {}, {}],
  ['it is not confirmed, and its confirmation is judged', false, { evidence: 'mempool' }, {}],
  ['another asset came with the right ones', true, { asset: USDC }, {}],
  ['the chain view tells, not its own notification', true, {}, { stream: 'blockchain' }],
  ['another vault was told', true, {}, { vaultId: VaultId('v2') }],
  ['another account was told', true, {}, { accountId: AccountId('acc-2') }],
  ['another address was told', true, {}, { addressId: AddressId('adr-2') }],
  ['another memo was told', true, {}, { memo: Memo('7') }],
])('after a correction: %s', ([, is, deposit, sightingKey]) => {
  expect(isHeld(deposit, sightingKey)).toBe(is);
});

test('one that came with a third count stays held, unless its confirmation is still to come', () => {
  expect(isHeld({}, {}, 8)).toBe(true);
  expect(isHeld({ evidence: 'mempool' }, {}, 8)).toBe(false);
});

test('one that is not held for its decimals stays as it is', () => {
  expect(asPinned(DUE, EMPTY_HASH_STATE, ruleContext())).toBe(DUE);
});
