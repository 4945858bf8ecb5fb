import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../e2e/program.ts';
import { isInstalled } from '../postgres/installed.ts';
import { JournalReading } from './judge/journal.ts';
import { Judge, type Verdict } from './judge/judge.ts';
import type { ReceiverSettings } from './scene/receiver.ts';
import { Scene } from './scene/scene.ts';
import { digestOf, notificationOf } from './scene/senders.ts';

async function scene(settings: ReceiverSettings = {}): Promise<Scene> {
  const started = await Scene.start(settings);
  onTestFinished(() => started.stop());
  return started;
}

/** The primary dies, and the standby is promoted as it is. */
async function failOver({ pair }: Scene): Promise<void> {
  const { server, followers } = pair.primary;
  await server.kill();
  followers.cut();
  await pair.promote();
}

/** Delivers until it is acknowledged. */
async function deliver(hookUrl: string, body: string): Promise<void> {
  await eventually('an acknowledgement', async () => {
    const answer = await fetch(hookUrl, { method: 'POST', body });
    return answer.ok ? true : undefined;
  });
}

/** Whether the primary's journal holds a notification, though its standby may not. */
async function isAtPrimary({ pair }: Scene, id: string): Promise<boolean> {
  const reading = new JournalReading();
  const client = await pair.connect();
  await reading.readOn(client);
  await client.end();
  return reading.kept.has(id);
}

/** What the judge finds in a scene. */
function verdictOf(of: Scene): Promise<Verdict> {
  return new Judge(of).judgeJournal();
}

describe.runIf(isInstalled)('the judge of npm run proof:failover', () => {
  test('finds what an asynchronous standby loses', async () => {
    const lossy = await scene({ standby: 'optional' });
    const { owner } = await lossy.roles();
    await lossy.pair.setSynchronous(false);
    const [kept, lost] = [notificationOf('kept'), notificationOf('lost')];
    await deliver(owner.hookUrl, kept);
    await eventually('the standby holds it', async () => {
      const caughtUp = 'SELECT FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()';
      return (await lossy.pair.sql(caughtUp)).length > 0 ? true : undefined;
    });
    lossy.pair.primary.followers.stall();
    await deliver(owner.hookUrl, lost);
    lossy.senders.acknowledged.set('kept', digestOf(kept)).set('lost', digestOf(lost));
    await failOver(lossy);
    expect(await verdictOf(lossy)).toMatchObject({ lost: ['lost'], doubled: [], problems: [] });
  });

  test('finds what a woken owner doubles where no epoch stops it', async () => {
    const split = await scene({ leaseSeconds: 60 });
    const { owner, follower } = await split.roles();
    owner.pause();
    await split.pair.sql('CREATE TABLE counterfoil.slept AS TABLE counterfoil.ownership');
    await split.pair.sql('UPDATE counterfoil.ownership SET lease_until = clock_timestamp()');
    await eventually('the other receiver takes over', async () =>
      (await follower.ready()).receiver.role === 'owner' ? true : undefined,
    );
    const body = notificationOf('doubled');
    await deliver(follower.hookUrl, body);
    // The fence gets a row for each of the two, and the tables take a position twice.
    await split.pair.sql(`ALTER TABLE counterfoil.ownership DROP CONSTRAINT ownership_pkey;
      ALTER TABLE counterfoil.journal DROP CONSTRAINT journal_pkey;
      ALTER TABLE counterfoil.bodies DROP CONSTRAINT bodies_pkey;
      ALTER TABLE counterfoil.seals DROP CONSTRAINT seals_pkey;
      UPDATE counterfoil.slept SET lease_until = 'infinity';
      INSERT INTO counterfoil.ownership TABLE counterfoil.slept`);
    owner.wake();
    await deliver(owner.hookUrl, body);
    const { lost, doubled, problems } = await verdictOf(split);
    expect({ lost, doubled }).toEqual({ lost: [], doubled: ['doubled'] });
    expect(problems).toContainEqual(expect.stringMatching(/^commit \d+ breaks the chain$/));
  });

  test('finds what is lost when a repeat is answered from a read alone', async () => {
    const unproven = await scene();
    const { pair, senders } = unproven;
    const { owner } = await unproven.roles();
    pair.primary.followers.stall();
    const body = notificationOf('unproven');
    const refused = fetch(owner.hookUrl, { method: 'POST', body }).catch(() => 'no answer');
    await eventually('the primary alone holds it', async () => {
      await pair.cancelWaits();
      return (await isAtPrimary(unproven, 'unproven')) ? true : undefined;
    });
    // A receiver that only reads the primary would acknowledge the repeat now.
    senders.acknowledged.set('unproven', digestOf(body));
    await failOver(unproven);
    expect(await verdictOf(unproven)).toMatchObject({ lost: ['unproven'], doubled: [] });
    await unproven.stop();
    await refused;
  });
});
