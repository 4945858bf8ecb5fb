import { describe, expect, test } from 'vitest';
import { advances, type WithdrawalStatus } from '../../../src/domain/withdrawal/withdrawal.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, MINED, Service } from '../../store/webhook.ts';

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first, at) =>
    permutations(items.toSpliced(at, 1)).map((rest) => [first, ...rest]),
  );
}

/** Status of the only withdrawal and what the books hold for it. */
function outcome(open: OpenLedger): string {
  const [withdrawal] = open.rows<{ status: string }>('SELECT status FROM withdrawals');
  const [amount] = Object.values(open.positions());
  return `${withdrawal?.status}, ${amount ?? 'nothing'} in the books`;
}

/** Every order of arrival of these events ends alike. */
const ENDINGS: [events: string[], ending: string][] = [
  [['submitted', 'mined'], 'mined, -32 in the books'],
  [['requested', 'signed', 'mined'], 'mined, -32 in the books'],
  [['mined', 'rolledback'], 'rolledback, nothing in the books'],
  [['mined', 'replaced'], 'replaced, nothing in the books'],
  [['submitted', 'mined', 'rolledback'], 'rolledback, nothing in the books'],
  [['submitted', 'mined', 'replaced'], 'replaced, nothing in the books'],
  [['mined', 'failed'], 'mined, -32 in the books'],
  [['mined', 'cancelled'], 'mined, -32 in the books'],
  [['mined', 'failed', 'rolledback'], 'rolledback, nothing in the books'],
  [['failed', 'replaced'], 'replaced, nothing in the books'],
  [['submitted', 'cancelled'], 'cancelled, nothing in the books'],
  [['submitted', 'failed'], 'failed, nothing in the books'],
  [['warning', 'cancelled'], 'cancelled, nothing in the books'],
  [['approval-pending', 'approved', 'requested', 'submitted'], 'submitted, nothing in the books'],
];

describe.for(ENDINGS)('%s', ([events, ending]) => {
  test.for(permutations(events))(`arriving as %s, %s, %s, %s ends as ${ending}`, async (order) => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(...order.map((type) => service.outgoing(type)));
    expect(outcome(open)).toBe(ending);
  });
});

/** A failed transaction that burned 2 on chain: every order of its events. */
const BURNED: readonly string[] = ['submitted', 'failed', 'chain'];

describe('a failed transaction burned its fee', () => {
  const fee = { balanceChanges: [change('-2', { ...AT_ADDRESS, tags: ['fee'] })] };

  test.for(permutations(BURNED))(
    'reported as %s, %s, %s: the fee is in the books once',
    async (order) => {
      const open = await openLedger();
      const service = new Service();
      const body = (type: string) =>
        type === 'chain' ? service.chain('transaction', fee) : service.outgoing(type);
      await open.deliver(...order.map(body));
      expect(open.balances()).toEqual({
        'network-fees:v1 ethereum:ETH': '2',
        'v1/acc-1/adr-1 ethereum:ETH': '-2',
      });
      await open.run();
      expect(open.openBreaks()).toEqual([]);
    },
  );

  test('and it is given back when the chain takes the transaction back, and taken again', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed'), service.chain('transaction', fee));
    await open.deliver(service.chain('rollback'));
    expect(open.balances()).toEqual({});
    await open.deliver(service.chain('transaction', fee));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-2' });
  });

  test('and nothing else of the chain view is posted with it', async () => {
    const open = await openLedger();
    const service = new Service();
    const both = { balanceChanges: [change('-30', AT_ADDRESS), ...fee.balanceChanges] };
    await open.deliver(service.chain('transaction', both), service.outgoing('failed'));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-2' });
  });

  test('and was given a rebate and a mint beside it, each its own entry', async () => {
    const open = await openLedger();
    const service = new Service();
    const given = [
      change('1', { ...AT_ADDRESS, tags: ['rebate'] }),
      change('4', { ...AT_ADDRESS, tags: ['mint'] }),
    ];
    const view = { balanceChanges: [...fee.balanceChanges, ...given] };
    await open.deliver(service.chain('transaction', view), service.outgoing('failed'));
    expect(open.balances()).toEqual({
      'network-fees:v1 ethereum:ETH': '2',
      'rebates:v1 ethereum:ETH': '-1',
      'mints:v1 ethereum:ETH': '-4',
      'v1/acc-1/adr-1 ethereum:ETH': '3',
    });
    expect(open.positions()).toEqual(open.positions('chain'));
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('and another vault’s view of the hash is not this vault’s fee', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction', { ...fee, vaultId: 'v2' }));
    await open.deliver(service.outgoing('failed'));
    expect(open.balances()).toEqual({});
  });

  test('also when `failed` names no network or hash, which `submitted` named before', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'), service.chain('transaction', fee));
    await open.deliver(service.outgoing('failed', { network: null, blockchainHash: null }));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-2' });
  });

  test('`mined` later: its own fee replaces the burned one', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed'), service.chain('transaction', fee));
    await open.deliver(service.outgoing('mined'));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-32' });
  });

  test('`mined` under another hash: the reversal is posted where the burned fee was', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed'), service.chain('transaction', fee));
    await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
    const misplaced = open.rows(
      `SELECT r.entry_id FROM entries r JOIN entries e ON r.reverses = e.entry_id
       WHERE r.blockchain_hash <> e.blockchain_hash`,
    );
    expect(misplaced).toEqual([]);
  });

  test('a failure before any broadcast posts nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed', { blockchainHash: null }));
    expect(open.balances()).toEqual({});
  });
});

