import type { CoreClient, CoreControl } from './core-client.ts';
import { ProductUnreachable, type Product } from './product.ts';
import { tieOut } from './tie-out.ts';
import { pause, type Traffic } from './traffic.ts';

/** What goes wrong while the demo runs; every fault of a real service's bad day. */
const FAULTS = {
  delivery: [
    { fault: 'duplicate', probability: 0.12 },
    { fault: 'drop-response', probability: 0.01 },
    { fault: 'replay-late', probability: 0.03, delayMs: 4_000 },
  ],
  api: [
    { fault: 'error', errorCode: 'GE-1', operation: 'GET /transactions', probability: 0.08 },
    { fault: 'omit-balance-changes', probability: 0.05 },
  ],
  transactions: [{ fault: 'revert', network: 'ethereum', probability: 0.15 }],
} as const;

/** How long the demo waits at its end for everything under way. */
const SETTLE_MS_MAX = 45_000;

/** Waits between two looks at whether everything has arrived. */
const LOOK_INTERVAL_MS = 400;

/** How long the daemon stays dead when it is killed. */
const DEAD_MS = 800;

interface Stage {
  readonly traffic: Traffic;
  readonly control: CoreControl;
  readonly product: Product;
}

/**
 * The demo's course: traffic under faults; early on a deposit that a reorg takes before any credit,
 * then the daemon killed and started again, then a deposit that a reorg takes after its credit.
 */
export async function playScript(
  stage: Stage & { over: AbortSignal; note: (text: string) => void },
): Promise<void> {
  const { traffic, control, product, over, note } = stage;
  await control.put('/sim/faults', FAULTS);
  const running = traffic.run(over);
  const staged = stageEvents({ traffic, product, control }, over, note);
  await Promise.all([running, staged]);
  await control.put('/sim/faults', {});
}

async function stageEvents(stage: Stage, over: AbortSignal, note: (text: string) => void) {
  const { traffic, product } = stage;
  await pause(2_500, over);
  const dropped = await traffic.minedThenDropped();
  note(`a reorg took deposit ${short(dropped)} before it was credited`);
  if (over.aborted) return;
  await product.kill();
  note('the daemon was killed (SIGKILL) amid deliveries; the core retries what was not answered');
  await pause(DEAD_MS);
  await product.start();
  note('the daemon is back');
  const reversed = await traffic.creditedThenDropped((hash) => isCredited(product, hash), over);
  if (reversed === null) return;
  note(
    `a deep reorg took deposit ${short(reversed)} after it was credited: a reversal will follow`,
  );
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}

async function isCredited(product: Product, hash: string): Promise<boolean> {
  const list = await product.get<{ data: { state: string }[] }>(
    `/v1/deposits?blockchainHash=${hash}`,
  );
  return list.data.some((deposit) => deposit.state === 'credited' || deposit.state === 'settled');
}

/**
 * Buries everything deep enough, pulls the retries forward and reconciles, until no deposit is on
 * its way any more and the books equal the core's truth, or the time is over.
 */
export async function settleDown(
  stage: Stage & { client: CoreClient; vaultIds: readonly string[] },
): Promise<void> {
  const { traffic, control, product, client, vaultIds } = stage;
  await traffic.settle();
  for (const vaultId of vaultIds) {
    await client.patch(`/subscriptions/${vaultId}/notifications/retry-schedule`);
  }
  const deadline = Date.now() + SETTLE_MS_MAX;
  while (Date.now() < deadline) {
    try {
      await product.post('/v1/reconciliations', {});
      const tied = await tieOut(product, control);
      if (tied.balanced && (await underWay(product)) === 0) return;
    } catch (error) {
      if (!(error instanceof ProductUnreachable)) throw error;
    }
    await pause(LOOK_INTERVAL_MS);
  }
}

/** Deposits that are still on their way to a credit, or whose reversal the feed still owes. */
async function underWay(product: Product): Promise<number> {
  let count = await owedReversals(product);
  for (const state of ['detected', 'confirming', 'verifying']) {
    const list = await product.get<{ pagination: { total: number } }>(
      `/v1/deposits?state=${state}&pageSize=1`,
    );
    count += list.pagination.total;
  }
  return count;
}

/** Credits in the feed whose deposit has left the chain: the feed will reverse them. */
async function owedReversals(product: Product): Promise<number> {
  const list = await product.get<{ data: { depositId: string }[] }>(
    '/v1/breaks?type=reversal_after_credit&pageSize=1000',
  );
  const ids = new Set(list.data.map((one) => one.depositId));
  let owed = 0;
  for (const id of ids) {
    const deposit = await product.get<{ state: string; confirmations: number }>(
      `/v1/deposits/${id}`,
    );
    const standing = deposit.state === 'credited' || deposit.state === 'settled';
    if (standing && deposit.confirmations === 0) owed += 1;
  }
  return owed;
}
