import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { asPinned } from '../../../src/domain/deposit/decimals.ts';
import { EMPTY_HASH_STATE } from '../../../src/domain/hash/hash-state.ts';
import { AccountId, AddressId, AssetId, Memo, VaultId } from '../../../src/domain/ids.ts';
import { newSighting, type SightingKey } from '../../../src/domain/hash/sighting.ts';
import { balanceChange, received } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { change, decimals, Service } from '../../store/webhook.ts';
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

describe('decimals that only the custody API reports', () => {
  const shown = (count: number) => ({ changes: [balanceChange(100n, { decimals: count })] });

  /** Six deep, of an asset with 18 decimals; its webhooks name `reported`, or none. */
  async function sixDeep(reported?: number, others: unknown[] = []) {
    const open = await openLedger();
    const service = new Service();
    const ofAsset = { balanceChanges: [change('-1', decimals(18))], blockchainHash: '0xc3' };
    await open.deliver(service.chain('transaction', ofAsset));
    const more = reported === undefined ? {} : decimals(reported);
    const balanceChanges = [change('100', more), ...others];
    await open.deliver(service.confirmed(6, { balanceChanges }));
    return open;
  }

  function verifiedBy(open: OpenLedger, more: Partial<CustodyTransaction>) {
    const record = { depositId: open.depositId(), transaction: received(more), graceMs: 0 };
    return open.record({ kind: 'deposit', ...record, corrects: true, expires: true });
  }

  test.for([undefined, 18])('hold a deposit whose webhooks name %s', async (reported) => {
    const open = await sixDeep(reported);
    await verifiedBy(open, shown(6));
    expect(open.depositState()).toBe('held: decimals_changed');
    expect(open.openBreaks()).toEqual(['decimals_changed']);
    expect(open.feed()).toEqual([]);
    await open.decide({ kind: 'release', depositId: open.depositId(), reason: 'it is 6' });
    expect(open.feedLines()).toEqual(['credit 100']);
    await verifiedBy(open, shown(6));
    expect(open.openBreaks()).toEqual([]);
  });

  test('hold a deposit whose other entries they correct', async () => {
    const open = await sixDeep(undefined, [
      change('-1', { tags: ['fee'] }),
      change('1', { tags: ['rebate'] }),
    ]);
    await verifiedBy(open, shown(6));
    expect(open.depositState()).toBe('held: decimals_changed');
    expect(open.feed()).toEqual([]);
  });

  test('hold no deposit that a person has released for them', async () => {
    const open = await sixDeep(6);
    expect(open.depositState()).toBe('held: decimals_changed');
    await open.decide({ kind: 'release', depositId: open.depositId(), reason: 'it is 6' });
    await verifiedBy(open, shown(6));
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('that are the pinned ones hold nothing', async () => {
    const open = await sixDeep();
    await verifiedBy(open, shown(18));
    expect(open.feedLines()).toEqual(['credit 100']);
  });
});
