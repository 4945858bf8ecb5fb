import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCore } from '../../../src/simulator/core.ts';
import { startReceiver } from '../../simulator/webhook-receiver.ts';
import type { WebhookReceiver } from '../../simulator/webhook-receiver.ts';
import { CoreProcess, RemoteCore } from '../../simulator/core-process.ts';
import { payEveryone, populate, NOTIFICATIONS_PER_DEPOSIT } from '../../simulator/bulk-creation.ts';
import type { Inhabitant } from '../../simulator/bulk-creation.ts';

const SEED = 9;
const VAULTS = 40;
const DEPOSITS = 3;
const QUEUED = VAULTS * DEPOSITS * NOTIFICATIONS_PER_DEPOSIT.length;

let receiver: WebhookReceiver;
let core: CoreProcess;

beforeEach(async () => {
  receiver = await startReceiver();
  core = await CoreProcess.startOnFile('--seed', String(SEED), '--no-mine');
});

afterEach(async () => {
  await core.remove();
  await receiver.close();
});

async function fillQueues(of: RemoteCore): Promise<Inhabitant[]> {
  const inhabitants = await populate(of, {
    from: 0,
    to: VAULTS,
    network: 'bitcoin',
    urlOf: (index) => `${receiver.url}/${index}`,
  });
  for (let deposit = 0; deposit < DEPOSITS; deposit += 1) await payEveryone(of, inhabitants);
  return inhabitants;
}

/** A notification without the time of its delivery. */
function textOf({ timestamp: _timestamp, ...body }: { timestamp?: unknown }): string {
  return JSON.stringify(body);
}

/**
 * The notifications that each vault must get, in order: those of an undisturbed core with the same
 * seed.
 */
async function expectedByVault(): Promise<Map<string, string[]>> {
  const untouched = await startCore({ port: 0, seed: SEED, autoMine: false });
  await fillQueues(new RemoteCore(untouched));
  const expected = new Map<string, string[]>();
  for (const { vaultId, body } of untouched.delivery.log.pending()) {
    const texts = expected.get(vaultId) ?? [];
    expected.set(vaultId, texts);
    texts.push(textOf(body));
  }
  await untouched.stop();
  return expected;
}

/** Lets every vault retry now. The core may be killed meanwhile. */
async function pullForward(inhabitants: readonly Inhabitant[]): Promise<void> {
  for (const { vaultId } of inhabitants) {
    const path = `/subscriptions/${vaultId}/notifications/retry-schedule`;
    const answer = await core.api('PATCH', path).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(200);
  }
}

test(`${QUEUED} queued notifications survive kill -9 before and during their delivery`, async () => {
  receiver.reply = () => 503;
  const expected = await expectedByVault();
  receiver.hits.length = 0;
  const inhabitants = await fillQueues(core);
  await core.killAndStartAgain();

  const received = new Map<string, string[]>();
  let accepted = 0;
  let stopAt = QUEUED / 3;
  let onStop = (): void => undefined;
  receiver.reply = ({ body: { vaultId }, text: sent }) => {
    const texts = received.get(vaultId) ?? [];
    received.set(vaultId, texts);
    const text = textOf(JSON.parse(sent) as object);
    // At-least-once: the core was killed before it read our answer, so it sends the notification
    // again.
    if (texts.at(-1) === text) return 200;
    texts.push(text);
    accepted += 1;
    if (accepted === stopAt) onStop();
    return 200;
  };
  const third = new Promise<void>((resolve) => (onStop = resolve));
  await Promise.all([pullForward(inhabitants), third.then(() => core.kill())]);
  expect(accepted).toBeLessThan(QUEUED);

  stopAt = QUEUED;
  const all = new Promise<void>((resolve) => (onStop = resolve));
  await core.startAgain();
  await pullForward(inhabitants);
  await all;
  expect([...received.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
  for (const [vaultId, texts] of expected) expect(received.get(vaultId)).toEqual(texts);
});
