import { describe, expect, test } from 'vitest';
import { BlockchainHash, NetworkKey, TransactionId } from '../../../src/domain/ids.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import { sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { HASH, Service } from '../../store/webhook.ts';

const DAY_MS = 86_400_000;

/** The API shows these transactions under the hash, and no outgoing one. */
function disowns(
  open: OpenLedger,
  more: { incoming?: string[]; graceMs?: number } = {},
): Promise<FactOutcome> {
  const { incoming = ['dep-tx'], graceMs = 0 } = more;
  return open.record({
    kind: 'disowned-hash',
    network: NetworkKey('ethereum'),
    blockchainHash: BlockchainHash(HASH),
    incoming: incoming.map((id) => TransactionId(id)),
    graceMs,
  });
}

/** A deposit six deep, verified, and the hash of two transactions by word alone. */
async function disputed(): Promise<{ open: OpenLedger; service: Service }> {
  const open = await openLedger();
  const service = new Service();
  await open.deliver(service.confirmed(6));
  for (const transactionId of ['made-up-1', 'made-up-2']) {
    await open.deliver(service.outgoing('submitted', { transactionId }));
  }
  await verifyWith(open);
  expect(open.depositState()).toBe('internal');
  return { open, service };
}

function ownHashes(open: OpenLedger): string[] {
  return open
    .rows<{ id: string; certainty: string }>(
      'SELECT transaction_id AS id, certainty FROM own_hashes ORDER BY transaction_id',
    )
    .map(({ id, certainty }) => `${id} ${certainty}`);
}

describe('a hash that the custody API knows no own transaction under', () => {
  test('is no own hash, and its deposit is verified from the beginning', async () => {
    const { open } = await disputed();
    expect((await disowns(open)).kind).toBe('taken');
    expect(ownHashes(open)).toEqual(['made-up-1 disowned', 'made-up-2 disowned']);
    expect([open.depositState(), open.deposit().verified_at]).toEqual(['verifying', null]);
    expect(open.feedLines()).toEqual([]);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    expect(open.openBreak('status_mismatch')).toMatchObject({
      severity: 'critical',
      blockchain_hash: HASH,
    });
  });

  test('is reported once', async () => {
    const { open } = await disputed();
    await disowns(open);
    expect((await disowns(open)).kind).toBe('unchanged');
  });

  test('stays disowned, whatever later webhooks claim', async () => {
    const { open, service } = await disputed();
    await disowns(open);
    await open.deliver(service.outgoing('submitted', { transactionId: 'made-up-3' }));
    expect(ownHashes(open)).toContain('made-up-3 disowned');
    expect(open.depositState()).toBe('verifying');
  });

  test('is our own when the API shows it after all', async () => {
    const { open } = await disputed();
    await disowns(open);
    const transaction = sent({ transactionId: TransactionId('made-up-1') });
    await open.record({ kind: 'outgoing', transaction, graceMs: 0 });
    expect(ownHashes(open)).toContain('made-up-1 confirmed');
    expect(open.depositState()).toBe('internal');
  });

  test('makes no transaction unknown: that takes a look-up of its own', async () => {
    const { open } = await disputed();
    await disowns(open);
    const knowledge = open.rows('SELECT DISTINCT custody FROM withdrawals');
    expect(knowledge).toEqual([{ custody: 'unasked' }]);
    const transactionId = TransactionId('made-up-1');
    await open.record({ kind: 'unknown-transaction', transactionId });
    expect(ownHashes(open)).toContain('made-up-1 disowned');
    expect(open.openBreaks()).toContain('unknown_to_custody');
  });
});

describe('it proves nothing', () => {
  test('before the grace since the API first showed the deposit', async () => {
    const { open } = await disputed();
    expect((await disowns(open, { graceMs: DAY_MS })).kind).toBe('unchanged');
    open.at += DAY_MS;
    expect((await disowns(open, { graceMs: DAY_MS })).kind).toBe('taken');
  });

  test('where the deposit itself is not among what the API shows', async () => {
    const { open } = await disputed();
    expect((await disowns(open, { incoming: ['dep-2'] })).kind).toBe('unchanged');
    expect((await disowns(open, { incoming: [] })).kind).toBe('unchanged');
    expect(open.depositState()).toBe('internal');
  });

  test('where the API does not agree with the deposit any more', async () => {
    const { open } = await disputed();
    await verifyWith(open, { status: 'frozen' });
    expect((await disowns(open)).kind).toBe('unchanged');
  });

  test('where the API has confirmed the hash as our own', async () => {
    const { open } = await disputed();
    await open.record({ kind: 'outgoing', transaction: sent(), graceMs: 0 });
    expect((await disowns(open)).kind).toBe('unchanged');
    expect(open.depositState()).toBe('internal');
  });

  test.for([
    ['on its way', { status: 'signed', blockchainHash: null, changes: null }],
    ['under another hash', { blockchainHash: BlockchainHash('0xb2'), status: 'submitted' }],
    ['in a status that we do not know', { status: 'odd', blockchainHash: null }],
  ] as const)('of a transaction that the API has shown %s', async ([_, more]) => {
    const { open, service } = await disputed();
    const transaction = sent(more);
    await open.record({ kind: 'outgoing', transaction, graceMs: 0 });
    await open.deliver(service.outgoing('submitted'));
    await disowns(open);
    expect(ownHashes(open)).toEqual(
      expect.arrayContaining(['made-up-1 disowned', 'made-up-2 disowned', 'wd-tx claimed']),
    );
    expect(open.depositState()).toBe('internal');
    await open.record({
      kind: 'outgoing',
      transaction: { ...transaction, status: 'cancelled' },
      graceMs: 0,
    });
    expect(open.depositState()).toBe('verifying');
  });

  test('of one that the API showed after a webhook claimed it', async () => {
    const { open, service } = await disputed();
    await open.deliver(service.outgoing('submitted'));
    await open.record({
      kind: 'outgoing',
      transaction: sent({ status: 'odd', blockchainHash: null }),
      graceMs: 0,
    });
    await disowns(open);
    expect(ownHashes(open)).toContain('wd-tx claimed');
    expect(open.depositState()).toBe('internal');
  });
});
