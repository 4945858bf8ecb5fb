import { describe, expect, test } from 'vitest';
import { Amount } from '../../../../src/domain/money/amount.ts';
import { verifyWith } from '../../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../../store/open-ledger.ts';
import { change, decimals, Service } from '../../../store/webhook.ts';

const saying = (...balanceChanges: object[]): object => ({ balanceChanges });

describe('an event moves the deposits of its own position alone', () => {
  const POSITIONS = [
    {},
    { vaultId: 'v2' },
    { accountId: 'acc-2' },
    { addressId: 'adr-2' },
    { memo: 'bob' },
  ];

  async function everywhere(): Promise<{ open: OpenLedger; service: Service }> {
    const open = await openLedger();
    const service = new Service();
    for (const position of POSITIONS) await open.deliver(service.confirmed(1, position));
    return { open, service };
  }

  test.for(POSITIONS.map((position, at) => [position, at] as const))(
    '%o',
    async ([position, at]) => {
      const { open, service } = await everywhere();
      await open.deliver(service.confirmed(3, position));
      const depths = POSITIONS.map((_, index) => (index === at ? 3 : 1));
      expect(open.deposits().map(({ confirmations }) => confirmations)).toEqual(depths);
      await open.deliver(service.incoming('rollback', position));
      const epochs = POSITIONS.map((_, index) => (index === at ? 1 : 0));
      expect(open.deposits().map(({ epoch }) => epoch)).toEqual(epochs);
    },
  );
});

