import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import { AccountId, AddressId, AssetId, Memo, TransactionId } from '../../../src/domain/ids.ts';
import type { BalanceChange } from '../../../src/domain/fact/notification.ts';
import type { EventRun } from '../../../src/domain/hash/event-history.ts';
import {
  packPosted,
  packSeen,
  unpackPosted,
  unpackSeen,
} from '../../../src/store/codec/sighting.ts';
import { runs } from '../../domain/hash/event-runs.ts';
import { balanceChange } from '../evidence.ts';
import { openLedger } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

const name = {
  type: fc.constantFrom<EventRun['type'][]>('mempool', 'confirmation', 'transaction', 'mined'),
  transactionId: fc.option(fc.string({ unit: 'binary' }).map(TransactionId), { nil: null }),
  source: fc.constantFrom('webhook', 'api', 'correction'),
};
const none = fc.constant(null);
const run: fc.Arbitrary<EventRun> = fc.oneof(
  fc.record({ ...name, from: none, to: none }),
  fc.record({ ...name, from: fc.maxSafeNat(), to: fc.maxSafeNat() }),
);

const position = fc.record({
  accountId: fc.constantFrom(null, AccountId('a'), AccountId('b')),
  addressId: fc.constantFrom(null, AddressId('a'), AddressId('b')),
  memo: fc.constantFrom(null, Memo('a'), Memo('b')),
});
const change: fc.Arbitrary<BalanceChange> = fc
  .tuple(
    position,
    fc.record({
      asset: fc.string().map(AssetId),
      amount: fc.bigInt({ min: -(10n ** 77n), max: 10n ** 77n }).map(Amount),
      kind: fc.constantFrom('transfer', 'change', 'fee', 'rebate', 'mint'),
      decimals: fc.option(fc.nat(255), { nil: null }),
    }),
  )
  .map(([where, what]) => ({ ...where, ...what }));

test('event histories and posted changes read back unchanged at any position', () => {
  fc.assert(
    fc.property(fc.array(run), fc.array(change), position, (seen, posted, where) => {
      expect(unpackSeen(JSON.parse(JSON.stringify(packSeen(seen))))).toEqual(seen);
      const text = JSON.stringify(packPosted(posted, where));
      expect(unpackPosted(JSON.parse(text), where)).toEqual(posted);
    }),
  );
});

test('a stored run has its name and its first and last count', () => {
  expect(packSeen(runs('confirmation:1-8:tx', 'api/transaction::'))).toEqual([
    ['confirmation', 'tx', 1, 8],
    ['transaction', null, null, null, 'api'],
  ]);
});

test('a stored change omits the sighting’s own position and keeps any other', () => {
  const here = { accountId: AccountId('a'), addressId: AddressId('b'), memo: Memo('c') };
  const own = balanceChange(-5n, { ...here, decimals: 18 });
  const others: Partial<BalanceChange>[] = [
    { accountId: null },
    { addressId: AddressId('c') },
    { memo: Memo('d') },
  ];
  const list = [own, ...others.map((other) => ({ ...own, ...other }))];
  expect(packPosted(list, here)).toEqual([
    ['ethereum:ETH', '-5', 'transfer', 18],
    ['ethereum:ETH', '-5', 'transfer', null, 'b', 'c', 18],
    ['ethereum:ETH', '-5', 'transfer', 'a', 'c', 'c', 18],
    ['ethereum:ETH', '-5', 'transfer', 'a', 'b', 'd', 18],
  ]);
});

test('more confirmations do not make a sighting’s row longer', async () => {
  const open = await openLedger();
  const service = new Service();
  const rows = () => open.rows<{ seen: string }>('SELECT seen FROM sightings');
  await open.deliver(service.confirmed(1));
  expect(rows()).toEqual([{ seen: '[["confirmation","dep-tx",1,1]]' }]);
  for (const count of [2, 3, 5, 4, 6]) await open.deliver(service.confirmed(count));
  expect(rows()).toEqual([{ seen: '[["confirmation","dep-tx",1,6]]' }]);
});
