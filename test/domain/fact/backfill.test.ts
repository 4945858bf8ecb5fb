import { describe, expect, test } from 'vitest';
import type { CustodyTransaction } from '../../../src/domain/fact/custody-record.ts';
import { balanceChange, received, sent, verifyWith } from '../../store/evidence.ts';
import { openLedger, type OpenLedger } from '../../store/open-ledger.ts';
import { AT_ADDRESS, change, MINED, Service } from '../../store/webhook.ts';

const AT = 'v1/acc-1/adr-1 ethereum:ETH';
const GONE = { status: 'rolledback', confirmations: 0 };

function backfill(open: OpenLedger, transaction: CustodyTransaction) {
  return open.record({ kind: 'backfill', transaction });
}

/** `source: amount at the position`, in the order of posting. */
function posted(open: OpenLedger): string[] {
  return open
    .rows<{ source: string; amount: string }>(
      `SELECT e.source, p.amount FROM entries e JOIN postings p USING (entry_id)
       JOIN ledger_accounts USING (ledger_account)
       WHERE kind = 'position' ORDER BY e.entry_id, line`,
    )
    .map(({ source, amount }) => `${source}: ${amount}`);
}

describe('a deposit without a notification', () => {
  test('is booked with entries marked api, once', async () => {
    const open = await openLedger();
    expect(await backfill(open, received())).toMatchObject({ kind: 'taken' });
    expect(await backfill(open, received({ confirmations: 9 }))).toEqual({ kind: 'unchanged' });
    expect(posted(open)).toEqual(['api: 100']);
  });

  test('is not credited by being booked: it is verified like any other', async () => {
    const open = await openLedger();
    await backfill(open, received());
    expect(open.depositState()).toBe('verifying');
    expect(open.feed()).toEqual([]);
    await verifyWith(open);
    expect(open.feedLines()).toEqual(['credit 100']);
  });

  test('and whose notifications come after all posts nothing twice', async () => {
    const open = await openLedger();
    const service = new Service();
    await backfill(open, received());
    const late = [
      service.incoming('mempool'),
      service.confirmed(1),
      service.confirmed(6),
      service.confirmed(12),
    ];
    expect(new Set(await open.deliver(...late))).toEqual(new Set(['accepted']));
    expect(posted(open)).toEqual(['api: 100']);
    expect(open.deposit().confirmations).toBe(12);
    expect(open.openBreaks()).toEqual([]);
  });

  test('and is rolled back by a notification is taken back', async () => {
    const open = await openLedger();
    await backfill(open, received());
    await open.deliver(new Service().incoming('rollback'));
    expect(posted(open)).toEqual(['api: 100', 'webhook: -100']);
    expect(open.depositState()).toBe('rolled_back');
  });

  test('stopped in the mempool for us: the backfill confirms it', async () => {
    const open = await openLedger();
    await open.deliver(new Service().incoming('mempool'));
    await backfill(open, received());
    expect(open.positions()).toEqual({ [AT]: '100' });
    expect(open.depositState()).toBe('verifying');
  });

  test.for(['mempool', 'rolledback', 'frozen'])('and is %s is not booked', async (status) => {
    const open = await openLedger();
    expect(await backfill(open, received({ status }))).toEqual({ kind: 'unchanged' });
    expect(open.balances()).toEqual({});
  });

  test('whose amounts are not there yet, or which has no hash, is not booked', async () => {
    const open = await openLedger();
    expect(await backfill(open, received({ changes: null }))).toEqual({ kind: 'unchanged' });
    expect(await backfill(open, received({ blockchainHash: null }))).toEqual({ kind: 'unchanged' });
  });

  test('of an own transaction is internal', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined', { vaultId: 'v2' }));
    await backfill(open, received());
    expect(open.depositState()).toBe('internal');
  });

  test('with a notification is left unchanged, whatever the record says', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1));
    const other = received({ changes: [balanceChange(90n)] });
    expect(await backfill(open, other)).toEqual({ kind: 'unchanged' });
    expect(open.positions()).toEqual({ [AT]: '100' });
  });
});

describe('a rollback without a notification', () => {
  test('takes the deposit back; the feed’s reversal still waits for its own record', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6));
    await verifyWith(open);
    await backfill(open, received(GONE));
    expect(open.balances()).toEqual({});
    expect(open.openBreaks()).toEqual(['reversal_after_credit']);
    await verifyWith(open, GONE);
    expect(open.feedLines()).toEqual(['credit 100', 'reversal 100']);
  });

  test('and whose notification comes after all is a repeat; mined again it climbs again', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1));
    await backfill(open, received(GONE));
    const late = [service.incoming('rollback'), service.confirmed(1)];
    expect(await open.deliver(...late)).toEqual(['duplicate', 'accepted']);
    expect(open.deposit()).toMatchObject({ epoch: 1, state: 'confirming' });
    expect(posted(open)).toEqual(['webhook: 100', 'api: -100', 'webhook: 100']);
  });

  test('twice takes back once', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(1));
    await backfill(open, received(GONE));
    expect(await backfill(open, received(GONE))).toEqual({ kind: 'unchanged' });
    expect(open.deposit().epoch).toBe(1);
  });

  test('of a deposit that we saw only in the mempool ends it too', async () => {
    const open = await openLedger();
    await open.deliver(new Service().incoming('mempool'));
    await backfill(open, received(GONE));
    expect(open.depositState()).toBe('rolled_back');
  });
});

