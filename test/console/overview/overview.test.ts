import { expect, test } from 'vitest';
import type { ConsoleOptions } from '../../../src/console/application.ts';
import { closeOf, closesOf } from '../../store/close/closing.ts';
import { verifyWith } from '../../store/evidence.ts';
import { AT_ADDRESS, change, decimals } from '../../store/webhook.ts';
import { consoleUnderTest, words } from '../console-under-test.ts';

async function openConsole(options: Partial<ConsoleOptions> = {}) {
  const { open, service, app, stranger, api } = await consoleUnderTest({
    access: { kind: 'public' },
    ...options,
  });
  return { open, service, app, reads: api.reads, read: (path?: string) => stranger.get(path) };
}

test('an empty store shows an empty console', async () => {
  const { read } = await openConsole();
  const text = words(await read());
  expect(text).toContain('Accepted 0 Duplicates 0 Quarantined 0 Credits 0 Reversals 0');
  expect(text).toContain('No deposits yet.');
  expect(text).toContain('No open breaks.');
  expect(text).toContain('No reconciliation has run yet.');
  expect(text).toContain('No day is closed yet.');
});

test('what a person must look at is shown above everything else, as text', async () => {
  let notices: string[] = ['The custody API has refused our key (401). <Attach> the public key.'];
  const { read } = await openConsole({ status: () => ({ notices, creditLatency: null }) });
  const page = await read();
  expect(page).toContain('&lt;Attach&gt; the public key.');
  expect(words(page)).toMatch(/refused our key \(401\).* Accepted 0/);
  notices = [];
  expect(await read('/console')).not.toContain('Attach');
});

test('a deposit is shown with its state, depth and amount both ways', async () => {
  const { open, service, read } = await openConsole();
  const amount = '1500000000000000000';
  await open.deliver(
    service.confirmed(3, { balanceChanges: [change(amount, decimals(18))] }),
    service.confirmed(1, {
      blockchainHash: '0xb2',
      memo: '88',
      balanceChanges: [change('7', { asset: 'ripple:XRP' })],
    }),
  );
  const [held] = open.rows<{ id: string }>(
    "SELECT deposit_id AS id FROM deposits WHERE state = 'held'",
  );
  const id = held?.id ?? 'none';
  const page = await read('/console');
  const text = words(page);
  expect(text).toContain('confirming 1.5 1500000000000000000 ethereum:ETH 3 / 6 v1 · adr-1 0xa1');
  // Of one that waits for a person the id too, which the call that helps names it by.
  expect(text).toContain(
    `held unattributed memo 7 ripple:XRP 1 / 6 v1 · adr-1 · memo 88 ${id} 0xb2`,
  );
  expect(page).toContain(`title="POST /v1/deposits/${id}/…"`);
  expect(text).toContain('confirming 1 held 1');
  expect(text).toContain('The latest 2 of 2');
});

test('where a deposit arrived is told by the ends of long identifiers, and whole in the title', async () => {
  const { open, service, read } = await openConsole();
  const addressId = '0fb3d6a4-5b1c-4a55-9b62-1f0f6a2c9e11';
  await open.deliver(service.confirmed(1, { addressId }));
  const fragment = await read('/console');
  expect(fragment).toContain(`title="v1 · ${addressId}"`);
  expect(words(fragment)).toContain('v1 · 0fb3d6a4…2c9e11 0xa1');
});

test('open breaks are shown, the critical ones first, with their age and difference', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    { id: 'strange', stream: 'weather' },
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  const text = words(await read());
  expect(text).toMatch(
    /Open breaks critical unexplained movement 1 s .* difference \+ 15 1500 ethereum:ETH brk_\d+ warning quarantined 3 s /,
  );
});

test('an old critical break is shown before however many newer ones are less severe', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver(
    service.chain('transaction', {
      balanceChanges: [change('-1500', { ...AT_ADDRESS, ...decimals(2) })],
    }),
  );
  await open.run();
  const strange = Array.from({ length: 201 }, (_, place) => ({ id: `s${place}`, stream: 'x' }));
  await open.deliverTogether(...strange);
  const text = words(await read());
  expect(text).toMatch(/Open breaks critical unexplained movement .* and 190 more/);
});

test('a break is told with its id and the call of the API that closes it', async () => {
  const { open, read } = await openConsole();
  await open.deliver({ id: 'strange', stream: 'weather' });
  const { id } = open.openBreak('quarantined');
  const page = await read();
  expect(words(page)).toMatch(new RegExp(`quarantined 1 s .* ${id} `));
  expect(page).toContain(
    `title="POST /v1/breaks/${id}/resolve {&quot;reason&quot;:&quot;…&quot;}"`,
  );
  expect(words(page)).toContain('POST /v1/breaks/{id}/resolve {"reason":"…"}');
});

test('a break tells who looks after it, and what it was before age raised it', async () => {
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

test('the latest run is shown with its causes', async () => {
  const { open, read } = await openConsole();
  await open.record({
    kind: 'run',
    startedAt: open.at,
    graceMs: 0,
    custody: { matched: 12_345, broken: 1, exempt: { internal: 2 }, skipped: { in_grace: 3 } },
    requests: 4,
    watermark: null,
    incomplete: 'rate_budget',
    repairs: { replayed: 4, pulledForward: 1, backfilled: 0 },
  });
  expect(words(await read())).toContain(
    'Matched 12_345 Break 1 Exempt 2 Skipped 3 Repaired 5 internal 2 in grace 3 replayed 4 pulled forward 1 Incomplete: rate budget 1 s ago, took 1000 ms and 4 requests',
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

test('a break about a body names the call that has its bytes', async () => {
  const { open, service, read } = await openConsole();
  await open.deliver('not json', service.chain('transaction'));
  await open.run();
  const text = words(await read());
  expect(text).toContain('malformed');
  expect(text.match(/GET \/v1\/journal\/\d+\/body/g)).toEqual(['GET /v1/journal/2/body']);
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
  expect(await read()).toMatch(
    /<noscript ?><meta http-equiv="refresh" content="15;url=\/console\?reload" ?\/><\/noscript\s?>/,
  );
});

test('closed days are listed with their signatures, and lead to the report', async () => {
  const { open, service, app, read } = await openConsole();
  await open.deliver(service.confirmed(6));
  await open.record(closeOf(open, { day: '2025-11-20', cutOffAt: open.at + 1 }));
  const reportHash = closesOf(open)[0]?.report_hash ?? '';
  const signed = { kind: 'sign', day: '2025-11-20', reportHash, reason: 'seen' } as const;
  await open.decide({ ...signed, role: 'preparer' }, 'olga');
  const page = await read();
  expect(words(page)).toContain('2025-11-20 exceptions olga not signed');
  expect(page).toContain('href="/console/reports/2025-11-20"');
  expect(page).toContain(`POST /v1/reports/daily/{date}/sign`);
  expect(page).toContain(reportHash);
  const report = await app.request('/console/reports/2025-11-20');
  expect(report.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(await report.text()).toContain('Daily close 2025-11-20');
  expect((await app.request('/console/reports/2025-11-19')).status).toBe(404);
});
