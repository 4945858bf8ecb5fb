import { setTimeout as pause } from 'node:timers/promises';
import type { CoreClient, CoreControl } from '../core-client.ts';
import type { ProductAccess } from '../product-access.ts';
import { ProductUnreachable, type ProductApi } from '../product-api.ts';
import { tieOut } from './tie-out.ts';
import type { Traffic } from '../story/traffic.ts';

/**
 * Longest wait at the end without progress. The total wait has no limit: one reconciliation may
 * wait a minute for the request budget before its credits reach the consumer.
 */
export const IDLE_SECONDS_MAX = 45;

/** Interval between two checks. */
const LOOK_INTERVAL_MS = 400;

/** Unfinished items. */
export interface Outstanding {
  /** Deposits that wait for a credit. */
  readonly deposits: number;
  /** Credits in the feed that the consumer has not acknowledged. */
  readonly acknowledgements: number;
  /** Credits in the feed whose deposit left the chain: their reversals will follow. */
  readonly reversals: number;
  /** Why the last reconciliation was incomplete; other items may wait for it. */
  readonly incomplete: string | null;
}

/**
 * Mines the closing blocks, pulls retries forward and reconciles, until nothing is outstanding and
 * the books equal the core's truth, or until nothing progresses any more.
 */
export async function drain(stage: {
  traffic: Traffic;
  control: CoreControl;
  access: ProductAccess;
  client: CoreClient;
  vaultIds: readonly string[];
}): Promise<Outstanding> {
  const { traffic, control, access, client, vaultIds } = stage;
  await traffic.mineClosingBlocks();
  for (const vaultId of vaultIds) {
    await client.patch(`/subscriptions/${vaultId}/notifications/retry-schedule`);
  }
  const api = access.apiOf('admin');
  return untilArrived(api, {
    isBalanced: async () => (await tieOut(api, control)).balanced,
    idleMsMax: IDLE_SECONDS_MAX * 1_000,
    now: Date.now,
    pause: () => pause(LOOK_INTERVAL_MS),
  });
}

/**
 * Reconciles until nothing is outstanding and the books balance, or until `idleMsMax` passes
 * without progress. Returns what is outstanding then.
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

/** Number of steps left. A deposit has two: its credit, and the acknowledgement. */
export function stepsLeft({ deposits, acknowledgements, reversals }: Outstanding): number {
  return 2 * deposits + acknowledgements + reversals;
}

async function outstanding(api: ProductApi): Promise<Outstanding> {
  const { incomplete } = await api.post<{ incomplete: string | null }>('/v1/reconciliations', {});
  const reversals = await owedReversals(api);
  let deposits = 0;
  // In the order of a deposit's states, so that a deposit that moves on between two requests is
  // counted.
  for (const state of ['detected', 'confirming', 'verifying']) {
    deposits += await countIn(api, state);
  }
  // The consumer still has to acknowledge credits that are in the feed.
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
    const isCredited = deposit.state === 'credited' || deposit.state === 'settled';
    if (isCredited && deposit.confirmations === 0) owed += 1;
  }
  return owed;
}
