import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { journalAddress } from '../../src/store/postgres/address.ts';
import { initJournal } from '../../src/store/postgres/init.ts';
import { Sender, statusOf } from '../e2e/receivers/sender.ts';
import { receiverOf, until } from '../e2e/receivers/receivers.ts';
import { isPatroniInstalled, PatroniPair } from '../postgres/patroni.ts';

const isInstalled = isPatroniInstalled();
if (!isInstalled)
  console.warn('skipped: `apt-get install patroni etcd-server postgresql` brings it');

describe.runIf(isInstalled)('two PostgreSQL servers under Patroni', () => {
  let pair: PatroniPair;
  beforeAll(async () => {
    pair = await PatroniPair.start();
  });
  afterAll(() => pair?.stop());

  test('the machine of the primary is killed: the standby is promoted and nothing is lost', async () => {
    const store = pair.url('postgres', '?sslmode=disable');
    await initJournal(journalAddress(store), { nowMs: Date.now() });
    const receivers = [];
    for (const name of ['a', 'b']) {
      const receiver = await receiverOf(store, name, { standby: 'required' });
      await receiver.start();
      receivers.push(receiver);
    }
    const sender = new Sender(receivers);
    await until('deliveries arrive', () => sender.acknowledged.length > 50);
    const primary = await pair.primary();
    if (primary === undefined) throw new Error('there is no primary');
    const killedMs = performance.now();
    await pair.killMachine(primary);
    await until('the standby is promoted', async () => {
      const now = await pair.primary();
      return now !== undefined && now !== primary;
    });
    const promotedSeconds = (performance.now() - killedMs) / 1000;
    // Strict: without a second server nothing is acknowledged.
    const before = sender.acknowledged.length;
    pair.startMachine(primary);
    await pair.hasStandby();
    await until('deliveries go on', () => sender.acknowledged.length > before + 50);
    const servedSeconds = (performance.now() - killedMs) / 1000;
    await sender.stop();
    for (const number of sender.acknowledged) {
      for (const receiver of receivers) expect(await statusOf(receiver, number)).toBe('duplicate');
    }
    console.info(
      `promoted after ${promotedSeconds.toFixed(1)} s; acknowledged again after ${servedSeconds.toFixed(1)} s; ${sender.acknowledged.length} acknowledged, ${sender.refused.length} refused, none lost`,
    );
  });
});