describe('`mined`', () => {
  test('posts once per transaction, whatever repeats it', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined'), service.outgoing('mined'));
    await open.deliver(service.outgoing('mined', { addressId: 'adr-1' }));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-32' });
  });

  test('twice with other amounts: the first counts, and a break says so', async () => {
    const open = await openLedger();
    const service = new Service();
    const other = { balanceChanges: [change('-31', AT_ADDRESS)] };
    await open.deliver(service.outgoing('mined'), service.outgoing('mined', other));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-32' });
    expect(open.openBreaks()).toEqual(['amount_changed']);
  });

  test('keeps the level of its entries: account-level merged ones have no address', async () => {
    const open = await openLedger();
    const account = { account: { id: 'acc-1' } };
    const balanceChanges = [change('-30', account), change('-2', { ...account, tags: ['fee'] })];
    await open.deliver(new Service().outgoing('mined', { balanceChanges }));
    expect(open.positions()).toEqual({ 'v1/acc-1 ethereum:ETH': '-32' });
  });

  test('two transactions with one hash post both', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined'));
    await open.deliver(service.outgoing('mined', { transactionId: 'wd-2' }));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-64' });
  });

  test('an internal transfer nets `world`, summed over the vaults, to zero by itself', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined', { balanceChanges: MINED }));
    const landed = { vaultId: 'v2', addressId: 'adr-9', balanceChanges: [change('30')] };
    await open.deliver(service.confirmed(1, landed));
    const worlds = Object.entries(open.balances()).filter(([name]) => name.startsWith('world:'));
    expect(worlds).toEqual([
      ['world:v1 ethereum:ETH', '30'],
      ['world:v2 ethereum:ETH', '-30'],
    ]);
  });
});

const RANKED: readonly (readonly WithdrawalStatus[])[] = [
  ['approval-pending'],
  ['requested'],
  ['inited'],
  ['to-sign'],
  ['signed'],
  ['submitted'],
  ['cancelled'],
  ['failed'],
  ['mined'],
  ['replaced', 'rolledback'],
];

test('a status never moves backwards, and not between endings of one rank', () => {
  for (const [rank, statuses] of RANKED.entries()) {
    for (const from of statuses) {
      expect(advances(null, from)).toBe(true);
      expect(advances(from, null)).toBe(false);
      for (const [other, targets] of RANKED.entries()) {
        for (const to of targets)
          expect([from, to, advances(from, to)]).toEqual([from, to, other > rank]);
      }
    }
  }
});
