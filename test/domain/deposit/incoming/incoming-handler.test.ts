import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { openLedger, SIX_DEEP } from '../../../store/open-ledger.ts';
import { change, Service } from '../../../store/webhook.ts';

const AT = 'v1/acc-1/adr-1 ethereum:ETH';

describe('a deposit that climbs', () => {
  test('is pending in the mempool and posts nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('mempool'));
    expect(open.depositState()).toBe('detected');
    expect(open.balances()).toEqual({});
  });

  test('posts once, on its first confirmation; later counts raise the depth alone', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.confirmed(3), service.confirmed(6));
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.rows('SELECT * FROM entries')).toHaveLength(1);
    expect(open.deposit()).toMatchObject({ state: 'verifying', confirmations: 6, amount: '100' });
  });

  test('never gets shallower by a late lower count, or by a late mempool event', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6), service.confirmed(1), service.incoming('mempool'));
    expect(open.deposit()).toMatchObject({ state: 'verifying', confirmations: 6 });
    expect(open.positions()).toEqual({ [AT]: '100' });
  });

  test('a confirmation of zero posts nothing', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(0));
    expect(open.depositState()).toBe('detected');
    expect(open.balances()).toEqual({});
  });

  test('fee, rebate and mint post to the books and are not the customer’s', async () => {
    const open = await openLedger();
    const balanceChanges = [
      change('100'),
      change('-2', { tags: ['fee'] }),
      change('3', { tags: ['rebate'] }),
      change('5', { tags: ['mint'] }),
    ];
    await open.deliver(new Service().confirmed(1, { balanceChanges }));
    expect(open.deposit().amount).toBe('100');
    expect(open.balances()).toEqual({
      [AT]: '106',
      'world:v1 ethereum:ETH': '-100',
      'network-fees:v1 ethereum:ETH': '2',
      'rebates:v1 ethereum:ETH': '-3',
      'mints:v1 ethereum:ETH': '-5',
    });
  });

  test('two assets of one notification are two deposits', async () => {
    const open = await openLedger();
    const balanceChanges = [change('100'), change('7', { asset: 'ethereum:USDC' })];
    await open.deliver(new Service().confirmed(1, { balanceChanges }));
    const amounts = Object.fromEntries(open.deposits().map(({ asset, amount }) => [asset, amount]));
    expect(amounts).toEqual({ 'ethereum:ETH': '100', 'ethereum:USDC': '7' });
  });

  test('a receipt with the tag change is internal from its first event on', async () => {
    const open = await openLedger();
    const balanceChanges = [change('40', { tags: ['change'] })];
    await open.deliver(new Service().confirmed(6, { balanceChanges }));
    expect(open.depositState()).toBe('internal');
    expect(open.positions()).toEqual({ [AT]: '40' });
  });
});

describe('amounts that differ within an epoch', () => {
  const saying = (amount: string): object => ({ balanceChanges: [change(amount)] });

  test('the newest confirmation wins by reversal and repost, and a break says so', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.confirmed(3, saying('90')));
    expect(open.positions()).toEqual({ [AT]: '90' });
    expect(open.deposit().amount).toBe('90');
    expect(open.rows('SELECT reverses IS NOT NULL AS back FROM entries ORDER BY entry_id')).toEqual(
      [{ back: 0 }, { back: 1 }, { back: 0 }],
    );
    expect(open.openBreak('amount_changed')).toMatchObject({ expected: '90', actual: '100' });
  });

  test('a late older confirmation does not win, and is not passed over either', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(3), service.confirmed(1, saying('90')));
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('a repeat under another id with another amount has no effect, and a break says so', async () => {
    const open = await openLedger();
    const service = new Service();
    const statuses = await open.deliver(service.confirmed(1), service.confirmed(1, saying('90')));
    expect(statuses).toEqual(['accepted', 'duplicate']);
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('an asset that the newest confirmation leaves out moved nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    const usdc = { balanceChanges: [change('7', { asset: 'ethereum:USDC' })] };
    await open.deliver(service.confirmed(1), service.confirmed(3, usdc));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:USDC': '7' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('a changed mint is an amount that changed, though no deposit’s', async () => {
    const open = await openLedger();
    const service = new Service();
    const mint = (amount: string): object => ({
      balanceChanges: [change('100'), change(amount, { tags: ['mint'] })],
    });
    await open.deliver(service.confirmed(1, mint('5')), service.confirmed(3, mint('4')));
    expect(open.positions()).toEqual({ [AT]: '104' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('a late older confirmation does not win where there is no deposit at all', async () => {
    const open = await openLedger();
    const service = new Service();
    const mint = (amount: string): object => ({
      balanceChanges: [change(amount, { tags: ['mint'] })],
    });
    await open.deliver(service.confirmed(3, mint('5')), service.confirmed(1, mint('4')));
    expect(open.positions()).toEqual({ [AT]: '5' });
  });

  test('an approval was for the amount it saw, not for another', async () => {
    const open = await openLedger({
      ...SIX_DEEP,
      default: { confirmations: 6, oneApprovalAbove: Amount(99n) },
    });
    const service = new Service();
    await open.deliver(service.confirmed(1));
    await open.decide({ kind: 'approve', depositId: open.depositId(), reason: 'known sender' });
    await open.deliver(service.confirmed(6, saying('1000000')));
    expect(open.depositState()).toBe('held: approval_required');
  });
});

describe('rollbacks', () => {
  test('a rollback takes back exactly what this deposit has posted', async () => {
    const open = await openLedger();
    const service = new Service();
    const other = { addressId: 'adr-2', transactionId: 'dep-2' };
    await open.deliver(service.confirmed(1), service.confirmed(1, other));
    await open.deliver(service.incoming('rollback'));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-2 ethereum:ETH': '100' });
    expect(open.deposits().map(({ state, epoch }) => [state, epoch])).toEqual([
      ['rolled_back', 1],
      ['confirming', 0],
    ]);
  });

  test('a second rollback of one epoch is a repeat, under any id', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1));
    const rollbacks = [service.incoming('rollback'), service.incoming('rollback')];
    expect(await open.deliver(...rollbacks)).toEqual(['accepted', 'duplicate']);
    expect(open.balances()).toEqual({});
    expect(open.deposit().epoch).toBe(1);
  });

  test('mined again, the same counts climb again in a new epoch', async () => {
    const open = await openLedger();
    const service = new Service();
    const climbs = [service.confirmed(1), service.confirmed(3)];
    await open.deliver(...climbs, service.incoming('rollback'));
    const again = [service.confirmed(1), service.confirmed(3)];
    expect(await open.deliver(...again)).toEqual(['accepted', 'accepted']);
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.deposit()).toMatchObject({ epoch: 1, state: 'confirming', confirmations: 3 });
  });

  test('two rollbacks, two epochs', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.incoming('rollback'));
    await open.deliver(service.confirmed(1), service.incoming('rollback'), service.confirmed(1));
    expect(open.deposit()).toMatchObject({ epoch: 2, state: 'confirming' });
    expect(open.positions()).toEqual({ [AT]: '100' });
  });

  test('a redelivery of an old confirmation after its rollback revives nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    const first = service.confirmed(1);
    await open.deliver(first, service.incoming('rollback'));
    expect(await open.deliver(first)).toEqual(['duplicate']);
    expect(open.depositState()).toBe('rolled_back');
  });

  test('a rollback of a deposit never seen is on record, posts nothing, and opens an epoch', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('rollback', { balanceChanges: [change('100')] }));
    expect(open.deposit()).toMatchObject({ state: 'rolled_back', epoch: 1 });
    expect(open.balances()).toEqual({});
    await open.deliver(service.confirmed(6));
    expect(open.deposit()).toMatchObject({ state: 'verifying', epoch: 1, verified_at: null });
    expect(open.positions()).toEqual({ [AT]: '100' });
  });

  test('a rollback without balance changes of a deposit never seen does not lose what follows', async () => {
    const open = await openLedger();
    const service = new Service();
    const statuses = await open.deliver(service.incoming('rollback'), service.incoming('rollback'));
    expect(statuses).toEqual(['accepted', 'duplicate']);
    await open.deliver(service.confirmed(1));
    expect(open.deposit()).toMatchObject({ state: 'confirming', epoch: 1 });
  });

  test('a mempool deposit that vanishes is rolled back', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('mempool'), service.incoming('rollback'));
    expect(open.depositState()).toBe('rolled_back');
  });
});

