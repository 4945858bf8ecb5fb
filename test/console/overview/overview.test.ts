import { expect, test } from 'vitest';
import type { ConsoleOptions } from '../../../src/console/application.ts';
import type { DaemonStatus } from '../../../src/console/overview/daemon-status.ts';
import { closeOf, closesOf, dayNumber } from '../../store/close/closing.ts';
import { verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { CALM, consoleUnderTest, PUBLIC, words } from '../console-under-test.ts';

const DAY_MS = 86_400_000;

async function openConsole(options: Partial<ConsoleOptions> = {}) {
  const { open, service, stranger } = await consoleUnderTest({
    ...PUBLIC,
    ...options,
  });
  return { open, service, read: () => stranger.get('/console') };
}

async function withStatus(status: Partial<DaemonStatus>): Promise<string> {
  const { read } = await openConsole({ status: () => ({ ...CALM, ...status }) });
  return words(await read());
}

test('an empty store shows an empty console, and what would fill it', async () => {
  const { read } = await openConsole();
  const text = words(await read());
  expect(text).toContain('Accepted 0 Duplicates 0 Quarantined 0 Credits 0 Reversals 0');
  expect(text).toContain('No day is closed yet. The next close is due 2025-11-21 00:05:00 UTC');
  expect(text).toContain('Nothing waits for a person.');
  expect(text).toContain('No deposits yet.');
  expect(text).toContain('No open breaks.');
  expect(text).toContain('Custody API not configured');
});

test('what a person must look at is shown above everything else, as text', async () => {
  let notices: string[] = ['The custody API has refused our key (401). <Attach> the public key.'];
  const { read } = await openConsole({ status: () => ({ ...CALM, notices }) });
  const page = await read();
  expect(page).toContain('&lt;Attach&gt; the public key.');
  expect(words(page)).toMatch(/refused our key \(401\).* Tie-out/);
  notices = [];
  expect(await read()).not.toContain('Attach');
});

test('the last closed day shows books, chain view and custody, and who signed it', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.confirmed(6, { balanceChanges: [change('1500', decimals(2))] }),
    service.chain('transaction', {
      balanceChanges: [change('1400', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
  expect(words(await read())).toContain(
    '2025-11-20 exceptions closed 1 s ago; not compared with custody; not signed; no reconciliation has run yet',
  );
  const reportHash = closesOf(open)[0]?.report_hash ?? '';
  const signed = { kind: 'sign', day: '2025-11-20', reportHash, reason: 'seen' } as const;
  await open.decide({ ...signed, role: 'preparer' }, 'olga');
  open.at += 60_000;
  const page = await read();
  expect(words(page)).toContain('not compared with custody; preparer olga');
  expect(words(page)).toContain('ethereum:ETH 15 1500 14 1400 not compared chain +1 100 ');
  expect(page).toContain('href="/console/close/2025-11-20"');
  expect(page).toContain(
    'href="/console/close/2025-11-20?asset=ethereum%3AETH#asset-ethereum:ETH"',
  );
  expect(page).toMatch(/href="\/console\/books\?view=chain&amp;asset=ethereum%3AETH&amp;asOf=/);
  expect(page).toContain('href="/console/close/2025-11-20#differences"');
});

test('what waits for a person is ordered by severity, then money, then age', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  await open.deliver(
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  await open.deliver(service.confirmed(6, { blockchainHash: '0xb2' }));
  const [deposit] = open.deposits();
  const depositId = deposit?.deposit_id ?? '';
  await open.decide({ kind: 'hold', depositId: depositId as never, reason: 'asked' });
  const text = words(await read());
  const order = ['unexplained movement', 'quarantined', 'held: operator hold'];
  const positions = order.map((title) => text.indexOf(title, text.indexOf('Needs a person')));
  expect(positions.every((position) => position > 0)).toBe(true);
  expect(positions).toEqual(positions.toSorted((left, right) => left - right));
  expect(text).toMatch(/critical unexplained movement \d+ s .* \+15 ETH 1500 brk_\d+/);
});

test('an old critical break is shown before however many newer ones are less severe', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  const strange = Array.from({ length: 201 }, (_, index) => ({ id: `s${index}`, stream: 'x' }));
  await open.deliverTogether(...strange);
  const text = words(await read());
  expect(text).toMatch(/Needs a person critical unexplained movement .* and 190 more breaks /);
  expect(text).toMatch(/Open breaks by age .* quarantined 201 oldest \d min/);
});

test('an old hold is shown before however many newer ones wait for nobody', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  const depositId = open.deposits()[0]?.deposit_id as never;
  await open.decide({ kind: 'hold', depositId, reason: 'asked by the police' });
  const scope = { kind: 'asset', asset: 'ethereum:ETH' as never } as const;
  await open.decide({ kind: 'halt', scope, reason: 'the chain forks' });
  const hashes = Array.from({ length: 55 }, (_, index) => `0xc${index}`);
  await open.deliverTogether(
    ...hashes.map((blockchainHash) =>
      service.confirmed(6, { blockchainHash, transactionId: `tx-${blockchainHash}` }),
    ),
  );
  expect(open.deposits().filter(({ reason }) => reason === 'halted')).toHaveLength(55);
  const text = words(await read());
  expect(text).toContain('held: operator hold');
  expect(text).not.toContain('held: halted');
  expect(text).not.toMatch(/more (held deposits|breaks)/);
});

test('more holds than the list shows are counted, and the count leads to them', async () => {
  const { open, service, read } = await openConsole();
  const hashes = Array.from({ length: 15 }, (_, index) => `0xc${index}`);
  for (const blockchainHash of hashes) {
    await open.deliver(service.confirmed(1, { blockchainHash }));
  }
  for (const { deposit_id: depositId } of open.deposits()) {
    await open.decide({ kind: 'hold', depositId: depositId as never, reason: 'asked' });
  }
  const page = await read();
  expect(page).toContain('<a href="/console/deposits?state=held">3 more held deposits</a>');
});

test('days that ended and are not closed wait for a person, once a close is overdue', async () => {
  const nextCloseAt = (at: number): number => (Math.floor(at / DAY_MS) + 1) * DAY_MS + 300_000;
  const { open, read } = await openConsole({
    status: () => ({ ...CALM, nextCloseAt: nextCloseAt(open.at) }),
  });
  await open.deliver({ id: 'strange', stream: 'weather' });
  open.at = Date.parse('2025-11-21T02:00:00Z');
  expect(words(await read())).not.toContain('not closed');
  open.at = Date.parse('2025-11-21T02:10:00Z');
  expect(words(await read())).toMatch(
    /warning day 2025-11-20 .* The day has ended and is not closed: close it\./,
  );
  open.at = Date.parse('2025-11-23T09:00:00Z');
  const page = await read();
  expect(words(page)).toContain('3 days have ended and are not closed.');
  expect(page).toContain('<a href="/console/close/2025-11-22">days 2025-11-20 to 2025-11-22</a>');
});

test('every unsigned day waits for a person, however many newer days are signed', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(1));
  for (let index = 0; index < 10; index += 1) {
    const day = dayNumber(index);
    await open.record(closeOf(open, { day, cutOffAt: open.at + 1 }));
    open.at += 1_000;
  }
  for (const { day, report_hash: reportHash } of closesOf(open).slice(1)) {
    const signed = { kind: 'sign', day, reportHash, reason: 'seen' } as const;
    await open.decide({ ...signed, role: 'preparer' }, 'olga');
    await open.decide({ ...signed, role: 'reviewer' }, 'otto');
  }
  const text = words(await read());
  expect(text).toContain('day 2025-11-20');
  expect(text).toMatch(/The report \(.*\) waits for its preparer\./);
  expect(text).not.toContain('day 2025-11-21');
});

test('a hold that has a break is listed once', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(1, { memo: '88' }));
  const text = words(await read());
  expect(text).toContain('unattributed memo');
  expect(text).not.toContain('held: unattributed memo');
});

