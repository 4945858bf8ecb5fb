import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCaller } from '../core-caller.ts';
import type { Caller } from '../core-caller.ts';
import { startReceiver } from '../delivery/webhook-receiver.ts';
import type { WebhookReceiver } from '../delivery/webhook-receiver.ts';

const STREAMS = ['incoming'];
let caller: Caller;
let receiver: WebhookReceiver;
/** The vault that permissions name, and one that they do not. */
let ours: Fixture;
let theirs: Fixture;

interface Fixture {
  readonly vaultId: string;
  readonly transactionId: string;
  readonly notificationId: string;
}

beforeAll(async () => {
  caller = await startCaller();
  receiver = await startReceiver();
  ours = await fixture();
  theirs = await fixture();
});
afterAll(async () => {
  await caller.stop();
  await receiver.close();
});

/** A vault with a delivered notification of a deposit. */
async function fixture(): Promise<Fixture> {
  const vaultId = await caller.vault();
  const { addressId } = await caller.address(await caller.account(vaultId), 'ethereum');
  const webhookUrl = `${receiver.url}/hook`;
  await caller.api('POST', `/subscriptions/${vaultId}`, { webhookUrl, streams: STREAMS });
  await caller.sim('POST', '/sim/deposits', {
    network: 'ethereum',
    addressId,
    asset: 'ethereum:ETH',
    amount: '1',
  });
  await caller.advance(0);
  const { data } = await caller.sim('GET', `/sim/deliveries?vaultId=${vaultId}`);
  const [attempt] = data as { body: { id: string; transactionId: string } }[];
  if (attempt === undefined) throw new Error('nothing was delivered');
  return { vaultId, transactionId: attempt.body.transactionId, notificationId: attempt.body.id };
}

type Shape = (at: Fixture) => [method: string, path: string, body?: unknown];
const ENDPOINTS: readonly Shape[] = [
  ({ vaultId }) => [
    'POST',
    `/subscriptions/${vaultId}`,
    { webhookUrl: `${receiver.url}/hook`, streams: STREAMS },
  ],
  ({ vaultId }) => ['GET', `/subscriptions/${vaultId}`],
  ({ vaultId }) => ['DELETE', `/subscriptions/${vaultId}`],
  ({ vaultId }) => [
    'PUT',
    `/subscriptions/${vaultId}/confirmations`,
    { confirmations: { ethereum: 12 } },
  ],
  ({ vaultId }) => ['GET', `/subscriptions/${vaultId}/confirmations`],
  ({ vaultId }) => ['PATCH', `/subscriptions/${vaultId}/notifications/retry-schedule`],
  ({ notificationId }) => [
    'POST',
    `/subscriptions/notifications/${notificationId}/replay`,
    { url: `${receiver.url}/replay` },
  ],
  ({ transactionId }) => ['GET', `/subscriptions/notifications?transactionId=${transactionId}`],
];

const V = 'Vault:read';
const M = 'manageVaults';
const N = 'manageNotifications';
/** `manageNotifications` on the vault that is called. */
const H = 'here';
/** `manageNotifications` on another vault. */
const E = 'elsewhere';

const yes = 200;
const no = 403;
// One column for each endpoint: the four calls of the vault's subscriptions and confirmations,
// the confirmations read, the retry schedule, replay, and the list.
test.each<[readonly string[], readonly number[]]>([
  //           POST GET  DELETE PUT  GET  PATCH POST   GET
  //           sub  sub  sub    conf conf retry replay list
  [[], /*   */ [no, no, no, no, no, no, no, no]],
  [[V], /*  */ [no, yes, no, no, yes, no, no, yes]],
  [[M], /*  */ [no, no, no, no, no, no, no, no]],
  [[N], /*  */ [no, no, no, no, no, no, no, no]],
  [[H], /*  */ [no, no, no, no, no, no, no, no]],
  [
    [V, M],
    /**/ [no, yes, no, no, yes, no, no, yes],
  ],
  [
    [V, N],
    /**/ [no, yes, no, no, yes, no, no, yes],
  ],
  [
    [V, H],
    /**/ [no, yes, no, no, yes, no, no, yes],
  ],
  [
    [M, N],
    /**/ [yes, yes, yes, yes, yes, yes, yes, yes],
  ],
  [
    [M, H],
    /**/ [yes, yes, yes, yes, yes, yes, yes, yes],
  ],
  [
    [M, E],
    /**/ [no, no, no, no, no, no, no, no],
  ],
  [
    [V, M, E],
    [no, yes, no, no, yes, no, no, yes],
  ],
  [
    [V, M, H],
    [yes, yes, yes, yes, yes, yes, yes, yes],
  ],
  [
    [V, M, N],
    [yes, yes, yes, yes, yes, yes, yes, yes],
  ],
])('%j may do %j', async (held, expected) => {
  const permissions = held.map((each) => {
    if (each === H) return `manageNotifications:${ours.vaultId}`;
    return each === E ? `manageNotifications:${theirs.vaultId}` : each;
  });
  const { token } = await caller.client(permissions);
  const statuses: number[] = [];
  const codes = new Set<unknown>();
  for (const shape of ENDPOINTS) {
    const [method, path, body] = shape(ours);
    const answer = await caller.api(method, path, body, { token });
    statuses.push(answer.status);
    if (answer.status === no) codes.add(answer.body['errorCode']);
  }
  expect(statuses).toEqual(expected);
  expect([...codes]).toEqual(expected.includes(no) ? ['AU-1'] : []);
});

test('who may not is told so before anything is said of what exists', async () => {
  const { token } = await caller.client([]);
  const nowhere = { vaultId: 'none', transactionId: 'none', notificationId: 'none' };
  for (const shape of ENDPOINTS) {
    const [method, path, body] = shape(nowhere);
    expect((await caller.api(method, path, body, { token })).status).toBe(no);
    expect((await caller.api(method, path, body)).status).toBe(404);
  }
});
