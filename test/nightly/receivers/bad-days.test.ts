import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { journalAddress } from '../../../src/store/postgres/address.ts';
import { initJournal } from '../../../src/store/postgres/init.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { eventually } from '../../e2e/program.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  webhook,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';
import { Relay } from '../../e2e/receivers/relay.ts';
import { smallDisk } from '../../e2e/receivers/small-disk.ts';

const canMount = ((): boolean => {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
if (!canMount) console.warn('skipped: a full disk needs the right to mount a small one');

async function deliver(receiver: RealReceiver, number: number): Promise<string> {
  const answer = await receiver.daemon.deliver(webhook(number));
  const { status } = (await answer.json()) as { status: string | number };
  return answer.ok ? String(status) : `refused ${answer.status}`;
}

/** Delivers the numbers again until each is taken, as the custody service does. */
async function deliverAgain(receiver: RealReceiver, numbers: readonly number[]): Promise<string[]> {
  const answers: string[] = [];
  for (const number of numbers) {
    const answer = await eventually(`notification ${number} is taken`, async () => {
      const given = await deliver(receiver, number);
      return given.startsWith('refused') ? undefined : given;
    });
    answers.push(answer);
  }
  return answers;
}

async function metric(receiver: RealReceiver, name: string): Promise<number> {
  const text = await (await fetch(`${receiver.daemon.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}

async function notReady(receiver: RealReceiver, says: RegExp): Promise<void> {
  const ready = await eventually(`a cause like ${says.source}`, async () => {
    const answer = await receiver.ready();
    return says.test(answer.receiver.cause ?? '') ? answer : undefined;
  });
  expect(ready.status).toBe('journal-unavailable');
}

describe.runIf(isInstalled)('on a bad day', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
  });
  afterAll(() => cluster?.stop());

  /** Stops the standby until the test ends, or earlier. */
  async function standbyGone(): Promise<() => Promise<void>> {
    await cluster.standby?.stop();
    let isBack = false;
    const back = async (): Promise<void> => {
      if (isBack) return;
      isBack = true;
      await cluster.standby?.start();
      await cluster.standbyFollows();
    };
    onTestFinished(back);
    return back;
  }

  /** A new journal behind a network that a test can cut, and one that no test cuts. */
  async function journal(): Promise<{
    direct: string;
    relayed: string;
    network: Relay;
    name: string;
  }> {
    const direct = await newJournalUrl(cluster);
    const network = await Relay.listen();
    network.port = cluster.primary.port;
    const hosts = new URL(direct.replace(/,[^/]*/, '')).host;
    const relayed = direct.replace(/@[^/]*/, `@127.0.0.1:${network.ownPort}`);
    expect(hosts).toContain(String(cluster.primary.port));
    return { direct, relayed, network, name: new URL(relayed).searchParams.get('schema') ?? '' };
  }

  /** How often each notification is in the journal, where that is not once. */
  async function notOnce(schema: string, numbers: readonly number[]): Promise<unknown[]> {
    const [row] = await cluster.sql<{ facts: number }>(
      `SELECT count(*)::int AS facts FROM ${schema}.journal WHERE kind = 'notification'`,
    );
    return row?.facts === new Set(numbers).size ? [] : [row?.facts, new Set(numbers).size];
  }

  test('without the standby a required one lets nobody acknowledge, and says so', async () => {
    const { direct, name } = await journal();
    const receiver = await receiverOf(direct, 'a', { standby: 'required' });
    await receiver.start();
    await receiver.becomes('owner');
    expect(await deliver(receiver, 1)).toBe('accepted');
    const standbyBack = await standbyGone();
    expect(await deliver(receiver, 2)).toBe('refused 503');
    await notReady(
      receiver,
      /no synchronous standby has confirmed the write: start the standby, repair its network, or name another one/,
    );
    await until('the alert fires', async () => {
      return (await metric(receiver, 'counterfoil_journal_standby_missing')) === 1;
    });
    await standbyBack();
    expect(await deliverAgain(receiver, [1, 2])).toContain('duplicate');
    await receiver.becomes('owner');
    expect(await notOnce(name, [1, 2])).toEqual([]);
    await until('the alert ends', async () => {
      return (await metric(receiver, 'counterfoil_journal_standby_missing')) === 0;
    });
  });

  test('without the standby an optional one lets the receivers go on, with a loud warning', async () => {
    const { direct } = await journal();
    const receiver = await receiverOf(direct, 'a', { standby: 'optional' });
    await receiver.start();
    await receiver.becomes('owner');
    expect(await deliver(receiver, 1)).toBe('accepted');
    expect((await receiver.ready()).receiver.warnings).toEqual([]);
    await standbyGone();
    expect(await deliver(receiver, 2)).toBe('accepted');
    const warning =
      /no synchronous standby follows the primary, and receiver.standby is optional: what is acknowledged now is lost if the primary is lost; start the standby/;
    await until('the warning is there', async () => {
      const { status, receiver: state } = await receiver.ready();
      return status === 'ready' && warning.test(state.warnings.join());
    });
    expect(await metric(receiver, 'counterfoil_journal_standby_missing')).toBe(1);
    expect(receiver.daemon.stderr().match(new RegExp(warning, 'g'))).toHaveLength(1);
    expect(await deliver(receiver, 3)).toBe('accepted');
  });

  test('a network that goes silent in the middle of an append loses nothing, and another owns the journal', async () => {
    const { direct, relayed, network, name } = await journal();
    const owner = await receiverOf(relayed, 'a');
    const other = await receiverOf(direct, 'b');
    await owner.start();
    await owner.becomes('owner');
    await other.start();
    await other.becomes('follower');
    const acknowledged = [1];
    expect(await deliver(owner, 1)).toBe('accepted');

    network.hold();
    const silent = [2, 3, 4].map((number) => deliver(owner, number));
    await other.becomes('owner');
    await notReady(owner, /PostgreSQL|answer/);
    expect(await deliver(other, 5)).toBe('accepted');
    acknowledged.push(5);
    expect(await Promise.all(silent)).toEqual(['refused 503', 'refused 503', 'refused 503']);

    network.release();
    await owner.becomes('follower');
    await deliverAgain(owner, [2, 3, 4]);
    for (const receiver of [owner, other]) {
      expect(await deliverAgain(receiver, [1, 2, 3, 4, 5])).toEqual(Array(5).fill('duplicate'));
    }
    expect(await notOnce(name, [1, 2, 3, 4, 5])).toEqual([]);
  });

  test('a slow network to the database delays answers, then refuses; it loses nothing, and heals', async () => {
    const { relayed, network, name } = await journal();
    const receiver = await receiverOf(relayed, 'a', { leaseSeconds: 10 });
    await receiver.start();
    const { receiver: before } = await receiver.becomes('owner');
    network.delayMs = 250;
    expect(await deliver(receiver, 1)).toBe('accepted');
    // It renews its lease in time.
    expect((await receiver.ready()).receiver.epoch).toBe(before.epoch);

    network.delayMs = 3_000;
    expect(await deliver(receiver, 2)).toBe('refused 503');
    await notReady(
      receiver,
      /PostgreSQL did not answer in time: the network may be cut, or the write waits for the standby/,
    );

    network.delayMs = 0;
    await deliverAgain(receiver, [2]);
    await receiver.becomes('owner');
    expect(await deliverAgain(receiver, [1, 2])).toEqual(['duplicate', 'duplicate']);
    expect(await notOnce(name, [1, 2])).toEqual([]);
  });

  test('a network that is cut again and again during appends loses nothing and doubles nothing', async () => {
    const { relayed, network, name } = await journal();
    const receiver = await receiverOf(relayed, 'a');
    await receiver.start();
    await receiver.becomes('owner');
    const acknowledged: number[] = [];
    const unanswered: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const numbers = Array.from({ length: 20 }, (_, index) => round * 20 + index + 1);
      const sent = numbers.map(async (number) => {
        const answer = await deliver(receiver, number);
        (answer.startsWith('refused') ? unanswered : acknowledged).push(number);
      });
      network.cut();
      network.port = cluster.primary.port;
      await Promise.all(sent);
    }
    await deliverAgain(receiver, unanswered);
    const all = [...acknowledged, ...unanswered];
    expect(await deliverAgain(receiver, all)).toEqual(all.map(() => 'duplicate'));
    expect(await notOnce(name, all)).toEqual([]);
  });

  test.skipIf(!canMount)(
    "the primary's full disk keeps everybody from acknowledging until there is space",
    async () => {
      const disk = smallDisk(24);
      if (disk === null) throw new Error('a small file system could not be mounted');
      // A tablespace is a folder of the machine, which a standby there would share.
      const alone = await startPostgres({ standby: false });
      onTestFinished(() => alone.stop());
      await alone.sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
      await alone.sql('CREATE DATABASE small TABLESPACE small');
      const store = alone.url('small');
      await initJournal(journalAddress(store), { nowMs: Date.now() });
      const receiver = await receiverOf(store, 'a');
      await receiver.start();
      await receiver.becomes('owner');
      const epoch = async (): Promise<unknown> =>
        alone.sql('SELECT epoch FROM counterfoil.ownership', { database: 'small' });
      const acknowledged: number[] = [];
      disk.fill();
      let refused = 0;
      for (let number = 1; refused === 0; number += 1) {
        const answer = await deliver(receiver, number);
        if (answer.startsWith('refused')) refused = number;
        else acknowledged.push(number);
      }
      await notReady(
        receiver,
        /No space left on device \(the server's disk is full: free space there\)/,
      );
      const before = await epoch();
      expect(await deliver(receiver, refused)).toBe('refused 503');
      // It does not take the ownership only to fail again.
      expect(await epoch()).toEqual(before);
      await notReady(receiver, /disk is full/);

      disk.free();
      expect(await deliverAgain(receiver, [refused])).toEqual(['accepted']);
      expect(await deliverAgain(receiver, acknowledged)).toEqual(
        acknowledged.map(() => 'duplicate'),
      );
    },
  );

  test.skipIf(!canMount)(
    'PostgreSQL that stops without space for its log loses nothing, and the receiver goes on after it',
    async () => {
      // One segment of the log has 16 MB.
      const disk = smallDisk(80);
      if (disk === null) throw new Error('a small file system could not be mounted');
      const alone = await startPostgres({ standby: false });
      onTestFinished(() => alone.stop());
      const store = await newJournalUrl(alone);
      const [setting] = await alone.sql<{ data_directory: string }>('SHOW data_directory');
      const log = join(setting?.data_directory ?? '', 'pg_wal');
      await alone.primary.stop();
      execFileSync('mv', [log, disk.folder]);
      symlinkSync(join(disk.folder, 'pg_wal'), log);
      await alone.primary.start();

      const receiver = await receiverOf(store, 'a');
      await receiver.start();
      await receiver.becomes('owner');
      expect(await deliver(receiver, 1)).toBe('accepted');
      disk.fill();
      // Segments end early, until the next one cannot be made: that ends the server.
      const endSegment = "SELECT pg_logical_emit_message(true, 'x', 'y'); SELECT pg_switch_wal()";
      await until('PostgreSQL stops', () =>
        alone.sql(endSegment).then(
          () => false,
          () => true,
        ),
      );
      await notReady(receiver, /PostgreSQL cannot be used|connection|server/);
      expect(await deliver(receiver, 2)).toBe('refused 503');

      disk.free();
      await alone.primary.stop();
      await alone.primary.start();
      expect(await deliverAgain(receiver, [1])).toEqual(['duplicate']);
      await deliverAgain(receiver, [2]);
      await receiver.becomes('owner');
    },
  );
});
