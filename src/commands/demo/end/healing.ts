import { ProductUnreachable, type ProductApi } from '../product-api.ts';

/** Breaks that stay open until a person acts. */
const FOR_A_PERSON: ReadonlySet<string> = new Set(['unattributed_memo', 'reversal_after_credit']);

/**
 * Longest wait for an episode to heal: a vault may wait for a retry, and then the API for the
 * circuit.
 */
const HEALING_MS_MAX = 120_000;

const UNREACHABLE = 'the daemon does not answer';

/** What is still open when the wait for an episode ends. */
export interface Healing {
  /** What is not in order; empty when healed. */
  readonly disorder: readonly string[];
  /** Open breaks that only a person resolves. */
  readonly breaksForPerson: number;
}

/**
 * Waits until only breaks for a person are open, and each vault has a settled deposit first seen
 * after the call. The service delivers a vault's notifications in order, so nothing older waits
 * then.
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
): Promise<Healing> {
  const began = wait.now();
  let behind = wait.vaultIds;
  let disorder: readonly string[] = [UNREACHABLE];
  let breaksForPerson = 0;
  while (disorder.length > 0 && !wait.over.aborted && wait.now() < began + HEALING_MS_MAX) {
    await wait.pause();
    try {
      behind = await stillBehind(api, behind, began);
      const types = await openTypes(api);
      const others = new Set(types.filter((type) => !FOR_A_PERSON.has(type)));
      breaksForPerson = types.filter((type) => FOR_A_PERSON.has(type)).length;
      disorder = [...behind.map(noNewDeposit), ...others];
    } catch (error) {
      if (!(error instanceof ProductUnreachable)) throw error;
      disorder = [UNREACHABLE];
    }
  }
  return { disorder, breaksForPerson };
}

/** `healed 3 s after it began; 2 open breaks wait for a person` */
export function healingText({ disorder, breaksForPerson }: Healing, seconds: number): string {
  const after = `${seconds} s after it began`;
  if (disorder.length > 0) return `not healed ${after}: ${disorder.join(', ')}`;
  return `healed ${after}; ${openBreaksText(breaksForPerson)}`;
}

function openBreaksText(count: number): string {
  if (count === 0) return 'no break is open';
  return count === 1 ? '1 open break waits for a person' : `${count} open breaks wait for a person`;
}

function noNewDeposit(vaultId: string): string {
  return `no new deposit of vault ${vaultId} is settled`;
}

/** Vaults without a settled deposit first seen since `since`. */
async function stillBehind(
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

/** The type of each unresolved break. */
async function openTypes(api: ProductApi): Promise<string[]> {
  const list = await api.get<{ data: { type: string }[] }>(
    '/v1/breaks?state=unresolved&pageSize=1000',
  );
  return list.data.map(({ type }) => type);
}
