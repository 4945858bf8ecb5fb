import { expect, test } from 'vitest';
import type { CustodyClient } from '../../../src/custody/client.ts';
import type { Page } from '../../../src/custody/list/row.ts';
import type { Outcome } from '../../../src/custody/call/outcome.ts';
import type { TransactionRecord } from '../../../src/wire/transaction.ts';
import { GRACE_MS, Stage } from '../stage.ts';

const FUNDS = '900000000000000000';
const MINUTE = 60_000;

/** The client of an API that hides a transaction: its lists omit it, and a look-up answers 404. */
function hiding(client: CustodyClient, transactionId: string): CustodyClient {
  const transactions: CustodyClient['transactions'] = async (query, options) =>
    without(await client.transactions(query, options), transactionId);
  const transaction: CustodyClient['transaction'] = (id, options) =>
    client.transaction(id === transactionId ? 'nobody' : id, options);
  return new Proxy(client, {
    get: (_, name: keyof CustodyClient) => {
      if (name === 'transactions') return transactions;
      if (name === 'transaction') return transaction;
      const member: unknown = client[name];
      return typeof member === 'function' ? (member.bind(client) as unknown) : member;
    },
  });
}

function without(
  answer: Outcome<Page<TransactionRecord>>,
  transactionId: string,
): Outcome<Page<TransactionRecord>> {
  if (answer.kind !== 'ok') return answer;
  const rows = answer.value.rows.filter((row) => row.transactionId !== transactionId);
  const total = answer.value.total - (answer.value.rows.length - rows.length);
  return { kind: 'ok', value: { ...answer.value, rows, total } };
}

/** A transfer between two vaults of ours, three deep, as the API could not be asked for a while. */
async function sent(stage: Stage): Promise<string> {
  const [from, to] = [await stage.depositAddress(), await stage.depositAddress()];
  await stage.paid(from, FUNDS, 3);
  await stage.run();
  const id = await stage.order(from, to.networkAddress, '1000');
  await stage.mine(3);
  await stage.caller.advance(GRACE_MS);
  return id;
}

test('an own transfer that the API hides for minutes after an outage is not credited', async () => {
  const stage = await Stage.start();
  const id = await sent(stage);
  const sweep = stage.newSweep({ custody: hiding(stage.client, id) });
  for (let run = 0; run < 8; run += 1) {
    await stage.run(sweep);
    await stage.caller.advance(MINUTE);
  }
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  await stage.run();
  expect(stage.open.feedLines()).toEqual([`credit ${FUNDS}`]);
  expect(stage.open.openBreaks()).toEqual([]);
});
