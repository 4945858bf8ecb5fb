import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JournalAddress } from '../../../../src/store/postgres/address.ts';
import { CustodyRequests } from '../../../../src/store/postgres/custody-requests.ts';
import { initJournal } from '../../../../src/store/postgres/init.ts';
import { JournalUnavailable } from '../../../../src/store/replicated/shared-journal.ts';
import { startPostgres, type PostgresCluster } from '../../../postgres/cluster.ts';
import { isInstalled } from '../../../postgres/installed.ts';
import { PASSWORD } from '../../../postgres/server.ts';
import { commitAfter, EMPTY, headOf, note, plain } from '../commits.ts';
import { newJournal, NOW_MS, owning, readAll, receiver } from '../receiver.ts';

const REQUIRED = { standby: 'required' } as const;
const COMMIT = commitAfter(EMPTY, [note('x')]);

describe.runIf(isInstalled)('a commit that no standby has', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
    await cluster.sql(`CREATE ROLE seeing LOGIN PASSWORD '${PASSWORD}' IN ROLE pg_monitor;
      CREATE ROLE blind LOGIN PASSWORD '${PASSWORD}'`);
  });
  afterEach(async () => {
    cluster.standby?.resume();
    await cluster.setSynchronous(true);
    await cluster.standbyFollows();
  });
  afterAll(() => cluster?.stop());

  /** A journal, under a role that sees the standby's position or under one that does not. */
  async function journalOf(role: 'seeing' | 'blind' = 'seeing'): Promise<JournalAddress> {
    const address = await newJournal(cluster);
    await initJournal(address, { nowMs: NOW_MS, runtimeRole: role });
    return { ...address, user: role };
  }

  /** The process of the session that waits for the standby. */
  async function heldCommit(): Promise<number> {
    const asked = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    const found = async (): Promise<number | undefined> =>
      (await cluster.sql<{ pid: number }>(asked))[0]?.pid;
    await expect.poll(found).toBeDefined();
    return (await found()) ?? 0;
  }

  /** Ends when PostgreSQL's checkpointer lets commits end without the standby. */
  async function released(): Promise<void> {
    await cluster.sql('CREATE TEMPORARY TABLE written (); DROP TABLE written');
  }

  /** Suspends the checkpointer, which tells commits whether to wait for a standby. */
  async function pauseCheckpointer(): Promise<void> {
    const [row] = await cluster.sql<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`,
    );
    if (row === undefined) throw new Error('a server has a checkpointer');
    process.kill(row.pid, 'SIGSTOP');
    onTestFinished(() => void process.kill(row.pid, 'SIGCONT'));
  }

  test('is unknown when the names of standbys are emptied while it waits', async () => {
    const address = await journalOf();
    const owner = receiver(address, 'a', REQUIRED);
    const epoch = await owning(owner);
    cluster.standby?.pause();
    const appending = owner.append(epoch, COMMIT);
    await heldCommit();
    await cluster.setSynchronous(false);
    expect(await appending).toEqual({
      kind: 'unknown',
      cause: expect.stringContaining('synchronous_standby_names is empty') as unknown,
    });
    // Nobody hands it on, and nobody becomes the owner, until a standby has it.
    const follower = receiver(address, 'b', REQUIRED);
    await expect(follower.read(EMPTY, 100)).rejects.toBeInstanceOf(JournalUnavailable);
    expect((await owner.append(epoch, headOf(COMMIT))).kind).toBe('unavailable');
    cluster.standby?.resume();
    await cluster.setSynchronous(true);
    await cluster.standbyFollows();
    expect((await readAll(follower, EMPTY)).map(plain)).toEqual([plain(COMMIT)]);
  });

  test('is unknown when the names are emptied and filled again before its session looks', async () => {
    const owner = receiver(await journalOf(), 'a', REQUIRED);
    const epoch = await owning(owner);
    cluster.standby?.pause();
    const appending = owner.append(epoch, COMMIT);
    const pid = await heldCommit();
    process.kill(pid, 'SIGSTOP');
    await cluster.setSynchronous(false);
    await released();
    await cluster.setSynchronous(true);
    process.kill(pid, 'SIGCONT');
    expect((await appending).kind).toBe('unknown');
  });

  /** An owner while sessions know the standby's name and the checkpointer does not. */
  async function ownerBeforeTheCheckpointer(address: JournalAddress) {
    const owner = receiver(address, 'a', REQUIRED);
    const epoch = await owning(owner);
    await cluster.setSynchronous(false);
    await released();
    await pauseCheckpointer();
    await cluster.setSynchronous(true);
    return { owner, epoch };
  }

  test('is unknown while sessions know the names and the checkpointer does not', async () => {
    const { owner, epoch } = await ownerBeforeTheCheckpointer(await journalOf());
    cluster.standby?.pause();
    expect((await owner.append(epoch, COMMIT)).kind).toBe('unknown');
  });

  test('is appended once the standby has it, although PostgreSQL did not wait', async () => {
    const { owner, epoch } = await ownerBeforeTheCheckpointer(await journalOf());
    await cluster.standbyFollows();
    expect(await owner.append(epoch, COMMIT)).toEqual({ kind: 'appended' });
  });

  test('is none in ordinary service: every append counts', async () => {
    const owner = receiver(await journalOf(), 'a', REQUIRED);
    const epoch = await owning(owner);
    expect(await owner.append(epoch, COMMIT)).toEqual({ kind: 'appended' });
    expect(await owner.append(epoch, headOf(COMMIT))).toEqual({ kind: 'appended' });
    expect((await readAll(owner, EMPTY)).map(plain)).toEqual([plain(COMMIT)]);
  });

  test('is never taken for kept under a role that may not see the standby: it owns and reads nothing', async () => {
    const address = await journalOf('blind');
    const owner = receiver(address, 'a', REQUIRED);
    const says = 'as a superuser, GRANT pg_monitor to';
    await expect(owner.acquire()).rejects.toThrow(says);
    await expect(owner.read(EMPTY, 100)).rejects.toThrow(says);
    expect(await receiver(address, 'b').owner()).toBeNull();

    await cluster.sql('GRANT pg_monitor TO blind');
    onTestFinished(() => void cluster.sql('REVOKE pg_monitor FROM blind'));
    const epoch = await owning(owner);
    expect(await owner.append(epoch, COMMIT)).toEqual({ kind: 'appended' });
    // Whoever loses the right while it owns appends nothing any more.
    await cluster.sql('REVOKE pg_monitor FROM blind');
    expect(await owner.append(epoch, headOf(COMMIT))).toEqual({
      kind: 'unavailable',
      cause: expect.stringContaining(says) as unknown,
    });
  });

  /** Lets the proof fail at the server, until the test ends. */
  async function breakProof(): Promise<void> {
    const position = 'FUNCTION pg_current_wal_flush_lsn()';
    onTestFinished(async () => {
      await cluster.sql(`GRANT EXECUTE ON ${position} TO PUBLIC`);
    });
    await cluster.sql(`REVOKE EXECUTE ON ${position} FROM PUBLIC`);
  }

  test('is unknown when its proof fails, at once or later: the append was not refused', async () => {
    const address = await journalOf();
    const { owner, epoch } = await ownerBeforeTheCheckpointer(address);
    cluster.standby?.pause();
    const appending = owner.append(epoch, COMMIT);
    await expect.poll(() => cluster.sql(`SELECT FROM ${address.schema}.seals`)).toHaveLength(1);
    await breakProof();
    expect(await appending).toMatchObject({
      kind: 'unknown',
      cause: expect.stringContaining('permission denied') as unknown,
    });
    const next = commitAfter(headOf(COMMIT), [note('next')]);
    expect(await owner.append(epoch, next)).toMatchObject({ kind: 'unknown' });
    expect(await cluster.sql(`SELECT FROM ${address.schema}.seals`)).toHaveLength(2);
  });

  test('does not matter to a role that may not see the standby, where the standby is optional', async () => {
    const owner = receiver(await journalOf('blind'), 'a');
    expect(await owner.append(await owning(owner), COMMIT)).toEqual({ kind: 'appended' });
  });

  test('is no request: nothing is sent to the custody API that only the primary has counted', async () => {
    const requests = new CustodyRequests({
      address: await journalOf(),
      clientId: 'client',
      limits: {
        minute: { requests: 60, seconds: 60 },
        hour: { requests: 600, seconds: 3_600 },
      },
      underWaySecondsMax: 60,
      ...REQUIRED,
    });
    onTestFinished(() => requests.close());
    expect((await requests.start('sweep')).kind).toBe('done');
    await cluster.setSynchronous(false);
    expect(await requests.start('sweep')).toEqual({
      kind: 'failed',
      detail: expect.stringContaining('synchronous_standby_names is empty') as unknown,
    });
  });

  test('nobody becomes the owner while no standby is configured, because no append would count', async () => {
    const address = await journalOf();
    await cluster.setSynchronous(false);
    const refused = receiver(address, 'a', REQUIRED).acquire();
    await expect(refused).rejects.toThrow('synchronous_standby_names is empty');
    expect(await receiver(address, 'b').owner()).toBeNull();
  });

  test.each([
    ['settings', "PERFORM set_config('synchronous_commit', 'local', false)"],
    ['search path', "PERFORM set_config('search_path', 'public', false)"],
    ['prepared statements', 'DEALLOCATE append'],
  ])(
    'an append is refused in a session that has lost its %s, as under a pooler',
    async (_, lose) => {
      const address = await journalOf();
      const owner = receiver(address, 'a', REQUIRED);
      const epoch = await owning(owner);
      expect(await owner.append(epoch, COMMIT)).toEqual({ kind: 'appended' });
      // A pooler of transactions would run the statement in a session without them.
      await cluster.sql(`CREATE FUNCTION ${address.schema}.lose() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${lose}; RETURN NULL; END $$;
      CREATE TRIGGER lose AFTER UPDATE ON ${address.schema}.ownership
      FOR EACH STATEMENT EXECUTE FUNCTION ${address.schema}.lose()`);
      await owner.append(epoch, headOf(COMMIT)).catch(() => undefined);
      const next = commitAfter(headOf(COMMIT), [note('next')]);
      expect(await owner.append(epoch, next)).toEqual({
        kind: 'unavailable',
        cause: expect.stringContaining(
          'as under a pooler of transactions: connect to PostgreSQL itself',
        ) as unknown,
      });
      expect(await cluster.sql(`SELECT FROM ${address.schema}.seals`)).toHaveLength(1);
    },
  );
});
