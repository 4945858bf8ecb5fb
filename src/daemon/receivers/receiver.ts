import type { CloseAnswer, RunAnswer } from '../../api/services.ts';
import type { Logger } from '../../ops/log.ts';
import type { Reads } from '../../store/reads.ts';
import type { Role } from '../../store/replicated/role.ts';
import type { Duties } from './duties.ts';
import type { OwnerCall, OwnerClient } from './owner-client.ts';
import type { LivingDuties, Ownership } from './ownership.ts';
import type { ReceiverQueue } from './receiver-queue.ts';
import type { ReplicaPosition } from './replica-position.ts';
import { NOT_LEVEL, type FactRoute } from './fact-route.ts';

/** Pause before duties that could not begin are tried again. */
const AGAIN_MS = 1_000;

const NOT_SHOWN = 'it took place, but this replica does not show it yet';

/** While an owner changes, facts wait: a shorter time without an owner keeps nobody from serving. */
const PENDING_MS_MAX = 10_000;

/**
 * How long a receiver that is cut off shows its replica: longer than a failover of the database takes.
 * Others may go on meanwhile, so balances become old and tokens are revoked.
 */
const CUT_OFF_SHOWN_MS_MAX = 60_000;

const CUT_OFF =
  'this receiver does not follow the journal now, and what its replica shows may be old: ask another receiver; /readyz says why';

const REPAIR = 'Repair that, or stop this receiver so that another one takes over';

const NOBODY_OWNS =
  'nobody owns the journal, and this replica does not hold all of it yet: wait while its position grows, or start a receiver whose replica does';

const JUST_STARTED = 'this receiver has just started: try again in a moment';

const OWNER_CHANGES = 'the owner of the journal changes: try again in a moment';

type OwnersDuties = LivingDuties & Pick<Duties, 'reconcile' | 'close' | 'reevaluate'>;

export interface ReceiverOptions {
  /** Where other receivers reach this one. */
  readonly url: string;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly ownership: Ownership<OwnersDuties>;
  readonly queue: Pick<ReceiverQueue, 'setRoute'>;
  readonly client: Pick<OwnerClient, 'hand' | 'reconcile' | 'close'>;
  readonly applied: ReplicaPosition;
  readonly reads: Pick<Reads, 'reconciliation'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error' | 'fatal'>;
}

/**
 * One receiver among several, on the main thread. It follows its role: an owner begins its duties,
 * and every other receiver ends them. Calls that need a duty go to the owner.
 */
export class Receiver {
  readonly #options: ReceiverOptions;
  #role: Role | null = null;
  /** The epoch whose duties have started. */
  #onDuty: number | null = null;
  /** Why the duties of the present epoch could not begin; null when they could. */
  #dutiesFailure: string | null = null;
  /** Since when facts have nowhere to go; null while they have. */
  #pendingSince: number | null = -Infinity;
  /** Until when this replica may be shown if the receiver is cut off, on the clock. */
  #shownUntil = -Infinity;
  #updated: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Null until the receiver has first reached the journal, or failed to. */
  get role(): Role | null {
    return this.#role;
  }

  /** The epoch in which this receiver takes facts of others; null while it does not. */
  get epoch(): number | null {
    const route = this.#route();
    return this.#role?.kind === 'owner' && route.kind === 'owner' ? this.#role.epoch : null;
  }

  /** Why an owner with this receiver's URL keeps it from working, and what to do; else null. */
  get nameTaken(): string | null {
    const role = this.#role;
    const { url } = this.#options;
    if (role?.kind !== 'follower' || role.owner?.isLeased !== true) return null;
    if (role.owner.url !== url) return null;
    return `another process with receiver.url ${url} owns the journal: if it is not this receiver's former process, give each receiver its own receiver.name and receiver.url`;
  }

