import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until, type RealReceiver } from '../e2e/receivers/receivers.ts';
import { lostOf, Sender } from '../e2e/receivers/sender.ts';
import { isPatroniInstalled } from '../postgres/patroni/cluster.ts';
import { Operator } from '../postgres/patroni/operator.ts';

const isInstalled = isPatroniInstalled();
if (!isInstalled) {
  console.warn('skipped: `apt-get install patroni etcd-server postgresql` brings what it needs');
}

describe.runIf(isInstalled)('PostgreSQL under Patroni, as the guide sets it up', () => {
  let operator: Operator;
  /** Numbers that no other test delivers. */
  let next = 1;
  beforeAll(async () => {
    operator = await Operator.start();
  });
  afterAll(() => operator?.leave());

  /** Two receivers, and deliveries that they acknowledge. */
  async function delivering(): Promise<{ receivers: RealReceiver[]; sender: Sender }> {
    const receivers = await operator.receivers();
    const sender = new Sender(receivers, next);
    next += 1_000_000;
    await acknowledgesMore(sender);
    return { receivers, sender };
  }

  /** Ends the deliveries; answers those that were acknowledged and are lost. */
  async function lostInTheEnd(
    sender: Sender,
    receivers: readonly RealReceiver[],
  ): Promise<number[]> {
    await sender.stop();
    const lost = await lostOf(sender, receivers);
    await operator.type('counterfoil verify');
    return lost;
  }

  async function acknowledgesMore({ acknowledged }: Sender): Promise<void> {
    const before = acknowledged.length;
    await until('deliveries are acknowledged', () => acknowledged.length > before + 50);
  }

  /** Resolves once each receiver has refused; answers how many were acknowledged after a refusal. */
  async function acknowledgedMeanwhile(
    sender: Sender,
    receivers: readonly RealReceiver[],
  ): Promise<number> {
    await until('a delivery is refused', () => sender.refused.length > 0);
    const before = sender.acknowledged.length;
    await until('no receiver is ready', async () => {
      const answers = await Promise.all(receivers.map((receiver) => receiver.ready()));
      return answers.every(({ status }) => status === 'journal-unavailable');
    });
    const refused = sender.refused.length;
    await until('each receiver refuses', () => sender.refused.length > refused + 1);
    return sender.acknowledged.length - before;
  }

  test('patronictl lists a leader and a synchronous standby', async () => {
    const { primary, standby } = await operator.servers();
    const list = operator.cluster.list();
    expect(list).toMatch(new RegExp(` ${primary} .* Leader `));
    expect(list).toMatch(new RegExp(` ${standby} .* Sync Standby `));
  });

  test('the machine of the standby is lost: nothing is acknowledged until it is back', async () => {
    const { receivers, sender } = await delivering();
    const { standby } = await operator.servers();
    await operator.cluster.switchOff(standby);
    expect(await acknowledgedMeanwhile(sender, receivers)).toBe(0);
    expect(new Set(sender.refused)).toEqual(new Set(['refused 503']));
    operator.cluster.switchOn(standby);
    await acknowledgesMore(sender);
    await operator.cluster.follows(standby);
    expect(await lostInTheEnd(sender, receivers)).toEqual([]);
  });

  test('PostgreSQL of the primary dies: the standby leads at once, and the dead one follows', async () => {
    const { receivers, sender } = await delivering();
    const { primary, standby } = await operator.servers();
    operator.cluster.kill('postgres', primary);
    await operator.cluster.leads(standby);
    await operator.cluster.follows(primary);
    await acknowledgesMore(sender);
    expect(await lostInTheEnd(sender, receivers)).toEqual([]);
  });

  test('the machine of the primary is lost: the standby leads, and once back it follows', async () => {
    const { receivers, sender } = await delivering();
    const { primary, standby } = await operator.servers();
    const lostMs = performance.now();
    const seconds = (): string => ((performance.now() - lostMs) / 1000).toFixed(1);
    await operator.cluster.switchOff(primary);
    await operator.cluster.leads(standby);
    const promoted = seconds();
    // Strict: the new primary has no standby yet.
    expect(await acknowledgedMeanwhile(sender, receivers)).toBe(0);
    const back = seconds();
    operator.cluster.switchOn(primary);
    await acknowledgesMore(sender);
    const again = seconds();
    await operator.cluster.follows(primary);
    expect(await lostInTheEnd(sender, receivers)).toEqual([]);
    const [kept, refused] = [sender.acknowledged.length, sender.refused.length];
    console.info(
      `promoted after ${promoted} s, back after ${back} s, acknowledged again after ${again} s; ${kept} acknowledged, ${refused} refused, none lost`,
    );
  });

  test('two members of etcd are lost: nothing is acknowledged until one is back', async () => {
    const { receivers, sender } = await delivering();
    const { primary, standby } = await operator.servers();
    await operator.cluster.switchOff('witness');
    await acknowledgesMore(sender);
    operator.cluster.kill('etcd', standby);
    expect(await acknowledgedMeanwhile(sender, receivers)).toBe(0);
    expect(await operator.cluster.primary()).toBeUndefined();
    operator.cluster.switchOn('witness');
    await acknowledgesMore(sender);
    await operator.cluster.leads(primary);
    expect(await lostInTheEnd(sender, receivers)).toEqual([]);
  });
});
