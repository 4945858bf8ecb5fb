import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { apiUnderTest, tokenOf, type ApiUnderTest } from '../api/api-under-test.ts';
import { REPOSITORY } from '../house/source.ts';
import { verifyWith } from '../store/evidence.ts';
import { Service } from '../store/webhook.ts';
import { collect } from '../e2e/program.ts';
import { blocksOf, readPage } from './reading/page.ts';

/** Compiling and starting take long on a busy machine. */
const START_MS_MAX = 240_000;

let compiled: string;
/** The program's own tables, as SQL. */
let tables: string;

/** The compiled program of the page, in a folder of its own. */
beforeAll(() => {
  const blocks = blocksOf(readPage('docs/how-to/read-the-credit-feed.md'));
  const program = blocks.find(({ file }) => file === 'feed.mts')?.text;
  const compile = blocks.flatMap(({ text }) => /^npx tsc .*/m.exec(text) ?? [])[0];
  if (program === undefined || compile === undefined) throw new Error('the page has no program');
  tables = /db\.exec\(`([^`]*)`\)/.exec(program)?.[1] ?? '';
  compiled = mkdtempSync(join(tmpdir(), 'counterfoil-feed-'));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(compiled, 'node_modules'));
  writeFileSync(join(compiled, 'feed.mts'), program);
  execFileSync('sh', ['-ec', compile], { cwd: compiled });
}, START_MS_MAX);

afterAll(() => rmSync(compiled, { recursive: true }));

/**
 * Runs the program in a new folder until it ends or waits for new items. `booked`: SQL of what it
 * booked before.
 */
async function ended(
  api: ApiUnderTest,
  token: string,
  booked = '',
): Promise<{ exitCode: number | null; errors: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-consumer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const database = new Database(join(folder, 'exchange.db'));
  database.exec(`${booked === '' ? '' : tables}${booked}`);
  database.close();
  const program = spawn(process.execPath, [join(compiled, 'feed.mjs')], {
    cwd: folder,
    // Somebody may end the address with a slash.
    env: { ...process.env, COUNTERFOIL_URL: `${await served(api)}/`, COUNTERFOIL_TOKEN: token },
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  const errors = collect(program.stderr);
  let exitCode: number | null = null;
  program.on('close', (code) => (exitCode = code));
  // A program that goes on waits for new items, or tries again.
  await expect
    .poll(() => exitCode !== null || api.feed.pending > 0 || errors().split('\n').length > 2, {
      timeout: START_MS_MAX,
    })
    .toBe(true);
  return { exitCode, errors: errors(), folder };
}

async function served(api: ApiUnderTest): Promise<string> {
  const server = serve({ fetch: api.app.fetch, hostname: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test(
  'the example consumer stops at a credit that is acknowledged under another reference',
  async () => {
    const api = await apiUnderTest();
    await api.open.deliver(new Service().confirmed(6));
    await verifyWith(api.open);
    const creditId = api.open.lastCreditId();
    await api.post(`/v1/credits/${creditId}/ack`, { reference: 'of-somebody-else' }, 'chris');
    const { exitCode, errors, folder } = await ended(api, tokenOf('chris'));
    expect([exitCode, errors]).toEqual([
      1,
      `${creditId}: Acknowledged already with reference "of-somebody-else": another consumer may have booked it. Compare your bookings.\n`,
    ]);
    const bookings = new Database(join(folder, 'exchange.db'), { readonly: true });
    onTestFinished(() => void bookings.close());
    expect(bookings.prepare('SELECT credit_id, acknowledged FROM bookings').all()).toEqual([
      { credit_id: creditId, acknowledged: 0 },
    ]);
  },
  START_MS_MAX,
);

test(
  'after a restore the example consumer reads the feed again, books nothing twice, and names what the feed lacks',
  async () => {
    const api = await apiUnderTest();
    await api.open.deliver(new Service().confirmed(6));
    await verifyWith(api.open);
    const creditId = api.open.lastCreditId();
    // It had read a reversal at cursor 1; this feed has the credit there.
    const row = (id: string, kind: string, reverses: string, amount: string) =>
      `('${id}', '${kind}', ${reverses}, 'ann', '0x1', 'ethereum:ETH', '${amount}', 1, 1)`;
    const { errors, folder } = await ended(
      api,
      tokenOf('chris'),
      `INSERT INTO bookings VALUES ${row(creditId, 'credit', 'NULL', '100')},
         ${row('crd_back', 'reversal', `'${creditId}'`, '-100')};
       UPDATE feed_cursor SET seq = 1, credit_id = 'crd_back';`,
    );
    expect(errors).toBe(
      `The feed has ${creditId} at cursor 1, not crd_back. Either your program stored a creditId that is not of the item at its cursor: store both of the last item, also of one that it skips. Or this is another feed than the one that you read. Read again from 0; known items keep their creditId.
booked, but not in the restored feed: reversal crd_back, which reverses ${creditId}\n`,
    );
    const exchange = new Database(join(folder, 'exchange.db'), { readonly: true });
    onTestFinished(() => void exchange.close());
    expect(exchange.prepare('SELECT credit_id, amount, in_feed FROM bookings').all()).toEqual([
      { credit_id: creditId, amount: '100', in_feed: 1 },
      { credit_id: 'crd_back', amount: '-100', in_feed: 0 },
    ]);
    expect(api.open.depositState()).toBe('settled');
  },
  START_MS_MAX,
);

test.for([
  [
    'a wrong token',
    'wrong',
    'The token is unknown, replaced or revoked. Send the token itself, not its SHA-256, or ask an admin for a new one.',
  ],
  [
    'no token',
    '',
    'Send a token as Authorization: Bearer <token>. An admin makes one, or api.tokens names one.',
  ],
  [
    'a token of another role',
    tokenOf('vera'),
    '"vera" has the role viewer. This call needs the permission acknowledge (acknowledge credits): roles crediting, operator, admin.',
  ],
] as const)(
  'the example consumer with %s says why it is refused, and stops',
  { timeout: START_MS_MAX },
  async ([, token, said]) => {
    const api = await apiUnderTest();
    await api.open.deliver(new Service().confirmed(6));
    await verifyWith(api.open);
    const { exitCode, errors } = await ended(api, token);
    expect([exitCode, errors]).toEqual([1, `${said}\n`]);
  },
);
