import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startCaller } from '../../simulator/core-caller.ts';
import type { Json } from '../../simulator/call.ts';
import type { Caller } from '../../simulator/core-caller.ts';

/** Chooses among the values of earlier answers, so that calls use existing records. */
type Choose = (...fields: readonly string[]) => string;

interface Call {
  readonly port: 'api' | 'sim';
  readonly method: string;
  readonly path: string;
  readonly body?: Json;
}

const NETWORKS = ['bitcoin', 'ethereum', 'ripple', 'neo', 'sui'];
const ASSETS = ['bitcoin:BTC', 'ethereum:ETH', 'ripple:XRP', 'neo:NEO', 'sui:SUI'];
const HOOK = { webhookUrl: 'http://127.0.0.1:9/hook', streams: ['incoming', 'outgoing'] };

type Template = readonly [string, (choose: Choose, number: number) => string | [string, Json]];

function networkOf(number: number): { network: string; asset: string } {
  const index = number % NETWORKS.length;
  return { network: NETWORKS[index] ?? '', asset: ASSETS[index] ?? '' };
}

function orderOf(choose: Choose, number: number): Json {
  return {
    orderId: `order-${number % 50}`,
    vaultId: choose('vaultId'),
    ...(number % 3 === 0 ? { addressId: choose('addressId') } : {}),
    ...networkOf(number),
    amount: String(1 + number),
    destinationAddress: choose('networkAddress'),
    ...(number % 7 === 0 ? { memo: String(number) } : {}),
    ...(number % 11 === 0 ? { replacesTransactionId: choose('transactionId') } : {}),
    metadata: { number },
  };
}

/** Every call of the API that names or stores something. */
const API: readonly Template[] = [
  ['GET', () => '/networks'],
  ['GET', () => '/vaults?relations[]=accounts'],
  ['GET', (choose) => `/vaults/${choose('vaultId')}/accounts`],
  ['GET', (choose) => `/accounts/${choose('accountId')}/addresses`],
  ['GET', (choose) => `/addresses/${choose('addressId')}/blockchain-transactions`],
  ['GET', (choose) => `/addresses/${choose('addressId')}/memos`],
  ['GET', () => '/transactions?relations[]=events&relations[]=approvals'],
  ['GET', (choose) => `/transactions/${choose('transactionId')}/events`],
  ['GET', (choose) => `/transactions/${choose('transactionId')}/master-approval-payload`],
  ['GET', () => '/api-clients'],
  ['GET', (choose) => `/subscriptions/notifications?transactionId=${choose('transactionId')}`],
  [
    'POST',
    (choose, n) => ['/accounts', { vaultId: choose('vaultId'), name: `a${n % 9}`, data: {} }],
  ],
  [
    'POST',
    (choose, n) => {
      const { network } = networkOf(n);
      return ['/addresses', { accountId: choose('accountId'), network, data: { n } }];
    },
  ],
  [
    'POST',
    (choose, n) => ['/memos', { addressId: choose('addressId'), memo: String(n), data: {} }],
  ],
  ['POST', (choose, n) => ['/transactions', orderOf(choose, n)]],
  [
    'POST',
    (choose) => [`/transactions/${choose('transactionId')}/approvals`, { decision: 'approve' }],
  ],
  ['POST', (choose) => [`/transactions/${choose('transactionId')}/cancel`, {}]],
  [
    'POST',
    (choose) => {
      const signature = { payload: '00', signature: '00', publicKey: '02' };
      return [`/transactions/${choose('transactionId')}/signatures`, { signatures: [signature] }];
    },
  ],
  ['POST', (choose) => [`/subscriptions/${choose('vaultId')}`, HOOK]],
  ['DELETE', (choose) => `/subscriptions/${choose('vaultId')}`],
  [
    'PUT',
    (choose) => [
      `/subscriptions/${choose('vaultId')}/confirmations`,
      { confirmations: { ethereum: 3 } },
    ],
  ],
  ['PATCH', (choose) => [`/subscriptions/${choose('vaultId')}/notifications/retry-schedule`, {}]],
  ['POST', () => ['/auth/login-code/request', { email: 'ana@example.com' }]],
  ['POST', () => ['/auth/login-code/verify', { email: 'ana@example.com', code: '000000' }]],
];

const CONTROL: readonly Template[] = [
  ['POST', (_choose, n) => ['/sim/vaults', { name: `v${n}`, externalSigner: n % 5 === 0 }]],
  [
    'POST',
    (choose, n) => [
      '/sim/vaults',
      { name: 'q', quorum: n % 2, approvers: [choose('clientId')], source: 'vault' },
    ],
  ],
  ['POST', (choose, n) => ['/sim/addresses', { vaultId: choose('vaultId'), ...networkOf(n) }]],
  [
    'POST',
    (choose, n) => {
      const pays = { addressId: choose('addressId'), amount: String(10 ** (n % 20)) };
      return ['/sim/deposits', { ...networkOf(n), ...pays, memo: String(n) }];
    },
  ],
  [
    'POST',
    (choose, n) => {
      const takes = { addressId: choose('addressId'), amount: '7', destinationAddress: 'thief' };
      return ['/sim/external-debits', { ...networkOf(n), ...takes }];
    },
  ],
  ['POST', (_choose, n) => ['/sim/blocks', { network: networkOf(n).network, count: 1 + (n % 4) }]],
  ['POST', (_choose, n) => ['/sim/reorgs', { network: networkOf(n).network, depth: n % 3 }]],
  ['POST', (_choose, n) => ['/sim/clock', { advanceMs: n * 1000 }]],
  ['PUT', (_choose, n) => ['/sim/faults', { transactions: [{ fault: 'revert', count: n % 3 }] }]],
  ['POST', () => ['/sim/clients', { name: 'c', type: 'user', email: 'a@b', permissions: [] }]],
  ['POST', () => ['/sim/snapshot', {}]],
  ['POST', (choose) => ['/sim/restore', { snapshotId: choose('snapshotId') }]],
  ['GET', () => '/sim/deliveries?page=0&pageSize=3'],
  ['GET', () => '/sim/truth/transactions'],
  ['GET', () => '/sim/mailbox'],
];

