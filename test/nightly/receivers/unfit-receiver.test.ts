import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOURNAL_VERSION } from '../../../src/store/postgres/journal-identity.ts';
import { SCHEMA_VERSION } from '../../../src/store/sqlite/file/database.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { eventually, runProgram } from '../../e2e/program.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  webhook,
  type RealReceiver,
  type ReceiverReady,
} from '../../e2e/receivers/receivers.ts';

const HOUR_MS = 3_600_000;

async function taken(receiver: RealReceiver, number: number): Promise<boolean> {
  return (await receiver.daemon.deliver(webhook(number))).ok;
}

/** Waits until `/readyz` says why a receiver does not serve. */
function refusedBecause(receiver: RealReceiver, says: RegExp): Promise<ReceiverReady> {
  return eventually(`a cause like ${says.source}`, async () => {
    const ready = await receiver.ready();
    return ready.status === 'journal-unavailable' && says.test(ready.receiver.cause ?? '')
      ? ready
      : undefined;
  });
}

describe.runIf(isInstalled)('a receiver that does not fit the others', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  const schemaOf = (store: string): string => new URL(store).searchParams.get('schema') ?? '';

  test('a receiver whose clock is an hour ahead does not own the journal, and another one does', async () => {
    const store = await newJournalUrl(cluster);
    const wrong = await receiverOf(store, 'a', {}, { clockAheadMs: HOUR_MS });
    await wrong.start();
    const says =
      /^this receiver's clock is 3[56]\d\d s ahead of the database's: set both clocks by NTP/;
    await refusedBecause(wrong, says);
    expect(await taken(wrong, 1)).toBe(false);
    const other = await receiverOf(store, 'b');
    await other.start();
    await other.becomes('owner');
    expect(await taken(other, 1)).toBe(true);
    expect((await wrong.ready()).receiver).toMatchObject({ role: 'cut_off', owner: null });
  });

  test('a follower whose clock is an hour ahead is not ready, and loses nothing', async () => {
    const store = await newJournalUrl(cluster);
    const owner = await receiverOf(store, 'a');
    const follower = await receiverOf(store, 'b', {}, { clockAheadMs: HOUR_MS });
    await owner.start();
    const { receiver } = await owner.becomes('owner');
    await follower.start();
    const says =
      /this receiver's clock is 3[56]\d\d s ahead of the database's: set both clocks by NTP/;
    await refusedBecause(follower, says);
    expect(follower.daemon.stderr()).toMatch(says);
    expect(await taken(follower, 1)).toBe(false);
    expect(await taken(owner, 1)).toBe(true);
    expect((await owner.ready()).receiver.epoch).toBe(receiver.epoch);
  });

  test('of two processes with one URL one works, and the other says what to change', async () => {
    const store = await newJournalUrl(cluster);
    const first = await receiverOf(store, 'a');
    const second = await receiverOf(store, 'a', { url: first.relay.url });
    await first.start();
    await first.becomes('owner');
    await second.start();
    await refusedBecause(
      second,
      /another process with receiver\.url \S+ owns the journal: .* give each receiver its own receiver\.name and receiver\.url/,
    );
    expect(await taken(second, 1)).toBe(false);
    expect(await taken(first, 1)).toBe(true);
  });

  test('two processes with one name both work, and warn', async () => {
    const store = await newJournalUrl(cluster);
    const [first, second] = [await receiverOf(store, 'a'), await receiverOf(store, 'a')];
    await first.start();
    await first.becomes('owner');
    await second.start();
    await second.becomes('follower');
    for (const receiver of [first, second]) {
      await until('it warns', async () =>
        /another process has the receiver\.name a \(http:\S+\): give each receiver a name of its own/.test(
          (await receiver.ready()).receiver.warnings.join(),
        ),
      );
    }
    expect(await taken(second, 1)).toBe(true);
    expect(await taken(first, 2)).toBe(true);
  });

  test('a follower that speaks another protocol than the owner says which version to run', async () => {
    const store = await newJournalUrl(cluster);
    const [owner, follower] = [await receiverOf(store, 'a'), await receiverOf(store, 'b')];
    owner.relay.rewrite = (chunk) =>
      Buffer.from(chunk.toString('latin1').replace(/(counterfoil-protocol: )\d/i, '$19'), 'latin1');
    await owner.start();
    await owner.becomes('owner');
    await follower.start();
    await follower.becomes('follower');
    const says =
      /the owner a refuses \(426\): this receiver speaks protocol 1, not 9: run the same version of the program on both/;
    await refusedBecause(follower, says);
    expect(follower.daemon.stderr()).toMatch(says);
    expect(await taken(follower, 1)).toBe(false);
    expect(await taken(owner, 1)).toBe(true);
    // Both versions are the same again: nobody needs to restart anything.
    owner.relay.rewrite = (chunk) => chunk;
    await until('the follower is ready', async () => (await follower.ready()).status === 'ready');
    expect(await taken(follower, 2)).toBe(true);
  });

  test('receivers meet a journal that a newer version has upgraded, and say so', async () => {
    const store = await newJournalUrl(cluster);
    const schema = schemaOf(store);
    const [owner, follower] = [await receiverOf(store, 'a'), await receiverOf(store, 'b')];
    await owner.start();
    await owner.becomes('owner');
    await follower.start();
    await follower.becomes('follower');
    expect(await taken(follower, 1)).toBe(true);
    await cluster.sql(`UPDATE ${schema}.identity SET schema_version = ${JOURNAL_VERSION + 1}`);
    await cluster.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'counterfoil'`,
    );
    for (const receiver of [owner, follower]) {
      await refusedBecause(
        receiver,
        /was made by a newer Counterfoil \(journal version \d+, this one knows \d+\): run that version/,
      );
      expect(await taken(receiver, 2)).toBe(false);
    }
  });

  test('a replica of an earlier version ends the start with the command that upgrades it', async () => {
    const store = await newJournalUrl(cluster);
    const receiver = await receiverOf(store, 'a');
    await receiver.start();
    await receiver.becomes('owner');
    await receiver.daemon.end('SIGTERM');
    const replica = new Database(receiver.daemon.storePath);
    replica.pragma(`user_version = ${SCHEMA_VERSION - 1}`);
    replica.close();
    const { code, stderr } = await runProgram('serve', '--config', receiver.daemon.configPath);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /was written by an earlier Counterfoil \(schema \d+, this one needs \d+\): upgrade it with `counterfoil rebuild --store \S+`/,
    );
    expect(
      await cluster.sql(
        `SELECT lease_until > clock_timestamp() AS leased FROM ${schemaOf(store)}.ownership`,
      ),
    ).toEqual([{ leased: false }]);
  });
});
