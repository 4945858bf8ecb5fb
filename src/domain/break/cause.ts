import { BODY_BREAKS, type Break, type BreakType } from './break.ts';

/** What several breaks have in common. Null members do not matter. */
export interface Cause {
  readonly blockchainHash: string | null;
  readonly type: BreakType | null;
  readonly vaultId: string | null;
}

/** Breaks of one cause, in the order in which they were given. */
export interface CauseGroup<One extends Break = Break> {
  readonly cause: Cause;
  readonly breaks: readonly One[];
}

function isAboutBody(type: BreakType): boolean {
  return (BODY_BREAKS as readonly BreakType[]).includes(type);
}

/**
 * The causes that a break may share with others, the narrowest first: its hash, for any type;
 * its type within its vault. Bodies belong to no vault, so their type alone is the cause.
 */
export function causesOf({ type, subject }: Break): readonly Cause[] {
  const { blockchainHash, vaultId } = subject;
  const byHash = blockchainHash === null ? [] : [{ blockchainHash, type: null, vaultId: null }];
  const byType =
    vaultId !== null || isAboutBody(type) ? [{ blockchainHash: null, type, vaultId }] : [];
  return [...byHash, ...byType];
}

/**
 * The groups of at least two breaks of one cause, the largest first and at most `limit`. A group
 * whose breaks are all in a larger one is left out.
 */
export function groupsByCause<One extends Break>(
  breaks: readonly One[],
  limit: number,
): readonly CauseGroup<One>[] {
  const groups = new Map<string, { cause: Cause; breaks: One[] }>();
  for (const one of breaks) {
    for (const cause of causesOf(one)) {
      const key = JSON.stringify([cause.blockchainHash, cause.type, cause.vaultId]);
      const known = groups.get(key);
      if (known === undefined) groups.set(key, { cause, breaks: [one] });
      else known.breaks.push(one);
    }
  }
  const bySize = [...groups.values()]
    .filter((group) => group.breaks.length > 1)
    .toSorted((left, right) => right.breaks.length - left.breaks.length);
  const kept: { group: CauseGroup<One>; members: ReadonlySet<One> }[] = [];
  for (const group of bySize) {
    if (kept.length === limit) break;
    const isWithin = kept.some(({ members }) => group.breaks.every((one) => members.has(one)));
    if (!isWithin) kept.push({ group, members: new Set(group.breaks) });
  }
  return kept.map(({ group }) => group);
}
