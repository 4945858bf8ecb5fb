import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Following } from '../../../src/store/replicated/shared-journal.ts';
import { sealHash } from '../../../src/store/seal.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { anyFact, chainOf, commitAfter, EMPTY, headOf, note, plain } from './commits.ts';
import { newJournal, owning, readAll, receiver } from './receiver.ts';

/** Why a replica must stop. */
function detailOf(following: Following): string {
  return following.kind === 'diverged' ? following.detail : `${following.commits.length} commits`;
}

describe.runIf(isInstalled)('the journal in PostgreSQL', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('a read returns the appended commits, for any facts and any size of a read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyFact, { minLength: 1, maxLength: 40 }), { maxLength: 5 }),
        fc.integer({ min: 1, max: 100 }),
        async (lists, factsMax) => {
          const address = await newJournal(cluster);
          const owner = receiver(address, 'a');
          const epoch = await owning(owner);
          const commits = chainOf(lists);
          for (const commit of commits) {
            expect(await owner.append(epoch, commit)).toEqual({ kind: 'appended' });
          }
          const follower = receiver(address, 'b');
          const read = await readAll(follower, EMPTY, factsMax);
          expect(read.map(plain)).toEqual(commits.map(plain));
          for (const { previousHash, hash, sealedAt, rows } of read) {
            expect(Buffer.from(sealHash(previousHash, { sealedAt, rows }))).toEqual(
              Buffer.from(hash),
            );
          }
          await owner.close();
          await follower.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  test.each([
    ['a character that PostgreSQL text cannot hold', 'before\u0000after'],
    ['a byte order mark', '\uFEFFtext'],
    ['quotes, backslashes and braces', '{"a\\\\b",\'NULL\'}'],
    ['the word NULL', 'NULL'],
    ['nothing', ''],
  ])('a detail of %s comes back unchanged', async (_, detail) => {
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const commit = commitAfter(EMPTY, [{ ...note('x'), kind: 'refused', detail }]);
    expect(await owner.append(await owning(owner), commit)).toEqual({ kind: 'appended' });
    expect((await readAll(owner, EMPTY)).map(plain)).toEqual([plain(commit)]);
  });

  test("a closed day's report comes back with the commit of its fact", async () => {
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const report = JSON.stringify({ day: '2026-01-01', rows: 'x'.repeat(100_000) });
    const first = commitAfter(EMPTY, [note('close'), note('more')], [report]);
    const second = commitAfter(headOf(first), [note('next')]);
    const epoch = await owning(owner);
    await owner.append(epoch, first);
    await owner.append(epoch, second);
    const read = await readAll(owner, EMPTY);
    expect(read.map(({ computedDays }) => computedDays)).toEqual([
      [{ seq: 1, packed: report }],
      [],
    ]);
  });

  test('a read takes whole commits, at least one, and no more facts than asked for', async () => {
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const epoch = await owning(owner);
    const lists = [3, 2, 2, 5].map((count) => Array.from({ length: count }, () => note('x')));
    for (const commit of chainOf(lists)) await owner.append(epoch, commit);
    const numbers = async (factsMax: number): Promise<number[]> => {
      const following = await owner.read(EMPTY, factsMax);
      if (following.kind === 'diverged') throw new Error(following.detail);
      return following.commits.map(({ commitNumber }) => commitNumber);
    };
    expect(await numbers(1)).toEqual([1]);
    expect(await numbers(4)).toEqual([1]);
    expect(await numbers(5)).toEqual([1, 2]);
    expect(await numbers(12)).toEqual([1, 2, 3, 4]);
  });

  test('a follower that reads is on record with the head of its replica', async () => {
    const address = await newJournal(cluster);
    const owner = receiver(address, 'a');
    const [first, second] = chainOf([[note('1')], [note('2'), note('3')]]);
    const epoch = await owning(owner);
    await owner.append(epoch, first);
    await owner.append(epoch, second);
    await receiver(address, 'b').read(headOf(first), 100);
    const rows = await cluster.sql(
      `SELECT name, url, version, commit_number::int AS commit FROM ${address.schema}.receivers`,
    );
    expect(rows).toEqual([{ name: 'b', url: 'http://b.test', version: '0.1.0', commit: 1 }]);
  });

  describe('ownership', () => {
    test('one of many receivers that race becomes the owner', async () => {
      const address = await newJournal(cluster);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const outcomes = await Promise.all(names.map((name) => receiver(address, name).acquire()));
      const winners = outcomes.filter(({ kind }) => kind === 'acquired');
      expect(winners).toEqual([{ kind: 'acquired', epoch: 1 }]);
      const owner = await receiver(address, 'f').owner();
      const others = outcomes.flatMap((outcome) => (outcome.kind === 'owned' ? [outcome.by] : []));
      expect(others).toEqual([owner, owner, owner, owner]);
    });

    test('before the first owner there is none', async () => {
      expect(await receiver(await newJournal(cluster), 'a').owner()).toBeNull();
    });

    test('the owner that acquires again gets a higher epoch, and its old one is fenced', async () => {
      const owner = receiver(await newJournal(cluster), 'a');
      const commit = commitAfter(EMPTY, [note('x')]);
      expect(await owner.acquire()).toEqual({ kind: 'acquired', epoch: 1 });
      expect(await owner.acquire()).toEqual({ kind: 'acquired', epoch: 2 });
      expect(await owner.append(1, commit)).toEqual({ kind: 'fenced' });
      expect(await owner.append(2, commit)).toEqual({ kind: 'appended' });
    });

    test('a second process under the same name is another receiver', async () => {
      const address = await newJournal(cluster);
      await owning(receiver(address, 'a'));
      expect(await receiver(address, 'a').acquire()).toEqual({
        kind: 'owned',
        by: { name: 'a', url: 'http://a.test', epoch: 1, isLeased: true },
      });
    });

    test('a lease ends by the clock of the database, and the next receiver takes over', async () => {
      const address = await newJournal(cluster);
      const [first, second] = [receiver(address, 'a'), receiver(address, 'b')];
      const epoch = await owning(first);
      expect((await second.acquire()).kind).toBe('owned');
      await cluster.sql(
        `UPDATE ${address.schema}.ownership SET lease_until = clock_timestamp() - interval '1 ms'`,
      );
      expect(await second.owner()).toMatchObject({ name: 'a', isLeased: false });
      expect(await second.acquire()).toEqual({ kind: 'acquired', epoch: epoch + 1 });
      expect(await first.renew(epoch, EMPTY)).toBe(false);
    });

    test('a lease that a clock an hour ahead has written keeps nobody out', async () => {
      const address = await newJournal(cluster);
      const [first, second] = [receiver(address, 'a'), receiver(address, 'b')];
      const epoch = await owning(first);
      // The primary before a failover had this clock.
      await cluster.sql(
        `UPDATE ${address.schema}.ownership SET lease_until = lease_until + interval '1 hour'`,
      );
      expect(await second.owner()).toMatchObject({ name: 'a', isLeased: false });
      expect(await second.acquire()).toEqual({ kind: 'acquired', epoch: epoch + 1 });
      const commit = commitAfter(EMPTY, [note('x')]);
      expect(await first.append(epoch, commit)).toEqual({ kind: 'fenced' });
      expect(await second.append(epoch + 1, commit)).toEqual({ kind: 'appended' });
    });

    test('a lease of half a second ends by itself', async () => {
      const address = await newJournal(cluster);
      await owning(receiver(address, 'a', { leaseSeconds: 0.5 }));
      const next = receiver(address, 'b');
      await expect.poll(async () => (await next.acquire()).kind).toBe('acquired');
    });

    test('a renewed lease and an append keep other receivers out; a released one does not', async () => {
      const address = await newJournal(cluster);
      const [first, second] = [receiver(address, 'a'), receiver(address, 'b')];
      const epoch = await owning(first);
      const expire = (): Promise<unknown> =>
        cluster.sql(`UPDATE ${address.schema}.ownership SET lease_until = '-infinity'`);
      await expire();
      expect(await first.renew(epoch, EMPTY)).toBe(true);
      expect((await second.acquire()).kind).toBe('owned');
      await expire();
      const commit = commitAfter(EMPTY, [note('x')]);
      await first.append(epoch, commit);
      expect((await second.acquire()).kind).toBe('owned');
      await expire();
      await first.append(epoch, headOf(commit));
      expect((await second.acquire()).kind).toBe('owned');
      await first.release(epoch);
      expect((await second.acquire()).kind).toBe('acquired');
    });
  });

  describe('a fenced append', () => {
    test('of an owner that was replaced writes nothing', async () => {
      const address = await newJournal(cluster);
      const [zombie, next] = [receiver(address, 'a'), receiver(address, 'b')];
      const epoch = await owning(zombie);
      await zombie.release(epoch);
      await owning(next);
      const day = JSON.stringify({ day: 1 });
      const commit = commitAfter(EMPTY, [note('x'), note('y')], [day]);
      expect(await zombie.append(epoch, commit)).toEqual({ kind: 'fenced' });
      expect(await zombie.append(epoch, EMPTY)).toEqual({ kind: 'fenced' });
      const tables = ['journal', 'bodies', 'seals', 'computed_days'];
      for (const table of tables) {
        expect(await cluster.sql(`SELECT * FROM ${address.schema}.${table}`)).toEqual([]);
      }
      const [row] = await cluster.sql<{ head: number; confirmations: number }>(
        `SELECT commit_number::int AS head, confirmations::int FROM ${address.schema}.ownership`,
      );
      expect(row).toEqual({ head: 0, confirmations: 0 });
    });

    test('that does not follow the head writes nothing', async () => {
      const owner = receiver(await newJournal(cluster), 'a');
      const epoch = await owning(owner);
      const [first, second, third] = chainOf([[note('1')], [note('2')], [note('3')]]);
      expect(await owner.append(epoch, second)).toEqual({ kind: 'fenced' });
      expect(await owner.append(epoch, first)).toEqual({ kind: 'appended' });
      expect(await owner.append(epoch, first)).toEqual({ kind: 'fenced' });
      expect(await owner.append(epoch, third)).toEqual({ kind: 'fenced' });
      const otherHash = { ...second, previousHash: third.hash };
      expect(await owner.append(epoch, otherHash)).toEqual({ kind: 'fenced' });
      expect(await owner.append(epoch, EMPTY)).toEqual({ kind: 'fenced' });
      expect(await owner.append(epoch, { ...headOf(first), hash: third.hash })).toEqual({
        kind: 'fenced',
      });
      expect(await owner.renew(epoch, headOf(second))).toBe(false);
      expect((await readAll(owner, EMPTY)).map(plain)).toEqual([plain(first)]);
    });

    test.each(['read committed', 'repeatable read'])(
      'that waits for the row while another receiver acquires writes nothing (role: %s)',
      async (isolation) => {
        await cluster.sql(`ALTER ROLE admin SET default_transaction_isolation = '${isolation}'`);
        onTestFinished(async () => {
          await cluster.sql('ALTER ROLE admin RESET default_transaction_isolation');
        });
        const address = await newJournal(cluster);
        const owner = receiver(address, 'a');
        const epoch = await owning(owner);
        const { schema } = address;
        const taker = await cluster.connect();
        await taker.query(`BEGIN; UPDATE ${schema}.ownership SET epoch = epoch + 1`);
        const appended = owner.append(epoch, commitAfter(EMPTY, [note('x')]));
        const blocked = `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND query LIKE 'WITH fence%'`;
        await expect.poll(() => cluster.sql(blocked)).toEqual([{ count: 1 }]);
        await taker.query('COMMIT');
        await taker.end();
        expect(await appended).toEqual({ kind: 'fenced' });
        expect(await cluster.sql(`SELECT FROM ${schema}.journal`)).toEqual([]);
      },
    );
  });

  describe('a replica that does not match must stop', () => {
    test('when its head has another hash', async () => {
      const owner = receiver(await newJournal(cluster), 'a');
      const [mine] = chainOf([[note('mine')]]);
      const [theirs] = chainOf([[note('theirs')]]);
      await owner.append(await owning(owner), mine);
      expect(detailOf(await owner.read(headOf(theirs), 100))).toContain(
        "commit 1 of this replica is not the journal's",
      );
    });

    test('when the journal is shorter', async () => {
      const owner = receiver(await newJournal(cluster), 'a');
      const [first, second] = chainOf([[note('1')], [note('2')]]);
      await owner.append(await owning(owner), first);
      expect(detailOf(await owner.read(headOf(second), 100))).toContain('which ends at commit 1');
    });

    test('when facts of a sealed commit are missing', async () => {
      const address = await newJournal(cluster);
      const owner = receiver(address, 'a');
      await owner.append(await owning(owner), commitAfter(EMPTY, [note('1'), note('2')]));
      await cluster.sql(`ALTER TABLE ${address.schema}.journal DISABLE TRIGGER ALL;
        DELETE FROM ${address.schema}.journal WHERE seq = 2`);
      expect(detailOf(await owner.read(EMPTY, 100))).toContain('lacks some of the facts 1 to 2');
    });
  });

  test.each(['journal', 'bodies', 'seals', 'computed_days'])(
    'even the owner of the schema cannot change %s',
    async (table) => {
      const address = await newJournal(cluster);
      const owner = receiver(address, 'a');
      await owner.append(await owning(owner), commitAfter(EMPTY, [note('x')], ['{}']));
      const path = `${address.schema}.${table}`;
      const column = table === 'computed_days' ? 'packed' : table === 'seals' ? 'hash' : 'seq';
      const changed = table === 'bodies' ? 'bytes' : column;
      for (const sql of [
        `UPDATE ${path} SET ${changed} = ${changed}`,
        `DELETE FROM ${path}`,
        `TRUNCATE ${path}`,
      ]) {
        await expect(cluster.sql(sql)).rejects.toThrow('what has happened is never edited');
      }
    },
  );
});
