import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { ThreadedReads } from '../../../src/daemon/reading/threaded-reads.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { openForReading } from '../../../src/store/sqlite/file/database.ts';
import { documentsFrom } from '../../../src/report/document.ts';
import { tablesFrom } from '../../../src/report/tables/table-documents.ts';
import { closeOf, dayNumber } from '../../store/close/closing.ts';
import { openLedgerFile, temporaryPath, type OpenLedger } from '../../store/open-ledger.ts';
import { Service } from '../../store/webhook.ts';

/** The threads run the built program's files. */
const BUILT = new URL('../../../dist/daemon/reading/threaded-reads.js', import.meta.url);

const PAGE = { page: 0, pageSize: 100 };

async function threadedReads(path: string) {
  const built = (await import(BUILT.href)) as { ThreadedReads: typeof ThreadedReads };
  let lose: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const reads = new built.ThreadedReads(path, lose);
  onTestFinished(() => reads.close());
  return { reads, lost };
}

async function busyStore(deposits: number): Promise<{ open: OpenLedger; path: string }> {
  const { open, path } = await openLedgerFile();
  const service = new Service();
  const hashes = Array.from({ length: deposits }, (_, index) => `0x${index}`);
  await open.deliverTogether(
    ...hashes.map((blockchainHash) => service.confirmed(1, { blockchainHash })),
  );
  await open.record(closeOf(open, { day: dayNumber(0), cutOffAt: open.at + 1 }));
  return { open, path };
}

test('lists beyond those that may wait are refused, and a sweep and the feed read meanwhile', async () => {
  const { path } = await busyStore(3);
  const { reads } = await threadedReads(path);
  const lists = Array.from({ length: 300 }, () => reads.notifications({ vaultId: 'v1' }, PAGE));
  const finished = Promise.allSettled(lists);
  await Promise.all([reads.credits(0, 10), reads.waitingDeposits(), reads.counts()]);
  const results = await finished;
  const refused = results.filter((one) => one.status === 'rejected');
  // One is read and 256 wait.
  expect(refused).toHaveLength(43);
  expect(refused.map(({ reason }) => (reason as Error).name)).toEqual(
    refused.map(() => 'ReadRefused'),
  );
});

test('the threads give the same answers as a direct read of the store', async () => {
  const { path } = await busyStore(3);
  const direct = new SqliteReads(openForReading(path));
  onTestFinished(() => direct.close());
  const { reads } = await threadedReads(path);
  const [deposit] = (await direct.deposits({}, PAGE)).items;
  if (deposit === undefined) throw new Error('no deposit');
  const { network, blockchainHash, depositId, vaultId, accountId, addressId, asset } = deposit;
  const held = { view: 'books', vaultId, accountId, addressId, memo: null, asset } as const;
  const position = { ...held, from: 0, to: deposit.updatedAt + 1 };
  const asked: ((of: typeof direct | typeof reads) => Promise<unknown>)[] = [
    (of) => of.balances({ view: 'books' }, PAGE),
    (of) => of.statement(position, PAGE),
    (of) => of.withdrawals({ custody: 'unasked' }, PAGE),
    (of) => of.withdrawalLife('wd-unknown'),
    (of) => of.deposits({}, PAGE),
    (of) => of.deposit(depositId),
    (of) => of.deposit('dep_unknown'),
    (of) => of.movements(blockchainHash),
    (of) => of.body(2),
    (of) => of.body(9_999),
    (of) => of.breaks({}, PAGE),
    (of) => of.counts(),
    (of) => of.pinnedDecimals(),
    (of) => of.closedDay(dayNumber(0)),
    (of) => of.dayMovements({ day: dayNumber(0) }, PAGE),
    (of) => of.reconcilerView({ hashes: [{ network, blockchainHash }], transactionIds: [] }),
  ];
  for (const ask of asked) expect(await ask(reads)).toEqual(await ask(direct));
  const documents = documentsFrom(direct);
  for (const format of ['json', 'csv', 'hledger'] as const) {
    expect(await reads.document(dayNumber(0), format)).toEqual(
      await documents(dayNumber(0), format),
    );
  }
  const balances = { kind: 'balances', query: { view: 'books' }, at: 0 } as const;
  expect(await reads.table(balances, 'csv')).toEqual(await tablesFrom(direct)(balances, 'csv'));
});

test('a list longer than a message arrives whole and in order', async () => {
  const { path } = await busyStore(1_234);
  const { reads } = await threadedReads(path);
  const deposits = await reads.waitingDeposits();
  expect(deposits.map(({ blockchainHash }) => blockchainHash)).toEqual(
    Array.from({ length: 1_234 }, (_, index) => `0x${index}`),
  );
  const hashes = deposits.map(({ network, blockchainHash }) => ({ network, blockchainHash }));
  const { hashStates, policy } = await reads.reconcilerView({ hashes, transactionIds: [] });
  expect(hashStates.map((hashState) => hashState.deposits.length)).toEqual(hashes.map(() => 1));
  expect(policy?.default).toEqual({ confirmations: 6 });
});

test('an error in a thread keeps its message, and the thread continues', async () => {
  const { path } = await busyStore(1);
  const { reads } = await threadedReads(path);
  await expect(reads.deposits({}, { page: 0, pageSize: Number.NaN })).rejects.toThrow(
    /NOT NULL|mismatch/,
  );
  expect((await reads.deposits({}, PAGE)).total).toBe(1);
});

test('a thread that ends unexpectedly is reported, and no read waits for it', async () => {
  const path = temporaryPath();
  expect(existsSync(path)).toBe(false);
  const { reads, lost } = await threadedReads(path);
  const waits = reads.feedHead();
  await expect(waits).rejects.toThrow(/cannot be opened/);
  expect((await lost).message).toContain(path);
  expect(reads.alive).toBe(false);
  await expect(reads.feedHead()).rejects.toThrow('the reader thread has ended');
});

/** How many threads of this process let others go first (Linux: the 19th field of a task's `stat`). */
function unhurriedThreads(): number {
  const tasks = readdirSync('/proc/self/task');
  const niceness = tasks.map((task) => {
    const stat = readFileSync(`/proc/self/task/${task}/stat`, 'utf8');
    // The second field is a name in brackets, with whatever it holds.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
  return niceness.filter((nice) => nice > 0).length;
}

test.skipIf(process.platform !== 'linux')(
  'sweeps let other threads go first; what somebody waits for does not',
  async () => {
    const { path } = await busyStore(3);
    const before = unhurriedThreads();
    const { reads } = await threadedReads(path);
    await reads.deposit('dep_unknown');
    await reads.counts();
    await reads.notifications({}, PAGE);
    expect(unhurriedThreads() - before).toBe(1);
  },
);
