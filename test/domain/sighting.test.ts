import { expect, test } from 'vitest';
import { openLedger } from '../store/open-ledger.ts';
import { Service } from '../store/webhook.ts';

/** One part of the second layer's key each: with it different, the same content is another event. */
const PARTS: [part: string, other: object][] = [
  ['vault', { vaultId: 'v2' }],
  ['network', { network: 'polygon' }],
  ['hash', { blockchainHash: '0xb2' }],
  ['transaction', { transactionId: 'dep-other' }],
  ['account', { accountId: 'acc-2' }],
  ['address', { addressId: 'adr-2' }],
  ['memo', { memo: 'bob' }],
  ['count', { confirmations: 2 }],
];

test.for(PARTS)('another %s alone makes another event', async ([_, other]) => {
  const open = await openLedger();
  const service = new Service();
  const statuses = await open.deliver(service.confirmed(1), service.confirmed(1, other));
  expect(statuses).toEqual(['accepted', 'accepted']);
});

test('another stream or another type alone makes another event', async () => {
  const open = await openLedger();
  const service = new Service();
  const events = [
    service.incoming('mempool'),
    service.confirmed(1),
    service.chain('mempool', { transactionId: 'dep-tx' }),
    service.chain('transaction', { transactionId: 'dep-tx' }),
    service.chain('confirmation', { transactionId: 'dep-tx' }),
  ];
  expect(new Set(await open.deliver(...events))).toEqual(new Set(['accepted']));
});

test('another epoch alone makes another event', async () => {
  const open = await openLedger();
  const service = new Service();
  const events = [service.confirmed(1), service.incoming('rollback'), service.confirmed(1)];
  expect(await open.deliver(...events)).toEqual(['accepted', 'accepted', 'accepted']);
});

test('with every part the same it is a repeat, once and for ever, in one commit or in many', async () => {
  const service = new Service();
  const repeats = [service.confirmed(1), service.confirmed(1), service.confirmed(1)];
  const alone = await openLedger();
  expect(await alone.deliver(...repeats)).toEqual(['accepted', 'duplicate', 'duplicate']);
  const together = await openLedger();
  expect(await together.deliverTogether(...repeats)).toEqual([
    'accepted',
    'duplicate',
    'duplicate',
  ]);
  expect(together.positions()).toEqual(alone.positions());
});

test('events without a hash repeat legitimately and are told apart by id alone', async () => {
  const open = await openLedger();
  const service = new Service();
  const approved = service.outgoing('approved', { approvals: [] });
  const events = [approved, service.outgoing('approved'), approved, service.outgoing('warning')];
  expect(await open.deliver(...events)).toEqual(['accepted', 'accepted', 'duplicate', 'accepted']);
});

test('a repeat under another id is journalled, a repeat of the same id is only counted', async () => {
  const open = await openLedger();
  const service = new Service();
  const first = service.confirmed(1);
  const before = open.journalLength();
  await open.deliver(first, first, { ...first, timestamp: 1 }, service.confirmed(1));
  expect(open.journalLength() - before).toBe(2);
  expect(open.rows('SELECT * FROM intake_counts ORDER BY outcome')).toEqual([
    { outcome: 'accepted', count: 1 },
    { outcome: 'duplicate', count: 3 },
  ]);
});

test('another body under a known id: the first stands, the second is kept and reported, once', async () => {
  const open = await openLedger();
  const first = new Service().confirmed(1);
  const forged = { ...first, confirmations: 6 };
  expect(await open.deliver(first, forged, forged)).toEqual([
    'accepted',
    'quarantined',
    'duplicate',
  ]);
  expect(open.deposit().confirmations).toBe(1);
  expect(open.openBreaks()).toEqual(['id_conflict']);
  expect(open.rows('SELECT state FROM quarantine')).toEqual([{ state: 'kept' }]);
});
