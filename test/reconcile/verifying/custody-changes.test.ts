import { expect, test } from 'vitest';
import { MemoryRequestLog } from '../../../src/custody/budget/request-log.ts';
import { startVerifying, type VerifyingStage } from './verifying-stage.ts';

const PAGE = 1_000;

/** So many deposits in one block, of which no webhook ever comes. */
async function payMany({ stage }: VerifyingStage, count: number): Promise<void> {
  const { addressId } = await stage.depositAddress();
  stage.loses = () => true;
  for (let paid = 0; paid < count; paid += 1) {
    const outputs = [{ addressId, asset: 'ethereum:ETH', amount: 700n }];
    stage.caller.core.world.deposit({ network: 'ethereum', outputs });
  }
  await stage.mine(1);
  stage.loses = () => false;
}

/** Reads the list once; `askedAfter` is the journal position when the reading begins. */
function readingOf({ stage, changes }: VerifyingStage) {
  return (askedAfter = 0) =>
    changes.read({ priority: 'sweep', deadlineMs: stage.now + 10_000, askedAfter });
}

test('a page that holds a known row ends the reading, although a thousand rows have its time', async () => {
  const verifying = await startVerifying();
  await payMany(verifying, PAGE + 50);
  const read = readingOf(verifying);
  const first = await read();
  expect(first).toMatchObject({ incomplete: null, requests: 3 });
  expect(first.transactions.size).toBe(PAGE + 50);
  expect(await read()).toMatchObject({ incomplete: null, requests: 1 });
});

test('a reading expects several requests when two readings before it were full of changes', async () => {
  const verifying = await startVerifying();
  const { stage, changes } = verifying;
  const read = readingOf(verifying);
  await read();
  await payMany(verifying, PAGE / 2);
  await read();
  await payMany(verifying, PAGE / 2);
  expect(changes.requestsExpected()).toBe(1);
  await read();
  expect(changes.requestsExpected()).toBe(1);
  await stage.caller.advance(6_000);
  expect(changes.requestsExpected()).toBeGreaterThanOrEqual(3);
});

test('a run without a request of its own compares what the verifier has read', async () => {
  const log = new MemoryRequestLog();
  const { stage, sweep, rounds } = await startVerifying({ log });
  // A busy hour: most of it is used, and so are the sweep's own requests.
  for (const [lane, count] of [
    ['deposits', 700],
    ['sweep', 20],
  ] as const) {
    for (let used = 0; used < count; used += 1) {
      const atMs = stage.now - 1_800_000;
      log.finish(log.start({ lane, atMs }), atMs);
    }
  }
  const depositAddress = await stage.depositAddress();
  await stage.paid(depositAddress, 700, 3);
  await stage.caller.advance(120_000);
  await rounds(60_000);
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  const young = await stage.pay(depositAddress, 800);
  await stage.mine(3);
  stage.attempts.length = 0;
  const run = await stage.run(sweep);
  expect(run).toMatchObject({ incomplete: null, requests: 0, broken: 0 });
  expect(run.matched).toBeGreaterThan(0);
  expect(stage.attempts).toEqual([]);
  expect(await stage.depositState(young)).toBe('verifying');
  await stage.caller.advance(20_000);
  expect((await stage.run(sweep)).incomplete).toMatch(/request budget/);
});

test('the next reading goes back to a row that must be read again, and counts it as news', async () => {
  const verifying = await startVerifying();
  const { stage, changes } = verifying;
  const read = readingOf(verifying);
  await payMany(verifying, 1);
  const [row] = (await read(1)).transactions.values();
  if (row === undefined) throw new Error('the list shows nothing');
  // More than a page of younger rows: no reading comes to this row again by itself.
  await stage.caller.advance(60_000);
  await payMany(verifying, PAGE + 50);
  await read(2);
  changes.take(changes.unswept);
  expect(await read(3)).toMatchObject({ requests: 1 });
  expect(changes.take(changes.unswept).size).toBe(0);
  changes.readAgain(row);
  expect(changes.shown.get(row.transactionId)).toBeUndefined();
  await read(4);
  const again = [...changes.take(changes.unswept).values()];
  expect(again).toMatchObject([{ transactionId: row.transactionId, askedAfter: 4 }]);
  expect(changes.shown.get(row.transactionId)).toEqual(again[0]);
});

test('a queued row that was read once more counts as it was read last', async () => {
  const verifying = await startVerifying();
  const { changes } = verifying;
  const read = readingOf(verifying);
  await payMany(verifying, 1);
  await read(1);
  await read(2);
  expect([...changes.take(changes.unswept).values()]).toMatchObject([{ askedAfter: 2 }]);
});
