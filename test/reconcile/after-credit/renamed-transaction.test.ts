import { expect, test } from 'vitest';
import { TransactionId } from '../../../src/domain/ids.ts';
import type { TransactionRecord } from '../../../src/wire/transaction.ts';
import { audit } from '../../store/bookkeeping/audited.ts';
import { GRACE_MS, Stage, type Webhook } from '../stage.ts';

const NEW_ID = TransactionId('renamed');

/** While `isOn`, the custody API knows the transaction of a hash under another id alone. */
function renames({ client }: Stage, hash: string): { isOn: boolean } {
  const api = { isOn: true };
  const [one, list] = [client.transaction.bind(client), client.transactions.bind(client)];
  let first = NEW_ID;
  const change = (row: TransactionRecord): TransactionRecord => {
    if (!api.isOn || row.blockchainHash !== hash) return row;
    first = TransactionId(row.transactionId);
    return { ...row, transactionId: NEW_ID };
  };
  client.transaction = async (id, ...asked) => {
    const answer = await one(api.isOn && id === NEW_ID ? first : id, ...asked);
    if (answer.kind !== 'ok') return answer;
    const value = change(answer.value);
    return value.transactionId === id ? { ...answer, value } : { kind: 'not-found' };
  };
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    return { ...answer, value: { ...answer.value, rows: answer.value.rows.map(change) } };
  };
  return api;
}

/** A credited deposit of 700 units whose transaction has another id at the API since. */
async function renamed() {
  const stage = await Stage.start();
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run(sweep);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const api = renames(stage, hash);
  const runs = async (count: number): Promise<void> => {
    for (let run = 0; run < count; run += 1) {
      await stage.caller.advance(GRACE_MS);
      expect((await stage.run(sweep)).repairs.backfilled).toBe(0);
    }
  };
  return { stage, sweep, hash, api, runs };
}

/** A deposit that was rolled back and reversed; its transaction has another id at the API since. */
async function reversed() {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  await stage.run();
  await stage.reorg(5, []);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  renames(stage, hash);
  return { stage, hash };
}

test('a credited deposit whose transaction gets another id is one critical break that says so, until the id is back', async () => {
  const { stage, api, runs } = await renamed();
  await runs(6);
  const { detail, severity } = stage.open.openBreak('unknown_to_custody');
  expect([severity, detail]).toEqual([
    'critical',
    'the custody API knows this transaction as renamed: it was credited, ask the custody service whether it is on the chain',
  ]);
  expect(stage.open.breaks()).toHaveLength(1);
  const events = stage.open.rows<{ action: string }>('SELECT action FROM break_events');
  expect(events.map(({ action }) => action)).toEqual(['opened']);
  api.isOn = false;
  await stage.mine(1);
  await runs(1);
  expect(stage.open.openBreaks()).toEqual([]);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test.each([
  ['and a webhook says so', false],
  ['and its webhook is lost', true],
])('the credit is reversed when the renamed transaction is rolled back %s', async (_, isLost) => {
  const { stage, hash, sweep } = await renamed();
  stage.loses = ({ stream, type }: Webhook) =>
    isLost && stream === 'incoming' && type === 'rollback';
  await stage.reorg(3, [hash]);
  stage.loses = () => false;
  for (let run = 0; run < 4; run += 1) {
    await stage.caller.advance(GRACE_MS);
    await stage.run(sweep);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700']);
  expect(stage.open.openBreaks()).toEqual(['reversal_after_credit']);
  expect(stage.open.balances()).toEqual({});
  expect(audit(stage.open)).toEqual([]);
});

/** From now on lists also show a transaction's row as it was when it was rolled back, first. */
function alsoLists({ client }: Stage, row: TransactionRecord): void {
  const list = client.transactions.bind(client);
  client.transactions = async (...asked) => {
    const answer = await list(...asked);
    if (answer.kind !== 'ok') return answer;
    const { rows, total } = answer.value;
    return { ...answer, value: { ...answer.value, rows: [...rows, row], total: total + 1 } };
  };
}

/** The list's row of a hash. */
async function listedRow({ client }: Stage, hash: string): Promise<TransactionRecord> {
  const asked = { page: 0, pageSize: 1_000 };
  const answer = await client.transactions(asked, { priority: 'sweep', deadlineMs: Infinity });
  if (answer.kind !== 'ok') throw new Error(answer.kind);
  const row = answer.value.rows.find(({ blockchainHash }) => blockchainHash === hash);
  if (row === undefined) throw new Error('no row');
  return row;
}

test('the row of before, which was rolled back, reverses no credit of the transaction that was mined again under another id', async () => {
  const { stage, hash } = await reversed();
  const [deposit] = await stage.deposits(hash);
  const row = await listedRow(stage, hash);
  alsoLists(stage, { ...row, transactionId: deposit?.transactionId ?? '', status: 'rolledback' });
  await stage.mine(3);
  const webhookUrl = await stage.webhookUrl();
  const subscription = { webhookUrl, vaults: 'all' } as const;
  for (let run = 0; run < 8; run += 1) {
    await stage.run(stage.newSweep({ subscription }));
    await stage.caller.advance(GRACE_MS);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  const mismatches = stage.open.breaks().filter(({ type }) => type === 'status_mismatch');
  // The row was the deposit's own until the deposit followed the other one.
  expect(mismatches).toMatchObject([{ state: 'resolved' }]);
  expect(audit(stage.open)).toEqual([]);
});

test('the row of before, changed since the credit, reverses no credit while the deposit has its own row', async () => {
  const { stage, hash } = await reversed();
  const [deposit] = await stage.deposits(hash);
  await stage.mine(3);
  const webhookUrl = await stage.webhookUrl();
  const sweep = stage.newSweep({ subscription: { webhookUrl, vaults: 'all' } });
  const run = async (): Promise<void> => {
    await stage.run(sweep);
    await stage.caller.advance(GRACE_MS);
  };
  for (let count = 0; count < 3; count += 1) await run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  const row = await listedRow(stage, hash);
  const updatedAt = new Date(stage.now).toISOString();
  const transactionId = deposit?.transactionId ?? '';
  alsoLists(stage, { ...row, transactionId, updatedAt, status: 'rolledback' });
  const breaks = stage.open.breaks();
  for (let count = 0; count < 5; count += 1) await run();
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  expect(stage.open.breaks()).toEqual(breaks);
  expect(audit(stage.open)).toEqual([]);
});

test('a reversed deposit that is mined again under another id is credited again after the grace period', async () => {
  const { stage, hash } = await reversed();
  await stage.mine(3);
  for (let run = 0; run < 3; run += 1) {
    await stage.run();
    await stage.caller.advance(GRACE_MS);
  }
  expect(stage.open.feedLines()).toEqual(['credit 700', 'reversal 700', 'credit 700']);
  expect((await stage.deposits(hash))[0]?.transactionId).toBe(NEW_ID);
  expect(audit(stage.open)).toEqual([]);
});
