import { describe, expect, test } from 'vitest';
import { AssetId, BlockchainHash, NetworkKey, VaultId } from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import { sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { change, ETH, HASH, Service } from '../../store/webhook.ts';

describe('movements without a chain view', () => {
  const KEY = {
    vaultId: VaultId('v1'),
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash(HASH),
  };

  function recordSum(open: OpenLedger, amount: bigint) {
    const sums = [{ asset: AssetId(ETH), amount: Amount(amount) }];
    return open.record({ kind: 'movement', ...KEY, sums });
  }

  function lastRun(open: OpenLedger): unknown {
    return open.rows('SELECT matched, broken, skipped FROM reconciliations ORDER BY seq').at(-1);
  }

  test('are matched by the row that verifies their deposit, without another fact', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    await open.run();
    expect(lastRun(open)).toEqual({
      matched: 0,
      broken: 0,
      skipped: '{"no_chain_evidence":1}',
    });
    await verifyWith(open);
    await open.run();
    expect(lastRun(open)).toEqual({ matched: 1, broken: 0, skipped: '{}' });
  });

  test('are matched by the row that confirms their withdrawal', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined'));
    await open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 });
    await open.run();
    expect(lastRun(open)).toEqual({ matched: 1, broken: 0, skipped: '{}' });
  });

  test('a row with a part of them matches nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6));
    const [first] = open.deposits();
    const other = { addressId: 'adr-2', transactionId: 'dep-2' };
    await open.deliver(service.confirmed(6, { ...other, balanceChanges: [change('5')] }));
    if (first === undefined) throw new Error('no deposit');
    await verifyWith(open, {}, first.deposit_id as ReturnType<OpenLedger['depositId']>);
    await open.run();
    expect(lastRun(open)).toMatchObject({ skipped: '{"no_chain_evidence":1}' });
    await recordSum(open, 105n);
    await open.run();
    expect(lastRun(open)).toEqual({ matched: 1, broken: 0, skipped: '{}' });
  });

  test('the API’s other sum is a conservation break with its sign, until they agree', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1));
    await recordSum(open, 90n);
    await open.run();
    expect(open.openBreak('conservation')).toMatchObject({ expected: '90', actual: '100' });
    await recordSum(open, 100n);
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('the chain view has the word as soon as it speaks', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1));
    await recordSum(open, 90n);
    await open.deliver(service.chain('transaction'));
    await open.run();
    expect(open.openBreaks()).toEqual([]);
    expect((await recordSum(open, 90n)).kind).toBe('unchanged');
  });
});

describe('an own transfer’s deposit', () => {
  test('is verified like any other, so that a forged one is found', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined', { vaultId: 'v2' }), service.confirmed(1));
    await verifyWith(open, null);
    expect(open.depositState()).toBe('internal');
    expect(open.openBreaks()).toEqual(['unknown_to_custody']);
  });

  test('called change by a webhook alone, it is a customer’s once the API has said so', async () => {
    const open = await openLedger();
    const called = { balanceChanges: [change('100', { tags: ['change'] })] };
    await open.deliver(new Service().confirmed(6, called));
    expect(open.depositState()).toBe('internal');
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  });
});
