import { expect, test } from 'vitest';
import type { CustodyClient, TransactionQuery } from '../../../src/custody/client.ts';
import { lastReport, unsoundCloses } from '../../store/close/closing.ts';
import { forgedConfirmation, type Stage } from '../stage.ts';
import {
  calendar,
  explanations,
  HOUR_MS,
  localCloserOf,
  start,
  toNextDay,
  totalOf,
} from './days.ts';

/** The client of an API whose answers to some queries leave out a hash. */
function leavingOut(
  client: CustodyClient,
  blockchainHash: string,
  isLeftOutOf: (query: TransactionQuery) => boolean,
): CustodyClient {
  const transactions: CustodyClient['transactions'] = async (query, options) => {
    const answer = await client.transactions(query, options);
    if (answer.kind !== 'ok' || !isLeftOutOf(query)) return answer;
    const rows = answer.value.rows.filter((row) => row.blockchainHash !== blockchainHash);
    const total = answer.value.total - (answer.value.rows.length - rows.length);
    return { kind: 'ok', value: { ...answer.value, rows, total } };
  };
  return withTransactions(client, transactions);
}

function withTransactions(
  client: CustodyClient,
  transactions: CustodyClient['transactions'],
): CustodyClient {
  return new Proxy(client, {
    get: (_, name: keyof CustodyClient) => {
      if (name === 'transactions') return transactions;
      const member: unknown = client[name];
      return typeof member === 'function' ? (member.bind(client) as unknown) : member;
    },
  });
}

function isWholeList({ blockchainHash }: TransactionQuery): boolean {
  return blockchainHash === undefined;
}

function aSecondBefore(time: string): string {
  return new Date(Date.parse(time) - 1_000).toISOString();
}

/** The client of an API whose answers to some queries show a hash as it was in the mempool. */
function inMempool(
  client: CustodyClient,
  blockchainHash: string,
  isOld: (query: TransactionQuery) => boolean,
): CustodyClient {
  return withTransactions(client, async (query, options) => {
    const answer = await client.transactions(query, options);
    if (answer.kind !== 'ok' || !isOld(query)) return answer;
    const rows = answer.value.rows.map((row): typeof row =>
      row.blockchainHash === blockchainHash
        ? {
            ...row,
            status: 'mempool',
            balanceChanges: null,
            updatedAt: aSecondBefore(row.updatedAt),
          }
        : row,
    );
    return { kind: 'ok', value: { ...answer.value, rows } };
  });
}

/** An API that answers no query by hash: the budget is spent. */
function onlyLists(client: CustodyClient, now: number): CustodyClient {
  return withTransactions(client, (query, options) =>
    isWholeList(query)
      ? client.transactions(query, options)
      : Promise.resolve({ kind: 'rate-budget', retryAtMs: now }),
  );
}

/** A day with a deposit of 700, and later one of 5. */
async function withDeposits() {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 30);
  await stage.run();
  await stage.caller.advance(2 * HOUR_MS);
  await stage.paid(depositAddress, 5, 3);
  await stage.run();
  return { stage, depositAddress, hash, day: calendar.dayAt(stage.now) };
}

/** A closed day whose close the API showed no row of its deposit of 700, in the list or by hash. */
async function afterLeavingOut() {
  const day = await withDeposits();
  const { stage, hash } = day;
  const report = await closeNext(
    stage,
    leavingOut(stage.client, hash, () => true),
  );
  expect(explanations(report)).toEqual(['custody 700 unexplained']);
  return day;
}

async function closeNext(stage: Stage, custody: CustodyClient = stage.client) {
  await toNextDay(stage);
  await localCloserOf(stage, { custody }).closeDue();
  return lastReport(stage.open);
}

