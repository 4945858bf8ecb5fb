import { setTimeout as pause } from 'node:timers/promises';
import type { CoreClient, CoreControl } from './core-client.ts';
import type { Product } from './product.ts';
import { ProductUnreachable, type ProductApi } from './product-api.ts';
import { tieOut } from './tie-out.ts';
import type { Traffic } from './traffic.ts';

/**
 * How long the demo waits at its end while nothing of what is under way arrives. No limit of the whole:
 * one reconciliation may wait a minute for room in the request limits, and only then do its credits
 * reach the consumer.
 */
export const IDLE_SECONDS_MAX = 45;

/** Waits between two looks at whether everything has arrived. */
const LOOK_INTERVAL_MS = 400;

/** What has not come to its end. */
export interface Outstanding {
  /** Deposits on their way to a credit. */
  readonly deposits: number;
  /** Credits in the feed that the consumer has not acknowledged. */
  readonly acknowledgements: number;
  /** Credits in the feed whose deposit has left the chain: the feed will reverse them. */
  readonly reversals: number;
  /** What kept the last reconciliation from completing, which all of them may wait for. */
  readonly incomplete: string | null;
}

/**
 * Buries everything deep enough, pulls the retries forward and reconciles, until everything under
 * way has come to its end and the books equal the core's truth, or nothing moves any more.
 */
export async function settleDown(stage: {
  traffic: Traffic;
  control: CoreControl;
  product: Product;
  client: CoreClient;
  vaultIds: readonly string[];
}): Promise<Outstanding> {
  const { traffic, control, product, client, vaultIds } = stage;
  await traffic.settle();
  for (const vaultId of vaultIds) {
    await client.patch(`/subscriptions/${vaultId}/notifications/retry-schedule`);
  }
  const api = product.apiOf('admin');
  return untilArrived(api, {
    isBalanced: async () => (await tieOut(api, control)).balanced,
    idleMsMax: IDLE_SECONDS_MAX * 1_000,
    now: Date.now,
    pause: () => pause(LOOK_INTERVAL_MS),
  });
}

/**
 * Reconciles until nothing is outstanding and the books are balanced, or until for some time nothing
 * has come to its end; answers what is outstanding then.
 */
export async function untilArrived(
  api: ProductApi,
  wait: {
    isBalanced: () => Promise<boolean>;
    idleMsMax: number;
    now: () => number;
    pause: () => Promise<void>;
  },
): Promise<Outstanding> {
  let fewest = Infinity;
  let deadline = wait.now() + wait.idleMsMax;
  for (;;) {
    const isOver = wait.now() >= deadline;
    try {
      const left = await outstanding(api);
      const steps = stepsLeft(left);
      if (steps === 0 && (await wait.isBalanced())) return left;
      if (steps < fewest) {
        fewest = steps;
        deadline = wait.now() + wait.idleMsMax;
      } else if (isOver) return left;
    } catch (error) {
      if (isOver || !(error instanceof ProductUnreachable)) throw error;
    }
    await wait.pause();
  }
}

/** A deposit has two to go: its credit, and the acknowledgement of that. */
export function stepsLeft({ deposits, acknowledgements, reversals }: Outstanding): number {
  return 2 * deposits + acknowledgements + reversals;
}

async function outstanding(api: ProductApi): Promise<Outstanding> {
  const { incomplete } = await api.post<{ incomplete: string | null }>('/v1/reconciliations', {});
  const reversals = await owedReversals(api);
  let deposits = 0;
  // In the order of a deposit's way, so that one that moves on between two looks is not passed over.
  for (const state of ['detected', 'confirming', 'verifying']) {
    deposits += await countIn(api, state);
  }
  // The consumer is not done when the last credit is in the feed: it has yet to hear of it.
  const acknowledgements = await countIn(api, 'credited');
  return { deposits, acknowledgements, reversals, incomplete };
}

async function countIn(api: ProductApi, state: string): Promise<number> {
  const list = await api.get<{ pagination: { total: number } }>(
    `/v1/deposits?state=${state}&pageSize=1`,
  );
  return list.pagination.total;
}

async function owedReversals(api: ProductApi): Promise<number> {
  const list = await api.get<{ data: { depositId: string }[] }>(
    '/v1/breaks?type=reversal_after_credit&pageSize=1000',
  );
  const ids = new Set(list.data.map((one) => one.depositId));
  let owed = 0;
  for (const id of ids) {
    const deposit = await api.get<{ state: string; confirmations: number }>(`/v1/deposits/${id}`);
    const standing = deposit.state === 'credited' || deposit.state === 'settled';
    if (standing && deposit.confirmations === 0) owed += 1;
  }
  return owed;
}
