import { expect, test } from 'vitest';
import { decode } from '../../../src/intake/decode.ts';
import { verify } from '../../../src/store/sqlite/audit/verify.ts';
import { factOf, openLedgerFile, SIX_DEEP } from '../open-ledger.ts';
import { change, HASH, Service } from '../webhook.ts';

const SILENT = { start: () => undefined, tick: () => undefined, done: () => undefined };

/** Three bodies about one address, with 400 assets each: an address takes 1,000. */
function bodies(): object[] {
  const service = new Service();
  return [0, 400, 800].map((from) => {
    const assets = Array.from({ length: 400 }, (_, at) => `ethereum:C${from + at}`);
    return service.confirmed(1 + from, {
      balanceChanges: assets.map((asset) => change(1n, { asset })),
    });
  });
}

/** A store that took all three together; `replays`: as one may have done before there was a bound. */
async function storeWith(options: { replays?: boolean } = {}) {
  const { open, path } = await openLedgerFile(SIX_DEEP, options);
  await open.commit(bodies().map((body) => factOf(body, open.at)));
  return { open, path };
}

function problemsOf(path: string): readonly string[] {
  return verify(path, { decode, progress: SILENT }).checks.flatMap(({ problems }) => problems);
}

test('a notification beyond a position’s limit is quarantined, in one commit, in three and in a replay', async () => {
  for (const batches of [[bodies()], bodies().map((body) => [body])]) {
    const { open, path } = await openLedgerFile();
    const outcomes = [];
    for (const batch of batches) {
      outcomes.push(...(await open.commit(batch.map((body) => factOf(body, open.at)))));
    }
    expect(outcomes.map((one) => one.kind === 'delivery' && one.status)).toEqual([
      'accepted',
      'accepted',
      'quarantined',
    ]);
    expect(open.rows('SELECT defect FROM quarantine')).toEqual([
      { defect: 'balanceChanges: more than 1000 deposits at one place' },
    ]);
    expect(open.deposits()).toHaveLength(800);
    open.close();
    expect(problemsOf(path)).toEqual([]);
  }
});

test('a replay books again what an earlier limit allowed', async () => {
  const { open, path } = await storeWith({ replays: true });
  expect(open.deposits()).toHaveLength(1_200);
  open.close();
  expect(problemsOf(path)).toEqual([]);
});

test('a retry by a person books a notification beyond a position’s limit', async () => {
  const { open, path } = await storeWith();
  const [kept] = open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
  const retry = { kind: 'retry', quarantineId: kept?.id ?? '', reason: 'it is true' } as const;
  expect(await open.decide(retry)).toMatchObject({ kind: 'taken', status: 'accepted' });
  expect(open.deposits().filter(({ blockchain_hash }) => blockchain_hash === HASH)).toHaveLength(
    1_200,
  );
  open.close();
  expect(problemsOf(path)).toEqual([]);
});