  /** Why this owner does nothing but take facts, and what to do; else null. */
  get dutiesWarning(): string | null {
    if (this.#dutiesFailure === null) return null;
    return `the duties of the owner cannot begin, so nothing is verified or reconciled and no day is closed: ${this.#dutiesFailure}. ${REPAIR}`;
  }

  /**
   * Why the proxy must send nothing to this receiver, although it is the owner or a follower, and what
   * to do; else null. At its start it says so at once, before facts have a way.
   */
  get outOfService(): string | null {
    const role = this.#role;
    const isPending = this.#options.clock() - (this.#pendingSince ?? Infinity) >= PENDING_MS_MAX;
    if (role?.kind === 'follower') {
      if (isPending) return NOBODY_OWNS;
      return role.isLevel ? null : NOT_LEVEL;
    }
    if (role?.kind !== 'owner' || !isPending) return null;
    if (this.#dutiesFailure === null) return 'this receiver takes over the journal: wait a moment';
    return `the duties of the owner cannot begin, and an empty journal begins with the policy that they bring, so nothing is taken: ${this.#dutiesFailure}. ${REPAIR}`;
  }

  /** Why this receiver must show nobody a credit, a balance or a report, and what to do; else null. */
  get showsNothing(): string | null {
    const role = this.#role;
    switch (role?.kind) {
      case undefined:
        return JUST_STARTED;
      case 'diverged':
        return `this receiver's replica has diverged and serves nothing: ask another receiver. ${role.detail}`;
      case 'follower':
        return role.isLevel ? null : NOT_LEVEL;
      case 'owner':
        return null;
      case 'cut_off':
        return this.#options.clock() < this.#shownUntil ? null : CUT_OFF;
      default:
        return role satisfies never;
    }
  }

  /** Receives a change of the role. */
  take(role: Role): void {
    this.#role = role;
    this.#shownUntil = this.#showsUntil(role);
    logRole(this.#options.log, role);
    this.#setRoute();
    this.#updated = this.#updated.then(() => this.#updateDuties());
  }

  #showsUntil(role: Role): number {
    if (role.kind === 'owner' || (role.kind === 'follower' && role.isLevel)) return Infinity;
    if (role.kind !== 'cut_off') return -Infinity;
    return Math.min(this.#shownUntil, this.#options.clock() + CUT_OFF_SHOWN_MS_MAX);
  }

  /** Begins no duties from now on: this receiver stops. */
  beginNoDuties(): void {
    this.#isEnding = true;
  }

  /** Ends the duties, and begins no others. */
  async end(): Promise<void> {
    this.beginNoDuties();
    await this.#updated;
    await this.#options.ownership.end();
    this.#onDuty = null;
  }

  /** Whether this replica holds the whole journal: the owner's does. */
  async isLevel(): Promise<boolean> {
    const { client, applied } = this.#options;
    if (this.#role?.kind === 'owner') return true;
    const owner = this.#owner();
    if (owner === null) return false;
    const handed = await client.hand(owner, []);
    return handed.kind === 'answered' && applied.position >= handed.position;
  }

  async reconcile(): Promise<RunAnswer> {
    const { ownership, client, reads } = this.#options;
    if (ownership.duties !== null) return ownership.duties.reconcile();
    const owner = this.#owner();
    if (owner === null) return { kind: 'not_recorded', cause: OWNER_CHANGES };
    const called = await this.#called(client.reconcile(owner));
    if (called.kind === 'failed') return { kind: 'not_recorded', cause: called.cause };
    if (called.answer.kind !== 'ran') return called.answer;
    const run = await reads.reconciliation(called.answer.seq);
    return run === undefined ? { kind: 'not_recorded', cause: NOT_SHOWN } : { kind: 'ran', run };
  }

  async close(day: string): Promise<CloseAnswer> {
    const { ownership, client } = this.#options;
    if (ownership.duties !== null) return ownership.duties.close(day);
    const owner = this.#owner();
    if (owner === null) return { kind: 'unavailable', reason: OWNER_CHANGES };
    const called = await this.#called(client.close(owner, day));
    return called.kind === 'failed' ? { kind: 'unavailable', reason: called.cause } : called.answer;
  }

  #owner() {
    const route = this.#route();
    return route.kind === 'follower' && route.isLevel ? route.owner : null;
  }

  async #called<Answer>(
    call: Promise<OwnerCall<Answer>>,
  ): Promise<{ kind: 'answered'; answer: Answer } | { kind: 'failed'; cause: string }> {
    const called = await call;
    if (called.kind === 'answered') {
      const isShown = await this.#options.applied.waitFor(called.position);
      return isShown ? called : { kind: 'failed', cause: NOT_SHOWN };
    }
    const cause = 'cause' in called ? called.cause : OWNER_CHANGES;
    return { kind: 'failed', cause };
  }

  #setRoute(): void {
    const route = this.#route();
    if (route.kind !== 'pending') this.#pendingSince = null;
    else this.#pendingSince ??= this.#options.clock();
    this.#options.queue.setRoute(route);
  }

  #route(): FactRoute {
    const role = this.#role;
    if (role === null) return { kind: 'pending', cause: JUST_STARTED };
    switch (role.kind) {
      case 'owner':
        // An empty journal begins with the policy, which the duties bring.
        return this.#onDuty === role.epoch || this.#options.applied.position > 0
          ? { kind: 'owner' }
          : { kind: 'pending', cause: 'this receiver takes over the journal' };
      case 'follower': {
        const { owner, isLevel } = role;
        const { nameTaken } = this;
        if (nameTaken !== null) return { kind: 'pending', cause: nameTaken };
        return owner?.isLeased === true
          ? { kind: 'follower', owner, isLevel }
          : { kind: 'pending', cause: OWNER_CHANGES };
      }
      case 'cut_off': {
        // A replica that cannot be written, or a wrong clock, keeps nobody else from the facts.
        const { owner, cause } = role;
        return owner?.isLeased === true && owner.url !== this.#options.url
          ? { kind: 'follower', owner, isLevel: false }
          : { kind: 'pending', cause: `this receiver takes nothing now: ${cause}` };
      }
      case 'diverged':
        return { kind: 'refusing', cause: `this replica has diverged: ${role.detail}` };
      default:
        return role satisfies never;
    }
  }

