import { Hono } from 'hono';
import type { FactRoute } from '../../../src/daemon/receivers/fact-route.ts';
import type { HandOverResult, OwnerClient } from '../../../src/daemon/receivers/owner-client.ts';
import { Ownership } from '../../../src/daemon/receivers/ownership.ts';
import { ReceiverQueue, type QueueClock } from '../../../src/daemon/receivers/receiver-queue.ts';
import { receiverRoutes } from '../../../src/daemon/receivers/receiver-routes.ts';
import { Receiver } from '../../../src/daemon/receivers/receiver.ts';
import { ReplicaPosition } from '../../../src/daemon/receivers/replica-position.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { decode } from '../../../src/intake/decode.ts';
import type { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { clockBar } from '../../../src/store/replicated/journal-state.ts';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import type { Role } from '../../../src/store/replicated/role.ts';
import type { Owner } from '../../../src/store/replicated/shared-journal.ts';
import type { SqliteLedger } from '../../../src/store/sqlite/sqlite-ledger.ts';
import type { MemoryJournal } from '../../store/replicated/memory-journal.ts';
import type { Duties } from '../product/duties.ts';
import type { DIED, Life } from '../product/process-state.ts';
import { Process } from '../product/process.ts';
import type { ProductOptions } from '../product/product.ts';
import { FragileJournal } from './fragile-journal.ts';
import { FragileReplica } from './fragile-replica.ts';
import type { Faults } from './faults.ts';

export const SECRET = 'a-secret-of-the-receivers-of-this-simulation';
const BODY_BYTES_MAX = 1_048_576;
const QUEUE_MAX = 1_024;

export interface SharingProcessOptions extends ProductOptions {
  readonly name: string;
  readonly path: string;
  readonly life: Life;
  readonly now: () => number;
  readonly die: () => void;
  readonly journal: MemoryJournal;
  readonly faults: Faults;
  readonly log: (line: string) => void;
  /** Hands facts, or a call, to the owner. */
  readonly hand: (owner: Owner, facts: readonly Fact[]) => Promise<HandOverResult>;
  readonly reconcile: OwnerClient['reconcile'];
}

/**
 * A process of a receiver that shares its journal, wired as the daemon wires one. Its steps and
 * duties come at the simulation's command, and its calls to the owner through the simulation.
 */
export class SharingProcess {
  readonly process: Process;
  readonly connection: FragileJournal;
  readonly receiver: Receiver;
  readonly applied = new ReplicaPosition();
  /** What other receivers may ask of this one. */
  readonly routes: Hono;
  /** Steps follow rarely. */
  isSlow = false;
  /** Ends the time of each fact that waits. */
  readonly #timers = new Set<() => void>();
  readonly #options: SharingProcessOptions;
  readonly #ownership: Ownership<OwnersDuties>;
  /** Set while the parts below are made. */
  #ledger: ReplicatedLedger | undefined;
  #queue: ReceiverQueue | undefined;
  #writer: CommitQueue | undefined;

  constructor(options: SharingProcessOptions) {
    this.#options = options;
    this.connection = new FragileJournal(options);
    this.process = new Process({
      ...options,
      ledgerOver: (replica) => this.#ledgerOver(replica),
      queueOver: (writer) => this.#queueOver(writer),
    });
    this.#ownership = new Ownership(() => new OwnersDuties(this.process.newDuties()));
    this.receiver = this.#newReceiver();
    this.routes = this.#newRoutes();
  }

  get life(): Life {
    return this.process.life;
  }

  get duties(): Duties | undefined {
    return this.#ownership.duties?.duties;
  }

  get role(): Role | null {
    return this.receiver.role;
  }

  /** Whether the duties have begun where the receiver is the owner. */
  get hasStarted(): boolean {
    const isOwner = this.role?.kind === 'owner';
    return !isOwner || this.#ownership.duties?.isStarted === true;
  }

  /** Follows the journal, extends the lease, or takes over. */
  async step(): Promise<void> {
    const { now, clock } = this.#options;
    this.#made(this.#ledger).bar(clockBar(now() - clock.now()));
    await this.life.whileAwake(this.#made(this.#ledger).step());
  }

  /** Hands over and ends, as after SIGTERM. */
  async leave(): Promise<typeof DIED | void> {
    const leaving = async (): Promise<void> => {
      await this.receiver.end();
      await this.#made(this.#ledger).resign();
    };
    return this.life.whileAwake(leaving());
  }

  /** Resolves when every request is answered, and no duty is under way. */
  async idle(): Promise<void> {
    await this.life.answered();
    await this.duties?.idle();
  }

  /** The owner falls silent for longer than a fact waits. */
  endWaits(): void {
    for (const ring of this.#timers) ring();
  }

  #ledgerOver(replica: SqliteLedger): ReplicatedLedger {
    const { journal, clock, faults } = this.#options;
    this.applied.reach(replica.head.lastSeq);
    this.#ledger = new ReplicatedLedger({
      replica: new FragileReplica(replica, () => faults.replicaFails()),
      journal: this.connection,
      leaseMs: journal.leaseMs,
      clock: () => clock.now(),
      onRole: (role) => {
        this.#options.log(`${this.#options.name}: ${textOf(role)}`);
        this.receiver.take(role);
      },
      onApplied: (position) => this.applied.reach(position),
    });
    return this.#ledger;
  }

  #queueOver(writer: CommitQueue): ReceiverQueue {
    this.#writer = writer;
    this.#queue = new ReceiverQueue({
      local: writer,
      hand: this.#options.hand,
      applied: this.applied,
      queueMax: QUEUE_MAX,
      observe: () => undefined,
      // Virtual time stands still while a delivery waits: its sender repeats it instead.
      holdMsMax: 0,
      clock: this.#queueClock(),
    });
    return this.#queue;
  }

  /** Its timers ring when the network between the receivers loses a request or an answer. */
  #queueClock(): QueueClock {
    return {
      now: () => this.#options.clock.now(),
      at: (_, ring) => {
        this.#timers.add(ring);
        return () => this.#timers.delete(ring);
      },
    };
  }

  #newReceiver(): Receiver {
    const silent = (): void => undefined;
    return new Receiver({
      url: urlOf(this.#options.name),
      clock: () => this.#options.clock.now(),
      ownership: this.#ownership,
      queue: { setRoute: (route: FactRoute) => this.#made(this.#queue).setRoute(route) },
      client: {
        hand: this.#options.hand,
        reconcile: this.#options.reconcile,
        close: () => Promise.resolve({ kind: 'not_owner' }),
      },
      applied: this.applied,
      reads: this.process.reads,
      log: { info: silent, warn: silent, error: silent, fatal: silent },
    });
  }

  #newRoutes(): Hono {
    const routes = receiverRoutes({
      secret: SECRET,
      bodyBytesMax: BODY_BYTES_MAX,
      epoch: () => this.receiver.epoch,
      services: () => this.#ownership.duties,
      submit: (fact) => this.#made(this.#writer).submit(fact),
      decode,
      position: () => this.applied.position,
      now: this.#options.now,
      observe: () => undefined,
    });
    // A call may fail because its process dies.
    routes.onError((error, context) => context.text(String(error), 500));
    return new Hono().route('/receivers', routes);
  }

  #made<Part>(part: Part | undefined): Part {
    if (part === undefined) throw new Error('a part of the process is used before it is made');
    return part;
  }
}

/** Where the journal says that a receiver is reached. */
export function urlOf(name: string): string {
  return `http://${name}.invalid`;
}

/** The simulated duties as an ownership begins and ends them. */
class OwnersDuties {
  readonly duties: Duties;
  isStarted = false;

  constructor(duties: Duties) {
    this.duties = duties;
  }

  prepare(): Promise<void> {
    return this.duties.prepare();
  }

  start(): void {
    this.isStarted = true;
  }

  async stop(step: string): Promise<void> {
    if (step === 'custody client') await this.duties.close();
    if (step === 'reconciliation') await this.duties.idle();
  }

  reconcile() {
    return this.duties.sweep();
  }

  close() {
    return Promise.resolve({ kind: 'unknown' } as const);
  }

  reevaluate(): void {
    // No policy changes while the simulation runs.
  }
}

function textOf(role: Role): string {
  switch (role.kind) {
    case 'owner':
      return `owner in epoch ${role.epoch}`;
    case 'follower':
      return `follows ${role.owner?.name ?? 'nobody'}`;
    case 'cut_off':
      return `cut off: ${role.cause}`;
    case 'diverged':
      return `diverged: ${role.detail}`;
    default:
      return role satisfies never;
  }
}
