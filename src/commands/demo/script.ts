import type { CoreControl } from './core-client.ts';
import type { Product } from './product.ts';
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
  const attempt = () => traffic.creditedThenDropped((hash) => isCredited(product, hash), over);
  const reversed = await triedAgain(attempt, over);
  if (reversed === null) return;
  note(
    `a deep reorg took deposit ${short(reversed)} after it was credited: a reversal will follow`,
  );
}

/** The first outcome; what lost its way in retries of deliveries is given up for another try. */
export async function triedAgain(
  attempt: () => Promise<string | null>,
  over: AbortSignal,
): Promise<string | null> {
  while (!over.aborted) {
    const outcome = await attempt();
    if (outcome !== null) return outcome;
  }
  return null;
}

function short(hash: string): string {
  return `${hash.slice(0, 12)}…`;
}

async function isCredited(product: Product, hash: string): Promise<boolean> {
  const list = await product
    .apiOf('admin')
    .get<{ data: { state: string }[] }>(`/v1/deposits?blockchainHash=${hash}`);
  return list.data.some((deposit) => deposit.state === 'credited' || deposit.state === 'settled');
}
