import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { CommitResult, Ledger } from '../../../src/store/port.ts';
import type { Replica } from '../../../src/store/replicated/replica.ts';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import type { Role } from '../../../src/store/replicated/role.ts';
import type { SharedJournal } from '../../../src/store/replicated/shared-journal.ts';
import { MemoryJournal } from './memory-journal.ts';

/** The connections of two receivers to one journal that nobody has written. */
export interface TwoConnections {
  readonly owner: SharedJournal;
  readonly follower: SharedJournal;
}

/** A new journal in memory. */
export function inMemory(): TwoConnections {
  const journal = new MemoryJournal();
  return { owner: journal.receiver('owner'), follower: journal.receiver('follower') };
}

/** A ledger of one receiver in a test: time stands still, so its lease never ends. */
function ledgerOf(replica: Replica, journal: SharedJournal, onRole: (role: Role) => void) {
  return new ReplicatedLedger({
    replica,
    journal,
    leaseMs: 60_000,
    clock: () => 0,
    onRole,
    onApplied: () => undefined,
  });
}

/** Commits as the owner of a shared journal, and lets a follower apply each commit at once. */
export class FollowedLedger implements Ledger {
  readonly #owner: ReplicatedLedger;
  readonly #follower: ReplicatedLedger;
  #isOwner = false;
  #followerRole: Role | null = null;

  constructor(
    replicas: { readonly owner: Replica; readonly follower: Replica },
    connections: TwoConnections,
  ) {
    this.#owner = ledgerOf(replicas.owner, connections.owner, ({ kind }) => {
      this.#isOwner = kind === 'owner';
    });
    this.#follower = ledgerOf(replicas.follower, connections.follower, (role) => {
      this.#followerRole = role;
    });
  }

  /** Throws when the follower cannot apply what was committed. */
  async commit(facts: readonly Fact[]): Promise<CommitResult> {
    if (!this.#isOwner) await this.#owner.step();
    const result = await this.#owner.commit(facts);
    await this.#follower.step();
    if (this.#followerRole?.kind !== 'follower') {
      throw new Error(`the follower is ${JSON.stringify(this.#followerRole)}`);
    }
    return result;
  }
}
