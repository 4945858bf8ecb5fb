import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { AddressId, Memo, NetworkKey, TransactionId, VaultId } from '../../../../src/domain/ids.ts';
import { balanceChange, received, verifyWith } from '../../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../../store/open-ledger.ts';
import { change, Service } from '../../../store/webhook.ts';

const GONE = { status: 'rolledback', confirmations: 0 };

async function sixDeep(policy = SIX_DEEP): Promise<{ open: OpenLedger; service: Service }> {
  const open = await openLedger(policy);
  const service = new Service();
  await open.deliver(service.confirmed(1), service.confirmed(6));
  return { open, service };
}

async function credited(): Promise<{ open: OpenLedger; service: Service }> {
  const { open, service } = await sixDeep();
  await verifyWith(open);
  expect(open.feedLines()).toEqual(['credit 100']);
  return { open, service };
}

describe('verification', () => {
  test('a matching record at policy depth credits once', async () => {
    const { open } = await credited();
    expect(open.depositState()).toBe('credited');
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('webhooks of any depth credit nothing by themselves', async () => {
    const { open, service } = await sixDeep();
    await open.deliver(service.confirmed(1_000));
    await open.run();
    expect(open.feed()).toEqual([]);
  });

  test('a record that is not deep enough verifies, and waits for the API’s own depth', async () => {
    const { open } = await sixDeep();
    await verifyWith(open, { confirmations: 5 });
    expect(open.depositState()).toBe('verifying');
    await verifyWith(open, { confirmations: 6 });
    expect(open.depositState()).toBe('credited');
  });

  test('the API’s depth credits although the webhooks stopped early', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1));
    await verifyWith(open, { confirmations: 6 });
    expect(open.depositState()).toBe('credited');
  });

  test('a record of a deposit still in the mempool verifies nothing: its confirmation is missing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('mempool'));
    await verifyWith(open);
    expect(open.openBreaks()).toEqual(['missing_notification']);
    await open.deliver(service.confirmed(1));
    expect(open.feed()).toEqual([]);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('a record that was compared before a rollback verifies nothing', async () => {
    const { open, service } = await sixDeep();
    await open.deliver(service.incoming('rollback'), service.confirmed(1));
    const record = {
      kind: 'deposit',
      depositId: open.depositId(),
      transaction: received(),
      graceMs: 0,
    } as const;
    expect(await open.record({ ...record, epoch: 0 })).toEqual({ kind: 'unchanged' });
    expect(open.depositState()).toBe('confirming');
    await open.record({ ...record, epoch: 1 });
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('a record without an epoch verifies: earlier versions journalled none', async () => {
    const { open, service } = await sixDeep();
    await open.deliver(service.incoming('rollback'), service.confirmed(1));
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('a changed amount needs a verification of its own', async () => {
    const { open, service } = await sixDeep();
    await verifyWith(open, { confirmations: 5 });
    await open.deliver(service.confirmed(12, { balanceChanges: [change('90')] }));
    await verifyWith(open, { confirmations: 12 });
    expect(open.feed()).toEqual([]);
    expect(open.openBreaks()).toEqual(['amount_changed', 'amount_mismatch']);
  });

  test('the same evidence again changes nothing and is not journalled', async () => {
    const { open } = await sixDeep({
      ...SIX_DEEP,
      default: { confirmations: 6, oneApprovalAbove: Amount(1n) },
    });
    expect(await verifyWith(open)).toMatchObject({ kind: 'taken' });
    expect(await verifyWith(open)).toEqual({ kind: 'unchanged' });
  });

  test('the same difference again changes nothing and is not journalled', async () => {
    const { open } = await sixDeep();
    expect(await verifyWith(open, null)).toMatchObject({ kind: 'taken' });
    expect(await verifyWith(open, null)).toEqual({ kind: 'unchanged' });
    const missing = {
      kind: 'unseen',
      transaction: received({
        transactionId: TransactionId('dep-2'),
        addressId: AddressId('adr-2'),
      }),
      graceMs: 0,
    } as const;
    expect(await open.record(missing)).toMatchObject({ kind: 'taken' });
    expect(await open.record(missing)).toEqual({ kind: 'unchanged' });
  });
});

describe('what the custody API contradicts is not credited', () => {
  const CONTRADICTIONS: [why: string, says: Parameters<typeof verifyWith>[1], breaks: string][] = [
    ['404', null, 'unknown_to_custody'],
    [
      'another hash',
      { blockchainHash: received().blockchainHash, transactionId: TransactionId('x') },
      'unknown_to_custody',
    ],
    ['another vault', { vaultId: VaultId('v2') }, 'unknown_to_custody'],
    ['another network', { network: NetworkKey('polygon') }, 'unknown_to_custody'],
    ['another address', { addressId: AddressId('adr-2') }, 'unknown_to_custody'],
    ['another memo', { memo: Memo('bob') }, 'unknown_to_custody'],
    ['an outgoing transaction', { type: 'outgoing' }, 'unknown_to_custody'],
    ['another amount', { changes: [balanceChange(99n)] }, 'amount_mismatch'],
    ['rolled back', GONE, 'status_mismatch'],
  ];

  test.for(CONTRADICTIONS)('%s', async ([_, says, type]) => {
    const { open } = await sixDeep();
    await verifyWith(open, says);
    expect(open.feed()).toEqual([]);
    expect(open.openBreaks()).toEqual([type]);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.openBreaks()).toEqual([]);
  });

  test.for(CONTRADICTIONS)(
    '%s, after it had matched: the approval does not credit it',
    async ([_, says]) => {
      const { open } = await sixDeep({
        ...SIX_DEEP,
        default: { confirmations: 6, oneApprovalAbove: Amount(1n) },
      });
      await verifyWith(open);
      expect(open.depositState()).toBe('held: approval_required');
      await verifyWith(open, says);
      await open.decide({ kind: 'approve', depositId: open.depositId(), reason: 'known sender' });
      expect(open.feed()).toEqual([]);
      await verifyWith(open);
      expect(open.feedLines()).toEqual(['credit 100']);
    },
  );

  test.for(['failed', 'pending', 'CONFIRMED', 'constructor'])(
    'the status %s never credits',
    async (status) => {
      const { open } = await sixDeep();
      await verifyWith(open, { status });
      expect(open.feed()).toEqual([]);
      expect(open.openBreaks()).toEqual([]);
    },
  );

  test('a receipt that only the custody API tags as change is internal', async () => {
    const { open } = await sixDeep();
    await verifyWith(open, { changes: [balanceChange(100n, { kind: 'change' })] });
    expect(open.feed()).toEqual([]);
    expect(open.depositState()).toBe('internal');
  });
});

describe('a credit whose hash leaves the chain', () => {
  test('books and the critical break at once, the feed’s reversal when the API agrees', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    expect(open.balances()).toEqual({});
    expect(open.openBreak('reversal_after_credit')).toMatchObject({ severity: 'critical' });
    expect(open.feedLines()).toEqual(['credit 100']);
    await verifyWith(open, GONE);
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100']);
    expect(open.depositState()).toBe('reversed');
  });

  test('mined again: a new credit of the same deposit, with the same checks', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, GONE);
    await open.deliver(service.confirmed(1), service.confirmed(6));
    expect(open.depositState()).toBe('verifying');
    await verifyWith(open);
    const [first, reversal, second] = open.feed();
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100', 'credit 100']);
    expect(reversal).toMatchObject({ reverses: first?.credit_id, deposit_id: first?.deposit_id });
    expect(second?.deposit_id).toBe(first?.deposit_id);
    expect(new Set(open.feed().map((item) => item.credit_id)).size).toBe(3);
  });

  test('a forged rollback: the API disagrees, so a break and no reversal', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.openBreak('status_mismatch')).toMatchObject({ severity: 'critical' });
  });

  test('mined again before the API was asked: the first credit stays active, and no second one comes', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'), service.confirmed(1), service.confirmed(6));
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
  });

  test('mined again with another amount while its credit is active: a critical break says so', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    await open.deliver(service.confirmed(1, { balanceChanges: [change('60')] }));
    expect(open.openBreak('amount_changed')).toMatchObject({ severity: 'critical' });
  });

  test('confirmed with another amount than the credited one, the break of the amount stays', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    const other = { balanceChanges: [change('60')] };
    await open.deliver(service.confirmed(1, other), service.confirmed(6, other));
    await verifyWith(open, { changes: [balanceChange(60n)] });
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.openBreaks()).toEqual(['amount_changed']);
    expect(open.openBreak('amount_changed')).toMatchObject({ severity: 'critical' });
    const [reversal] = open.breaks();
    expect(reversal).toMatchObject({
      type: 'reversal_after_credit',
      resolution:
        "mined again, and the custody API confirms 60 ethereum:ETH where 100 was credited: correct the customer's balance by the difference",
    });
  });

  test('rolled back after another amount was booked, its break names the credited amount', async () => {
    const { open, service } = await credited();
    await open.deliver(service.confirmed(7, { balanceChanges: [change('90')] }));
    await open.deliver(service.incoming('rollback'));
    const { actual, detail } = open.openBreak('reversal_after_credit');
    expect(actual).toBe('100');
    expect(detail).toMatch(/^100 ethereum:ETH was credited /);
    await verifyWith(open, GONE);
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100']);
  });

  test('a reversal is emitted once, with any number of agreeing records', async () => {
    const { open, service } = await credited();
    await open.deliver(service.incoming('rollback'));
    await verifyWith(open, GONE);
    await verifyWith(open, GONE);
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100']);
  });
});

