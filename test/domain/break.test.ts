import { describe, expect, test } from 'vitest';
import { Amount } from '../../src/domain/amount.ts';
import { breakKey, differenceOf } from '../../src/domain/break.ts';
import { openLedger } from '../store/open-ledger.ts';
import { change, Service } from '../store/webhook.ts';

const DIFFERENCES: [expected: bigint | null, actual: bigint | null, difference: bigint | null][] = [
  [100n, 90n, -10n],
  [90n, 100n, 10n],
  [-100n, 0n, 100n],
  [5n, 5n, 0n],
  [null, 5n, null],
  [5n, null, null],
];

test.for(DIFFERENCES)(
  'expected %s, actual %s: the difference is %s, its sign kept',
  ([expected, actual, difference]) => {
    const amount = (value: bigint | null) => (value === null ? null : Amount(value));
    expect(differenceOf({ expected: amount(expected), actual: amount(actual) })).toBe(difference);
  },
);

test('keys of different parts never meet', () => {
  const keys = [
    breakKey('conservation', 'a', 'b'),
    breakKey('conservation', 'a,b'),
    breakKey('conservation', 'ab', ''),
    breakKey('conservation', 'a', null),
    breakKey('malformed', 'a', 'b'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
});

describe('the life of a break', () => {
  const reason = 'because';

  async function unexplained() {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction'));
    await open.run();
    return { open, service, id: open.openBreak('unexplained_movement').id };
  }

  test('one is open per key, however often it is found; the newest figures show', async () => {
    const { open, service, id } = await unexplained();
    await open.run();
    const newer = {
      confirmations: 3,
      balanceChanges: [change('90', { address: { id: 'adr-1' } })],
    };
    await open.deliver(service.chain('transaction', newer));
    await open.run();
    const found = open.openBreak('unexplained_movement');
    expect([found.id, found.expected]).toEqual([id, '90']);
  });

  test('open, investigating, resolved: who, when and why are on record', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' }, 'ann');
    await open.decide({ kind: 'resolve', breakId: id, reason: 'gift' }, 'bob');
    expect(
      open.rows('SELECT actor, action, reason FROM break_events ORDER BY seq').slice(1),
    ).toEqual([
      { actor: 'ann', action: 'investigating', reason: 'looking' },
      { actor: 'bob', action: 'resolved', reason: 'gift' },
    ]);
    const [row] = open.breaks();
    expect(row).toMatchObject({ state: 'resolved', resolved_by: 'bob', resolution: 'gift' });
  });

  test('found again while somebody investigates, it stays under investigation', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'investigate', breakId: id, reason });
    await open.run();
    expect(open.openBreak('unexplained_movement').state).toBe('investigating');
  });

  test('a difference that goes away is healed by the reconciler', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1));
    await open.run();
    const [row] = open.breaks();
    expect(row).toMatchObject({ state: 'resolved', resolved_by: 'reconciler' });
  });

  test('a difference that changes its kind is one open break of the new kind', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1, { balanceChanges: [change('90')] }));
    await open.run();
    expect(open.openBreaks()).toEqual(['conservation']);
  });

  test('a healed one that comes back is a new break of the same key', async () => {
    const { open, service } = await unexplained();
    await open.deliver(service.confirmed(1));
    await open.run();
    await open.deliver(service.incoming('rollback'));
    await open.run();
    expect(open.openBreaks()).toEqual(['conservation']);
    await open.deliver(service.confirmed(1));
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('resolved is final for people', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason });
    const again = await open.decide({ kind: 'resolve', breakId: id, reason });
    expect(again).toMatchObject({ kind: 'not_taken', refusal: { kind: 'conflict' } });
  });
});
