import { expect, test } from 'vitest';
import { TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/wire/transaction.ts';
import { CustodyChanges } from '../../../src/reconcile/verifying/custody-changes.ts';
import { lastReport, unsoundCloses } from '../../store/close/closing.ts';
import { hides } from '../shown-otherwise.ts';
import { GRACE_MS, type Stage } from '../stage.ts';
import { afterQuietDay, DAY_MS, explanations, toNextDay, totalOf } from './days.ts';

const NEW_ID = TransactionId('renamed');

/** From now on the custody API shows its only transaction under another id. */
function renames({ client }: Stage): void {
  const [one, list] = [client.transaction.bind(client), client.transactions.bind(client)];
  const renamed = (row: TransactionRecord) => ({ ...row, transactionId: NEW_ID });
  client.transaction = async (id, ...asked) => {
    if (id !== NEW_ID) return { kind: 'not-found' };
    const answer = await one(id, ...asked);
    return answer.kind === 'ok' ? { ...answer, value: renamed(answer.value) } : answer;
  };
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    return { ...answer, value: { ...answer.value, rows: answer.value.rows.map(renamed) } };
  };
}

async function runs(stage: Stage, sweep = stage.sweep): Promise<void> {
  for (let run = 0; run < 4; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS);
  }
}

test('a transaction that has another id now counts once in the custody figures', async () => {
  const { stage, depositAddress, closer } = await afterQuietDay();
  await stage.reorg(5, []);
  await stage.run();
  renames(stage);
  await stage.mine(5);
  await runs(stage);
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  await toNextDay(stage);
  await closer.closeDue();
  const report = lastReport(stage.open);
  expect([report.status, explanations(report)]).toEqual(['balanced', []]);
  expect(totalOf(report, depositAddress)).toMatchObject({
    custodyClosing: '700',
    custodyDifference: '0',
  });
  expect(unsoundCloses(stage.open)).toEqual([]);
});

/** A day after deposits were counted; the API does not know their transactions any more. */
async function afterForgetting(...amounts: readonly number[]) {
  const { stage, depositAddress, closer } = await afterQuietDay();
  const changes = new CustodyChanges({ custody: stage.client, now: () => stage.now });
  const sweep = stage.newSweep({ changes });
  await stage.run(sweep);
  const hashes: string[] = [];
  for (const amount of amounts) hashes.push(await stage.pay(depositAddress, amount));
  await stage.mine(3);
  await stage.run(sweep);
  await toNextDay(stage);
  await closer.closeDue();
  expect(lastReport(stage.open).status).toBe('balanced');
  hides(stage, ({ blockchainHash }) => hashes.includes(blockchainHash ?? '')).isOn = true;
  await runs(stage, sweep);
  expect(stage.open.openBreaks()).toEqual(amounts.map(() => 'unknown_to_custody'));
  const figures = async () => {
    await toNextDay(stage);
    await closer.closeDue();
    const report = lastReport(stage.open);
    const { custodyRead, custodyClosing } = totalOf(report, depositAddress);
    return [custodyRead, custodyClosing, ...explanations(report)];
  };
  return { stage, sweep, hashes, figures };
}

test('a deposit that the API does not know any more leaves the custody figures', async () => {
  const { stage, figures } = await afterForgetting(5);
  expect(await figures()).toEqual(['700', '705']);
  expect(await figures()).toEqual(['700', '700', 'custody 5 break']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('such a deposit leaves them also when a person has exempted its hash, and not its type alone', async () => {
  const { stage, sweep, hashes, figures } = await afterForgetting(5);
  const until = stage.now + 30 * DAY_MS;
  const terms = { until, reason: 'taken back by hand', owner: 'ann' };
  const broad = { ...terms, rule: 'forgeries', breakType: 'unknown_to_custody' } as const;
  await stage.open.decide({ kind: 'exempt', rule: broad });
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual(['unknown_to_custody']);
  const [blockchainHash = ''] = hashes;
  await stage.open.decide({ kind: 'exempt', rule: { ...terms, rule: 'gone', blockchainHash } });
  await stage.run(sweep);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(await figures()).toEqual(['700', '705']);
  expect(await figures()).toEqual(['700', '700', 'custody 5 exempt']);
  expect(unsoundCloses(stage.open)).toEqual([]);
});

test('a close stops asking for counted transactions when the request budget is used up', async () => {
  const { stage, figures } = await afterForgetting(5, 6, 7);
  let asked = 0;
  stage.client.transaction = async () => {
    asked += 1;
    return { kind: 'rate-budget', retryAtMs: stage.now };
  };
  await figures();
  expect(asked).toBe(1);
});