describe('an incoming transaction that we have no deposit for', () => {
  const unseen = (more: Parameters<typeof received>[0] = {}) =>
    ({ kind: 'unseen', transaction: received(more), graceMs: 0 }) as const;

  test('opens missing_notification with the sign of the difference', async () => {
    const open = await openLedger();
    await open.record(unseen());
    expect(open.openBreak('missing_notification')).toMatchObject({ expected: '100', actual: '0' });
  });

  test('heals when the deposit has turned up meanwhile', async () => {
    const open = await openLedger();
    await open.record(unseen());
    await open.deliver(new Service().confirmed(1));
    await open.record(unseen());
    expect(open.openBreaks()).toEqual([]);
  });

  test('is missing also when it moves no customer’s money, and heals when it is booked', async () => {
    const open = await openLedger();
    const rebate = { changes: [balanceChange(3n, { kind: 'rebate' })] };
    await open.record(unseen(rebate));
    expect(open.openBreaks()).toEqual(['missing_notification']);
    await open.record({ kind: 'backfill', transaction: received(rebate) });
    await open.run();
    expect(open.openBreaks()).toEqual([]);
    expect(await open.record(unseen(rebate))).toEqual({ kind: 'unchanged' });
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '3' });
    expect(open.deposits()).toEqual([]);
  });

  test('is not answered by another memo’s deposit at the same address', async () => {
    const open = await openLedger();
    const service = new Service();
    const bob = { memo: 'bob', transactionId: 'dep-bob' };
    await open.deliver(
      service.confirmed(1, {
        ...bob,
        balanceChanges: [change('5', { memoInfo: { memo: 'bob' } })],
      }),
    );
    await open.record(unseen({ memo: Memo('eve'), transactionId: TransactionId('dep-eve') }));
    expect(open.openBreaks()).toEqual(['missing_notification']);
  });

  test('is not answered by another account’s vault-level deposit', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, { addressId: null, transactionId: 'dep-1' }));
    await open.record(
      unseen({ addressId: null, accountId: null, transactionId: TransactionId('dep-2') }),
    );
    expect(open.openBreaks()).toEqual(['missing_notification']);
  });
});
