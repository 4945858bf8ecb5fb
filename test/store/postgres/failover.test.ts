import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PostgresJournal } from '../../../src/store/postgres/postgres-journal.ts';
import {
  JournalUnavailable,
  type Appended,
  type SealedCommit,
} from '../../../src/store/replicated/shared-journal.ts';
import { sealHash } from '../../../src/store/seal.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { chainOf, commitAfter, EMPTY, headOf, note, plain } from './commits.ts';
import { newJournal, owning, readAll, receiver } from './receiver.ts';

/** Servers of a test that kills one. */
async function mortalPair(): Promise<PostgresCluster> {
  const cluster = await startPostgres({ standby: true });
  onTestFinished(() => cluster.stop());
  return cluster;
}

/** Cancels the one session that waits for the standby, as an operator might. */
async function cancelWait(cluster: PostgresCluster): Promise<void> {
  const cancelled = `SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity
    WHERE wait_event = 'SyncRep'`;
  await expect.poll(() => cluster.sql(cancelled)).toEqual([{ done: true }]);
}

/** The judge: numbers of commits that were answered with `appended` and are not in the journal. */
async function lostOf(
  acknowledged: readonly SealedCommit[],
  journal: PostgresJournal,
): Promise<number[]> {
  const keyOf = ({ previousHash, sealedAt, rows }: SealedCommit): string =>
    Buffer.from(sealHash(previousHash, { sealedAt, rows })).toString('hex');
  const kept = new Set((await readAll(journal, EMPTY)).map(keyOf));
  const lost = acknowledged.filter((one) => !kept.has(keyOf(one)));
  return lost.map(({ commitNumber }) => commitNumber);
}

