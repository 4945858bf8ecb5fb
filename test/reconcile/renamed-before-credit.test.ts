import { expect, test } from 'vitest';
import { TransactionId } from '../../src/domain/ids.ts';
import { Amount } from '../../src/domain/money/amount.ts';
import type { TransactionRecord } from '../../src/wire/transaction.ts';
import { audit } from '../store/bookkeeping/audited.ts';
import { GRACE_MS, Stage, THREE_DEEP, type Webhook } from './stage.ts';

const OTHER_ID = TransactionId('other');

/** A deposit of 700 units that the API verified, and that waits for a person's approval. */
async function unapproved() {
  const rule = { confirmations: 3, oneApprovalAbove: Amount(1n) };
  const stage = await Stage.start({ policy: { ...THREE_DEEP, default: rule } });
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run(sweep);
  expect(await stage.depositState(hash)).toBe('held: approval_required');
  await stage.caller.advance(GRACE_MS);
  const runs = async (): Promise<void> => {
    for (let run = 0; run < 4; run += 1) {
      await stage.run(sweep);
      await stage.caller.advance(GRACE_MS);
    }
  };
  const approve = async (): Promise<void> => {
    const [deposit] = await stage.deposits(hash);
    if (deposit === undefined) throw new Error('no deposit');
    const { depositId } = deposit;
    await stage.open.decide({ kind: 'approve', depositId, reason: 'known customer' });
  };
  return { stage, hash, runs, approve };
}

/** From now on lists show the rows as `change` makes them; a look-up finds no other ids. */
function lists(
  { client }: Stage,
  change: (rows: readonly TransactionRecord[]) => TransactionRecord[],
  isKnown: (id: string) => boolean,
): void {
  const [one, list] = [client.transaction.bind(client), client.transactions.bind(client)];
  client.transaction = async (id, ...asked) =>
    isKnown(id) ? one(id, ...asked) : { kind: 'not-found' };
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    const rows = change(answer.value.rows);
    return { ...answer, value: { ...answer.value, rows, total: rows.length } };
  };
}

test('a verified deposit is not credited when the API shows it rolled back under another id alone', async () => {
  const { stage, hash, runs, approve } = await unapproved();
  stage.loses = ({ type }: Webhook) => type === 'rollback';
  await stage.reorg(3, [hash]);
  lists(
    stage,
    (rows) => rows.map((row) => ({ ...row, transactionId: OTHER_ID })),
    () => false,
  );
  await stage.run();
  await approve();
  expect(stage.open.feedLines()).toEqual([]);
  await runs();
  expect(await stage.depositState(hash)).toBe('rolled_back');
  expect(stage.open.balances()).toEqual({});
  expect(audit(stage.open)).toEqual([]);
});

test('a rolled-back row under another id ends no verification while the API knows the deposit’s own id', async () => {
  const { stage, runs, approve } = await unapproved();
  const updatedAt = new Date(stage.now).toISOString();
  lists(
    stage,
    (rows) => [
      ...rows,
      ...rows.map((row) => ({
        ...row,
        transactionId: OTHER_ID,
        status: 'rolledback',
        updatedAt,
      })),
    ],
    (id) => id !== OTHER_ID,
  );
  await runs();
  expect(stage.open.openBreaks()).toEqual([]);
  await approve();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(audit(stage.open)).toEqual([]);
});

test('deposits whose ids the API still knows do not keep another one from its look-up', async () => {
  const stage = await Stage.start();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const depositAddress = await stage.depositAddress();
  const gone = await stage.paid(depositAddress, 700, 3);
  for (let amount = 1; amount <= 5; amount += 1) await stage.paid(depositAddress, amount, 3);
  await stage.run(sweep);
  expect(stage.open.feedLines()).toHaveLength(6);
  await stage.caller.advance(GRACE_MS);
  const [deposit] = await stage.deposits(gone);
  const updatedAt = new Date(stage.now).toISOString();
  lists(
    stage,
    (rows) =>
      rows
        .map((row) => ({
          ...row,
          transactionId: TransactionId(`${row.transactionId}-before`),
          status: 'rolledback',
          updatedAt,
        }))
        .sort(
          (left, right) =>
            Number(left.blockchainHash === gone) - Number(right.blockchainHash === gone),
        ),
    (id) => id !== deposit?.transactionId && !id.endsWith('-before'),
  );
  for (let run = 0; run < 6; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS);
  }
  expect(stage.open.feedLines().slice(6)).toEqual(['reversal 700']);
});
