import { expect, test } from 'vitest';
import { CreditId } from '../../../src/domain/ids.ts';
import { verifyWith } from '../../store/evidence.ts';
import { CALM, words } from '../console-under-test.ts';
import { openConsole, withStatus } from './open-console.ts';

test('health says what does its work and what does not', async () => {
  expect(await withStatus({ store: 'unavailable' })).toContain('Store accepts no writes');
  const well = {
    circuit: 'closed',
    failures: 0,
    access: 'granted',
    requests: { minute: 1, hour: 9 },
  } as const;
  expect(await withStatus({ custody: well })).toContain('Custody API answers');
  const refused = { ...well, access: 'refused' } as const;
  expect(await withStatus({ custody: refused })).toContain('Custody API refuses our key');
  const open = { ...well, circuit: 'open', failures: 5 } as const;
  expect(await withStatus({ custody: open })).toContain('Custody API does not answer');
  const failing = { ...well, failures: 3 };
  expect(await withStatus({ custody: failing })).toContain('Custody API 3 failures in a row');
  const failedOnce = { ...well, failures: 1 };
  expect(await withStatus({ custody: failedOnce })).toContain('Custody API its last call failed');
});

test('the cause of an incomplete reconciliation is beside its badge, not in it', async () => {
  const { open, read } = await openConsole();
  await open.record({
    kind: 'run',
    startedAt: open.at,
    graceMs: 0,
    custody: { matched: 1, broken: 0, exempt: {}, skipped: {} },
    requests: 1,
    watermark: null,
    incomplete: 'rate_budget',
    repairs: { replayed: 0, pulledForward: 0, backfilled: 0 },
  });
  const page = await read();
  expect(page).toContain('<span class="badge warn">incomplete</span>');
  expect(words(page)).toMatch(/Reconciliation incomplete rate budget; \d+ s ago/);
});

test('a vault whose notifications wait at the custody service is named', async () => {
  const { open, read } = await openConsole();
  const backlog = { transactionId: 't1' as never, since: open.at };
  await open.record({ kind: 'backlog', vaultId: 'v1' as never, backlog });
  const page = await read();
  expect(words(page)).toMatch(/Deliveries backlog 1 vault , the oldest for \d s : v1/);
  expect(page).toContain('href="/console/breaks?type=delivery_backlog"');
});

test('a credit that no consumer has acknowledged is named by its age', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  expect(words(await read())).toMatch(
    /waits for consumers 1 not acknowledged , the oldest for \d s/,
  );
});

test('one item of the feed and one waiting fact are counted as one', async () => {
  const { open, service, read } = await openConsole({
    status: () => ({ ...CALM, queue: { ...CALM.queue, queued: 1 } }),
  });
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  const creditId = CreditId(open.deposits()[0]?.credit_id ?? '');
  await open.decide({ kind: 'acknowledge', creditId, reference: 'ledger-9' });
  const text = words(await read());
  expect(text).toContain('all acknowledged 1 item ');
  expect(text).toContain('1 fact waits to be written');
});

test('the credit latency names the deposit that waits longest, and why', async () => {
  const oldest = { depositId: 'dep_1', sinceMs: Date.UTC(2025, 10, 20), reason: 'not_shown' };
  const creditLatency = { beganMs: 0, credits: 7, p50Ms: 850, p99Ms: 12_400, oldest };
  const text = await withStatus({ creditLatency });
  expect(text).toContain('Median 0.85 s , 99th percentile 12 s over 7 credits in the last hour');
  expect(text).toMatch(/Deposit dep_1 has waited for .*: the custody API does not show the/);
});

test('a daemon younger than an hour says since when it counts credits', async () => {
  const beganMs = Date.parse('2025-11-20T00:00:00Z');
  const none = { credits: 0, p50Ms: null, p99Ms: null, oldest: null };
  expect(await withStatus({ creditLatency: { beganMs, ...none } })).toContain(
    'No credit since the daemon began to verify deposits, 2025-11-20 00:00:00 UTC .',
  );
  expect(await withStatus({ creditLatency: { beganMs: 0, ...none } })).toContain(
    'No credit in the last hour.',
  );
});

test('the only receiver says so in one line', async () => {
  expect(await withStatus({})).toContain('Receiver the only one its store is SQLite');
});

test('every other receiver is listed with its role, its last sign of life and its position', async () => {
  const own = {
    name: 'a',
    role: 'follower',
    owner: 'b',
    epoch: 3,
    position: 9,
    cause: null,
  } as const;
  const page = await withStatus({
    receiver: own,
    receivers: [
      { name: 'b', role: 'owner', silentMs: null, position: 12 },
      { name: 'a', role: 'follower', silentMs: 200, position: 9 },
      { name: 'c', role: 'follower', silentMs: 10_001, position: 7 },
      { name: 'd', role: 'lapsed', silentMs: 3_600_000, position: 5 },
    ],
  });
  expect(page).toContain(
    'Receiver b owner holds the lease; journal position 12 Receiver c follower, silent last seen 10 s ago; journal position 7 Receiver d owned the journal; has no lease for 1 h; journal position 5 Custody API',
  );
});

test.for([
  [
    { name: 'a', role: 'owner', owner: 'a', epoch: 3, position: 1_200, cause: null },
    'owns the journal a; epoch 3; journal position 1_200',
    'not configured',
  ],
  [
    { name: 'a', role: 'follower', owner: 'b', epoch: 3, position: 9, cause: null },
    'follows b a; epoch 3; journal position 9',
    'asked by the owner',
  ],
  [
    {
      name: 'a',
      role: 'cut_off',
      owner: null,
      epoch: null,
      position: 9,
      cause: 'the journal does not answer',
    },
    'cut off from the journal a; journal position 9; the journal does not answer',
    'asked by the owner',
  ],
] as const)('the health shows a receiver as %j', async ([receiver, shown, custody]) => {
  const page = await withStatus({ receiver });
  expect(page).toContain(`Receiver ${shown}`);
  expect(page).toContain(`Custody API ${custody}`);
});
