import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isInstalled } from '../../postgres/installed.ts';
import { Custody } from '../../failover/scene/custody.ts';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { eventually, launchKillable, MAIN } from '../../e2e/program.ts';
import { NEXT_JOURNAL_FORM, otherBuild, type Difference } from './other-build.ts';
import {
  newJournalUrl,
  receiverOf,
  until,
  webhook,
  type RealReceiver,
} from '../../e2e/receivers/receivers.ts';
import { Sender, statusOf } from '../../e2e/receivers/sender.ts';

const OLD = '0.0.1';
const NEW = '9.9.9';
/** The custody service gives a webhook up after this time, and sends it again. */
const SENDER_MS_MAX = 10_000;

/** An earlier version did not know the decision `run-now`. */
const WITHOUT_RUN_NOW: Difference = [
  /case "run-now":\s+(case "close-now":\s+case "end-session": return TAKEN;)/,
  (_, others = '') => others,
];
/** An earlier version might have taken more balance changes of one notification. */
const MORE_CHANGES: Difference = [
  /changes\.length > 4e3(?=\) return `balanceChanges)/,
  () => 'changes.length > 4e4',
];
const RUN_NOW = { reason: 'a test' };

/** Rules that are written in one way and kept in another. */
const RULE = {
  rule: 'drill',
  network: 'elsewhere',
  direction: '<=',
  amount: '-5',
  until: '2099-12-31',
  reason: ' a test ',
  owner: 'operations',
};

interface Config {
  readonly store: string;
  readonly reconcile: object;
}

/** Changes the configuration of a receiver that does not run. */
function configure({ daemon }: RealReceiver, change: (config: Config) => object): void {
  const config = JSON.parse(readFileSync(daemon.configPath, 'utf8')) as Config;
  writeFileSync(daemon.configPath, JSON.stringify({ ...config, ...change(config) }));
}

async function feedOf({ daemon }: RealReceiver): Promise<readonly object[]> {
  return (await daemon.get<{ data: object[] }>('/v1/credits?after=0')).data;
}

/** Waits until the feed of a receiver has so many items. */
async function credits(receiver: RealReceiver, count: number): Promise<void> {
  await until(`${count} credits`, async () => (await feedOf(receiver)).length === count);
}

/** Waits until a follower holds what the owner holds. */
async function level(follower: RealReceiver, owner: RealReceiver): Promise<void> {
  await until('the replicas are level', async () => {
    const [mine, theirs] = await Promise.all([follower.ready(), owner.ready()]);
    return mine.receiver.position === theirs.receiver.position;
  });
}

/** Stops a receiver, and starts it with another build. */
async function upgrade(receiver: RealReceiver, main: string): Promise<void> {
  expect(await receiver.daemon.end('SIGTERM')).toBe(0);
  receiver.daemon.main = main;
  await receiver.start();
}

/** Waits until `/readyz` says why a receiver does not serve, and that a delivery is refused. */
async function refuses(receiver: RealReceiver, status: string, says: RegExp): Promise<void> {
  await until(`a cause like ${says.source}`, async () => {
    const ready = await receiver.ready();
    return ready.status === status && says.test(ready.receiver.cause ?? '');
  });
  expect(await statusOf(receiver, 1_000_000)).toBe('refused 503');
}

/** A custody service that delivers its webhooks to whichever receiver takes them. */
async function custodyFor(receivers: readonly RealReceiver[]): Promise<Custody> {
  const custody = await Custody.start((body) => {
    void eventually('a receiver takes it', async () => {
      for (const { daemon } of receivers) {
        const answer = await daemon.deliver(body).catch(() => undefined);
        if (answer?.ok === true) return true;
      }
      return undefined;
    });
  });
  onTestFinished(() => custody.stop());
  return custody;
}

describe.runIf(isInstalled)('two builds of the program over one journal', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: false });
  });
  afterAll(() => cluster?.stop());

  /** How many decisions the journal has, and the versions of the receivers by their names. */
  async function known(store: string): Promise<{ decisions: number; versions: object }> {
    const [, schema] = /schema=(\w+)/.exec(store) ?? [];
    const decisions = await cluster.sql(`SELECT FROM ${schema}.journal WHERE kind = 'decision'`);
    const rows = await cluster.sql<{ name: string; version: string }>(
      `SELECT name, version FROM ${schema}.receivers`,
    );
    const versions = Object.fromEntries(rows.map(({ name, version }) => [name, version]));
    return { decisions: decisions.length, versions };
  }

  /** An owner of an old build and a follower of the present one, with the same configuration. */
  async function oldAndNew(store: string) {
    const receivers: RealReceiver[] = [];
    const custody = await custodyFor(receivers);
    for (const name of ['a', 'b']) {
      const receiver = await receiverOf(
        store,
        name,
        {},
        { custody: (own) => custody.configuration(own) },
      );
      configure(receiver, ({ reconcile }) => ({ reconcile: { ...reconcile, exemptions: [RULE] } }));
      receivers.push(receiver);
    }
    const [a, b] = receivers as [RealReceiver, RealReceiver];
    a.daemon.main = otherBuild(OLD, WITHOUT_RUN_NOW);
    await a.start();
    await a.becomes('owner');
    await b.start();
    await b.becomes('follower');
    return { a, b, custody };
  }

  test('an old owner that is drained hands over to a new build: nothing is refused, lost or decided again, and the feed is one', async () => {
    const store = await newJournalUrl(cluster);
    const { a, b, custody } = await oldAndNew(store);
    await custody.deposit();
    await credits(b, 1);
    const [before] = await feedOf(a);
    // The old owner keeps nothing of a decision that it does not know.
    await expect(b.daemon.post('/v1/reconciliations', RUN_NOW)).rejects.toThrow('503');
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await known(store)).toEqual({ decisions: 2, versions: { a: OLD, b: version } });

    const sender = new Sender([a, b]);
    await until('deliveries arrive', () => sender.acknowledged.length > 30);
    await upgrade(a, a.daemon.main);
    await b.becomes('owner');
    await sender.stop();
    await a.becomes('follower');
    await custody.deposit();
    await credits(b, 2);
    await level(a, b);
    expect(sender.refused).toEqual([]);
    expect(sender.longestMs).toBeLessThan(SENDER_MS_MAX);
    expect((await feedOf(b))[0]).toEqual(before);
    expect(await feedOf(a)).toEqual(await feedOf(b));
    expect((await known(store)).decisions).toBe(2);

    // The new owner keeps a decision that the old build does not know: it stops, and loses nothing.
    await b.daemon.post('/v1/reconciliations', RUN_NOW);
    await refuses(
      a,
      'diverged',
      /has another effect in this version .*: run the version of the receiver that owns the journal/,
    );
    await upgrade(a, MAIN);
    await a.becomes('follower');
    await level(a, b);
    expect(await feedOf(a)).toEqual(await feedOf(b));
    const answers = await Promise.all(sender.acknowledged.map((number) => statusOf(a, number)));
    expect(new Set(answers)).toEqual(new Set(['duplicate']));
  });

  test('a new build follows an old owner that books more changes than a new build takes', async () => {
    const store = await newJournalUrl(cluster);
    const [a, b] = [await receiverOf(store, 'a'), await receiverOf(store, 'b')];
    a.daemon.main = otherBuild(OLD, MORE_CHANGES);
    await a.start();
    await a.becomes('owner');
    const body = JSON.parse(webhook(1)) as { balanceChanges: object[] };
    const [change] = body.balanceChanges;
    const long = JSON.stringify({ ...body, balanceChanges: Array(4_001).fill(change) });
    expect(await (await a.daemon.deliver(long)).json()).toEqual({ status: 'accepted' });
    await b.start();
    await b.becomes('follower');
    await level(b, a);
  });

  test('an old receiver refuses a journal of a newer form, and the documented upgrade loses nothing', async () => {
    const main = otherBuild(NEW, ...NEXT_JOURNAL_FORM);
    const run = (...args: string[]) => launchKillable(args, { main }).finished;
    const store = await newJournalUrl(cluster);
    const a = await receiverOf(store, 'a');
    await a.start();
    await a.becomes('owner');
    expect(await statusOf(a, 1)).toBe('accepted');
    await a.daemon.end('SIGTERM');
    const next = `${store}_next`;
    expect(await run('init', '--store', next)).toMatchObject({ code: 0 });
    const from = `sqlite:${a.daemon.storePath}`;
    expect(await run('copy', '--without-standby', '--from', from, '--to', next)).toMatchObject({
      code: 0,
    });
    configure(a, () => ({ store: next }));
    // The old build, by mistake.
    await a.start();
    await refuses(
      a,
      'journal-unavailable',
      /was made by a newer Counterfoil \(journal version \d+, this one knows \d+\): run that version/,
    );
    await upgrade(a, main);
    await a.becomes('owner');
    expect(await statusOf(a, 1)).toBe('duplicate');
  });
});
