import { describe, expect, test } from 'vitest';
import type { Deposit } from '../../../../src/domain/deposit/deposit.ts';
import { handleIncoming } from '../../../../src/domain/deposit/incoming-handler.ts';
import type { BalanceChange } from '../../../../src/domain/fact/notification.ts';
import { EMPTY_HASH_STATE, type ChangeSet } from '../../../../src/domain/hash/hash-state.ts';
import { newSighting } from '../../../../src/domain/hash/sighting.ts';
import { AssetId, DepositId } from '../../../../src/domain/ids.ts';
import { balanceChange } from '../../../store/evidence.ts';
import { openLedger } from '../../../store/open-ledger.ts';
import { AT_ADDRESS, change, decimals, Service } from '../../../store/webhook.ts';
import { runs } from '../../hash/event-runs.ts';
import { ruleContext, DUE } from '../../records.ts';
import { incomingOf } from './incoming.ts';

describe('decimals in the webhooks of a deposit', () => {
  const withDecimals = (count: number): object => ({
    balanceChanges: [change('100', decimals(count))],
  });
  const later = { blockchainHash: '0xb2', transactionId: 'dep-2' };

  test('are pinned by the first sighting; other ones hold the deposit', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, withDecimals(18)));
    await open.deliver(service.confirmed(1, { ...withDecimals(6), ...later }));
    expect(open.deposits().map(({ state, reason }) => [state, reason])).toEqual([
      ['confirming', null],
      ['held', 'decimals_changed'],
    ]);
    expect(open.openBreaks()).toEqual(['decimals_changed']);
    expect(open.rows('SELECT * FROM assets')).toEqual([{ asset: 'ethereum:ETH', decimals: 18 }]);
  });

  test('are pinned by any stream, also within one commit', async () => {
    const open = await openLedger();
    const service = new Service();
    const balanceChanges = [change('-1', { ...AT_ADDRESS, ...decimals(18) })];
    await open.deliverTogether(
      service.chain('transaction', { balanceChanges, blockchainHash: '0xc3' }),
      service.confirmed(1, withDecimals(6)),
    );
    expect(open.depositState()).toBe('held: decimals_changed');
  });

  test('hold a deposit that was confirmed with the pinned ones too', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(
      service.confirmed(1, withDecimals(18)),
      service.confirmed(6, withDecimals(6)),
    );
    expect(open.depositState()).toBe('held: decimals_changed');
    expect(open.openBreaks()).toEqual(['decimals_changed']);
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
  });

  test('that a person has released hold it no more, others do', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(
      service.confirmed(1, withDecimals(18)),
      service.confirmed(2, withDecimals(6)),
    );
    await open.decide({ kind: 'release', depositId: open.depositId(), reason: 'it is 6' });
    await open.deliver(
      service.confirmed(3, withDecimals(6)),
      service.confirmed(4),
      service.confirmed(5),
    );
    expect(open.depositState()).toBe('confirming');
    await open.deliver(service.confirmed(6, withDecimals(8)));
    expect(open.depositState()).toBe('held: decimals_changed');
  });

  test('left out are not a change', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, withDecimals(18)), service.confirmed(3));
    expect(open.depositState()).toBe('confirming');
  });
});

describe('a confirmation of what is booked', () => {
  const USDC = AssetId('ethereum:USDC');
  const IN_USDC: Deposit = { ...DUE, depositId: DepositId('dep_2'), asset: USDC };

  /** The seventh confirmation, after these changes were booked; 18 decimals are right for all. */
  function confirmed(
    posted: readonly BalanceChange[],
    reported: readonly BalanceChange[],
  ): ChangeSet {
    const { network, blockchainHash, vaultId, accountId, addressId, memo } = DUE;
    const key = { network, blockchainHash, vaultId, accountId, addressId, memo };
    const sighting = {
      ...newSighting({ ...key, stream: 'incoming' }),
      seen: runs('confirmation:1:dep-tx'),
      entryId: 4,
      posted,
    };
    const hashState = { ...EMPTY_HASH_STATE, sightings: [sighting], deposits: [DUE, IN_USDC] };
    const now = ruleContext({ pinnedDecimals: () => 18 });
    return handleIncoming(hashState, incomingOf(reported), now);
  }

  const inEth = (count: number | null, amount = 100n): BalanceChange =>
    balanceChange(amount, { decimals: count });
  const inUsdc = (count: number | null): BalanceChange =>
    balanceChange(100n, { asset: USDC, decimals: count });

  test.for<[why: string, posted: BalanceChange[], reported: BalanceChange[], changed: boolean]>([
    ['other decimals', [inEth(18)], [inEth(6)], true],
    ['the same other decimals: they are reported once', [inEth(6)], [inEth(6)], false],
    ['the same other decimals for another amount', [inEth(6)], [inEth(6, 90n)], true],
    [
      'the same other decimals, beside another asset with its own',
      [inUsdc(8), inEth(6)],
      [inUsdc(8), inEth(6)],
      false,
    ],
  ])('with %s: whether it holds the deposit', ([, posted, reported, changed]) => {
    const [inThisAsset] = confirmed(posted, reported).deposits.filter(
      ({ asset }) => asset !== USDC,
    );
    expect(inThisAsset?.decimalsChanged).toBe(changed);
  });

  test.for<
    [why: string, posted: BalanceChange[], reported: BalanceChange[], kept: (number | null)[]]
  >([
    ['without decimals keeps the known ones', [inEth(18)], [inEth(null)], [18]],
    ['with the first decimals keeps those', [inEth(null)], [inEth(6)], [6]],
    ['with other decimals keeps the newest', [inEth(18)], [inEth(6)], [6]],
    [
      'with one new count among known ones keeps it',
      [inEth(18), inUsdc(null)],
      [inEth(18), inUsdc(6)],
      [18, 6],
    ],
    [
      'without one of the known counts keeps them all',
      [inEth(18), inUsdc(6)],
      [inEth(null), inUsdc(6)],
      [18, 6],
    ],
  ])('%s', ([, posted, reported, kept]) => {
    const { sightings } = confirmed(posted, reported);
    expect(sightings.map((one) => one.posted.map((entry) => entry.decimals))).toEqual([kept]);
  });
});