describe.runIf(isInstalled)('the journal with a synchronous standby', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
  });
  afterEach(async () => {
    cluster.standby?.resume();
    await cluster.setSynchronous(true);
    await cluster.standbyFollows();
  });
  afterAll(() => cluster?.stop());

  test('a cancelled wait for the standby is an unknown outcome, and is read once it is confirmed', async () => {
    const address = await newJournal(cluster);
    const [owner, follower] = [
      receiver(address, 'a', { standby: 'required' }),
      receiver(address, 'b', { standby: 'required' }),
    ];
    const epoch = await owning(owner);
    expect(await follower.read(EMPTY, 100)).toEqual({ kind: 'commits', commits: [] });
    cluster.standby?.pause();

    const commit = commitAfter(EMPTY, [note('x')]);
    const appending = owner.append(epoch, commit);
    await cancelWait(cluster);
    const appended = await appending;
    expect(appended).toEqual({
      kind: 'unknown',
      cause:
        'no synchronous standby has confirmed the write: start the standby, repair its network, or name another one in synchronous_standby_names (PostgreSQL: canceling wait for synchronous replication due to user request)',
    });
    // The primary alone has it, so nobody may act on it.
    const reading = follower.read(EMPTY, 100).catch((error: unknown) => error);
    await cancelWait(cluster);
    expect(await reading).toBeInstanceOf(JournalUnavailable);

    const repeated = owner.append(epoch, headOf(commit));
    await cancelWait(cluster);
    expect((await repeated).kind).toBe('unknown');

    cluster.standby?.resume();
    expect((await readAll(follower, EMPTY)).map(plain)).toEqual([plain(commit)]);
  });

  test('without an answer of the standby an append ends as unknown, and holds back the next owner', async () => {
    const address = await newJournal(cluster);
    const hurried = { answerMsMax: 2_000, leaseSeconds: 0.1, standby: 'required' } as const;
    const [owner, other] = [receiver(address, 'a', hurried), receiver(address, 'b', hurried)];
    let epoch = 0;
    await expect
      .poll(async () => {
        epoch = await owning(owner).catch(() => 0);
        return epoch;
      })
      .toBeGreaterThan(0);
    cluster.standby?.pause();
    const commit = commitAfter(EMPTY, [note('x')]);
    expect((await owner.append(epoch, commit)).kind).toBe('unknown');
    // The append's row is locked until the standby answers: it has taken effect, or never will.
    await expect(other.acquire()).rejects.toBeInstanceOf(JournalUnavailable);

    cluster.standby?.resume();
    await expect.poll(async () => (await other.acquire().catch(() => null))?.kind).toBe('acquired');
    expect((await owner.append(epoch, commitAfter(headOf(commit), [note('y')]))).kind).not.toBe(
      'appended',
    );
    const kept = (await readAll(receiver(address, 'c'), EMPTY)).map(plain);
    // A very slow server may have ended the append before it was written.
    expect([[], [plain(commit)]]).toContainEqual(kept);
  });

  test('a receiver that needs a standby appends nothing while none is configured', async () => {
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a', { standby: 'required' });
    const epoch = await owning(owner);
    const commit = commitAfter(EMPTY, [note('x')]);
    await cluster.setSynchronous(false);
    const alone = expect.objectContaining({ kind: 'unavailable' }) as unknown;
    expect(await owner.append(epoch, commit)).toEqual(alone);
    expect(await owner.append(epoch, EMPTY)).toEqual(alone);
    expect(await cluster.sql(`SELECT FROM ${address.schema}.journal`)).toEqual([]);
    await cluster.setSynchronous(true);
    await cluster.standbyFollows();
    expect(await owner.append(epoch, commit)).toEqual({ kind: 'appended' });
  });

  test('a receiver whose standby is optional goes on alone, and then waits for nobody', async () => {
    const address = await newJournal(cluster);
    const [owner, follower] = [receiver(address, 'a'), receiver(address, 'b')];
    const epoch = await owning(owner);
    expect((await owner.readState()).standby).toBe('waits');
    cluster.standby?.pause();
    const [first, second] = chainOf([[note('1')], [note('2')]]);
    expect(await owner.append(epoch, first)).toEqual({ kind: 'appended' });
    expect((await owner.readState()).standby).toBe('missing');
    expect(await owner.append(epoch, second)).toEqual({ kind: 'appended' });
    expect((await readAll(follower, EMPTY)).map(plain)).toEqual([first, second].map(plain));
    // Nobody waits any more: the standby still confirms nothing.
    expect(await cluster.sql(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)).toEqual(
      [],
    );
  });

  test('a look takes the former process of a restarted receiver for no namesake', async () => {
    const address = await newJournal(cluster);
    await readAll(receiver(address, 'a'), EMPTY);
    expect((await receiver(address, 'a').readState()).namesakeUrl).toBeNull();
    const elsewhere = { name: 'a', url: 'http://elsewhere.test', version: '0.1.0' };
    const namesake = receiver(address, 'a', { receiver: elsewhere });
    expect((await namesake.readState()).namesakeUrl).toBe('http://a.test');
  });

  test('a look finds a process with the same name and the same URL while both follow', async () => {
    const address = await newJournal(cluster);
    const [first, copied] = [receiver(address, 'a'), receiver(address, 'a')];
    // A process counts once it has reported after the look's own receiver opened the journal.
    await expect
      .poll(async () => {
        await readAll(copied, EMPTY);
        return (await first.readState()).namesakeUrl;
      })
      .toBe('http://a.test');
    expect((await copied.readState()).namesakeUrl).toBeNull();
  });

  test('a look lists the owner and every receiver that has reported, with its position', async () => {
    const address = await newJournal(cluster);
    const [owner, follower] = [receiver(address, 'a'), receiver(address, 'b')];
    const epoch = await owning(owner);
    const [commit] = chainOf([[note('1')]]);
    expect(await owner.append(epoch, commit)).toEqual({ kind: 'appended' });
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await readAll(follower, EMPTY);
    // It reports its new head a second later.
    vi.advanceTimersByTime(1_000);
    await readAll(follower, headOf(commit));
    const position = commit?.rows.at(-1)?.seq;
    const { receivers } = await follower.readState();
    expect(receivers).toEqual([
      { name: 'a', role: 'owner', silentMs: null, position },
      { name: 'b', role: 'follower', silentMs: expect.any(Number) as number, position },
    ]);
    expect(receivers[1]?.silentMs).toBeLessThan(60_000);
  });

  test('an owner was last seen when its lease ended, however long it owned the journal', async () => {
    const address = await newJournal(cluster);
    const [former, next] = [receiver(address, 'a'), receiver(address, 'b')];
    await readAll(former, EMPTY);
    const epoch = await owning(former);
    const [commit] = chainOf([[note('1')]]);
    await former.append(epoch, commit ?? null);
    await cluster.sql(
      `UPDATE ${address.schema}.receivers SET seen_at = seen_at - interval '3 hours'`,
    );
    await former.release(epoch);
    const [lapsed] = (await next.readState()).receivers;
    expect(lapsed).toMatchObject({ name: 'a', role: 'lapsed' });
    expect(lapsed?.silentMs).toBeLessThan(60_000);
    await owning(next);
    const [owner, follower] = (await next.readState()).receivers;
    const position = commit?.rows.at(-1)?.seq;
    expect(owner).toMatchObject({ name: 'b', role: 'owner', position });
    expect(follower).toMatchObject({ name: 'a', role: 'follower', position });
    expect(follower?.silentMs).toBeLessThan(60_000);
  });

  test('a follower that reads nothing new reports once a second', async () => {
    const address = await newJournal(cluster);
    const follower = receiver(address, 'b');
    const seen = (): Promise<unknown> =>
      cluster.sql(`SELECT seen_at FROM ${address.schema}.receivers`);
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    await readAll(follower, EMPTY);
    const first = await seen();
    vi.advanceTimersByTime(999);
    await readAll(follower, EMPTY);
    expect(await seen()).toEqual(first);
    vi.advanceTimersByTime(1);
    await readAll(follower, EMPTY);
    expect(await seen()).not.toEqual(first);
  });

  test.each(['synchronous_commit = off', "client_min_messages = 'error'"])(
    "the role's setting %s cannot let a commit count that no standby has",
    async (setting) => {
      const address = await newJournal(cluster);
      await cluster.sql(`ALTER ROLE admin SET ${setting}`);
      onTestFinished(async () => {
        await cluster.sql('ALTER ROLE admin RESET ALL');
      });
      const owner = receiver(address, 'a', { standby: 'required' });
      const epoch = await owning(owner);
      cluster.standby?.pause();
      const appending = owner.append(epoch, commitAfter(EMPTY, [note('x')]));
      await cancelWait(cluster);
      expect((await appending).kind).toBe('unknown');
    },
  );
});

