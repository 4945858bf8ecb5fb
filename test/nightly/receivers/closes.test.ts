import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInstalled } from '../../postgres/installed.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { OpenLedger, temporaryPath } from '../../store/open-ledger.ts';
import { callProgram } from '../../e2e/called-program.ts';
import { eventually } from '../../e2e/program.ts';
import {
  newJournalUrl,
  receiverOf,
  webhook,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';
import { Sender, statusesOf } from '../../e2e/receivers/sender.ts';

const DAY_MS = 86_400_000;
const DAYS = 12;
const KILLS = 2;

/** Days before this one, which began when the test did: midnight may pass meanwhile. */
const TODAY = Date.now();

function dayAgo(days: number): string {
  return new Date(TODAY - days * DAY_MS).toISOString().slice(0, 10);
}

interface ClosedDay {
  readonly day: string;
  readonly reportHash: string;
}

/** What a receiver shows of its closed days, oldest first. */
async function closedDays({ daemon }: RealReceiver): Promise<ClosedDay[]> {
  const path = '/v1/reports/daily?pageSize=100';
  const { data } = await daemon.get<{ data: ClosedDay[] }>(path);
  return data.map(({ day, reportHash }) => ({ day, reportHash })).toReversed();
}

/** A journal whose first fact is days old. */
async function oldJournal(cluster: PostgresCluster): Promise<string> {
  const path = temporaryPath();
  const open = new OpenLedger(path);
  open.at = Date.parse(`${dayAgo(DAYS)}T12:00:00Z`);
  await open.deliver(webhook(0));
  open.close();
  const store = await newJournalUrl(cluster);
  const copying = ['copy', '--from', `sqlite:${path}`, '--to', store, '--without-standby'];
  const { code, stderr } = await callProgram(...copying);
  expect([code, stderr]).toEqual([0, '']);
  rmSync(path);
  return store;
}

describe.runIf(isInstalled)('two receivers of a journal with open days', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  test('kill -9 of the owner while days are closed and webhooks arrive: the other takes over, each day is closed once with one report, and nothing acknowledged is lost', async () => {
    const store = await oldJournal(cluster);
    let owner = await receiverOf(store, 'a', { leaseSeconds: 1 });
    let follower = await receiverOf(store, 'b', { leaseSeconds: 1 });
    await owner.start();
    await owner.becomes('owner');
    await follower.start();
    await follower.becomes('follower');
    const sender = new Sender([owner, follower]);
    const close = ({ daemon }: RealReceiver): Promise<unknown> =>
      daemon.post(`/v1/reports/daily/${dayAgo(1)}/close`);
    const seen: ClosedDay[] = [];

    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = (await closedDays(owner)).length;
      // Asked of the owner, then of the follower, which passes it on.
      const closing = close(kill === 0 ? owner : follower).catch((error: unknown) => error);
      const shown = await eventually('one more day is closed', async () => {
        const days = await closedDays(owner);
        return days.length > before ? days : undefined;
      });
      seen.push(...shown);
      await owner.daemon.end('SIGKILL');
      owner.relay.cut();
      expect(shown.length).toBeLessThan(DAYS);
      expect(await closing).toBeInstanceOf(Error);
      await follower.becomes('owner');
      [owner, follower] = [follower, owner];
      await follower.start();
      await follower.becomes('follower');
    }
    await close(owner);
    await sender.stop();

    const days = await closedDays(owner);
    expect(days.map(({ day }) => day)).toEqual(
      Array.from({ length: DAYS }, (_, index) => dayAgo(DAYS - index)),
    );
    expect(new Set(days.map(({ reportHash }) => reportHash)).size).toBe(DAYS);
    for (const one of seen) expect(days).toContainEqual(one);
    await eventually('the follower shows them too', async () =>
      (await closedDays(follower)).length === DAYS ? true : undefined,
    );
    expect(await closedDays(follower)).toEqual(days);
    const statuses = await statusesOf(owner, sender.acknowledged);
    expect(new Set(statuses)).toEqual(new Set(['duplicate']));
    for (const { daemon } of [owner, follower]) expect(await daemon.end('SIGTERM')).toBe(0);
    // Replays the journal, and computes every report again.
    const audited = await callProgram('verify', '--store', store, '--json');
    expect([audited.code, audited.stderr]).toEqual([0, '']);
  });
});