test('a break says who looks after it, and its severity before age raised it', async () => {
  const { open, read } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = open.openBreak('quarantined');
  await open.decide({ kind: 'assign', breakId: id, assignee: 'night desk', reason: 'on duty' });
  await open.decide({ kind: 'investigate', breakId: id, reason: 'looking' });
  const escalation = { infoToWarningAfterMs: null, warningToCriticalAfterMs: 1_000 };
  await open.run(0, { stale: { depositMs: null, withdrawalMs: 1_000 }, escalation });
  expect(words(await read())).toMatch(
    /critical quarantined investigating night desk warning at first \d+ s /,
  );
});

test('a credit that left the chain is shown with whether the feed has reversed it', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.deliver(service.incoming('rollback'));
  const waits = words(await read());
  expect(waits).toContain('critical reversal after credit not reversed in the feed yet');
  await verifyWith(open, { status: 'rolledback' });
  const when = new Date(open.at).toISOString().slice(0, 19).replace('T', ' ');
  // The look before this one took seconds by the test's clock, and is shared for as long as that asks.
  open.at += 60_000;
  const done = words(await read());
  expect(done).toContain(`critical reversal after credit reversed in the feed, ${when} UTC`);
  expect(done).not.toContain('not reversed');
});

test('a halt waits for a person until it ends', async () => {
  const { open, read } = await openConsole();
  const scope = { kind: 'asset', asset: 'ethereum:ETH' as never } as const;
  await open.decide({ kind: 'halt', scope, reason: 'the chain forks' });
  expect(words(await read())).toContain(
    'credits are halted 1 s No deposit of asset ethereum:ETH is credited; ann set the policy last.',
  );
  await open.decide({ kind: 'resume', scope, reason: 'it ended' });
  open.at += 60_000;
  expect(words(await read())).not.toContain('credits are halted');
});