describe.runIf(isInstalled)('when the primary dies', () => {
  test('under appends, the standby takes over with every appended commit', async () => {
    const cluster = await mortalPair();
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    let epoch = await owning(owner);
    const acknowledged: SealedCommit[] = [];
    let head = EMPTY;
    let last: Appended = { kind: 'appended' };
    let dying: Promise<void> | undefined;
    while (last.kind === 'appended') {
      const commit = commitAfter(head, [note(`fact ${head.lastSeq}`), note('more')]);
      const appending = owner.append(epoch, commit);
      if (acknowledged.length === 40) dying = cluster.primary.kill();
      last = await appending;
      if (last.kind !== 'appended') break;
      acknowledged.push(commit);
      head = headOf(commit);
    }
    await dying;
    expect(acknowledged.length).toBeGreaterThanOrEqual(40);
    await cluster.promoteStandby();

    const follower = receiver(address, 'b');
    expect(await lostOf(acknowledged, follower)).toEqual([]);
    // The owner goes on: it takes the ownership again, reads what it does not know, and appends.
    epoch = await owning(owner);
    const unknown = await readAll(owner, head);
    expect(unknown.length).toBeLessThanOrEqual(1);
    head = unknown[0] === undefined ? head : headOf(unknown[0]);
    const next = commitAfter(head, [note('after')]);
    expect(await owner.append(epoch, next)).toEqual({ kind: 'appended' });
    expect((await readAll(follower, head)).map(plain)).toEqual([plain(next)]);
  });

  test('with asynchronous replication the same judge finds a loss, and a replica that is ahead stops', async () => {
    const cluster = await mortalPair();
    const address = await newJournal(cluster);
    await cluster.setSynchronous(false);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    const [first, second, third] = chainOf([[note('1')], [note('2')], [note('3')]]);
    expect(await owner.append(epoch, first)).toEqual({ kind: 'appended' });
    const caughtUp = `SELECT FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()`;
    await expect.poll(() => cluster.sql(caughtUp)).toHaveLength(1);
    await cluster.standby?.stop();
    expect(await owner.append(epoch, second)).toEqual({ kind: 'appended' });
    expect(await owner.append(epoch, third)).toEqual({ kind: 'appended' });
    await cluster.primary.kill();
    await cluster.standby?.start();
    await cluster.promoteStandby();

    // The promoted server has this receiver as its owner, and neither extends its lease nor confirms
    // repeats of what it lost.
    expect(await owner.renew(epoch, headOf(third))).toBe(false);
    expect(await owner.append(epoch, headOf(third))).toEqual({ kind: 'fenced' });
    const follower = receiver(address, 'b');
    expect(await lostOf([first, second, third], follower)).toEqual([2, 3]);
    const following = await follower.read(headOf(third), 100);
    expect(following.kind).toBe('diverged');
    expect(following).toHaveProperty(
      'detail',
      expect.stringMatching(
        /^commit 3 of this replica is missing in the journal, which ends at commit 1: a failover without a synchronous standby has lost it, or the replica belongs to another journal\. Stop this receiver/,
      ),
    );
  });
});
