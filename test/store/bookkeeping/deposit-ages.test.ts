import { expect, onTestFinished, test } from 'vitest';
import { Amount } from '../../../src/domain/money/amount.ts';
import type { CreditingPolicy } from '../../../src/domain/policy/policy.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { verifyWith } from '../evidence.ts';
import { openLedgerFile } from '../open-ledger.ts';
import { Service } from '../webhook.ts';

const ONE_APPROVAL: CreditingPolicy = {
  default: { confirmations: 6, oneApprovalAbove: Amount(50n) },
  networks: {},
  assets: {},
};

async function openStore(policy?: CreditingPolicy) {
  const { open, path } = await openLedgerFile(policy);
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  return { open, reads, service: new Service() };
}

test('reports when the oldest held deposit of each reason was first seen', async () => {
  const { open, reads, service } = await openStore(ONE_APPROVAL);
  expect((await reads.counts()).held).toEqual([]);
  await open.deliver(service.confirmed(6));
  const firstAt = open.at;
  await open.deliver(service.confirmed(6, { blockchainHash: '0xb2' }));
  await open.deliver(service.confirmed(6, { blockchainHash: '0xc3', memo: 'x' }));
  const memoAt = open.at;
  // One more confirmation is no other hold.
  await open.deliver(service.confirmed(9));
  expect((await reads.counts()).held).toEqual([
    { reason: 'unattributed_memo', oldestAt: memoAt },
    { reason: 'approval_required', oldestAt: firstAt },
  ]);
});

test('reports the oldest unacknowledged credit until it is acknowledged or reversed', async () => {
  const { open, reads, service } = await openStore();
  const oldest = async () => (await reads.counts()).credits.oldestUnacknowledgedAt;
  expect(await oldest()).toBeNull();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  const firstAt = open.at;
  const [first] = await reads.credits(0, 1);
  await open.deliver(service.confirmed(12));
  expect([await oldest(), first?.createdAt]).toEqual([firstAt, firstAt]);
  const creditId = open.lastCreditId();
  await open.decide({ kind: 'acknowledge', creditId, reference: 'r-1' });
  expect(await oldest()).toBeNull();

  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  expect(await oldest()).toBe(open.at);
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  expect(await oldest()).toBeNull();
});