test('the counts lead to what they count, and the tie-out to the last run', async () => {
  const { open, read } = await openConsole();
  expect(words(await read())).toContain('no reconciliation has run yet');
  await open.run();
  open.at += 60_000;
  const page = await read();
  const [run] = open.rows<{ seq: number }>('SELECT seq FROM reconciliations');
  expect(page).toContain(`<a href="/console/runs/${run?.seq}">reconciled</a>`);
  for (const [label, href] of [
    ['Quarantined', '/console/quarantine'],
    ['Credits', '/console/feed'],
    ['Reversals', '/console/deposits?state=reversed'],
    ['Open breaks', '/console/breaks'],
  ] as const) {
    expect(page).toContain(`<a href="${href}">${label}</a>`);
  }
});

test('a deposit is shown with its state, depth and amount both ways', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.confirmed(3, { balanceChanges: [change('1500000000000000000', decimals(18))] }),
    service.confirmed(1, {
      blockchainHash: '0xb2',
      addressId: '0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11',
      memo: '88',
      balanceChanges: [change('7', { asset: 'ripple:XRP' })],
    }),
  );
  const page = await read();
  const text = words(page);
  expect(text).toContain('confirming 1.5 ETH 1500000000000000000 3 / 6 v1 · adr-1 0xa1');
  expect(text).toContain(
    'held unattributed memo 7 XRP smallest units 1 / 6 v1 · 0fb3d6a4…2c9e11 · memo 88 0xb2',
  );
  expect(page).toContain('title="v1 · 0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11 · memo 88"');
  expect(text).toContain('confirming 1 held 1');
  expect(text).toContain('The latest 2 of 2');
});

test('health says what does its work and what does not', async () => {
  expect(await withStatus({ store: 'unavailable' })).toContain('Store accepts no writes');
  const refused = { circuit: 'closed', access: 'refused' } as const;
  expect(await withStatus({ custody: refused })).toContain('Custody API refuses our key');
  const open = { circuit: 'open', access: 'granted' } as const;
  expect(await withStatus({ custody: open })).toContain('Custody API does not answer');
  const well = { circuit: 'closed', access: 'granted' } as const;
  expect(await withStatus({ custody: well })).toContain('Custody API answers');
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

test('the credit latency names the deposit that waits longest, and why', async () => {
  const oldest = { depositId: 'dep_1', sinceMs: Date.UTC(2025, 10, 20), reason: 'not_shown' };
  const creditLatency = { credits: 7, p50Ms: 850, p99Ms: 12_400, oldest };
  const text = await withStatus({ creditLatency });
  expect(text).toContain('Median 0.85 s , 99th percentile 12 s over 7 credits of the last hour');
  expect(text).toMatch(/Deposit dep_1 has waited for .*: the custody API does not show the/);
});

test('what arrives from outside is never markup', async () => {
  const { open, service, read } = await openConsole();
  const hostile = '<img src=x onerror="alert(1)">';
  await open.deliver(
    service.confirmed(1, {
      blockchainHash: hostile,
      addressId: hostile,
      memo: hostile,
      balanceChanges: [change('1', { asset: hostile })],
    }),
    { id: hostile, stream: hostile },
  );
  const page = await read();
  expect(page).not.toContain('<img');
  expect(page).not.toContain('onerror="');
  expect(page).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;');
});

test('without scripts the page reloads itself', async () => {
  const { read } = await openConsole();
  expect(await read()).toContain(
    '<noscript><meta http-equiv="refresh" content="15;url=/console?reload"/></noscript>',
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
