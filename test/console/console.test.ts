import { expect, onTestFinished, test } from 'vitest';
import { createConsole, type ConsoleOptions } from '../../src/console/application.ts';
import { STYLESHEET } from '../../src/console/stylesheet.ts';
import { openForReading } from '../../src/store/sqlite/file/database.ts';
import { documentsFrom } from '../../src/report/document.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import { identify, tokenOf } from '../api/api-under-test.ts';
import { closeOf, closesOf } from '../store/close/closing.ts';
import { verifyWith } from '../store/evidence.ts';
import { openLedgerFile, type OpenLedger } from '../store/open-ledger.ts';
import { AT_ADDRESS, change, decimals, Service } from '../store/webhook.ts';

const TOKEN = { kind: 'token', identify } as const;

interface ConsoleUnderTest {
  readonly open: OpenLedger;
  readonly reads: SqliteReads;
  readonly service: Service;
  readonly app: ReturnType<typeof createConsole>;
  /** The page's text, white space collapsed. */
  readonly read: (path?: string) => Promise<string>;
}

async function openConsole(options: Partial<ConsoleOptions> = {}): Promise<ConsoleUnderTest> {
  const { open, path } = await openLedgerFile();
  const reads = new SqliteReads(openForReading(path));
  onTestFinished(() => reads.close());
  // Each look is a second later than the one before, so that none is shared.
  let extraMs = 0;
  const app = createConsole({
    reads,
    document: documentsFrom(reads),
    now: () => open.at + (extraMs += 1_000),
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
    ...options,
  });
  const read = async (from = '/console') =>
    (await (await app.request(from)).text()).replaceAll(/[ \n]+/g, ' ');
  return { open, reads, service: new Service(), app, read };
}

