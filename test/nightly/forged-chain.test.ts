import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/intake/decode.ts';
import { openForWriting } from '../../src/store/sqlite/file/database.ts';
import { SqliteLedger } from '../../src/store/sqlite/sqlite-ledger.ts';
import { Daemon } from '../e2e/daemon.ts';
import { factOf } from '../store/open-ledger.ts';
import { delivering, p99, spread, type Delivered } from './delivering.ts';
import { webhookOfRow } from './custody-list-server.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const BASELINE_SECONDS = Number(process.env['SECONDS'] ?? 10);
const PER_SECOND = 100;
const BATCH = 500;

/** What whoever knows the webhook's URL can make up: a movement that nothing explains. */
function forged(index: number): object {
  return {
    id: `forged-${index}`,
    timestamp: 1,
    stream: 'blockchain',
    type: 'transaction',
    vaultId: `v${index % 50}`,
    network: 'ethereum',
    blockchainHash: `0xf${index}`,
    balanceChanges: [{ asset: 'ethereum:ETH', amount: '1', address: { id: `adr-${index % 997}` } }],
  };
}

async function fill(path: string): Promise<void> {
  const ledger = new SqliteLedger(openForWriting(path), { decode, now: () => Date.now() });
  for (let from = 0; from < EVENTS; from += BATCH) {
    const count = Math.min(BATCH, EVENTS - from);
    const facts = Array.from({ length: count }, (_, at) => factOf(forged(from + at), Date.now()));
    await ledger.commit(facts);
  }
  ledger.close();
}

/** The value of a metric without labels. */
async function metric(daemon: Daemon, name: string): Promise<number> {
  const text = await (await fetch(`${daemon.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

test(`${EVENTS} forged chain events are all found, and intake goes on beside the runs`, async () => {
  const daemon = new Daemon();
  onTestFinished(() => daemon.remove());
  const filling = performance.now();
  await fill(daemon.storePath);
  const filledMs = performance.now() - filling;
  await daemon.start();
  const deliveries = delivering(daemon, (index) => webhookOfRow(index), PER_SECOND);
  await pause(BASELINE_SECONDS * 1_000);

  const uncompared: number[] = [];
  const runs: { readonly fromMs: number; readonly toMs: number }[] = [];
  const began = performance.now();
  for (let left = EVENTS; left > 0;) {
    const fromMs = performance.now();
    const run = await daemon.post<{ skipped: Record<string, number> }>('/v1/reconciliations');
    const toMs = performance.now();
    runs.push({ fromMs, toMs });
    left = run.skipped['next_run'] ?? 0;
    uncompared.push(left);
    // Pauses between runs: whatever else the machine does is then in both figures.
    await pause((toMs - fromMs) / 4);
  }
  const totalMs = performance.now() - began;
  const all = await deliveries.end();
  const isBeside = ({ dueMs, waitedMs }: Delivered): boolean =>
    runs.some(({ fromMs, toMs }) => dueMs < toMs && dueMs + waitedMs > fromMs);
  const besideMs = all.filter(isBeside).map(({ waitedMs }) => waitedMs);
  const aloneMs = all.filter((one) => !isBeside(one)).map(({ waitedMs }) => waitedMs);
  const longestMs = Math.max(...runs.map(({ fromMs, toMs }) => toMs - fromMs));
  const { pagination } = await daemon.get<{ pagination: { total: number } }>(
    '/v1/breaks?type=unexplained_movement&state=open&pageSize=1',
  );
  console.log(
    [
      `forged             ${EVENTS} (stored in ${(filledMs / 1_000).toFixed(0)} s)`,
      `intake, no run     ${aloneMs.length} at ${PER_SECOND}/s: ${spread(aloneMs)}`,
      `intake beside runs ${besideMs.length} at ${PER_SECOND}/s: ${spread(besideMs)}`,
      `runs               ${runs.length} in ${(totalMs / 1_000).toFixed(0)} s, pauses included; the longest ${(longestMs / 1_000).toFixed(1)} s`,
      `waiting after each ${uncompared.length > 12 ? `${uncompared.slice(0, 6).join(', ')}, …, ` : ''}${uncompared.slice(-6).join(', ')}`,
    ].join('\n'),
  );
  expect(pagination.total).toBe(EVENTS);
  expect(await metric(daemon, 'counterfoil_uncompared_movements')).toBe(0);
  expect(p99(besideMs)).toBeLessThanOrEqual(2 * p99(aloneMs));
});
