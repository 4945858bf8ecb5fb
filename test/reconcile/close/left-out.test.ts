import { expect, test } from 'vitest';
import type { CustodyClient, TransactionQuery } from '../../../src/custody/client.ts';
import { lastReport, unsoundCloses } from '../../store/close/closing.ts';
import type { Stage } from '../stage.ts';
import {
  calendar,
  explanations,
  HOUR_MS,
  lastClose,
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

/** A closed day whose close the API showed no row of its deposit of 700. */
async function afterLeavingOut() {
  const stage = await start();
  const depositAddress = await stage.depositAddress();
  const hash = await stage.paid(depositAddress, 700, 30);
  await stage.run();
  await stage.caller.advance(2 * HOUR_MS);
  await stage.paid(depositAddress, 5, 3);
  await stage.run();
  const day = calendar.dayAt(stage.now);
  await closeNext(stage, leavingOut(stage.client, hash, isWholeList));
  return { stage, depositAddress, hash, day };
}

async function closeNext(stage: Stage, custody: CustodyClient = stage.client) {
  await toNextDay(stage);
  await localCloserOf(stage, { custody }).closeDue();
  return lastReport(stage.open);
}

test('a deposit that the API left out of the close of its day is counted by the next close', async () => {
  const { stage, depositAddress, hash, day } = await afterLeavingOut();
  const first = lastClose(stage);
  expect(explanations(first.parsed)).toEqual(['custody 700 unexplained']);
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
  const failing = withTransactions(stage.client, (query, options) =>
    isWholeList(query)
      ? stage.client.transactions(query, options)
      : Promise.resolve({ kind: 'rate-budget', retryAtMs: stage.now }),
  );
  const without = await closeNext(stage, failing);
  expect(explanations(without)).toEqual(['custody 700 unexplained']);
  const report = await closeNext(stage);
  expect(report.status).toBe('balanced');
  expect(report.priorDay.map(({ blockchainHash }) => blockchainHash)).toEqual([hash]);
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
