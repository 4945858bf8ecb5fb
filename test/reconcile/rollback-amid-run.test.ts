import { expect, test } from 'vitest';
import { CreditLatency } from '../../src/reconcile/verifying/credit-latency.ts';
import { TransactionId } from '../../src/domain/ids.ts';
import { transactionOf } from '../../src/translation/transaction.ts';
import { Tally } from '../../src/reconcile/comparing/tally.ts';
import { FirstReadings } from '../../src/reconcile/comparing/first-readings.ts';
import { LongReading } from '../../src/reconcile/sweep/long-reading.ts';
import { CustodyChanges } from '../../src/reconcile/verifying/custody-changes.ts';
import { Verifier } from '../../src/reconcile/verifying/verifier.ts';
import type { Reads } from '../../src/store/reads.ts';
import { Service } from '../store/webhook.ts';
import { GRACE_MS, Stage, type Webhook } from './stage.ts';

/** A deposit of 700 units, three deep and not verified yet; answers its hash. */
async function unverified(stage: Stage): Promise<string> {
  const hash = await stage.paid(await stage.depositAddress(), 700, 3);
  expect(await stage.depositState(hash)).toBe('verifying');
  return hash;
}

/** Runs `act` once, before the call of this number. */
function before<Args extends unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  act: () => Promise<void>,
  number = 1,
): (...args: Args) => Promise<Result> {
  let calls = 0;
  return async (...args) => {
    calls += 1;
    if (calls === number) await act();
    return call(...args);
  };
}

/** The mined transaction is rolled back, and is one deep in a new block. */
async function minedAnew(stage: Stage): Promise<void> {
  await stage.reorg(3, []);
  await stage.mine(1);
}

/** Our records, as they are after `act`: the API's rows were read before. `view`: which reading. */
function readsAfter(stage: Stage, act: () => Promise<void>, view = 1): Reads {
  const { reads } = stage;
  const reconcilerView = before(reads.reconcilerView.bind(reads), act, view);
  return Object.assign(Object.create(reads) as Reads, { reconcilerView });
}

/** One deep in the new block: three deep, it is credited. */
async function expectOneDeep(stage: Stage, hash: string): Promise<void> {
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(2);
  await stage.run();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
  expect(stage.open.openBreaks()).toEqual([]);
}

test('a reorg between the comparison and its commit: the older depth credits nothing', async () => {
  const stage = await Stage.start();
  const hash = await unverified(stage);
  const submit = before(stage.open.commit.bind(stage.open), () => minedAnew(stage));
  await stage.run(stage.newSweep({ submit }));
  expect(stage.open.feedLines()).toEqual([]);
  await expectOneDeep(stage, hash);
});

test('a reorg between the reading and the comparison: the older depth credits nothing', async () => {
  const stage = await Stage.start();
  const hash = await unverified(stage);
  await stage.run(stage.newSweep({ reads: readsAfter(stage, () => minedAnew(stage)) }));
  expect(stage.open.feedLines()).toEqual([]);
  await expectOneDeep(stage, hash);
});

/** A verifier whose snapshot of our records follows the API's answer and `act`; a sweep ran before it. */
async function verifierOf(stage: Stage, act: () => Promise<void>): Promise<Verifier> {
  const now = (): number => stage.now;
  const changes = new CustodyChanges({ custody: stage.client, now });
  const verifier = new Verifier({
    reads: readsAfter(stage, act),
    custody: stage.client,
    changes,
    latency: new CreditLatency({ observe: () => undefined }),
    submit: (facts) => stage.open.commit(facts),
    wantSweep: () => undefined,
    now,
    graceMs: GRACE_MS,
  });
  await stage.run(stage.newSweep({ changes }));
  stage.open.onNews = (news) => verifier.take(news);
  return verifier;
}

test('a reorg while the verifier reads: the older depth credits nothing', async () => {
  const stage = await Stage.start();
  const verifier = await verifierOf(stage, () => minedAnew(stage));
  const hash = await unverified(stage);
  await stage.caller.advance(1_000);
  await verifier.round();
  expect(stage.attempts.length).toBeGreaterThan(1);
  expect(stage.open.feedLines()).toEqual([]);
  await expectOneDeep(stage, hash);
});

test('a reorg while the verifier reads for another deposit: the older depth credits nothing', async () => {
  const stage = await Stage.start();
  const verifier = await verifierOf(stage, async () => {
    stage.loses = () => false;
    await minedAnew(stage);
  });
  const other = await stage.paid(await stage.depositAddress(), 800, 1);
  const hash = await stage.paid(await stage.depositAddress(), 700, 1);
  // The API shows it deep because of the other one, which is due; its own webhooks come late.
  stage.loses = ({ blockchainHash }) => blockchainHash === hash;
  await stage.mine(2);
  expect(await stage.depositState(hash)).toBe('confirming');
  expect(await stage.depositState(other)).toBe('verifying');
  await stage.caller.advance(1_000);
  await verifier.round();
  expect(stage.open.feedLines()).toEqual(['credit 800']);
  expect(await stage.depositState(hash)).toBe('confirming');
  await stage.mine(2);
  await stage.caller.advance(1_000);
  await verifier.round();
  expect(stage.open.feedLines()).toEqual(['credit 800', 'credit 700']);
});

