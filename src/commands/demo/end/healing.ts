import { ProductUnreachable, type ProductApi } from '../product-api.ts';

/** Breaks that stay open until a person acts. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['unattributed_memo', 'reversal_after_credit']);

/**
 * Longest wait for an episode to heal: a vault may wait for a retry, and then the API for the
 * circuit.
 */
const HEALING_MS_MAX = 120_000;

const UNREACHABLE = 'the daemon does not answer';

/**
 * Waits until only breaks for a person are open, and each vault has a settled deposit first seen
 * after the call. The service delivers a vault's notifications in order, so nothing older waits
 * then. Returns what is still wrong when the wait ends; empty when healed.
 */
export async function untilHealed(
  api: ProductApi,
  wait: {
    vaultIds: readonly string[];
    over: AbortSignal;
    /** Unix milliseconds. */
    now: () => number;
    pause: () => Promise<void>;
  },
): Promise<readonly string[]> {
  const began = wait.now();
  let waiting = wait.vaultIds;
  let disorder: readonly string[] = [UNREACHABLE];
  while (disorder.length > 0 && !wait.over.aborted && wait.now() < began + HEALING_MS_MAX) {
    await wait.pause();
    try {
      waiting = await stillWaiting(api, waiting, began);
      disorder = [...waiting.map(noNewDeposit), ...(await openTypes(api))];
    } catch (error) {
      if (!(error instanceof ProductUnreachable)) throw error;
      disorder = [UNREACHABLE];
    }
  }
  return disorder;
}

function noNewDeposit(vaultId: string): string {
  return `no new deposit of vault ${vaultId} is settled`;
}

/** Vaults without a settled deposit first seen since `since`. */
async function stillWaiting(
  api: ProductApi,
  vaultIds: readonly string[],
  since: number,
): Promise<string[]> {
  const left: string[] = [];
  for (const vaultId of vaultIds) {
    const list = await api.get<{ data: { firstSeenAt: string }[] }>(
      `/v1/deposits?state=settled&vaultId=${vaultId}&pageSize=100`,
    );
    const isNew = list.data.some(({ firstSeenAt }) => Date.parse(firstSeenAt) >= since);
    if (!isNew) left.push(vaultId);
  }
  return left;
}

/** The types of the unresolved breaks that need no person. */
async function openTypes(api: ProductApi): Promise<string[]> {
  const list = await api.get<{ data: { type: string }[] }>(
    '/v1/breaks?state=unresolved&pageSize=1000',
  );
  const types = new Set(list.data.map(({ type }) => type));
  return [...types].filter((type) => !FOR_A_PERSON.has(type));
}
