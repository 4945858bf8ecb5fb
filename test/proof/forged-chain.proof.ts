import { performance } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/intake/decode.ts';
import { openForWriting } from '../../src/store/sqlite/database.ts';
import { SqliteLedger } from '../../src/store/sqlite/sqlite-ledger.ts';
import { Daemon } from '../e2e/daemon.ts';
import { deliveryOf } from '../store/open-ledger.ts';
import { delivering, p99, spread } from './delivering.ts';
import { told } from './stand-in.ts';

const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const BASELINE_SECONDS = Number(process.env['SECONDS'] ?? 30);
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
    const facts = Array.from({ length: count }, (_, at) =>
      deliveryOf(forged(from + at), Date.now()),
    );
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
  const alone = delivering(daemon, (index) => told(index), PER_SECOND);
  await new Promise((resolve) => {
    setTimeout(resolve, BASELINE_SECONDS * 1_000);
  });
  const aloneMs = await alone.end();

  const waiting: number[] = [];
  const runsMs: number[] = [];
  const beside = delivering(daemon, (index) => told(1_000_000 + index), PER_SECOND);
  const began = performance.now();
  for (let left = EVENTS; left > 0;) {
    const started = performance.now();
    const run = await daemon.post<{ skipped: Record<string, number> }>('/v1/reconciliations');
    runsMs.push(performance.now() - started);
    left = run.skipped['next_run'] ?? 0;
    waiting.push(left);
  }
  const besideMs = await beside.end();
  const totalMs = performance.now() - began;
  const { pagination } = await daemon.get<{ pagination: { total: number } }>(
    '/v1/breaks?type=unexplained_movement&state=open&pageSize=1',
  );
  console.log(
    [
      `forged             ${EVENTS} (stored in ${(filledMs / 1_000).toFixed(0)} s)`,
      `intake, no run     ${aloneMs.length} at ${PER_SECOND}/s: ${spread(aloneMs)}`,
      `intake beside runs ${besideMs.length} at ${PER_SECOND}/s: ${spread(besideMs)}`,
      `runs               ${runsMs.length} in ${(totalMs / 1_000).toFixed(0)} s, the longest ${(Math.max(...runsMs) / 1_000).toFixed(1)} s`,
      `waiting after each ${waiting.join(', ')}`,
    ].join('\n'),
  );
  expect(pagination.total).toBe(EVENTS);
  expect(await metric(daemon, 'counterfoil_unjudged_movements')).toBe(0);
  expect(p99(besideMs)).toBeLessThanOrEqual(2 * p99(aloneMs));
});
