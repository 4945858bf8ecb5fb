import { StoreFailed } from '../port.ts';
import { ReplicaDiverged, RUN_OWNERS_VERSION, type Replica } from './replica.ts';
import type { SealedCommit, SharedJournal } from './shared-journal.ts';

/**
 * Facts that one read of the journal returns at most, and one transaction of the replica takes: some
 * tenths of a second. Eight commits in one transaction need two thirds of the CPU of eight
 * transactions; more save hardly anything.
 */
const READ_FACTS_MAX = 1_000;

/** How long one step applies commits. Then it looks at the owner again, however much is left. */
const FOLLOW_MS_MAX = 1_000;

/**
 * Applies a journal's commits to a replica for a while. Resolves to whether the replica then lacks
 * none. Throws `JournalUnavailable`, `ReplicaDiverged` and `StoreFailed`.
 */
export async function follow(
  replica: Replica,
  {
    journal,
    clock,
    onApplied,
  }: {
    readonly journal: Pick<SharedJournal, 'read'>;
    /** Monotonic milliseconds. */
    readonly clock: () => number;
    /** Called with the replica's last journal position after it has grown. */
    readonly onApplied: (lastSeq: number) => void;
  },
): Promise<boolean> {
  const endsAt = clock() + FOLLOW_MS_MAX;
  while (clock() < endsAt) {
    const following = await journal.read(replica.head, READ_FACTS_MAX);
    if (following.kind === 'diverged') throw new ReplicaDiverged(following.detail);
    if (following.commits.length === 0) return true;
    apply(replica, following.commits);
    onApplied(replica.head.lastSeq);
  }
  return false;
}

/** The owner took these facts: if a rule throws here, this version has other rules. */
function apply(replica: Replica, commits: readonly SealedCommit[]): void {
  try {
    replica.follow(commits);
  } catch (error) {
    if (error instanceof StoreFailed || error instanceof ReplicaDiverged) throw error;
    const [first, last] = [commits[0]?.commitNumber, commits.at(-1)?.commitNumber];
    const which = first === last ? `commit ${first}` : `one of the commits ${first} to ${last}`;
    throw new ReplicaDiverged(
      `${which} of the journal cannot be applied (${causeOf(error)}): ${RUN_OWNERS_VERSION}`,
    );
  }
}

/** The message of an error, or of the store's own error behind it. */
export function causeOf(error: unknown): string {
  const cause = error instanceof StoreFailed ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
