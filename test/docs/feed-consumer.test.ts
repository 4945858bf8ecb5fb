import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { apiUnderTest, tokenOf, type ApiUnderTest } from '../api/api-under-test.ts';
import { REPOSITORY } from '../house/source.ts';
import { verifyWith } from '../store/evidence.ts';
import { Service } from '../store/webhook.ts';
import { collect } from '../e2e/program.ts';
import { blocksOf, readPage } from './page.ts';

/** Compiling and starting take long on a busy machine. */
const START_MS_MAX = 240_000;

/** The compiled program of the page, in a folder of its own. */
function compiledProgram(): string {
  const blocks = blocksOf(readPage('docs/how-to/read-the-credit-feed.md'));
  const program = blocks.find(({ file }) => file === 'feed.mts')?.text;
  const compile = blocks.flatMap(({ text }) => /^npx tsc .*/m.exec(text) ?? [])[0];
  if (program === undefined || compile === undefined) throw new Error('the page has no program');
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-feed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'feed.mts'), program);
  execFileSync('sh', ['-ec', compile], { cwd: folder });
  return folder;
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
    const folder = compiledProgram();
    const api = await apiUnderTest();
    await api.open.deliver(new Service().confirmed(6));
    await verifyWith(api.open);
    const creditId = api.open.lastCreditId();
    await api.post(`/v1/credits/${creditId}/ack`, { reference: 'of-somebody-else' }, 'chris');
    const program = spawn(process.execPath, ['feed.mjs'], {
      cwd: folder,
      env: {
        ...process.env,
        COUNTERFOIL_URL: await served(api),
        COUNTERFOIL_TOKEN: tokenOf('chris'),
      },
    });
    onTestFinished(() => void program.kill('SIGKILL'));
    const errors = collect(program.stderr);
    let exitCode: number | null = null;
    program.on('close', (code) => (exitCode = code));
    // A program that goes on waits for new items.
    await expect
      .poll(() => exitCode !== null || api.feed.pending > 0, { timeout: START_MS_MAX })
      .toBe(true);
    expect([exitCode, errors()]).toEqual([
      1,
      `${creditId}: acknowledged already with reference "of-somebody-else": another consumer may have booked it. Compare your bookings.\n`,
    ]);
    const bookings = new Database(join(folder, 'exchange.db'), { readonly: true });
    onTestFinished(() => void bookings.close());
    expect(bookings.prepare('SELECT credit_id, acknowledged FROM bookings').all()).toEqual([
      { credit_id: creditId, acknowledged: 0 },
    ]);
  },
  2 * START_MS_MAX,
);
