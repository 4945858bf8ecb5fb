import { describe, expect, test } from 'vitest';
import { BlockchainHash, NetworkKey, TransactionId, VaultId } from '../../../src/domain/ids.ts';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { balanceChange, sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, ETH, HASH, Service } from '../../store/webhook.ts';

const NOTHING = {};
const WITHDRAWN = { 'v1/acc-1/adr-1 ethereum:ETH': '-32' };

/** The custody API's record of `wd-tx`; by default it agrees with the webhooks of `Service`. */
function knows(open: OpenLedger, more: Partial<CustodyTransaction> = {}) {
  return open.record({ kind: 'outgoing', transaction: sent(more), graceMs: 0 });
}

/** A look-up of a transaction answered 404. */
function denies(open: OpenLedger, id = 'wd-tx') {
  return open.record({ kind: 'unknown-transaction', transactionId: TransactionId(id) });
}

function custodyOf(open: OpenLedger): string | undefined {
  return open.rows<{ custody: string }>('SELECT custody FROM withdrawals')[0]?.custody;
}

async function mined(): Promise<{ open: OpenLedger; service: Service }> {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.outgoing('mined'));
  expect(open.positions()).toEqual(WITHDRAWN);
  expect(custodyOf(open)).toBe('unasked');
  return { open, service };
}

describe('a transaction that the custody API knows', () => {
  test('is known once its record agrees, and asked about no more', async () => {
    const { open } = await mined();
    expect((await knows(open)).kind).toBe('taken');
    expect(custodyOf(open)).toBe('known');
    expect((await knows(open)).kind).toBe('unchanged');
    expect(open.positions()).toEqual(WITHDRAWN);
    expect(open.breaks()).toEqual([]);
  });

  test.for([
    ['another step on its way', 'signed', 'known'],
    ['its hash', 'submitted', 'doubted'],
    ['its end', 'cancelled', 'doubted'],
  ] as const)('webhooks report %s: %s', async ([_, type, custody]) => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('requested'));
    await knows(open, { status: 'requested', blockchainHash: null });
    expect(custodyOf(open)).toBe('known');
    await open.deliver(service.outgoing(type));
    expect(custodyOf(open)).toBe(custody);
  });

  test.for<[why: string, more: Partial<CustodyTransaction>, type: string, books: object]>([
    ['another amount', { changes: [balanceChange(-7n)] }, 'amount_mismatch', { '': -7n }],
    ['another hash', { blockchainHash: BlockchainHash('0xb2') }, 'status_mismatch', { '': -32n }],
    ['a cancellation', { status: 'cancelled', changes: null }, 'status_mismatch', NOTHING],
    ['a failure', { status: 'failed', changes: null }, 'status_mismatch', NOTHING],
    ['another network', { network: NetworkKey('polygon') }, 'status_mismatch', { '': -32n }],
  ])('the record reports %s: the books follow it, and its own break stays open', async (row) => {
    const [, said, type, books] = row;
    const { open } = await mined();
    const more = { ...said, updatedAt: open.at };
    await knows(open, more);
    // The entry that the webhooks posted, its reversal, and the one that the record shows.
    const posted = books === NOTHING ? 2 : 3;
    expect(open.rows('SELECT entry_id FROM entries')).toHaveLength(posted);
    const wanted = Object.values(books).map((amount) => [Object.keys(WITHDRAWN)[0], `${amount}`]);
    expect(open.positions()).toEqual(Object.fromEntries(wanted));
    expect(open.openBreak(type)).toMatchObject({ severity: 'critical', transaction_id: 'wd-tx' });
    await knows(open, more);
    await knows(open, more);
    expect(open.openBreaks()).toEqual([type]);
    expect(custodyOf(open)).toBe('known');
  });

  test('a failed one with another order keeps its burned fee, and a cancelled one gives it back', async () => {
    const open = await openLedger();
    const service = new Service();
    const fee = { balanceChanges: [change('-2', { ...AT_ADDRESS, tags: ['fee'] })] };
    await open.deliver(service.outgoing('failed'), service.chain('transaction', fee));
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '-2' });
    const fees = () => open.rows("SELECT entry_id FROM entries WHERE cause = 'failed-fee'");
    const ended = { changes: null, updatedAt: open.at };
    await knows(open, { status: 'failed', orderId: 'order-2', ...ended });
    expect(fees()).toHaveLength(1);
    expect(open.openBreak('status_mismatch').expected).toBeNull();
    await knows(open, { status: 'cancelled', ...ended });
    expect(fees()).toHaveLength(2);
    expect(open.positions()).toEqual({});
  });

  test('posted in another vault: the books move to where the custody API has it', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined', { vaultId: 'v2' }));
    await knows(open);
    expect(open.positions()).toEqual(WITHDRAWN);
    expect(open.openBreaks()).toEqual(['status_mismatch']);
  });

  test('a record on its way contradicts an end, and nothing follows but the difference', async () => {
    const { open } = await mined();
    await knows(open, { status: 'submitted', changes: null });
    expect(open.openBreaks()).toEqual(['status_mismatch']);
    expect(open.positions()).toEqual(WITHDRAWN);
    expect(custodyOf(open)).toBe('doubted');
    await knows(open);
    expect(open.openBreaks()).toEqual([]);
  });

  test('a record without its balance changes yet corrects nothing', async () => {
    const { open } = await mined();
    await knows(open, { changes: null });
    expect(open.positions()).toEqual(WITHDRAWN);
    expect(custodyOf(open)).toBe('doubted');
  });
});