describe('what an event says, and what it leaves open', () => {
  test('a count in the mempool is no confirmation', async () => {
    const open = await openLedger();
    await open.deliver(new Service().incoming('mempool', { confirmations: 7 }));
    expect(open.deposit()).toMatchObject({ state: 'detected', confirmations: 0 });
    expect(open.balances()).toEqual({});
  });

  test.for([{ balanceChanges: [] }, { balanceChanges: undefined }])(
    'a confirmation with %o just grows deeper',
    async (more) => {
      const open = await openLedger();
      const service = new Service();
      await open.deliver(service.confirmed(1), service.confirmed(6, more));
      expect(open.deposit()).toMatchObject({ amount: '100', confirmations: 6 });
      await open.deliver(service.confirmed(3, more));
      expect(open.deposit().confirmations).toBe(6);
      expect(open.breaks()).toEqual([]);
      expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
    },
  );

  test('a confirmation without changes confirms nothing that is in the mempool alone', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.incoming('mempool'), service.confirmed(6, saying()));
    expect(open.deposit()).toMatchObject({ state: 'detected', confirmations: 0 });
  });

  test('a count in the mempool makes nothing deeper', async () => {
    const open = await openLedger();
    const service = new Service();
    const late = service.incoming('mempool', { confirmations: 7, balanceChanges: [] });
    await open.deliver(service.confirmed(1), late);
    expect(open.deposit().confirmations).toBe(1);
  });

  test('an amount seen only in the mempool is not booked: leaving it out changes no amount', async () => {
    const open = await openLedger();
    const service = new Service();
    const usdc = saying(change('7', { asset: 'ethereum:USDC' }));
    await open.deliver(service.incoming('mempool'), service.confirmed(1, usdc));
    expect(open.deposits()[0]).toMatchObject({ asset: 'ethereum:ETH', amount: '100' });
    expect(open.breaks()).toEqual([]);
  });

  test('mined again with another amount, nothing stood of the first', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.incoming('rollback'));
    await open.deliver(service.confirmed(1, saying(change('90'))));
    expect(open.deposit()).toMatchObject({ amount: '90', state: 'confirming' });
    expect(open.breaks()).toEqual([]);
  });

  test('one kind for another is a change, though the sums are the same', async () => {
    const open = await openLedger();
    const service = new Service();
    const beside = (mint: string, rebate: string): object =>
      saying(change('100'), change(mint, { tags: ['mint'] }), change(rebate, { tags: ['rebate'] }));
    await open.deliver(
      service.confirmed(1, beside('5', '3')),
      service.confirmed(3, beside('4', '4')),
    );
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('a credit that moves to its registered memo changes no amount, in any order', async () => {
    const open = await openLedger();
    const service = new Service();
    const mint = change('5', { tags: ['mint'] });
    const known = change('100', { memoInfo: { memo: 'bob' } });
    await open.deliver(
      service.confirmed(1, { memo: 'bob', ...saying(change('100'), mint) }),
      service.confirmed(3, { memo: 'bob', ...saying(mint, known) }),
    );
    expect(open.openBreaks()).toEqual([]);
    expect(open.positions()).toEqual({
      'v1/acc-1/adr-1 ethereum:ETH': '5',
      'v1/acc-1/adr-1/bob ethereum:ETH': '100',
    });
  });

  test('a late older word that leaves an asset out empties nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    const usdc = saying(change('7', { asset: 'ethereum:USDC' }));
    await open.deliver(service.confirmed(3), service.confirmed(1, usdc));
    expect(open.deposits()[0]).toMatchObject({ asset: 'ethereum:ETH', amount: '100' });
  });

  test('an asset that the deepest event leaves out has no amount, in any order of arrival', async () => {
    const both = saying(change('100'), change('7', { asset: 'ethereum:USDC' }));
    for (const order of [
      [1, 3, 6],
      [3, 1, 6],
      [3, 6, 1],
    ]) {
      const open = await openLedger();
      const service = new Service();
      for (const count of order)
        await open.deliver(service.confirmed(count, count === 1 ? both : {}));
      expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
      expect(
        open
          .deposits()
          .map(({ asset, amount }) => `${asset} ${amount}`)
          .toSorted(),
      ).toEqual(['ethereum:ETH 100', 'ethereum:USDC 0']);
      expect(open.openBreaks()).toEqual(['amount_changed']);
    }
  });

  test('a confirmation is booked, though a deeper one came before without changes', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6, saying()), service.confirmed(3));
    expect(open.deposit()).toMatchObject({ amount: '100', confirmations: 3 });
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
    expect(open.breaks()).toEqual([]);
  });

  test('an asset that only an older word names is reported with that word', async () => {
    const open = await openLedger();
    const service = new Service();
    const usdc = saying(change('7', { asset: 'ethereum:USDC' }));
    await open.deliver(service.confirmed(3), service.confirmed(1, usdc));
    expect(open.breaks().map(({ detail }) => detail)).toEqual([
      'confirmation 1 states 7 ethereum:USDC where 0 was booked',
    ]);
  });

  test('an amount that became zero is not reported again by the next confirmation', async () => {
    const open = await openLedger();
    const service = new Service();
    const usdc = saying(change('7', { asset: 'ethereum:USDC' }));
    await open.deliver(service.confirmed(1), service.confirmed(3, usdc));
    const [before] = open.breaks();
    await open.deliver(service.confirmed(6, usdc));
    expect(open.breaks()).toEqual([before]);
    expect(open.deposits()[0]).toMatchObject({ amount: '0', confirmations: 1 });
  });

  test('a rollback that names several assets puts those on record that were never seen', async () => {
    const open = await openLedger();
    const service = new Service();
    const both = saying(change('100'), change('7', { asset: 'ethereum:USDC' }));
    await open.deliver(service.confirmed(1), service.incoming('rollback', both));
    expect(open.deposits().map(({ asset, state }) => `${asset} ${state}`)).toEqual([
      'ethereum:ETH rolled_back',
      'ethereum:USDC rolled_back',
    ]);
  });

  test('the newer of two events at one count wins, in the books and for the deposit', async () => {
    const open = await openLedger();
    const service = new Service();
    const unnamed = { ...saying(change('90')), transactionId: undefined };
    await open.deliver(service.confirmed(3), service.confirmed(3, unnamed));
    expect(open.deposit().amount).toBe('90');
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '90' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('a deposit first seen in its rollback is no own transfer and is not held', async () => {
    const open = await openLedger();
    await open.deliver(new Service().incoming('rollback', saying(change('100'))));
    expect(open.deposit()).toMatchObject({
      state: 'rolled_back',
      own_transfer: 0,
      unattributed: 0,
      confirmations: 0,
    });
  });

  test('the transaction is kept that was named first', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, { transactionId: undefined }));
    expect(open.deposit().transaction_id).toBeNull();
    await open.deliver(service.confirmed(3), service.confirmed(6, { transactionId: 'other' }));
    expect(open.deposit().transaction_id).toBe('dep-tx');
  });

  test('change stays change, with any later event', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(
      service.confirmed(1, saying(change('100', { tags: ['change'] }))),
      service.confirmed(3),
    );
    expect(open.depositState()).toBe('internal');
  });

  test('absent decimals and the pinned decimals hold nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1, saying(change('100', decimals(18)))));
    await open.deliver(service.confirmed(3, saying(change('90', decimals(18)))));
    await open.deliver(service.confirmed(4, saying(change('80'))));
    expect(open.depositState()).toBe('confirming');
  });
});

