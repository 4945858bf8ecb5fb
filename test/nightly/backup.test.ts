import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/intake/decode.ts';
import { openForWriting } from '../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../src/store/sqlite/sqlite-ledger.ts';
import { Daemon } from '../e2e/daemon.ts';
import { launchProgram } from '../e2e/program.ts';
import { factOf } from '../store/open-ledger.ts';
import { delivering, spread } from './delivering.ts';
import { webhookOfRow } from './custody-list-server.ts';

const GIGABYTES = Number(process.env['GIGABYTES'] ?? 5);
const PER_SECOND = Number(process.env['PER_SECOND'] ?? 1_000);
const BODY_BYTES = 500_000;

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** Fills a store with bodies that do not compress: pages are copied alike, whatever they hold. */
async function fill(path: string): Promise<void> {
  const ledger = new SqliteLedger(openForWriting(path), { decode, now: () => Date.now() });
  const padding = randomBytes(BODY_BYTES * 2).toString('base64');
  for (let index = 0; sizeOf(path) < GIGABYTES * 1e9; index += 1) {
    const from = (index * 7_919) % (padding.length - BODY_BYTES);
    const body = {
      ...webhookOfRow(index),
      id: `long-${index}`,
      padding: padding.slice(from, from + BODY_BYTES),
    };
    await ledger.commit([factOf(body, Date.now())]);
  }
  ledger.close();
}

test(`a store of ${GIGABYTES} GB is copied under ${PER_SECOND} notifications a second`, async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  await fill(daemon.storePath);
  const bytes = sizeOf(daemon.storePath);
  await daemon.start();
  const out = join(daemon.folder, 'backup.db');
  const deliveries = delivering(daemon, (index) => webhookOfRow(10_000_000 + index), PER_SECOND);
  const began = performance.now();
  const backup = launchProgram('backup', '--store', daemon.storePath, '--out', out, '--json');
  let copiedMs = 0;
  let logBytes = 0;
  const look = setInterval(() => {
    if (copiedMs > 0) return;
    logBytes = Math.max(logBytes, sizeOf(`${daemon.storePath}-wal`));
    if (existsSync(out)) copiedMs = performance.now() - began;
  }, 50);
  const { code, stdout, stderr } = await backup.finished;
  const wholeMs = performance.now() - began;
  clearInterval(look);
  const copying = (await deliveries.end()).filter(({ dueMs }) => dueMs - began < copiedMs);
  const waits = copying.map(({ waitedMs }) => waitedMs);
  expect([code, stderr]).toEqual([0, '']);
  console.log(
    [
      `store              ${(bytes / 1e9).toFixed(2)} GB, ${(JSON.parse(stdout) as { facts: number }).facts} facts in the copy`,
      `copied in          ${(copiedMs / 1_000).toFixed(0)} s, audited in ${((wholeMs - copiedMs) / 1_000).toFixed(0)} s more`,
      `write-ahead log    ${(logBytes / 1e6).toFixed(0)} MB at most during the copy`,
      `deliveries         ${waits.length} during the copy (${((waits.length / copiedMs) * 1_000).toFixed(0)}/s): ${spread(waits)}`,
    ].join('\n'),
  );
});