test('a forged rollback elsewhere under its hash, while the verifier reads, keeps no deposit from its credit', async () => {
  const stage = await Stage.start();
  const forged = { blockchainHash: '', transactionId: 'nobody', addressId: 'elsewhere' };
  const verifier = await verifierOf(stage, () =>
    stage.deliver(new Service().incoming('rollback', forged)),
  );
  forged.blockchainHash = await unverified(stage);
  await stage.caller.advance(1_000);
  await verifier.round();
  expect(stage.open.feedLines()).toEqual(['credit 700']);
});

test('a reorg while a page of a long list is held: the older depth credits nothing', async () => {
  const stage = await Stage.start();
  const hash = await unverified(stage);
  const long = new LongReading({
    // The first reading is for own transactions; the second is made when the deposits were read.
    reads: readsAfter(stage, () => minedAnew(stage), 2),
    submit: async (records) => {
      for (const record of records) await stage.open.record(record);
      return null;
    },
    repairs: undefined,
    firstReadings: new FirstReadings(),
    now: () => stage.now,
    graceMs: GRACE_MS,
  });
  const context = {
    custody: stage.client,
    priority: 'deposits' as const,
    startedAt: stage.now,
    deadlineMs: stage.now + 45_000,
    overlapMs: 0,
    known: null,
    tally: new Tally(),
    askedAfter: await stage.reads.journalHead(),
  };
  long.begin(context, await stage.reads.waitingDeposits());
  const { requests } = await long.goOn(context, 1);
  expect(requests).toBe(3);
  expect(stage.open.feedLines()).toEqual([]);
  await expectOneDeep(stage, hash);
});

test('a lost rollback that arrives before its repair: mined again, the deposit stays', async () => {
  const stage = await Stage.start();
  const hash = await stage.paid(await stage.depositAddress(), 700, 1);
  const arrive = async (): Promise<void> => {
    stage.loses = () => false;
    await stage.deliverLost();
    await stage.mine(1);
  };
  const submitLate = before(stage.open.commit.bind(stage.open), arrive);
  const sweep = stage.newSweep({
    subscription: { webhookUrl: await stage.webhookUrl(), vaults: 'all' },
    submit: (facts) =>
      facts.some((fact) => fact.kind === 'custody-record' && fact.record.kind === 'backfill')
        ? submitLate(facts)
        : stage.open.commit(facts),
  });
  stage.loses = ({ type }) => type === 'rollback';
  await stage.reorg(1, []);
  await stage.caller.advance(GRACE_MS);
  await stage.run(sweep);
  await stage.caller.advance(60_000);
  await stage.run(sweep);
  expect(await stage.deposits(hash)).toMatchObject([{ epoch: 1, state: 'confirming' }]);
  expect(Object.values(stage.open.positions())).toEqual(['700']);
});

/** Loses the webhooks of a reorg; answers the rollback, after `minedAnew`. */
async function lostRollback(stage: Stage): Promise<Webhook> {
  stage.loses = ({ stream, type }) => stream === 'incoming' && type === 'rollback';
  await stage.reorg(3, []);
  stage.loses = () => false;
  const [rollback] = stage.lost.splice(0);
  if (rollback === undefined) throw new Error('no rollback');
  return rollback;
}

async function retried(stage: Stage, rollback: Webhook): Promise<void> {
  const raw = Buffer.from(JSON.stringify(rollback));
  const defect = 'it could not be booked';
  await stage.open.commit([{ kind: 'quarantined', at: stage.now, raw, id: rollback.id, defect }]);
  const [kept] = stage.open.rows<{ id: string }>('SELECT quarantine_id AS id FROM quarantine');
  await stage.open.decide({ kind: 'retry', quarantineId: kept?.id ?? '', reason: 'upgraded' });
}

test.each<[string, (stage: Stage, rollback: Webhook) => Promise<void>]>([
  ['is retried from the quarantine', retried],
  [
    'is backfilled',
    async (stage, { transactionId }) => {
      const answer = await stage.client.transaction(TransactionId(transactionId ?? ''), {
        priority: 'deposits',
        deadlineMs: stage.now + 10_000,
      });
      if (answer.kind !== 'ok') throw new Error(answer.kind);
      const transaction = transactionOf(answer.value);
      await stage.open.record({ kind: 'backfill', transaction, epoch: 0 });
    },
  ],
  [
    'names no transaction',
    async (stage, { transactionId: _, ...unnamed }) => stage.deliver(unnamed),
  ],
])(
  'a rollback %s while the API’s rows are read: the older depth credits nothing',
  async (_, enters) => {
    const stage = await Stage.start();
    const hash = await unverified(stage);
    const act = async (): Promise<void> => {
      await enters(stage, await lostRollback(stage));
      await stage.mine(1);
    };
    await stage.run(stage.newSweep({ reads: readsAfter(stage, act) }));
    expect(stage.open.feedLines()).toEqual([]);
    expect(await stage.deposits(hash)).toMatchObject([{ epoch: 1 }]);
    await expectOneDeep(stage, hash);
  },
);

test('a rollback that is retried when nothing is booked for the deposit counts against the API’s rows too', async () => {
  const stage = await Stage.start();
  const hash = await stage.pay(await stage.depositAddress(), 700);
  stage.loses = ({ stream }) => stream === 'incoming';
  await stage.mine(3);
  expect(await stage.depositState(hash)).toBe('detected');
  const act = async (): Promise<void> => {
    stage.lost.splice(0);
    await retried(stage, await lostRollback(stage));
    await stage.mine(1);
  };
  await stage.run(stage.newSweep({ reads: readsAfter(stage, act) }));
  expect(stage.open.feedLines()).toEqual([]);
  await expectOneDeep(stage, hash);
});
