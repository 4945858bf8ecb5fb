import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCore } from '../../../src/simulator/core.ts';
import { startReceiver } from '../delivery/webhook-receiver.ts';
import type { Received, WebhookReceiver } from '../delivery/webhook-receiver.ts';
import { CoreProcess, RemoteCore } from '../core-process.ts';
import { payEveryone, populate, TOLD_PER_DEPOSIT } from '../population.ts';
import type { Inhabitant } from '../population.ts';

const SEED = 9;
const VAULTS = 100;
const DEPOSITS = 12;
const QUEUED = VAULTS * DEPOSITS * TOLD_PER_DEPOSIT.length;

let receiver: WebhookReceiver;
let core: CoreProcess;

beforeEach(async () => {
  receiver = await startReceiver();
  core = await CoreProcess.startOnFile('--seed', String(SEED), '--no-mine');
}, 40_000);

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

function textOf({ body: { timestamp: _timestamp, ...body } }: Pick<Received, 'body'>): string {
  return JSON.stringify(body);
}

/** What each vault must be told, in order, from a core of the same seed that nothing happened to. */
async function expectedByVault(): Promise<Map<string, string[]>> {
  const untouched = await startCore({ port: 0, seed: SEED, autoMine: false });
  await fillQueues(new RemoteCore(untouched));
  const expected = new Map<string, string[]>();
  for (const { vaultId, body } of untouched.delivery.log.pending()) {
    const texts = expected.get(vaultId) ?? [];
    expected.set(vaultId, texts);
    texts.push(textOf({ body }));
  }
  await untouched.stop();
  return expected;
}

/** Lets every vault retry now; the core may die meanwhile. */
async function pullForward(inhabitants: readonly Inhabitant[]): Promise<void> {
  for (const { vaultId } of inhabitants) {
    const path = `/subscriptions/${vaultId}/notifications/retry-schedule`;
    const answer = await core.api('PATCH', path).catch(() => undefined);
    if (answer === undefined) return;
    expect(answer.status).toBe(200);
  }
}

test('ten thousand queued notifications outlive kill -9 before and amid their delivery', async () => {
  expect(QUEUED).toBeGreaterThanOrEqual(10_000);
  receiver.reply = () => 503;
  const expected = await expectedByVault();
  receiver.received.length = 0;
  const inhabitants = await fillQueues(core);
  await core.killAndStartAgain();

  const told = new Map<string, string[]>();
  let accepted = 0;
  let stopAt = QUEUED / 3;
  let onStop = (): void => undefined;
  receiver.reply = (received) => {
    const { vaultId } = received.body;
    const texts = told.get(vaultId) ?? [];
    told.set(vaultId, texts);
    const text = textOf(received);
    // Sent again because the core died before it knew of our answer: that is at-least-once.
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
  expect([...told.keys()].toSorted()).toEqual([...expected.keys()].toSorted());
  for (const [vaultId, texts] of expected) expect(told.get(vaultId)).toEqual(texts);
}, 90_000);
