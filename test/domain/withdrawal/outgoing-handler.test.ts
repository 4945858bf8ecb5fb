import { describe, expect, test } from 'vitest';
import { balanceChange, sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, SIX_DEEP } from '../../store/open-ledger.ts';
import { change, Service } from '../../store/webhook.ts';

describe('own transfers', () => {
  test('outgoing first: the incoming is internal from its first word', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined', { vaultId: 'v2' }), service.confirmed(1));
    expect(open.depositState()).toBe('internal');
  });

  test('incoming first: it becomes internal when the outgoing side turns up, in another vault too', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6));
    expect(open.depositState()).toBe('verifying');
    await open.deliver(service.outgoing('submitted', { vaultId: 'v2' }));
    expect(open.depositState()).toBe('internal');
    await verifyWith(open);
    expect(open.feed()).toEqual([]);
  });

  test('the outgoing side is known to the custody API alone', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    await open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 });
    expect(open.depositState()).toBe('internal');
    await verifyWith(open);
    expect(open.feed()).toEqual([]);
  });

  test('the custody API alone knows it, and says so before the deposit arrives', async () => {
    const open = await openLedger();
    await open.record({ kind: 'outgoing', transaction: sent({ status: 'submitted' }), graceMs: 0 });
    await open.deliver(new Service().confirmed(6));
    expect(open.depositState()).toBe('internal');
  });

  test('the custody API names another hash than the first notification did', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted', { blockchainHash: '0xold' }));
    await open.record({ kind: 'outgoing', transaction: sent({ status: 'submitted' }), graceMs: 0 });
    await open.deliver(service.confirmed(6));
    expect(open.depositState()).toBe('internal');
  });

  test('a hash that an own transaction once had stays an own one', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    await open.deliver(service.outgoing('mined', { blockchainHash: '0xnew' }));
    await open.deliver(service.confirmed(6));
    expect(open.depositState()).toBe('internal');
  });

  test('it was credited before the outgoing side turned up: a critical break', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    await open.deliver(service.outgoing('mined', { vaultId: 'v2' }));
    expect(open.openBreak('status_mismatch')).toMatchObject({ severity: 'critical' });
    expect(open.depositState()).toBe('credited');
  });

  test('with creditInternal it is a customer’s after all', async () => {
    const open = await openLedger({
      ...SIX_DEEP,
      assets: { 'ethereum:ETH': { creditInternal: true } },
    });
    const service = new Service();
    await open.deliver(service.outgoing('mined', { vaultId: 'v2' }), service.confirmed(6));
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('with creditInternal change still is not', async () => {
    const open = await openLedger({
      ...SIX_DEEP,
      assets: { 'ethereum:ETH': { creditInternal: true } },
    });
    const tagged = { balanceChanges: [change('100', { tags: ['change'] })] };
    await open.deliver(new Service().confirmed(6, tagged));
    await verifyWith(open, { changes: [balanceChange(100n, { kind: 'change' })] });
    expect(open.feed()).toEqual([]);
  });
});
