import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../../postgres/installed.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { runProgram } from '../../e2e/program.ts';
import { Journal, SharedCore, twoJournals } from './journals.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';
import { Sender, statusesOf } from '../../e2e/receivers/sender.ts';

/** Half the time that a takeover of the same journal waits for: `receiver.leaseSeconds` is 3. */
const PAUSE_MS_MAX = 1_500;

/** Enough to pay a transfer of some wei and its fee. */
const ONE_ETH = '1000000000000000000';

async function startedOwner(store: string, name: string): Promise<RealReceiver> {
  const receiver = await receiverOf(store, name);
  await receiver.start();
  await receiver.becomes('owner');
  return receiver;
}

function doctor({ daemon }: Journal): ReturnType<typeof runProgram> {
  return runProgram('doctor', '--config', daemon.configPath);
}

describe.runIf(isInstalled)('two journals on one primary', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('each books and credits its own vault alone, in a feed from 1 without a gap, if its API client sees no other vault', async () => {
    const [one, two] = await twoJournals(cluster, 'own vault');
    const paid = new Map<Journal, string[]>([
      [one, [await one.pay('700'), await one.pay('701'), await one.pay('702')]],
      [two, [await two.pay('900'), await two.pay('901')]],
    ]);
    for (const [journal, hashes] of paid) {
      for (const hash of hashes) await journal.untilCredited(hash);
    }
    for (const [journal, hashes] of paid) {
      await journal.reconcile();
      const feed = await journal.feed();
      expect(feed.map(({ seq }) => seq)).toEqual(hashes.map((_, index) => index + 1));
      expect(feed.map(({ blockchainHash }) => blockchainHash).toSorted()).toEqual(
        hashes.toSorted(),
      );
      const booked = [...feed, ...(await journal.deposits())];
      expect(new Set(booked.map(({ vaultId }) => vaultId))).toEqual(new Set([journal.vaultId]));
      expect(await journal.breaks()).toEqual([]);
      expect((await doctor(journal)).stdout).not.toContain('also sees');
    }
  });

  test('kill -9 of the owner of one: the other acknowledges without a pause, and after a restart nothing is lost', async () => {
    const [one, two] = await Promise.all([
      startedOwner(await newJournalUrl(cluster), 'one'),
      startedOwner(await newJournalUrl(cluster), 'two'),
    ]);
    const [toOne, toTwo] = [new Sender([one]), new Sender([two])];
    await until('deliveries arrive', () =>
      [toOne, toTwo].every(({ acknowledged }) => acknowledged.length > 50),
    );
    await one.daemon.end('SIGKILL');
    await toOne.stop();
    const before = toTwo.acknowledged.length;
    await one.start();
    await one.becomes('owner');
    await toTwo.stop();
    expect(toTwo.acknowledged.length).toBeGreaterThan(before + 50);
    expect(toTwo.refused).toEqual([]);
    expect(toTwo.longestMs).toBeLessThan(PAUSE_MS_MAX);
    for (const [receiver, { acknowledged }] of [
      [one, toOne],
      [two, toTwo],
    ] as const) {
      const statuses = await statusesOf(receiver, acknowledged);
      expect(new Set(statuses)).toEqual(new Set(['duplicate']));
    }
  });

  test('a transfer between them is a withdrawal in one and a credited deposit in the other', async () => {
    const [one, two] = await twoJournals(cluster, 'own vault');
    await one.untilCredited(await one.pay(ONE_ETH));
    const hash = await one.send('100', two.address.networkAddress);
    expect(await two.untilCredited(hash)).toMatchObject({ amount: '100', vaultId: two.vaultId });
    await one.untilMined(hash);
    for (const journal of [one, two]) await journal.reconcile();
    expect(await two.withdrawals()).toEqual([]);
    expect((await one.deposits()).map(({ amount }) => amount)).toEqual([ONE_ETH]);
    expect([...(await one.breaks()), ...(await two.breaks())]).toEqual([]);
  });

  test('API clients that see every vault: both feeds have every credit under one id, even for webhooks at the wrong URL; a transfer is internal in both', async () => {
    const [one, two] = await twoJournals(cluster, 'every vault');
    expect((await doctor(one)).stdout).toContain(`also sees ${two.vaultId}, which custody.vaults`);
    const hash = await one.pay(ONE_ETH);
    const credit = await one.untilCredited(hash);
    const again = await two.untilCredited(hash);
    expect(again).toMatchObject({ creditId: credit.creditId, vaultId: one.vaultId });
    const sent = await one.send('100', two.address.networkAddress);
    for (const journal of [one, two]) {
      await journal.untilMined(sent);
      await journal.untilDeposit(sent, 'internal');
      await journal.reconcile();
      expect((await journal.feed()).map(({ creditId }) => creditId)).toEqual([credit.creditId]);
      expect(await journal.breaks()).toEqual([]);
    }
    // Webhooks at the wrong URL: the same, and the journal that takes them opens no break.
    await two.subscribeTo(one.webhookUrl);
    const strayed = await two.pay('900');
    const { creditId } = await one.untilCredited(strayed);
    expect((await two.untilCredited(strayed)).creditId).toBe(creditId);
    await one.reconcile();
    expect(await one.breaks()).toEqual([]);
  });

  test('API clients that see every vault, each policy with its own vault: each feed has its own credits alone, and the other journal books and holds them', async () => {
    const [one, two] = await twoJournals(cluster, 'every vault', 'own vault');
    expect((await doctor(one)).stdout).toContain('crediting.vaults holds them');
    const [ofOne, ofTwo] = [await one.pay('700'), await two.pay('900')];
    for (const [journal, own, others] of [
      [one, ofOne, ofTwo],
      [two, ofTwo, ofOne],
    ] as const) {
      await journal.untilCredited(own);
      await journal.untilDeposit(others, 'held');
      await journal.reconcile();
      expect((await journal.feed()).map(({ blockchainHash }) => blockchainHash)).toEqual([own]);
      expect(await journal.breaks()).toEqual([]);
    }
  });

  test("webhooks at the other journal's URL: the other journal never credits them, and the vault's own journal credits from the API", async () => {
    const [one, two] = await twoJournals(cluster, 'own vault');
    await two.subscribeTo(one.webhookUrl);
    const hash = await two.pay('900');
    await one.untilDeposit(hash, 'verifying');
    await two.untilCredited(hash);
    for (const journal of [one, two]) await journal.reconcile();
    expect(await one.feed()).toEqual([]);
    expect(await one.breaks()).toMatchObject([
      { type: 'unknown_to_custody', severity: 'critical', blockchainHash: hash },
    ]);
    expect(await two.feed()).toMatchObject([{ seq: 1, blockchainHash: hash }]);
    expect(await two.breaks()).toMatchObject([{ type: 'subscription_drift' }]);
  });

  test("with one API client, each counts its own requests, and the service's count in its answers keeps both to one limit", async () => {
    const core = await SharedCore.start();
    const client = await core.client('both');
    for (let count = 0; count < 30; count += 1) {
      await core.control.post('/sim/vaults', { name: `vault ${count}` });
    }
    const shared = { cluster, core, client, sees: 'every vault', vaults: 'all' } as const;
    const one = await Journal.start({ ...shared, name: 'one' });
    const two = await Journal.start({ ...shared, name: 'two' });
    // A check may use 40 requests of a minute.
    for (const journal of [one, two]) {
      expect((await doctor(journal)).stdout).toContain('the request limit is used up');
    }
    const asked = [one, two].map(({ view }) => view.statuses.length);
    expect(asked[0]).toBeGreaterThan(30);
    expect(asked[1]).toBeLessThan(5);
    expect(await Promise.all([one, two].map((journal) => journal.counted(cluster)))).toEqual(asked);
    expect([...one.view.statuses, ...two.view.statuses]).not.toContain(429);
  });
});
