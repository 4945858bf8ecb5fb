import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { handleUnknownTransaction } from '../../../src/domain/withdrawal/record-handler.ts';
import { DepositId, IdMint, TransactionId } from '../../../src/domain/ids.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import { balanceChange, sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, SIX_DEEP, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, Service } from '../../store/webhook.ts';
import { withdrawal } from '../records.ts';

const AT = 'v1/acc-1/adr-1 ethereum:ETH';
const FEE = { balanceChanges: [change('-2', { ...AT_ADDRESS, tags: ['fee'] })] };

function knows(open: OpenLedger, more: Partial<CustodyTransaction> = {}): Promise<FactOutcome> {
  return open.record({ kind: 'outgoing', transaction: sent(more), graceMs: 0 });
}

function denies(open: OpenLedger): Promise<FactOutcome> {
  return open.record({ kind: 'unknown-transaction', transactionId: TransactionId('wd-tx') });
}

/** `wd-tx 0xa1 claimed`, a line per hash that an own transaction has or is said to have. */
function ownHashes(open: OpenLedger): string[] {
  return open
    .rows<{ id: string; hash: string; certainty: string }>(
      `SELECT transaction_id AS id, blockchain_hash AS hash, certainty FROM own_hashes
       ORDER BY transaction_id, blockchain_hash`,
    )
    .map(({ id, hash, certainty }) => `${id} ${hash} ${certainty}`);
}

function knowledge(open: OpenLedger): string[] {
  return open
    .rows<{ id: string; custody: string }>(
      'SELECT transaction_id AS id, custody FROM withdrawals ORDER BY transaction_id',
    )
    .map(({ id, custody }) => `${id} ${custody}`);
}

/** `cause`, with `back` where it takes another entry back, in the order of posting. */
function causes(open: OpenLedger): string[] {
  return open
    .rows<{ cause: string; reverses: number | null }>(
      `SELECT cause, reverses FROM entries WHERE view = 'books' ORDER BY entry_id`,
    )
    .map(({ cause, reverses }) => (reverses === null ? cause : `${cause} back`));
}

describe('the hash of an own transaction', () => {
  test('is claimed by a webhook, confirmed by the API, and never claimed again', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    expect(ownHashes(open)).toEqual(['wd-tx 0xa1 claimed']);
    await knows(open, { status: 'submitted', changes: null });
    expect([ownHashes(open), knowledge(open)]).toEqual([['wd-tx 0xa1 confirmed'], ['wd-tx known']]);
    await open.deliver(service.outgoing('mined'));
    expect([ownHashes(open), knowledge(open)]).toEqual([
      ['wd-tx 0xa1 confirmed'],
      ['wd-tx doubted'],
    ]);
  });

  test('may be said to be another transaction’s too', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('submitted'));
    await open.deliver(service.outgoing('submitted', { transactionId: 'wd-2' }));
    expect(ownHashes(open)).toEqual(['wd-2 0xa1 claimed', 'wd-tx 0xa1 claimed']);
    await knows(open);
    expect(ownHashes(open)).toEqual(['wd-2 0xa1 claimed', 'wd-tx 0xa1 confirmed']);
  });

  test('is confirmed at once by the API’s record, and its transaction is known', async () => {
    const open = await openLedger();
    await open.record({ kind: 'backfill', transaction: sent() });
    expect([ownHashes(open), knowledge(open)]).toEqual([['wd-tx 0xa1 confirmed'], ['wd-tx known']]);
  });

  test('is refuted from the start where the API does not know the transaction', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('requested'));
    await denies(open);
    await open.deliver(service.outgoing('submitted'));
    expect([ownHashes(open), knowledge(open)]).toEqual([['wd-tx 0xa1 refuted'], ['wd-tx unknown']]);
  });
});