const TEMPLATES = [
  ...CONTROL.map((template) => ({ port: 'sim' as const, template })),
  ...API.map((template) => ({ port: 'api' as const, template })),
];

/** Nested arrays. */
function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

/** Values that no client should send. */
const odd = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  { weight: 2, arbitrary: fc.constantFrom(60, 63, 64, 700, 2_250).map(nested) },
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\uD800', '#1', '##', '', 'x'.repeat(5_000), '-0', '1e400', '9'.repeat(78)),
  fc.constantFrom(-0, 1e308, 2 ** 53, -1, 0.1, 4_294_967_296),
  fc.constantFrom<Json>({ toJSON: 1 }, { constructor: {} }, { data: { '#': '#1' } }),
);

const step = fc.record({
  template: fc.constantFrom(...TEMPLATES),
  numbers: fc.array(fc.nat(1_000), { minLength: 4, maxLength: 4 }),
  /** Puts an odd value into a field of the body, or into an unknown field. */
  change: fc.option(fc.record({ index: fc.nat(60), value: odd }), { freq: 2 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const NAMED = /Id$|^id$|Hash$|^networkAddress$/;

/** Ids of records in answers, by field. */
class Names {
  readonly #byField = new Map<string, string[]>();

  learn(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [field, part] of Object.entries(value)) {
      if (typeof part === 'string' && NAMED.test(field)) {
        const known = this.#byField.get(field) ?? [];
        if (!known.includes(part)) this.#byField.set(field, [...known, part].slice(-30));
      } else this.learn(part);
    }
  }

  of(field: string): readonly string[] {
    return this.#byField.get(field) ?? [];
  }
}

function callOf({ template, numbers, change }: Step, names: Names): Call {
  const { port, template: shape } = template;
  const [method, make] = shape;
  let used = 0;
  const choose: Choose = (field = '') => {
    const known = names.of(field);
    used += 1;
    return known[(numbers[used] ?? 0) % Math.max(1, known.length)] ?? 'none';
  };
  const made = make(choose, numbers[0] ?? 0);
  if (typeof made === 'string') return { port, method, path: made };
  const [path, body] = made;
  if (change === null) return { port, method, path, body };
  // Mostly into fields that keep the client's own data.
  const kept = change.index % 2 === 0 ? ['data', 'metadata'] : [];
  const fields = kept.length > 0 ? kept : [...Object.keys(body), 'memo', 'name', 'hdpath'];
  const field = fields[(change.index >> 1) % fields.length] ?? 'data';
  const value = change.index % 3 === 0 ? { deep: change.value } : change.value;
  return { port, method, path, body: { ...body, [field]: value } };
}

let folder: string;
let core: Caller;
const bugs: unknown[] = [];

function start(): Promise<Caller> {
  return startCaller({
    db: join(folder, 'core.db'),
    rateLimit: false,
    onBug: (error) => bugs.push(error),
  });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterfoil-fuzz-'));
  core = await start();
});

afterEach(async () => {
  await core.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('no call on a state file is answered with 500', async () => {
  const names = new Names();
  const statuses = new Map<number, number>();
  const run = async (steps: readonly Step[]): Promise<void> => {
    for (const each of steps) {
      const call = callOf(each, names);
      const { method, path, body } = call;
      const answer =
        call.port === 'api'
          ? await core.api(method, path, body)
          : await core.control(method, path, body);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      names.learn(answer.body);
      if (answer.status >= 500) throw new Error(`${answer.status} ${method} ${path}`);
    }
    expect((await core.api('GET', '/vaults')).status).toBe(200);
    expect(bugs).toEqual([]);
  };
  // Unchanged calls first: they succeed, and later calls find the records that these make.
  const plain = [0, 1, 2, 3, 4, 5].flatMap((number) =>
    TEMPLATES.map((template): Step => ({
      template,
      numbers: [number, number, number, number],
      change: null,
    })),
  );
  await run(plain);
  // Enough calls must succeed, or the test proves nothing.
  expect(statuses.get(201)).toBeGreaterThan(20);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), run),
    { numRuns: 30, endOnFailure: true },
  );
  const before = await core.api('GET', '/transactions?pageSize=1000');
  await core.stop();
  core = await start();
  const after = await core.api('GET', '/transactions?pageSize=1000');
  expect(after.body).toEqual(before.body);
});
