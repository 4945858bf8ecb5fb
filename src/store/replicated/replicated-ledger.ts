import type { Fact } from '../../domain/fact/fact.ts';
import { StoreFailed, type CommitResult, type Ledger, type Unavailable } from '../port.ts';
import { causeOf, follow } from './follow.ts';
import { ReplicaAge } from './replica-age.ts';
import { ReplicaDiverged, type Prepared, type Replica } from './replica.ts';
import type { Role } from './role.ts';
import { JournalUnavailable, type Owner, type SharedJournal } from './shared-journal.ts';

/** An owner without commits renews its lease when this share of it has passed. */
const RENEWED_AFTER_SHARE = 1 / 3;

const LEASE_ENDED =
  'the journal does not answer, and the lease of this owner has ended: start PostgreSQL, or repair the network to it';

const NOT_OWNER = 'this receiver does not own the journal';

/**
 * The ledger of one receiver among several. As the owner it appends every commit to the shared
 * journal before its replica keeps it. As a follower it applies the owner's commits.
 *
 * The transaction of the replica stays open while the journal appends. That blocks nobody: the
 * replica has no other writer, and its readers see the state before.
 */
export class ReplicatedLedger implements Ledger {
  readonly #replica: Replica;
  readonly #journal: SharedJournal;
  readonly #leaseMs: number;
  readonly #clock: () => number;
  readonly #onRole: (role: Role) => void;
  readonly #onApplied: (lastSeq: number) => void;
  #role: Role | null = null;
  /** When the lease was last extended, on `#clock`. */
  #extendedAt = 0;
  /** Since when an answer that the owner needs is awaited, on `#clock`; null while none is. */
  #askedAt: number | null = null;
  /**
   * The epoch whose lease may still be valid, also after an append of unknown outcome; `unknown` after
   * an acquisition without an answer.
   */
  #leasedEpoch: number | 'unknown' | null = null;
  readonly #age = new ReplicaAge();
  #isResigned = false;
  /** The facts that this replica could not write; null when it could write the last ones. */
  #unwritten: readonly Fact[] | null = null;
  /** Why this receiver must not own the journal; null when it may. */
  #barredBy: string | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: {
    replica: Replica;
    journal: SharedJournal;
    /** How long a lease is valid, milliseconds. The owner extends it after a third of that. */
    leaseMs: number;
    /** Monotonic milliseconds. */
    clock: () => number;
    /** Called when the role changes. */
    onRole: (role: Role) => void;
    /** Called with the replica's last journal position after it has grown. */
    onApplied: (lastSeq: number) => void;
  }) {
    this.#replica = options.replica;
    this.#journal = options.journal;
    this.#leaseMs = options.leaseMs;
    this.#clock = options.clock;
    this.#onRole = options.onRole;
    this.#onApplied = options.onApplied;
  }

  /**
   * `unavailable` unless this receiver is the owner. Rejects for a bug. If the journal has kept the
   * facts all the same, this receiver appends nothing until it has read them.
   */
  commit(facts: readonly Fact[]): Promise<CommitResult> {
    return this.#alone(() => this.#commit(facts));
  }

  /**
   * One turn of following and of ownership, to be called a few times a second: the owner extends
   * its lease; a follower applies new commits, and takes over when no lease is valid. Resolves to
   * whether commits are left for the next step. Never rejects because of the journal or the disk.
   */
  step(): Promise<boolean> {
    return this.#alone(async () => {
      try {
        switch (this.#role?.kind) {
          case 'diverged':
            return false;
          case 'owner':
            await this.#stay(this.#role.epoch);
            return false;
          case 'follower':
          case 'cut_off':
          case undefined:
            return await this.#followAndTakeOver();
          default:
            return this.#role satisfies never;
        }
      } catch (error) {
        await this.#fail(error);
        return false;
      }
    });
  }

  /**
   * Keeps this receiver from owning the journal, from the next step on; null lets it own the journal
   * again. `cause` says what to do.
   */
  bar(cause: string | null): void {
    this.#barredBy = cause;
  }

  /** Asks the journal something between commits and steps: it answers one question at a time. */
  between<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    return this.#alone(() => this.#asked(ask));
  }

  /**
   * Ends the role of an owner who waits for an answer longer than its lease: another receiver may own
   * the journal by now. To be called a few times a second, also during steps and commits.
   */
  expire(): void {
    const isSilent = this.#clock() - (this.#askedAt ?? Infinity) >= this.#leaseMs;
    if (this.#role?.kind === 'owner' && isSilent) this.#cutOff(LEASE_ENDED);
  }

  /** Ends the ownership for good, so that another receiver takes over at once. */
  resign(): Promise<void> {
    return this.#alone(async () => {
      this.#isResigned = true;
      if (this.#role?.kind === 'owner') this.#follows(null);
      if (this.#leasedEpoch !== null) await this.#release(this.#leasedEpoch);
    });
  }

  async #release(epoch: number | 'unknown'): Promise<void> {
    this.#leasedEpoch = null;
    try {
      await this.#journal.release(epoch === 'unknown' ? null : epoch);
    } catch (error) {
      // The lease ends by itself.
      if (!(error instanceof JournalUnavailable)) throw error;
    }
  }

  async #commit(facts: readonly Fact[]): Promise<CommitResult> {
    if (this.#role?.kind !== 'owner') {
      return { kind: 'unavailable', effect: 'none', cause: NOT_OWNER };
    }
    const { epoch } = this.#role;
    let prepared: Prepared;
    try {
      prepared = this.#replica.prepare(facts);
    } catch (error) {
      if (!(error instanceof StoreFailed)) throw error;
      return this.#yield(epoch, facts, { effect: 'none', failed: error });
    }
    // The lease begins before the answer: this process may sleep in between.
    const asked = this.#clock();
    const appended = await this.#append(epoch, prepared);
    if (appended.kind !== 'appended') {
      this.#replica.drop();
      const effect = appended.kind === 'unknown' ? 'unknown' : 'none';
      return this.#lose(effect, appended.kind === 'fenced' ? NOT_OWNER : appended.cause);
    }
    this.#extended(asked);
    try {
      return this.#keep(prepared);
    } catch (error) {
      if (!(error instanceof StoreFailed)) throw error;
      // The journal has the commit. The sender repeats, and the replica reads the commit again.
      return this.#yield(epoch, facts, { effect: 'unknown', failed: error });
    }
  }

  /** A journal that fails in an unknown way may have kept the commit. */
  async #append(epoch: number, { commit }: Prepared) {
    try {
      return await this.#asked(() => this.#journal.append(epoch, commit ?? this.#replica.head));
    } catch (error) {
      this.#replica.drop();
      this.#cutOff(causeOf(error));
      throw error;
    }
  }

  #keep({ outcomes }: Prepared): CommitResult {
    const news = this.#replica.keep();
    this.#onApplied(this.#replica.head.lastSeq);
    return { kind: 'committed', outcomes, news };
  }

  /**
   * Gives up the ownership, because this replica cannot be written: another receiver takes over at
   * once. This one owns the journal again when it can write the same facts.
   */
  async #yield(
    epoch: number,
    facts: readonly Fact[],
    { effect, failed }: { readonly effect: Unavailable['effect']; readonly failed: StoreFailed },
  ): Promise<CommitResult> {
    this.#unwritten = facts;
    const lost = this.#lose(effect, causeOf(failed));
    await this.#release(epoch);
    return lost;
  }

  /** The next step reads the journal again before it takes the ownership. */
  #lose(effect: Unavailable['effect'], cause: string): CommitResult {
    this.#cutOff(cause);
    return { kind: 'unavailable', effect, cause };
  }

  async #stay(epoch: number): Promise<void> {
    if (this.#barredBy !== null) {
      this.#cutOff(this.#barredBy);
      return this.#release(epoch);
    }
    if (this.#leaseAgeMs() < this.#leaseMs * RENEWED_AFTER_SHARE) return;
    const asked = this.#clock();
    const isRenewed = await this.#asked(() => this.#journal.renew(epoch, this.#replica.head));
    if (isRenewed) this.#extended(asked);
    else this.#follows(await this.#journal.owner());
  }

  async #followAndTakeOver(): Promise<boolean> {
    const isLevel = await this.#followToLevel();
    if (isLevel) this.#tryReplica();
    if (this.#barredBy !== null) {
      this.#cutOff(this.#barredBy, await this.#journal.owner());
      return !isLevel;
    }
    if (!isLevel || this.#isResigned) {
      this.#follows(await this.#journal.owner());
      return !isLevel;
    }
    const asked = this.#clock();
    this.#leasedEpoch = 'unknown';
    const acquired = await this.#journal.acquire();
    if (acquired.kind === 'owned') {
      this.#leasedEpoch = null;
      this.#follows(acquired.by);
      return false;
    }
    this.#leasedEpoch = acquired.epoch;
    await this.#followAll(acquired.epoch);
    this.#extended(asked);
    this.#change({ kind: 'owner', epoch: acquired.epoch });
    return false;
  }

  /** Follows for a while. Resolves to whether the replica lacks nothing. */
  async #followToLevel(): Promise<boolean> {
    const began = this.#clock();
    if (this.#age.needsTarget) this.#age.aim((await this.#journal.head()).commitNumber, began);
    const lacksNone = await this.#follow();
    this.#age.followed(this.#replica.head.commitNumber, { began, lacksNone });
    return lacksNone;
  }

  /** The lease was extended when that was asked. The owner's replica holds the whole journal. */
  #extended(asked: number): void {
    this.#extendedAt = asked;
    this.#age.level(asked);
  }

  /**
   * Nobody else can append now, so the replica holds everything afterwards. An owner that cannot follow
   * the last commits would only keep others waiting for the end of its lease.
   */
  async #followAll(epoch: number): Promise<void> {
    try {
      while (!(await this.#follow()));
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) await this.#release(epoch);
      throw error;
    }
  }

  /** Throws `StoreFailed` while the replica cannot take the facts that it could not write. */
  #tryReplica(): void {
    if (this.#unwritten === null) return;
    try {
      this.#replica.prepare(this.#unwritten);
      this.#replica.drop();
    } catch (error) {
      // A bug was thrown by the facts, so the replica can be written.
      if (error instanceof StoreFailed) throw error;
    }
    this.#unwritten = null;
  }

  async #asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#askedAt = this.#clock();
    try {
      return await ask();
    } finally {
      this.#askedAt = null;
    }
  }

  #leaseAgeMs(): number {
    return this.#clock() - this.#extendedAt;
  }

  /** Applies commits for a while; whether the replica then lacks none. */
  #follow(): Promise<boolean> {
    return follow(this.#replica, {
      journal: this.#journal,
      clock: this.#clock,
      onApplied: this.#onApplied,
    });
  }

  async #fail(error: unknown): Promise<void> {
    if (error instanceof ReplicaDiverged) {
      this.#change({ kind: 'diverged', detail: error.message });
    } else if (error instanceof JournalUnavailable || error instanceof StoreFailed) {
      // While its lease is valid, nobody else can be the owner.
      if (this.#role?.kind === 'owner' && this.#leaseAgeMs() < this.#leaseMs) return;
      this.#cutOff(
        causeOf(error),
        error instanceof StoreFailed ? await this.#ownerIfKnown() : null,
      );
    } else {
      throw error;
    }
  }

  /** The owner; null when the journal cannot be reached. */
  async #ownerIfKnown(): Promise<Owner | null> {
    try {
      return await this.#journal.owner();
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return null;
    }
  }

  #follows(owner: Owner | null): void {
    this.#change({ kind: 'follower', owner, isLevel: this.#age.isLevel(this.#clock()) });
  }

  #cutOff(cause: string, owner: Owner | null = null): void {
    this.#age.cutOff();
    this.#change({ kind: 'cut_off', cause, owner });
  }

  #change(role: Role): void {
    const isSame = JSON.stringify(role) === JSON.stringify(this.#role);
    this.#role = role;
    if (!isSame) this.#onRole(role);
  }

  /** Runs commits, steps and the resignation one after the other. */
  #alone<Result>(run: () => Promise<Result>): Promise<Result> {
    const next = this.#turn.then(run, run);
    this.#turn = next.catch(() => undefined);
    return next;
  }
}