/** The text of a page without its tags. */
function words(page: string): string {
  return page
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('\u202F', '_')
    .replaceAll(/\s+/g, ' ');
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
  let notices = ['The custody API has refused our key (401). <Attach> the public key.'];
  const { read } = await openConsole({ notices: () => notices });
  const page = await read();
  expect(page).toContain('&lt;Attach&gt; the public key.');
  expect(words(page)).toMatch(/refused our key \(401\).* Accepted 0/);
  notices = [];
  expect(await read('/console/fragment')).not.toContain('notices');
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
  const page = await read('/console/fragment');
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
  const fragment = await read('/console/fragment');
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
  expect(words(page)).toContain('POST /v1/breaks/{id}/resolve {&quot;reason&quot;:&quot;…&quot;}');
  // A click takes all of it.
  expect(STYLESHEET).toMatch(/\.whole \{[^}]*user-select: all/);
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

test('the page runs its own script and style alone, under a nonce of its own', async () => {
  const { app } = await openConsole();
  const seen = new Set<string>();
  for (let visit = 0; visit < 2; visit += 1) {
    const response = await app.request('/console');
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect(policy).toContain(`default-src 'none'; style-src 'nonce-${nonce}'`);
    expect(policy).not.toContain('unsafe');
    const page = await response.text();
    const marked = [...page.matchAll(/<(?:script|style)[^>]*>/g)].map(([tag]) => tag);
    expect(marked).toEqual([`<style nonce="${nonce}">`, `<script nonce="${nonce}">`]);
    expect(page).not.toMatch(/\sstyle=|\son[a-z]+=/);
    expect([...page.matchAll(/(?:src|href|action)="(?!\/|data:)/g)]).toEqual([]);
    seen.add(nonce);
  }
  expect(seen.size).toBe(2);
});

test('the bare address leads to the console', async () => {
  const { app } = await openConsole();
  const answer = await app.request('/');
  expect([answer.status, answer.headers.get('Location')]).toEqual([302, '/console']);
});

test('without scripts the page reloads itself', async () => {
  const { read } = await openConsole();
  expect(await read()).toMatch(
    /<noscript ?><meta http-equiv="refresh" content="5;url=\/console\?reload" ?\/><\/noscript\s?>/,
  );
});

/** A console over a store that counts how often it is looked at. */
async function countedConsole(options: { lookMs: number }) {
  const { reads } = await openConsole();
  const clock = { now: 10_000, looks: 0 };
  const app = createConsole({
    document: documentsFrom(reads),
    reads: {
      counts: () => {
        clock.looks += 1;
        clock.now += options.lookMs;
        return reads.counts();
      },
      deposits: reads.deposits.bind(reads),
      breaks: reads.breaks.bind(reads),
      reconciliations: reads.reconciliations.bind(reads),
      pinnedDecimals: reads.pinnedDecimals.bind(reads),
      closes: reads.closes.bind(reads),
    },
    now: () => clock.now,
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
  });
  const view = async (afterMs: number): Promise<number> => {
    clock.now += afterMs;
    expect((await app.request('/console/fragment')).status).toBe(200);
    return clock.looks;
  };
  return { view };
}

test('all viewers share one look at the store for a second', async () => {
  const { view } = await countedConsole({ lookMs: 0 });
  expect(await Promise.all([view(0), view(0), view(0)])).toEqual([1, 1, 1]);
  expect(await view(999)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('a look that took long is shared for nine times as long', async () => {
  const { view } = await countedConsole({ lookMs: 500 });
  expect(await view(0)).toBe(1);
  expect(await view(4_499)).toBe(1);
  expect(await view(1)).toBe(2);
});

test('after the clock was set back a look is not shown until it gets there again', async () => {
  const { view } = await countedConsole({ lookMs: 0 });
  expect(await view(0)).toBe(1);
  expect(await view(-5_000)).toBe(2);
  expect(await view(999)).toBe(2);
});

test('a look that failed is not shown again', async () => {
  let fails = true;
  const { reads } = await openConsole();
  const app = createConsole({
    document: documentsFrom(reads),
    reads: {
      counts: async () => {
        if (fails) throw new Error('the disk');
        return reads.counts();
      },
      deposits: reads.deposits.bind(reads),
      breaks: reads.breaks.bind(reads),
      reconciliations: reads.reconciliations.bind(reads),
      pinnedDecimals: reads.pinnedDecimals.bind(reads),
      closes: reads.closes.bind(reads),
    },
    now: () => 0,
    access: { kind: 'public' },
    secure: false,
    idleMsMax: 1_800_000,
  });
  app.onError((error, context) => context.text(error.message, 500));
  expect((await app.request('/console')).status).toBe(500);
  fails = false;
  expect((await app.request('/console')).status).toBe(200);
});

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };
const OTHER_SITE = { 'Sec-Fetch-Site': 'cross-site' };

function signIn(
  app: ConsoleUnderTest['app'],
  token: string,
  headers: Readonly<Record<string, string>> = OWN_PAGE,
) {
  return app.request('/console/session', {
    method: 'POST',
    body: new URLSearchParams({ token }),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** `name=value` of the cookie that an answer sets. */
function cookieOf(response: Response): string {
  return (response.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
}

test('a stranger is asked for a token and shown nothing', async () => {
  const { open, service, app } = await openConsole({ access: TOKEN });
  await open.deliver(service.confirmed(1));
  const page = await app.request('/console');
  expect(page.status).toBe(200);
  const text = await page.text();
  expect(text).toContain('API token');
  expect(text).not.toContain('0xa1');
  expect((await app.request('/console/fragment')).status).toBe(401);
});

test('a token opens a session whose cookie is not the token', async () => {
  const { open, service, app } = await openConsole({ access: TOKEN });
  await open.deliver(service.confirmed(1));
  await verifyWith(open);
  const answer = await signIn(app, ` ${tokenOf('vera')} `);
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console']);
  expect(answer.headers.get('Set-Cookie')).toMatch(
    /^counterfoil_console=[\w-]{43}; Max-Age=43200; Path=\/console; HttpOnly; SameSite=Strict$/,
  );
  const Cookie = cookieOf(answer);
  const page = await (await app.request('/console', { headers: { Cookie } })).text();
  expect(page).toContain('vera · viewer');
  expect(page).toContain('0xa1');
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(200);
  const end = async (headers: Readonly<Record<string, string>>) =>
    (await app.request('/console/session/end', { method: 'POST', headers })).status;
  expect(await end({ Cookie, ...OTHER_SITE })).toBe(403);
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(200);
  expect(await end({ Cookie, ...OWN_PAGE })).toBe(303);
  expect((await app.request('/console/fragment', { headers: { Cookie } })).status).toBe(401);
});

test('behind TLS the cookie is never sent without it', async () => {
  const { app } = await openConsole({ access: TOKEN, secure: true });
  const answer = await signIn(app, tokenOf('vera'));
  expect(answer.headers.get('Set-Cookie')).toContain('; Secure');
});

test('behind TLS every answer tells browsers to come over TLS alone, and never without it', async () => {
  const { app } = await openConsole({ access: TOKEN, secure: true });
  const { app: plain } = await openConsole({ access: TOKEN });
  for (const path of ['/', '/console', '/console/', '/console/fragment', '/console/reports/x']) {
    const [told, untold] = [await app.request(path), await plain.request(path)];
    expect([path, told.headers.get('Strict-Transport-Security')]).toEqual([
      path,
      'max-age=31536000',
    ]);
    expect(untold.headers.get('Strict-Transport-Security')).toBeNull();
  }
});

test('an open page does not keep a session that nobody uses; a person at it does', async () => {
  const clock = { now: 0 };
  const now = () => clock.now;
  const { app } = await openConsole({ access: TOKEN, now, idleMsMax: 60_000 });
  const Cookie = cookieOf(await signIn(app, tokenOf('vera')));
  const after = async (ms: number, path: string) => {
    clock.now += ms;
    return (await app.request(path, { headers: { Cookie } })).status;
  };
  expect(await after(59_999, '/console/fragment?acted')).toBe(200);
  expect(await after(59_999, '/console')).toBe(200);
  // Only the page asks, by its script, or without scripts by loading itself again.
  expect(await after(30_000, '/console/fragment')).toBe(200);
  expect(await after(29_999, '/console?reload')).toBe(200);
  expect(await after(1, '/console/fragment?acted')).toBe(401);
});

test('the page tells whether a person did something since it asked last', async () => {
  const { read } = await openConsole();
  const page = await read();
  expect(page).toMatch(/'pointermove', 'pointerdown', 'keydown', 'wheel'/);
  expect(page).toContain("'/console/fragment?acted' : '/console/fragment'");
});

test('after ten wrong tokens in a minute nobody signs in from there, and the page says for how long', async () => {
  const { app } = await openConsole({ access: TOKEN, now: () => 0 });
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong', OTHER_SITE);
  expect((await signIn(app, tokenOf('vera'))).status).toBe(303);
  for (let number = 0; number < 10; number += 1) await signIn(app, 'wrong');
  const answer = await signIn(app, tokenOf('vera'));
  expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(answer.headers.get('Set-Cookie')).toBeNull();
  expect(await answer.text()).toContain('Too many wrong tokens. Try again in 60 s.');
});

test('a wrong token, none, or too long a one signs nobody in', async () => {
  const { app } = await openConsole({ access: TOKEN });
  const answers = [
    await signIn(app, 'wrong'),
    await signIn(app, ''),
    await app.request('/console/session', { method: 'POST', headers: OWN_PAGE }),
  ];
  for (const answer of answers) {
    expect([answer.status, answer.headers.get('Set-Cookie')]).toEqual([401, null]);
    expect(await answer.text()).toContain('That token is not one of api.tokens.');
  }
  expect((await signIn(app, 'x'.repeat(5_000))).status).toBe(413);
});

test.each([
  ['of the console itself', OWN_PAGE, 303],
  ['that the person typed', { 'Sec-Fetch-Site': 'none' }, 303],
  ['of an old browser behind a proxy that ends TLS', { Origin: 'https://books.test' }, 303],
  ['of another site', OTHER_SITE, 403],
  ['of another host of the same site', { 'Sec-Fetch-Site': 'same-site' }, 403],
  ['of another site in an old browser', { Origin: 'https://evil.test' }, 403],
  ['of a host whose name ends alike', { Origin: 'https://evil-books.test' }, 403],
  ['of a page without an origin', { Origin: 'null' }, 403],
  ['that tells nothing of its page', {}, 403],
])('a sign-in form %s', async (_, headers, status) => {
  const { app } = await openConsole({ access: TOKEN });
  const answer = await signIn(app, tokenOf('vera'), { Host: 'books.test', ...headers });
  expect([answer.status, answer.headers.has('Set-Cookie')]).toEqual([status, status === 303]);
});

test('a public console has no session to sign in to', async () => {
  const { app } = await openConsole();
  expect((await signIn(app, tokenOf('vera'))).status).toBe(404);
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

test('a report is shown to nobody who has not signed in', async () => {
  const { app } = await openConsole({ access: TOKEN });
  const answer = await app.request('/console/reports/2025-11-20');
  expect([answer.status, answer.headers.get('Location')]).toEqual([303, '/console']);
});
