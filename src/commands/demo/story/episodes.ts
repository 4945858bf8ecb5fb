import type { CoreControl } from '../core-client.ts';
import type { CreditLatency } from '../end/credit-latency.ts';
import type { Operator } from '../people/operator.ts';
import type { ProductAccess } from '../product-access.ts';
import { systemClock } from '../../../custody/clock.ts';
import type { Traffic } from './traffic.ts';

/** Faults of every day: deliveries that are repeated or late, and orders that fail on chain. */
export const BACKGROUND = {
  delivery: [
    { fault: 'duplicate', probability: 0.08 },
    { fault: 'replay-late', probability: 0.02, delayMs: 4_000 },
  ],
  transactions: [{ fault: 'revert', network: 'ethereum', probability: 0.1 }],
} as const;

/** The service waits 10 s after the first lost answer and 20 s after the second. */
const LOST_ANSWERS = 2;
const LOSING_MS = 12_000;

/** Longer than the service waits for an answer, so that deliveries fail. */
export const SILENT_MS = 12_000;

/** Long enough for several failed sweeps. */
const FAILING_API_MS = 15_000;

/** The objects that episodes use; `note` writes to the terminal. */
export interface Stage {
  readonly traffic: Traffic;
  readonly control: CoreControl;
  readonly access: ProductAccess;
  readonly operator: Operator;
  readonly latency: CreditLatency;
  readonly vaultIds: readonly string[];
  readonly over: AbortSignal;
  readonly note: (text: string) => void;
}

/** A fault: the call starts it, reports it, and returns when it is over. */
export type Episode = (stage: Stage) => Promise<void>;

/** A reorg removes a deposit before its credit. */
export async function reorgBeforeCredit({ traffic, note }: Stage): Promise<void> {
  const dropped = await traffic.minedThenDropped();
  note(`a reorg took deposit ${dropped} before it was credited`);
}

/**
 * A deep reorg removes a credited deposit: the feed reverses the credit, and its break stays open for
 * a person.
 */
export async function reorgAfterCredit(stage: Stage): Promise<void> {
  const { traffic, access, operator, over, note } = stage;
  if ((await operator.resolveReversed()) > 0) {
    note('an operator recovered the last reversed credit and resolved its break');
  }
  const attempt = () => traffic.creditedThenDropped((hash) => isCredited(access, hash), over);
  const reversed = await triedAgain(attempt, over);
  if (reversed === null) return;
  note(
    `a deep reorg took deposit ${reversed} after it was credited: a reversal will follow, and its break waits for a person`,
  );
}

/** A deposit without a registered memo is held. The previous such deposit gets its owner. */
export async function missingMemo({ traffic, operator, note }: Stage): Promise<void> {
  if ((await operator.attributeHeld()) > 0) {
    note('an operator attributed the last deposit that named no customer: it will be credited');
  }
  const held = await traffic.depositOfNobody();
  note(`deposit ${held} names no customer: it is held for a person`);
}

/** Answers to one vault's deliveries are lost for a time, so that the core delivers again. */
export async function lostAnswers({ control, vaultIds, over, note }: Stage): Promise<void> {
  const [vaultId = ''] = vaultIds;
  const lost = { fault: 'drop-response', vaultId, count: LOST_ANSWERS };
  await control.put('/sim/faults', { ...BACKGROUND, delivery: [...BACKGROUND.delivery, lost] });
  note(
    `${LOST_ANSWERS} answers to deliveries of vault ${vaultId} are lost: its other notifications wait for the retries`,
  );
  try {
    await systemClock.sleep(LOSING_MS, over);
  } finally {
    await control.put('/sim/faults', BACKGROUND);
  }
}

/** The custody API fails for a time: nothing is verified or credited meanwhile. */
export async function failingApi({ control, over, note }: Stage): Promise<void> {
  const error = { fault: 'error', errorCode: 'GE-1', operation: 'GET /transactions' };
  await control.put('/sim/faults', { ...BACKGROUND, api: [error] });
  note(`the custody API fails for ${FAILING_API_MS / 1_000} s: nothing is credited meanwhile`);
  try {
    await systemClock.sleep(FAILING_API_MS, over);
  } finally {
    await control.put('/sim/faults', BACKGROUND);
  }
  note('the custody API answers again');
}

/**
 * Repeats an attempt until it succeeds or the demo ends: an attempt may time out behind delivery
 * retries.
 */
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

async function isCredited(access: ProductAccess, hash: string): Promise<boolean> {
  const list = await access
    .apiOf('admin')
    .get<{ data: { state: string }[] }>(`/v1/deposits?blockchainHash=${hash}`);
  return list.data.some((deposit) => deposit.state === 'credited' || deposit.state === 'settled');
}