  /** Brings the duties to where the role is. */
  async #updateDuties(): Promise<void> {
    const { ownership, log } = this.#options;
    const wanted = this.#wantedEpoch();
    if (wanted === null) this.#dutiesFailure = null;
    if (this.#onDuty === wanted) return;
    if (this.#onDuty !== null) {
      this.#onDuty = null;
      await ownership.end();
    }
    if (wanted === null) return;
    try {
      await ownership.begin();
      this.#dutiesFailure = null;
    } catch (error) {
      // A stop has ended the ownership meanwhile: that is no failure.
      if (this.#isEnding) return;
      const cause = error instanceof Error ? error.message : String(error);
      if (cause !== this.#dutiesFailure) {
        log.warn(
          { err: error },
          'the duties of the owner could not begin; trying again each second',
        );
      }
      this.#dutiesFailure = cause;
      // The policy may be there already.
      this.#setRoute();
      setTimeout(() => {
        this.#updated = this.#updated.then(() => this.#updateDuties());
      }, AGAIN_MS).unref();
      return;
    }
    // The ownership may have ended meanwhile: the next turn ends the duties.
    this.#onDuty = wanted;
    if (this.#wantedEpoch() === wanted) ownership.start();
    this.#setRoute();
  }

  #wantedEpoch(): number | null {
    return this.#role?.kind === 'owner' && !this.#isEnding ? this.#role.epoch : null;
  }
}

function logRole(log: ReceiverOptions['log'], role: Role): void {
  switch (role.kind) {
    case 'owner':
      return log.info({ epoch: role.epoch }, 'this receiver owns the journal');
    case 'follower': {
      const owner = role.owner?.name ?? null;
      return log.info({ owner, epoch: role.owner?.epoch ?? null }, 'this receiver follows');
    }
    case 'cut_off':
      return log.error(
        { cause: role.cause },
        role.owner?.isLeased === true
          ? 'this receiver keeps nothing now, and is not ready; it hands deliveries to the owner'
          : 'this receiver takes nothing now; senders get 503 and retry',
      );
    case 'diverged':
      return log.fatal(
        { cause: role.detail },
        'this replica has diverged and serves nothing; the cause says what to do',
      );
    default:
      role satisfies never;
  }
}