describe('what the API has said of an own transaction', () => {
  async function known(status: string): Promise<{ open: OpenLedger; service: Service }> {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing(status));
    await knows(open, { status, changes: status === 'mined' ? sent().changes : null });
    expect(knowledge(open)).toEqual(['wd-tx known']);
    return { open, service };
  }

  test('stays when a warning follows the end', async () => {
    const { open, service } = await known('mined');
    await open.deliver(service.outgoing('warning'));
    expect(knowledge(open)).toEqual(['wd-tx known']);
  });

  test('stays while the notification of its end is missing', async () => {
    const { open } = await known('submitted');
    await knows(open, { status: 'cancelled', changes: null });
    expect(knowledge(open)).toEqual(['wd-tx known']);
    expect(open.openBreaks()).toEqual(['missing_notification']);
  });

  test('is asked for again once it contradicts and cannot be the last word', async () => {
    const { open } = await known('mined');
    await knows(open, { status: 'submitted', changes: null });
    expect(knowledge(open)).toEqual(['wd-tx doubted']);
  });

  test('mined overrules another end from a webhook, once the difference has lasted', async () => {
    const { open } = await known('rolledback');
    const mined = { changes: [balanceChange(-7n)] };
    await knows(open, mined);
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx doubted'], {}]);
    await knows(open, mined);
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx known'], { [AT]: '-7' }]);
    expect(open.openBreaks()).toEqual(['status_mismatch']);
  });

  test('a record of mined that is older than the rollback changes no books', async () => {
    const { open, service } = await known('mined');
    await open.deliver(service.outgoing('rolledback'));
    await knows(open, {});
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx doubted'], {}]);
    await knows(open, { status: 'rolledback', changes: null });
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx known'], {}]);
    expect(open.openBreaks()).toEqual([]);
  });

  test('mined does not count the time for which the API knew no end', async () => {
    const { open, service } = await known('mined');
    await knows(open, { status: 'submitted', changes: null });
    expect(open.openBreaks()).toEqual(['status_mismatch']);
    await open.deliver(service.outgoing('rolledback'));
    await knows(open, {});
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx doubted'], {}]);
    await knows(open, { status: 'rolledback', changes: null });
    expect(open.openBreaks()).toEqual([]);
  });

  test('the break about a missing rollback stays open while our record says mined', async () => {
    const { open, service } = await known('mined');
    const rolledBack = { status: 'rolledback', changes: null };
    await knows(open, rolledBack);
    await open.run();
    expect(open.openBreaks()).toEqual(['missing_notification']);
    await open.deliver(service.outgoing('rolledback'));
    await open.run();
    expect(open.openBreaks()).toEqual([]);
  });

  test('a moment ago opens no break yet', async () => {
    const open = await openLedger();
    const transaction = sent({ updatedAt: open.at });
    await open.record({ kind: 'outgoing', transaction, graceMs: 600_000 });
    expect(open.breaks()).toEqual([]);
  });

  test('after a 404 is applied completely, and only when its record is complete', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined'));
    await denies(open);
    expect(open.positions()).toEqual({});
    for (const more of [{ status: 'frozen' }, { changes: null }]) {
      await knows(open, more);
      expect([knowledge(open), open.positions()]).toEqual([['wd-tx unknown'], {}]);
    }
    await knows(open, { changes: [balanceChange(-7n)] });
    expect([knowledge(open), open.positions()]).toEqual([['wd-tx known'], { [AT]: '-7' }]);
  });

  test('about one on its way after a 404 posts nothing, and knows it again', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('submitted'));
    await denies(open);
    await knows(open, { status: 'submitted', changes: null, orderId: null });
    expect([knowledge(open), causes(open)]).toEqual([['wd-tx known'], []]);
    expect(open.rows('SELECT order_id, status FROM withdrawals')).toEqual([
      { order_id: 'order-1', status: 'submitted' },
    ]);
  });
});

describe('the entries of an own transaction', () => {
  test('name why they are taken back', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('mined'), service.outgoing('rolledback'));
    expect(causes(open)).toEqual(['mined', 'mined back']);
  });

  test('of a burned fee too', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.chain('transaction', FEE), service.outgoing('failed'));
    await open.deliver(service.chain('rollback'));
    expect(causes(open)).toEqual(['failed-fee', 'failed-fee back']);
  });

  test('give way to the burned fee when the API says that it failed', async () => {
    const open = await openLedger();
    const service = new Service();
    const elsewhere = service.chain('transaction', { ...FEE, vaultId: 'v2' });
    await open.deliver(service.outgoing('mined'), service.chain('transaction', FEE), elsewhere);
    await knows(open, { status: 'failed', changes: null });
    expect(causes(open)).toEqual(['mined', 'mined back', 'failed-fee']);
    expect(open.positions()).toEqual({ [AT]: '-2' });
  });

  test('of a failed one in another vault follow no chain view but their own', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed', { vaultId: 'v2' }));
    await open.deliver(service.chain('transaction', FEE));
    expect(causes(open)).toEqual([]);
  });

  test('of one that the API does not know follow no chain view', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.outgoing('failed'));
    await denies(open);
    await open.deliver(service.chain('transaction', FEE));
    expect(causes(open)).toEqual([]);
  });

  test('are none where nothing moved', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined', { balanceChanges: [] }));
    expect(causes(open)).toEqual([]);
  });
});

describe('deposits of a hash that is not our own after all', () => {
  test('are verified again; those of another transaction’s hash are left alone', async () => {
    const open = await openLedger();
    const service = new Service();
    const other = { blockchainHash: '0xb2', transactionId: 'dep-2', addressId: 'adr-2' };
    await open.deliver(service.confirmed(6), service.confirmed(6, other));
    await open.deliver(service.outgoing('submitted'));
    await verifyWith(open, {}, DepositId(open.deposits()[0]?.deposit_id ?? ''));
    await denies(open);
    expect(open.deposits().map(({ state, verified_at: at }) => [state, at])).toEqual([
      ['verifying', null],
      ['verifying', null],
    ]);
    expect(open.feed()).toEqual([]);
  });

  test('keep the match of an active credit', async () => {
    const open = await openLedger({
      ...SIX_DEEP,
      assets: { 'ethereum:ETH': { creditInternal: true } },
    });
    const service = new Service();
    await open.deliver(service.confirmed(6), service.outgoing('submitted'));
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
    const before = open.deposit().verified_at;
    await denies(open);
    expect(open.deposit()).toMatchObject({ verified_at: before, own_transfer: 0 });
    expect(open.openBreaks()).toEqual(['unknown_to_custody']);
  });
});

test('repeated 404s are the same difference', () => {
  const now = {
    at: 9,
    source: 'api',
    mint: new IdMint(7, (text) => `<${text}>`),
    policy: SIX_DEEP,
    pinnedDecimals: () => undefined,
  } as const;
  const first = handleUnknownTransaction(withdrawal('submitted'), { hashes: [], now });
  expect(first.outcome).toMatchObject({ kind: 'break', finding: { severity: 'critical' } });
  expect(first.found).toHaveLength(1);
  const [after] = first.withdrawals;
  if (after === undefined) throw new Error('nothing said');
  const second = handleUnknownTransaction({ ...after, posted: [] }, { hashes: [], now });
  expect(second.outcome).toMatchObject({ kind: 'break', finding: { severity: 'warning' } });
  expect([second.found, second.withdrawals]).toEqual([[], []]);
});