test('a deposit that the list left out is asked for by its hash before the day is sealed', async () => {
  const { stage, depositAddress, hash } = await withDeposits();
  const report = await closeNext(stage, leavingOut(stage.client, hash, isWholeList));
  expect([report.status, explanations(report), report.priorDay]).toEqual(['balanced', [], []]);
  expect(totalOf(report, depositAddress)).toMatchObject({
    custodyRead: '705',
    custodyDifference: '0',
  });
  const next = await closeNext(stage);
  expect([next.status, next.priorDay]).toEqual(['balanced', []]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that the list shows as it was in the mempool is asked for before the day is sealed', async () => {
  const { stage, hash } = await withDeposits();
  const report = await closeNext(stage, inMempool(stage.client, hash, isWholeList));
  expect([report.status, explanations(report), report.priorDay]).toEqual(['balanced', [], []]);
  const next = await closeNext(stage);
  expect([next.status, next.priorDay]).toEqual(['balanced', []]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that the API still shows in the mempool is pending for a day, then unexplained', async () => {
  const { stage, hash } = await withDeposits();
  const behind = inMempool(stage.client, hash, () => true);
  const days: string[][] = [];
  for (let day = 0; day < 3; day += 1) days.push(explanations(await closeNext(stage, behind)));
  expect(days).toEqual([
    ['custody 700 custody_pending'],
    ['custody 700 unexplained'],
    ['custody 700 unexplained'],
  ]);
  expect((await closeNext(stage)).status).toBe('balanced');
});

test('an older version of a counted deposit takes nothing off the custody figures', async () => {
  const { stage, depositAddress, hash } = await withDeposits();
  await closeNext(stage);
  const elsewhere = { ...depositAddress, addressId: 'elsewhere' };
  await stage.deliver(forgedConfirmation(elsewhere, { blockchainHash: hash }));
  const report = await closeNext(
    stage,
    inMempool(stage.client, hash, () => true),
  );
  expect(explanations(report)).toContain('custody 700 unexplained');
  expect(totalOf(report, depositAddress)).toMatchObject({ custodyRead: '705' });
});

test('a counted deposit that a later list shows as it was in the mempool counts as its hash shows it', async () => {
  const { stage, depositAddress } = await withDeposits();
  const hash = await stage.paid(depositAddress, 9, 3);
  await stage.run();
  expect((await closeNext(stage)).status).toBe('balanced');
  await stage.caller.advance(HOUR_MS);
  await stage.mine(1);
  await stage.run();
  const report = await closeNext(stage, inMempool(stage.client, hash, isWholeList));
  expect(totalOf(report, depositAddress)).toMatchObject({ custodyRead: '714' });
  expect([report.status, explanations(report), report.priorDay]).toEqual(['balanced', [], []]);
  const next = await closeNext(stage);
  expect([next.status, next.priorDay]).toEqual(['balanced', []]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit that its hash shows older than the list does is not pending', async () => {
  const { stage, depositAddress, hash } = await withDeposits();
  const elsewhere = { ...depositAddress, addressId: 'elsewhere' };
  await stage.deliver(forgedConfirmation(elsewhere, { blockchainHash: hash }));
  const report = await closeNext(
    stage,
    inMempool(stage.client, hash, (query) => !isWholeList(query)),
  );
  expect(explanations(report)).toContain('custody 700 unexplained');
});

test('a close whose figures agree asks for no hash', async () => {
  const { stage } = await withDeposits();
  let asked = 0;
  const counting = withTransactions(stage.client, (query, options) => {
    if (!isWholeList(query)) asked += 1;
    return stage.client.transactions(query, options);
  });
  expect([(await closeNext(stage, counting)).status, asked]).toEqual(['balanced', 0]);
});

test('a close that is stopped while it asks for a hash seals nothing', async () => {
  const { stage, hash } = await withDeposits();
  const listing = leavingOut(stage.client, hash, () => true);
  const custody = withTransactions(listing, (query, options) => {
    if (!isWholeList(query)) closer.stop();
    return listing.transactions(query, options);
  });
  const closer = localCloserOf(stage, { custody });
  await toNextDay(stage);
  expect(await closer.closeDue()).toEqual({ kind: 'stopped', days: [] });
  expect((await closeNext(stage)).status).toBe('balanced');
});

test('a deposit that the API left out of the close of its day is counted by the next close', async () => {
  const { stage, depositAddress, hash, day } = await afterLeavingOut();
  const report = await closeNext(stage);
  expect(totalOf(report, depositAddress)).toMatchObject({
    custodyRead: '705',
    custodyClosing: '705',
    custodyDifference: '0',
  });
  expect([report.status, explanations(report)]).toEqual(['balanced', []]);
  expect(report.priorDay).toMatchObject([
    { reason: 'custody_late', day, blockchainHash: hash, amount: '700', entryId: null },
  ]);
  const next = await closeNext(stage);
  expect([next.status, next.priorDay]).toEqual(['balanced', []]);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a deposit whose hash the API did not answer for is asked for by the close after', async () => {
  const { stage, hash } = await afterLeavingOut();
  const without = await closeNext(stage, onlyLists(stage.client, stage.now));
  expect(explanations(without)).toEqual(['custody 700 unexplained']);
  const report = await closeNext(stage);
  expect(report.status).toBe('balanced');
  expect(report.priorDay.map(({ blockchainHash }) => blockchainHash)).toEqual([hash]);
});

test('a hash at which the API fails keeps no other hash from being asked for', async () => {
  const { stage } = await withDeposits();
  let asked = 0;
  const failing = withTransactions(stage.client, async (query, options) => {
    const answer = await stage.client.transactions(query, options);
    if (answer.kind === 'ok' && isWholeList(query)) {
      return { kind: 'ok', value: { ...answer.value, rows: [], total: 0 } };
    }
    asked += 1;
    const failed = { kind: 'unavailable', cause: { kind: 'server-error', status: 500 } } as const;
    return asked === 1 ? failed : answer;
  });
  expect(explanations(await closeNext(stage, failing))).toHaveLength(1);
  expect((await closeNext(stage)).status).toBe('balanced');
});

test('a deposit that the API shows under no query stays unexplained', async () => {
  const { stage, hash } = await afterLeavingOut();
  for (let day = 0; day < 2; day += 1) {
    const report = await closeNext(
      stage,
      leavingOut(stage.client, hash, () => true),
    );
    expect(explanations(report)).toEqual(['custody 700 unexplained']);
    expect([report.status, report.priorDay]).toEqual(['exceptions', []]);
  }
});

test('an API that ignores the filter by hash adds nothing else to the custody figures', async () => {
  const { stage, depositAddress, hash } = await afterLeavingOut();
  const ignoring = withTransactions(stage.client, ({ blockchainHash: _, ...query }, options) =>
    leavingOut(stage.client, hash, () => true).transactions(query, options),
  );
  const report = await closeNext(stage, ignoring);
  expect(totalOf(report, depositAddress)).toMatchObject({ custodyRead: '5' });
  expect(explanations(report)).toEqual(['custody 700 unexplained']);
});

/** A closer over an API that notes the hashes that it is asked for. */
async function closingWithForgeries() {
  const { stage, depositAddress } = await withDeposits();
  await closeNext(stage);
  const asked: string[] = [];
  const custody = withTransactions(stage.client, (query, options) => {
    if (query.blockchainHash !== undefined) asked.push(query.blockchainHash);
    return stage.client.transactions(query, options);
  });
  const closer = localCloserOf(stage, { custody });
  const forge = async (first: number, count: number): Promise<string[]> => {
    const hashes = Array.from({ length: count }, (_, at) => `0xf${first + at}`);
    for (const blockchainHash of hashes) {
      const more = { id: blockchainHash, blockchainHash };
      await stage.deliver(forgedConfirmation(depositAddress, more));
    }
    return hashes;
  };
  const close = async (): Promise<readonly string[]> => {
    await toNextDay(stage);
    await closer.closeDue();
    return asked.splice(0);
  };
  return { forge, close };
}

test('two closes ask for all hashes that one of them cannot ask for', async () => {
  const { forge, close } = await closingWithForgeries();
  const forged = await forge(0, 45);
  const asked = [...(await close()), ...(await close())];
  expect(asked).toHaveLength(80);
  expect(new Set(asked)).toEqual(new Set(forged));
});

test('hashes that keep arriving leave half of the turns to those asked for before', async () => {
  const { forge, close } = await closingWithForgeries();
  const first = await forge(0, 10);
  expect(new Set(await close())).toEqual(new Set(first));
  await forge(10, 40);
  expect(await close()).toEqual(expect.arrayContaining(first));
});