describe('what was seen for an amount, and another amount', () => {
  const POLICY = {
    ...SIX_DEEP,
    default: { confirmations: 6, oneApprovalAbove: Amount(1n), twoApprovalsAbove: Amount(50n) },
  };

  /** Five deep, verified and approved once. */
  async function approved(): Promise<{ open: OpenLedger; service: Service }> {
    const open = await openLedger(POLICY);
    const service = new Service();
    await open.deliver(service.confirmed(5));
    await verifyWith(open, { confirmations: 5 });
    await open.decide({ kind: 'approve', depositId: open.depositId(), reason: 'seen' });
    return { open, service };
  }

  const WORDS: [what: string, count: number, amount: string, counts: boolean][] = [
    ['the same amount, deeper', 6, '100', true],
    ['the same amount, older', 3, '100', true],
    ['another amount, older', 3, '90', true],
    ['another amount, deeper', 6, '90', false],
  ];

  test.for(WORDS)('%s', async ([, count, amount, counts]) => {
    const { open, service } = await approved();
    await open.deliver(service.confirmed(count, saying(change(amount))));
    const { verified_at: verifiedAt, approvals } = open.deposit();
    expect([verifiedAt !== null, approvals !== '[]']).toEqual([counts, counts]);
  });
});

test('an approval ends when the newest event leaves the asset out', async () => {
  const open = await openLedger({
    ...SIX_DEEP,
    default: { confirmations: 6, oneApprovalAbove: Amount(1n) },
  });
  const service = new Service();
  await open.deliver(service.confirmed(3));
  await verifyWith(open, { confirmations: 3 });
  await open.decide({ kind: 'approve', depositId: open.depositId(), reason: 'seen' });
  await open.deliver(service.confirmed(6, saying(change('7', { asset: 'ethereum:USDC' }))));
  const [emptied] = open.deposits();
  expect(emptied).toMatchObject({ amount: '0', approvals: '[]', verified_at: null });
});

describe('repeats', () => {
  const REPEATS: [what: string, body: (service: Service) => object][] = [
    ['a receipt', (service) => service.confirmed(1)],
    ['a receipt without changes', (service) => service.confirmed(1, saying())],
    [
      'a receipt of two assets',
      (service) =>
        service.confirmed(1, saying(change('1'), change('7', { asset: 'ethereum:USDC' }))),
    ],
    ['a rollback', (service) => service.incoming('rollback', saying(change('90')))],
    ['a movement on the chain', (service) => service.chain('transaction')],
    ['a count on the chain', (service) => service.chain('confirmation', saying(change('90')))],
    ['the mempool on the chain', (service) => service.chain('mempool', saying(change('90')))],
    ['a mined transaction', (service) => service.outgoing('mined')],
    ['a submitted transaction', (service) => service.outgoing('submitted')],
  ];

  test.for(REPEATS)('%s that is repeated unchanged is no difference', async ([, body]) => {
    const open = await openLedger();
    const service = new Service();
    expect(await open.deliver(body(service), body(service))).toEqual(['accepted', 'duplicate']);
    expect(open.breaks()).toEqual([]);
  });

  test('a movement whose chain view was taken back contradicts nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction'), service.chain('rollback'));
    await open.deliver(service.chain('transaction', saying(change('90'))));
    expect(open.breaks()).toEqual([]);
  });

  test('the order of a receipt’s entries is no difference', async () => {
    const open = await openLedger();
    const service = new Service();
    const entries = [
      change('100'),
      change('5', { tags: ['mint'] }),
      change('-1', { tags: ['fee'] }),
    ];
    await open.deliver(service.confirmed(1, saying(...entries)));
    await open.deliver(service.confirmed(3, saying(...entries.toReversed())));
    expect(open.breaks()).toEqual([]);
    expect(open.rows('SELECT * FROM entries')).toHaveLength(1);
  });
});
