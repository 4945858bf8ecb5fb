import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import { asPinned, showsOtherDecimals } from '../../../src/domain/deposit/decimals.ts';
import { EMPTY_HASH_STATE, type HashState } from '../../../src/domain/hash/hash-state.ts';
import { AccountId, AddressId, AssetId, Memo, VaultId } from '../../../src/domain/ids.ts';
import { newSighting, type SightingKey } from '../../../src/domain/hash/sighting.ts';
import { balanceChange, received } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { change, decimals, Service } from '../../store/webhook.ts';
import { ruleContext, DUE } from '../records.ts';

const USDC = AssetId('ethereum:USDC');

/** Webhooks reported these decimals at the position of `DUE`; null: none. */
function reportedAs(reported: number | null, sightingKey: Partial<SightingKey> = {}): HashState {
  const { network, blockchainHash, vaultId, accountId, addressId, memo } = DUE;
  const key = { network, blockchainHash, vaultId, accountId, addressId, memo };
  const sighting = {
    ...newSighting({ ...key, stream: 'incoming', ...sightingKey }),
    posted: [balanceChange(100n, { decimals: reported })],
  };
  return { ...EMPTY_HASH_STATE, sightings: [sighting] };
}

/** Whether a deposit that came with 18 decimals is still held for them, once 18 is right. */
function isHeld(
  deposit: Partial<Deposit>,
  sightingKey: Partial<SightingKey> = {},
  reported = 18,
): boolean {
  const hashState = reportedAs(reported, sightingKey);
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
  const now = ruleContext({ pinnedDecimals: () => 18 });
  expect(asPinned(DUE, reportedAs(18), now)).toBe(DUE);
});

describe('a record shows other decimals', () => {
  const UNVERIFIED: Deposit = { ...DUE, verifiedAt: null };
  const shows = (count: number | null) => ({ ...DUE, decimals: count, attributed: false });

  test.for<
    [
      why: string,
      is: boolean,
      shown: number | null,
      reported: number | null,
      pinned: number | undefined,
    ]
  >([
    ['than the pinned ones', true, 6, null, 18],
    ['than the pinned ones, which webhooks reported', true, 6, 18, 18],
    ['than the pinned ones, as webhooks reported', false, 6, 6, 18],
    ['than nothing pinned', false, 6, null, undefined],
    ['not: they are pinned', false, 18, null, 18],
    ['not: it shows none', false, null, 6, 18],
  ])('%s: %s', ([, is, shown, reported, pinned]) => {
    const context = {
      hashState: reportedAs(reported),
      now: ruleContext({ pinnedDecimals: () => pinned }),
    };
    expect(showsOtherDecimals(UNVERIFIED, shows(shown), context)).toBe(is);
    expect(showsOtherDecimals(DUE, shows(shown), context)).toBe(false);
  });

  test('not where it shows nothing of the asset', () => {
    const context = {
      hashState: reportedAs(6),
      now: ruleContext({ pinnedDecimals: () => 18 }),
    };
    expect(showsOtherDecimals(UNVERIFIED, undefined, context)).toBe(false);
  });
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
