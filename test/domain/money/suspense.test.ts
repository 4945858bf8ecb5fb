import { describe, expect, test } from 'vitest';
import {
  AssetId,
  BlockchainHash,
  NetworkKey,
  TransactionId,
  VaultId,
} from '../../../src/domain/ids.ts';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { Movement } from '../../../src/domain/money/movement.ts';
import { suspenseEntries } from '../../../src/domain/money/suspense.ts';
import { balanceChange } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { change, Service } from '../../store/webhook.ts';

const DEBIT = [change('-70'), change('-2', { tags: ['fee'] })];

describe('resolving an unexplained movement', () => {
  async function unexplained() {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction', { balanceChanges: DEBIT }));
    await open.run();
    return { open, service, id: open.openBreak('unexplained_movement').id };
  }

  test('the books follow the chain against suspense, with the reason on record', async () => {
    const { open, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason: 'stolen key, ticket 7' });
    expect(open.balances()).toEqual({
      'suspense:v1 ethereum:ETH': '72',
      'v1 ethereum:ETH': '-72',
    });
    await open.run();
    expect(open.openBreaks()).toEqual([]);
    expect(open.rows('SELECT actor, action, reason FROM break_events')).toContainEqual({
      actor: 'ann',
      action: 'resolved',
      reason: 'stolen key, ticket 7',
    });
  });

  test('posts nothing when the books have caught up meanwhile', async () => {
    const { open, service, id } = await unexplained();
    await open.deliver(service.outgoing('mined', { balanceChanges: DEBIT }));
    await open.decide({ kind: 'resolve', breakId: id, reason: 'it was ours' });
    expect(open.positions()).toEqual({ 'v1 ethereum:ETH': '-72' });
  });

  test.each<[string, (at: { open: OpenLedger; service: Service }) => Promise<unknown>, object]>([
    ['the chain took it back', ({ open, service }) => open.deliver(service.chain('rollback')), {}],
    [
      'its notification came',
      ({ open, service }) => open.deliver(service.outgoing('mined', { balanceChanges: DEBIT })),
      {
        'network-fees:v1 ethereum:ETH': '2',
        'v1 ethereum:ETH': '-72',
        'world:v1 ethereum:ETH': '70',
      },
    ],
    [
      'the chain mined it again with another amount',
      async ({ open, service }) => {
        await open.deliver(service.chain('rollback'));
        await open.deliver(service.chain('transaction', { balanceChanges: [change('-75')] }));
      },
      { 'suspense:v1 ethereum:ETH': '75', 'v1 ethereum:ETH': '-75' },
    ],
    [
      'a notification of another amount came: suspense does not explain the difference',
      ({ open, service }) =>
        open.deliver(service.outgoing('mined', { balanceChanges: [change('-50')] })),
      {
        'suspense:v1 ethereum:ETH': '72',
        'v1 ethereum:ETH': '-122',
        'world:v1 ethereum:ETH': '50',
      },
    ],
  ])('resolves conservation after a suspense entry: %s', async (_why, happens, balances) => {
    const { open, service, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason: 'nobody knows' });
    await happens({ open, service });
    await open.run();
    const { id: conservation } = open.openBreak('conservation');
    await open.decide({ kind: 'resolve', breakId: conservation, reason: 'now we know' });
    expect(open.balances()).toEqual(balances);
  });

  test.each<[string, { followsChain?: true }, object]>([
    [
      'the books follow the chain',
      { followsChain: true },
      { 'suspense:v1 ethereum:ETH': '72', 'v1 ethereum:ETH': '-72' },
    ],
    ['a decision of an earlier version posts nothing', {}, {}],
  ])(
    'resolves conservation after a forged withdrawal was taken back: %s',
    async (_what, more, balances) => {
      const open = await openLedger();
      const service = new Service();
      await open.deliver(
        service.chain('transaction', { balanceChanges: DEBIT }),
        service.outgoing('mined', { balanceChanges: DEBIT }),
      );
      const transactionId = TransactionId('wd-tx');
      await open.record({ kind: 'unknown-transaction', transactionId });
      await open.run();
      const { id: breakId } = open.openBreak('conservation');
      await open.decide({ kind: 'resolve', breakId, reason: 'stolen key, ticket 7', ...more });
      expect(open.balances()).toEqual(balances);
      await open.run();
      expect(open.openBreaks()).toEqual(
        more.followsChain ? ['unknown_to_custody'] : ['conservation', 'unknown_to_custody'],
      );
    },
  );

  test('what the chain took back and mined again goes to suspense again', async () => {
    const { open, service, id } = await unexplained();
    await open.decide({ kind: 'resolve', breakId: id, reason: 'nobody knows' });
    const resolveConservation = async (reason: string): Promise<void> => {
      await open.run();
      await open.decide({ kind: 'resolve', breakId: open.openBreak('conservation').id, reason });
      await open.run();
      expect(open.openBreaks()).toEqual([]);
    };
    await open.deliver(service.chain('rollback'));
    await resolveConservation('rolled back');
    await open.deliver(service.chain('transaction', { balanceChanges: DEBIT }));
    await resolveConservation('mined again');
    const suspense = open.rows<{ reverses: number | null }>(
      "SELECT entry_id, reverses FROM entries WHERE cause = 'suspense'",
    );
    expect(suspense.map(({ reverses }) => reverses !== null)).toEqual([false, true, false]);
    expect(open.balances()).toEqual({
      'suspense:v1 ethereum:ETH': '72',
      'v1 ethereum:ETH': '-72',
    });
  });
});

describe('a movement of which 72 were booked against suspense', () => {
  test.for<[why: string, books: bigint, chain: bigint, posts: string[]]>([
    ['and agrees: it posts nothing', -72n, -72n, []],
    ['and the chain took back: it takes that entry back', -72n, 0n, ['takes back 3']],
    ['and its notification came: it takes that entry back', -144n, -72n, ['takes back 3']],
    [
      'and the chain has another amount: it takes that entry back and posts the chain’s',
      -72n,
      -75n,
      ['takes back 3', 'posts'],
    ],
    ['and a notification of another amount came: it posts nothing', -122n, -72n, []],
  ])('%s', ([, books, chain, posts]) => {
    const movement: Movement = {
      vaultId: VaultId('v1'),
      network: NetworkKey('ethereum'),
      blockchainHash: BlockchainHash('0xa1'),
      asset: AssetId('ethereum:ETH'),
      books: Amount(books),
      chain: Amount(chain),
      custody: null,
      onBooks: true,
      onChain: true,
      changedAt: 0,
      compared: 'now',
    };
    const earlier = [{ entryId: 3, reverses: null, changes: [balanceChange(-72n)] }];
    const evidence = { earlier, onChain: [balanceChange(chain)], followsChain: true };
    const entries = suspenseEntries(movement, evidence, () => 4);
    expect(
      entries.map(({ reverses }) => (reverses === null ? 'posts' : `takes back ${reverses}`)),
    ).toEqual(posts);
  });
});
