import { writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import {
  startCustodyListServer,
  webhookOfRow,
  type CustodyListServer,
} from '../../nightly/custody-list-server.ts';
import { cpuSecondsOf } from '../load/cpu.ts';
import { residentBytesOf, startDaemon, type Daemon } from '../server/daemon.ts';
import { inFolder } from '../folder.ts';
import type { Plan } from '../plan.ts';
import { openLedger } from '../server/product.ts';
import type { SuiteResult } from './suite.ts';
import { figure, markdown } from '../figures/table.ts';

const DEPOSITS = 100_000;
const BATCH = 4_096;
const ARRIVED_AT = Date.UTC(2025, 10, 20);

/** The schedule's: what the limits of the custody API leave undone is done a minute later. */
const RUN_EVERY_MS = 60_000;

/** Runs in a row that may leave everything as it is before the rest is given up. */
const IDLE_RUNS_MAX = 3;

interface Swept {
  readonly deposits: number;
  readonly credited: number;
  readonly runs: number;
  /** Requests at the custody API. */
  readonly requests: number;
  readonly seconds: number;
  readonly cpuSeconds: number | null;
  readonly residentBytes: number | null;
}

async function fill(program: string, path: string, count: number): Promise<void> {
  const ledger = await openLedger(program, path);
  try {
    await ledger.takePolicy(ARRIVED_AT);
    for (let from = 0; from < count; from += BATCH) {
      const length = Math.min(BATCH, count - from);
      const bodies = Array.from({ length }, (_, index) =>
        Buffer.from(JSON.stringify(webhookOfRow(from + index))),
      );
      await ledger.take(bodies, ARRIVED_AT);
    }
  } finally {
    ledger.close();
  }
}

function writeKey(folder: string): string {
  const path = join(folder, 'key.pem');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return path;
}

async function run(daemon: Daemon): Promise<number> {
  const response = await fetch(`${daemon.url}/v1/reconciliations`, {
    method: 'POST',
    headers: { authorization: daemon.authorization },
  });
  const body = (await response.json()) as { requests?: number };
  if (!response.ok) throw new Error(`a run failed: ${JSON.stringify(body)}`);
  return body.requests ?? 0;
}

async function waitingDepositsAt(daemon: Daemon): Promise<number> {
  return (await daemon.metrics())('counterfoil_waiting_deposits') ?? 0;
}

/** Runs, one a minute, until nothing waits any more. */
async function sweep(daemon: Daemon, deposits: number): Promise<Swept> {
  const cpuBefore = cpuSecondsOf(daemon.pid);
  const startedMs = performance.now();
  let runs = 0;
  let idleRuns = 0;
  let requests = 0;
  let left = deposits;
  while (left > 0 && idleRuns < IDLE_RUNS_MAX) {
    const nextMs = startedMs + runs * RUN_EVERY_MS - performance.now();
    if (nextMs > 0) await pause(nextMs);
    requests += await run(daemon);
    runs += 1;
    const before = left;
    left = await waitingDepositsAt(daemon);
    idleRuns = left === before ? idleRuns + 1 : 0;
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const cpuAfter = cpuSecondsOf(daemon.pid);
  return {
    deposits,
    credited: deposits - left,
    runs,
    requests,
    seconds,
    cpuSeconds: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
    residentBytes: residentBytesOf(daemon.pid),
  };
}

async function measure(plan: Plan, deposits: number, service: CustodyListServer): Promise<Swept> {
  return inFolder(async (folder) => {
    const { program, profile } = plan;
    const storePath = join(folder, 'store.db');
    await fill(program, storePath, deposits);
    const custody = {
      baseUrl: service.url,
      clientId: 'bench',
      privateKeyFile: writeKey(folder),
      webhookUrl: 'https://counterfoil.example/hooks',
      vaults: ['v0'],
    };
    const daemon = await startDaemon({ program, profile, folder, storePath, custody });
    try {
      return await sweep(daemon, deposits);
    } finally {
      await daemon.end();
    }
  });
}

/** Deposits that wait for the custody API, verified and credited over a service that answers at once. */
export async function measureReconcile(plan: Plan): Promise<SuiteResult> {
  const swept: Swept[] = [];
  for (const deposits of plan.stored ?? [DEPOSITS]) {
    const service = await startCustodyListServer({ deposits, newestAt: ARRIVED_AT + 1_000 });
    try {
      swept.push(await measure(plan, deposits, service));
    } finally {
      await service.end();
    }
  }
  const text = markdown(
    ['deposits', 'credited', 'runs', 'requests', 'seconds', 'CPU seconds', 'memory MiB'],
    swept.map((one) => [
      String(one.deposits),
      String(one.credited),
      String(one.runs),
      String(one.requests),
      figure(one.seconds, 1),
      figure(one.cpuSeconds, 1),
      figure(one.residentBytes === null ? null : one.residentBytes / 1_048_576, 0),
    ]),
  );
  const defects = swept
    .filter(({ deposits, credited }) => credited !== deposits)
    .map(({ deposits, credited }) => `${credited} of ${deposits} waiting deposits were credited`);
  return { text, figures: { swept }, defects };
}