test('a rebate without a deposit whose rollback is lost is taken back', async () => {
  const open = await openLedger();
  const rebate = [change('5', { ...AT_ADDRESS, tags: ['rebate'] })];
  await open.deliver(new Service().confirmed(1, { balanceChanges: rebate }));
  const changes = [balanceChange(5n, { kind: 'rebate' })];
  const transaction = received({ ...GONE, changes });
  await open.record({ kind: 'unseen', transaction, graceMs: 0 });
  expect(open.openBreaks()).toEqual(['status_mismatch']);
  await backfill(open, transaction);
  expect(open.balances()).toEqual({});
  await open.record({ kind: 'unseen', transaction, graceMs: 0 });
  expect(open.openBreaks()).toEqual([]);
});

describe('a record that was compared before a rollback', () => {
  test.for(['rolledback', 'confirmed'])(
    'says %s: the deposit that was mined again stays as it is',
    async (status) => {
      const open = await openLedger();
      const service = new Service();
      await open.deliver(service.confirmed(1), service.incoming('rollback'), service.confirmed(1));
      const transaction = received({ status });
      const before = { kind: 'backfill', transaction, epoch: 0 } as const;
      expect(await open.record(before)).toEqual({ kind: 'unchanged' });
      expect(open.depositState()).toBe('confirming');
      expect(open.positions()).toEqual({ [AT]: '100' });
    },
  );

  test('says confirmed: the deposit stays rolled back', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.incoming('rollback'));
    const before = { kind: 'backfill', transaction: received(), epoch: 0 } as const;
    expect(await open.record(before)).toEqual({ kind: 'unchanged' });
    expect(open.depositState()).toBe('rolled_back');
    expect(open.balances()).toEqual({});
    await open.record({ ...before, epoch: 1 });
    expect(open.positions()).toEqual({ [AT]: '100' });
  });

  test('of a deposit that we did not know: it is not booked after its rollback', async () => {
    const open = await openLedger();
    await open.deliver(new Service().incoming('rollback'));
    const before = { kind: 'backfill', transaction: received(), epoch: 0 } as const;
    expect(await open.record(before)).toEqual({ kind: 'unchanged' });
    expect(open.balances()).toEqual({});
  });

  test('takes effect without an epoch: earlier versions journalled none', async () => {
    const open = await openLedger();
    const service = new Service();
    await open.deliver(service.confirmed(1), service.incoming('rollback'), service.confirmed(1));
    await backfill(open, received(GONE));
    expect(open.depositState()).toBe('rolled_back');
  });
});

describe('an outgoing transaction without a notification', () => {
  test('is booked as mined once, and its late notification posts nothing', async () => {
    const open = await openLedger();
    await backfill(open, sent());
    expect(await backfill(open, sent())).toEqual({ kind: 'unchanged' });
    await open.deliver(new Service().outgoing('mined', { balanceChanges: MINED }));
    expect(posted(open)).toEqual(['api: -30', 'api: -2']);
    expect(open.openBreaks()).toEqual([]);
  });

  test('rolled back after it was mined: its entry is reversed', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined'));
    await backfill(open, sent({ status: 'rolledback' }));
    expect(open.balances()).toEqual({});
  });

  test('failed on-chain: its burned fee follows the chain view', async () => {
    const open = await openLedger();
    const fee = { balanceChanges: [change('-2', { ...AT_ADDRESS, tags: ['fee'] })] };
    await open.deliver(new Service().chain('transaction', fee));
    await backfill(open, sent({ status: 'failed', changes: null }));
    expect(open.positions()).toEqual({ [AT]: '-2' });
  });

  test('failed: what its record lists came to nothing, and pins no decimals', async () => {
    const open = await openLedger();
    const changes = [balanceChange(-30n, { decimals: 18 })];
    await backfill(open, sent({ status: 'failed', changes }));
    expect(open.rows('SELECT * FROM assets')).toEqual([]);
    expect(open.balances()).toEqual({});
  });

  test('behind what we know, or of an unknown status, changes nothing', async () => {
    const open = await openLedger();
    await open.deliver(new Service().outgoing('mined'));
    for (const status of ['submitted', 'failed', 'frozen', 'constructor']) {
      expect(await backfill(open, sent({ status }))).toEqual({ kind: 'unchanged' });
    }
  });

  test('of an unknown status is not booked, though nothing is known of it', async () => {
    const open = await openLedger();
    expect(await backfill(open, sent({ status: 'frozen' }))).toEqual({ kind: 'unchanged' });
    expect(open.rows('SELECT * FROM withdrawals')).toEqual([]);
  });

  test('mined without its amounts or its hash waits for them', async () => {
    const open = await openLedger();
    expect(await backfill(open, sent({ changes: null }))).toEqual({ kind: 'unchanged' });
    expect(await backfill(open, sent({ blockchainHash: null }))).toEqual({ kind: 'unchanged' });
  });

  test('and later has its webhooks: they are no repeats', async () => {
    const open = await openLedger();
    await backfill(open, sent({ status: 'submitted', changes: null }));
    expect(await open.deliver(new Service().outgoing('submitted'))).toEqual(['accepted']);
    expect(open.rows('SELECT stream, seen FROM sightings')).toEqual([
      {
        stream: 'outgoing',
        seen: '[["submitted","wd-tx",null,null,"api"],["submitted","wd-tx",null,null]]',
      },
    ]);
  });

  test('claims a deposit of its hash, in whatever vault', async () => {
    const open = await openLedger();
    await open.deliver(new Service().confirmed(6, { vaultId: 'v2' }));
    await backfill(open, sent({ status: 'submitted' }));
    expect(open.depositState()).toBe('internal');
  });
});