describe('memos', () => {
  const memo = { memo: 'bob' };
  const registered = { balanceChanges: [change('100', { memoInfo: { memo: 'bob' } })] };

  test('a registered memo is the position', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1, { ...memo, ...registered }));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1/bob ethereum:ETH': '100' });
    expect(open.depositState()).toBe('confirming');
  });

  test('an unregistered memo is held, booked at the address, and asks for its owner', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1, memo));
    expect(open.depositState()).toBe('held: unattributed_memo');
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.openBreaks()).toEqual(['unattributed_memo']);
  });

  test('registered meanwhile, it moves to its position and the break heals', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(
      service.confirmed(1, memo),
      service.confirmed(3, { ...memo, ...registered }),
    );
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1/bob ethereum:ETH': '100' });
    expect(open.depositState()).toBe('confirming');
    expect(open.openBreaks()).toEqual([]);
  });

  test('a late older event, from before the registration, does not hold it again', async () => {
    const open = await openLedger();
    const service = new Service();
    const late = service.incoming('mempool', memo);
    await open.deliver(service.confirmed(3, { ...memo, ...registered }), late);
    expect(open.depositState()).toBe('confirming');
    expect(open.openBreaks()).toEqual([]);
  });

  test('a network that requires memos holds a deposit without one', async () => {
    const open = await openLedger({ ...SIX_DEEP, networks: { ethereum: { requireMemo: true } } });
    await open.deliver(new Service().confirmed(1));
    expect(open.depositState()).toBe('held: memo_required');
    expect(open.openBreaks()).toEqual(['unattributed_memo']);
  });

  test('two memos at one address in one hash are two deposits', async () => {
    const open = await openLedger();
    const service = new Service();
    for (const name of ['bob', 'eve']) {
      const balanceChanges = [change('5', { memoInfo: { memo: name } })];
      await open.deliver(service.confirmed(1, { memo: name, balanceChanges }));
    }
    expect(open.positions()).toEqual({
      'v1/acc-1/adr-1/bob ethereum:ETH': '5',
      'v1/acc-1/adr-1/eve ethereum:ETH': '5',
    });
  });
});

test('dust is held, and rises out of it when a newer word says more', async () => {
  const open = await openLedger({
    ...SIX_DEEP,
    default: { confirmations: 6, minimumAmount: Amount(101n) },
  });
  const service = new Service();
  await open.deliver(service.confirmed(1));
  expect(open.depositState()).toBe('held: dust');
  await open.deliver(service.confirmed(3, { balanceChanges: [change('101')] }));
  expect(open.depositState()).toBe('confirming');
});

test('60 digits go through the books as they came', async () => {
  const open = await openLedger();
  const amount = '9'.repeat(60);
  await open.deliver(new Service().confirmed(1, { balanceChanges: [change(amount)] }));
  expect(open.positions()).toEqual({ [AT]: amount });
  expect(open.deposit().amount).toBe(amount);
});
