import { describe, expect, test } from 'vitest';
import {
  AccountId,
  AddressId,
  BlockchainHash,
  Memo,
  NetworkKey,
  NotificationId,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import type { IncomingNotification } from '../../../src/domain/fact/notification.ts';
import {
  correctedAs,
  hasHash,
  hasSeenDeeper,
  isCorrected,
  isFromApiAlone,
  newSighting,
  sameKey,
  sightingKeyOf,
  isPostedFor,
  withEvent,
  type Sighting,
  type SightingKey,
} from '../../../src/domain/hash/sighting.ts';
import { runs } from './event-runs.ts';
import { openLedger } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

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

test('an event with the same parts is a repeat, in one commit or in many', async () => {
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

test('events without a hash repeat legitimately and are distinguished by id alone', async () => {
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

test('another body under a known id: the first counts, the second is kept and reported, once', async () => {
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

describe('what was seen of a hash', () => {
  const KEY: SightingKey = {
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash('0xa1'),
    vaultId: VaultId('v1'),
    stream: 'blockchain',
    accountId: AccountId('acc-1'),
    addressId: null,
    memo: null,
  };
  const CONFIRMED: IncomingNotification = {
    ...KEY,
    stream: 'incoming',
    type: 'confirmation',
    id: NotificationId('n1'),
    networkAddress: null,
    transactionId: TransactionId('tx'),
    confirmations: 3,
    changes: null,
  };
  const sighted = (...seen: string[]): Sighting => ({
    ...newSighting(KEY),
    entryId: 1,
    seen: runs(...seen),
  });

  test('begins with nothing', () => {
    expect(newSighting(KEY)).toEqual({
      ...KEY,
      epoch: 0,
      rolledBackAt: null,
      seen: [],
      entryId: null,
      posted: [],
    });
  });

  const OTHERS: Partial<SightingKey>[] = [
    { network: NetworkKey('polygon') },
    { blockchainHash: BlockchainHash('0xb2') },
    { vaultId: VaultId('v2') },
    { stream: 'incoming' },
    { accountId: null },
    { addressId: AddressId('adr-1') },
    { memo: Memo('bob') },
  ];
  test.for(OTHERS)('%o alone makes another key', (other) => {
    expect(sameKey(KEY, { ...KEY })).toBe(true);
    expect(sameKey(KEY, { ...KEY, ...other })).toBe(false);
  });

  const WEBHOOK = { at: 7, source: 'webhook' } as const;
  const API = { at: 7, source: 'api' } as const;

  test('is kept event by event, and a rollback starts over', () => {
    const first = withEvent(sighted(), CONFIRMED, WEBHOOK);
    const second = withEvent(
      first,
      { ...CONFIRMED, transactionId: null, confirmations: null },
      API,
    );
    expect(second.rolledBackAt).toBeNull();
    expect(second.seen).toEqual(runs('api/confirmation::', 'confirmation:3:tx'));
    const after = withEvent(second, { ...CONFIRMED, type: 'rollback' }, { ...WEBHOOK, at: 8 });
    expect([after.epoch, after.rolledBackAt, after.seen]).toEqual([1, 8, []]);
    const again = withEvent(after, CONFIRMED, WEBHOOK);
    expect([again.epoch, again.rolledBackAt]).toEqual([1, 8]);
  });

  test('is corrected by the custody API’s record, until the hash is rolled back', () => {
    const before = withEvent(sighted(), CONFIRMED, WEBHOOK);
    expect(isCorrected(before)).toBe(false);
    expect(isCorrected(withEvent(before, CONFIRMED, API))).toBe(false);
    const corrected = correctedAs(before, CONFIRMED, { entryId: 2, posted: [] });
    expect(isCorrected(corrected)).toBe(true);
    expect([corrected.epoch, corrected.entryId, corrected.seen.length]).toEqual([0, 2, 2]);
    const rollback = { ...CONFIRMED, type: 'rollback' } as const;
    expect(isCorrected(withEvent(corrected, rollback, WEBHOOK))).toBe(false);
  });

  test('has no position in the chain view: one sighting per vault', () => {
    expect(sightingKeyOf(CONFIRMED)).toMatchObject({ stream: 'incoming', accountId: 'acc-1' });
    const { accountId: _, addressId: _address, memo: _memo, ...rest } = CONFIRMED;
    const notification = { ...rest, stream: 'blockchain', type: 'confirmation' } as const;
    expect(sightingKeyOf(notification)).toMatchObject({
      accountId: null,
      addressId: null,
      memo: null,
    });
  });

  test('needs a hash and its network', () => {
    const approved = {
      ...CONFIRMED,
      stream: 'outgoing',
      type: 'submitted',
      transactionId: TransactionId('tx'),
      orderId: null,
      destinationAddress: null,
      reasonCode: null,
    } as const;
    expect(hasHash(approved)).toBe(true);
    expect(hasHash({ ...approved, network: null })).toBe(false);
    expect(hasHash({ ...approved, blockchainHash: null })).toBe(false);
  });

  const RESTS: [seen: string[], entryId: number | null, onApi: boolean][] = [
    [['api/transaction::'], 1, true],
    [['mempool::', 'confirmation:3:'], 1, true],
    [['mempool::', 'transaction::', 'confirmation:3:'], 1, false],
    [['api/transaction::'], null, false],
  ];
  test.for(RESTS)(
    '%o with entry %s rests on the API’s word alone: %s',
    ([seen, entryId, onApi]) => {
      expect(isFromApiAlone({ ...sighted(...seen), entryId })).toBe(onApi);
    },
  );

  const POSTED_FOR: [seen: string[], entryId: number | null, posted: boolean][] = [
    [['confirmation:3:tx'], 1, true],
    [['mempool::', 'confirmation:3:tx', 'confirmation:6:'], 1, true],
    [['confirmation:3:tx2', 'confirmation:3:atx'], 1, false],
    [['confirmation:3:'], 1, false],
    [['confirmation:3:tx'], null, false],
  ];
  test.for(POSTED_FOR)('%o with entry %s was posted for tx: %s', ([seen, entryId, posted]) => {
    expect(isPostedFor({ ...sighted(...seen), entryId }, TransactionId('tx'))).toBe(posted);
  });

  const DEEPER: [seen: string[], deeper: boolean][] = [
    [['confirmation:4:'], true],
    [['confirmation:12:'], true],
    [['mempool::', 'confirmation:4:tx', 'confirmation:1:'], true],
    [['api/confirmation:4:'], true],
    [['confirmation:3:'], false],
    [['confirmation:1-2:'], false],
    [['confirmation:1-4:'], true],
    [['confirmation:4:', 'confirmation:1-3:tx'], true],
    [['confirmation::'], false],
    [['mempool:9:'], false],
    [[], false],
  ];
  test.for(DEEPER)('%o is deeper than 3: %s', ([seen, deeper]) => {
    expect(hasSeenDeeper(sighted(...seen), 3)).toBe(deeper);
  });
});