describe('a transaction that the custody API does not know', () => {
  test('what it posted is taken back by the API’s word, and a critical break stays', async () => {
    const { open } = await mined();
    await denies(open);
    expect(open.positions()).toEqual({});
    expect(open.openBreak('unknown_to_custody')).toMatchObject({
      severity: 'critical',
      transaction_id: 'wd-tx',
      blockchain_hash: HASH,
      asset: ETH,
      expected: '0',
      actual: '-32',
    });
    const sources = open.rows<{ source: string }>('SELECT source FROM entries ORDER BY entry_id');
    expect(sources.map(({ source }) => source)).toEqual(['webhook', 'api']);
  });

  test('one that moved nothing is a warning', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('requested'));
    await denies(open);
    expect(open.openBreak('unknown_to_custody').severity).toBe('warning');
  });

  test('its later webhooks post nothing', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    await denies(open);
    await open.deliver(service.outgoing('mined'));
    await open.deliver(service.chain('transaction', { balanceChanges: [change('-30')] }));
    await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
    expect(open.positions()).toEqual({});
    expect(custodyOf(open)).toBe('unknown');
  });

  test('it is said once: what a person has resolved is not opened again', async () => {
    const { open } = await mined();
    await denies(open);
    const { id: breakId } = open.openBreak('unknown_to_custody');
    await open.decide({ kind: 'resolve', breakId, reason: 'somebody has our webhook’s URL' });
    expect((await denies(open)).kind).toBe('unchanged');
    expect(open.openBreaks()).toEqual([]);
  });

  test('known later, it is booked from the API’s record, and the break heals', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    await denies(open);
    await open.deliver(service.outgoing('mined'));
    await knows(open, { changes: null });
    expect(custodyOf(open)).toBe('unknown');
    await knows(open);
    expect(open.positions()).toEqual(WITHDRAWN);
    expect(open.openBreaks()).toEqual([]);
    expect(custodyOf(open)).toBe('known');
  });
});

describe('a hash that only a webhook calls our own', () => {
  async function claimed(): Promise<{ open: OpenLedger; service: Service }> {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6), service.outgoing('mined', { vaultId: 'v2' }));
    expect(open.depositState()).toBe('internal');
    await verifyWith(open);
    expect(open.feed()).toEqual([]);
    return { open, service };
  }

  test('denied with its transaction, the deposit is verified again and credited', async () => {
    const { open } = await claimed();
    await denies(open);
    expect(open.depositState()).toBe('verifying');
    expect(open.feed()).toEqual([]);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.positions()).toEqual({ 'v1/acc-1/adr-1 ethereum:ETH': '100' });
  });

  test('named of a true transaction that ended under another, the same', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6), service.outgoing('submitted'));
    await knows(open, { status: 'submitted', blockchainHash: BlockchainHash('0xb2') });
    expect(open.depositState()).toBe('internal');
    await open.deliver(service.outgoing('mined', { blockchainHash: '0xb2' }));
    await knows(open, { blockchainHash: BlockchainHash('0xb2') });
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.openBreak('status_mismatch')).toMatchObject({
      severity: 'critical',
      blockchain_hash: HASH,
    });
  });

  test('said again of a transaction that is denied, it holds no deposit', async () => {
    const { open, service } = await claimed();
    await denies(open);
    await open.deliver(service.outgoing('rolledback', { vaultId: 'v2' }));
    await open.deliver(service.outgoing('submitted', { vaultId: 'v2', blockchainHash: '0xb2' }));
    await open.deliver(service.confirmed(6, { blockchainHash: '0xb2', transactionId: 'dep-2' }));
    expect(open.deposits().map(({ state }) => state)).toEqual(['verifying', 'verifying']);
  });

  test('a hash that the API confirmed once stays our own', async () => {
    const { open } = await claimed();
    await knows(open, { vaultId: VaultId('v2'), status: 'submitted', changes: null });
    await denies(open);
    await knows(open, { vaultId: VaultId('v2'), blockchainHash: BlockchainHash('0xb2') });
    expect(open.depositState()).toBe('internal');
  });

  test('a credited deposit keeps its credit, and the alarm ends with the claim', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    await open.deliver(service.outgoing('submitted', { vaultId: 'v2' }));
    await verifyWith(open);
    expect(open.openBreak('status_mismatch').severity).toBe('critical');
    await denies(open);
    await verifyWith(open);
    expect(open.openBreaks()).toEqual(['unknown_to_custody']);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('no alarm where the policy credits own transfers', async () => {
    const open = await openLedger({
      ...SIX_DEEP,
      default: { confirmations: 6, creditInternal: true },
    });
    const service = new Service();
    await open.deliver(service.confirmed(6));
    await verifyWith(open);
    await open.deliver(service.outgoing('mined', { vaultId: 'v2' }));
    expect(open.openBreaks()).toEqual([]);
  });
});
