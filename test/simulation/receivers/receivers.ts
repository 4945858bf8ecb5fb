import { join } from 'node:path';
import type { RunAnswer } from '../../../src/api/services.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { CloseResult } from '../../../src/reconcile/close/close.ts';
import type { Submitted } from '../../../src/store/port.ts';
import type { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { MemoryJournal, type Mistakes } from '../../store/replicated/memory-journal.ts';
import { DIED, Life } from '../product/process-state.ts';
import type { ApiCaller } from '../product/network.ts';
import type { Delivered, Product, ProductOptions, WantedDays } from '../product/product.ts';
import { copyCrashed } from '../product/store-files.ts';
import { HandingOver } from './handing-over.ts';
import { problemsOf } from './judge.ts';
import { SentDecisions } from './sent-decisions.ts';
import { SharingProcess } from './sharing-process.ts';
import { Faults, type Event } from './faults.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
/** Most receivers of one simulation. */
export const RECEIVERS_MAX = NAMES.length;

/** Turns of the event loop in which the duties of a new owner begin, unless a fault delays them. */
const STARTING_TURNS_MAX = 60;
/** More than any lease. */
const TAKEOVER_MS = 4_000;
const HEALING_ROUNDS = 4;

interface ReceiversOptions extends ProductOptions {
  readonly count: number;
  readonly seed: number;
  readonly log: (line: string) => void;
  /** What only a defect explains. */
  readonly defect: (text: string) => void;
  readonly mistakes?: Mistakes | undefined;
}

/** One receiver over all its lives. */
interface Seat {
  readonly name: string;
  running: SharingProcess | undefined;
  skewMs: number;
  /** The files of its lives, the current one last. */
  readonly files: string[];
}

/** Several receivers of one journal in memory, and the faults between them. */
export class Receivers implements Product {
  readonly mayKeepRefused = true;
  readonly #options: ReceiversOptions;
  readonly #journal: MemoryJournal;
  readonly #faults: Faults;
  readonly #seats: readonly Seat[];
  readonly #dead: SharingProcess[] = [];
  readonly #handing: HandingOver;
  readonly #decisions = new SentDecisions();
  #living: Promise<void> | undefined;
  #counts = { sleeps: 0, handed: 0, oldReplicas: 0, left: 0 };

  constructor(options: ReceiversOptions) {
    this.#options = options;
    this.#journal = new MemoryJournal(options.mistakes);
    this.#faults = new Faults(options.seed);
    this.#seats = NAMES.slice(0, options.count).map((name) => ({
      name,
      running: undefined,
      skewMs: 0,
      files: [join(options.folder, `${name}-0.db`)],
    }));
    this.#handing = new HandingOver({
      fate: () => this.#faults.handFate(),
      at: (url) => this.#running.find(({ process }) => url.includes(`//${process.name}.`)),
      now: (name) => this.#nowOf(this.#seatOf(name)),
      log: options.log,
    });
  }

  get isUp(): boolean {
    return this.#seats.every(({ running }) => running !== undefined);
  }

  get paths(): readonly [string, ...string[]] {
    const [first = '', ...others] = this.#seats.map(({ files }) => files.at(-1) ?? '');
    return [first, ...others];
  }

  get reads(): SqliteReads | undefined {
    return this.#someAwake()?.process.reads;
  }

  caller(networkName: string): ApiCaller | undefined {
    return this.#running.find(({ process }) => process.networkName === networkName)?.process;
  }

  now(): number {
    return this.#options.clock.now();
  }

  skew(ms: number): void {
    if (ms === 0) for (const seat of this.#seats) seat.skewMs = 0;
    else this.#faults.chance.pick(this.#seats).skewMs = ms;
  }

  async start(): Promise<void> {
    for (const seat of this.#seats) seat.running ??= this.#born(seat);
    await this.#live();
  }

  kill(): void {
    const running = this.#faults.chance.pickAny(this.#running);
    if (running !== undefined) this.#end(running);
  }

  async injectFault(): Promise<void> {
    const event = this.#faults.event();
    if (event === undefined) return;
    const some = this.#faults.chance.pickAny(this.#running);
    this.#options.log(`fault: ${event} ${some?.process.name ?? ''}`);
    if (some !== undefined) await this.#inject(some, event);
    await this.#live();
  }

  async idle(): Promise<void> {
    for (const running of this.#running) await running.life.whileAwake(running.idle());
    await this.#untilStarted();
  }

  async heal(): Promise<void> {
    this.#faults.end();
    this.skew(0);
    this.#journal.deliverLate();
    for (const running of this.#running) {
      running.connection.isCut = false;
      running.isSlow = false;
      await this.#wake(running);
    }
    for (let round = 0; round < HEALING_ROUNDS; round += 1) {
      if (!this.isUp) await this.start();
      await this.#options.clock.advance(TAKEOVER_MS);
      await this.#live();
    }
  }

  async deliver(body: Uint8Array): Promise<Delivered> {
    await this.#live();
    // The proxy does not know that a process sleeps.
    const running = this.#faults.chance.pickAny(this.#running);
    return running === undefined ? DIED : running.process.deliver(body);
  }

  async sweep(): Promise<RunAnswer | typeof DIED> {
    await this.#live();
    const running = this.#someAwake();
    if (running === undefined) return DIED;
    return running.life.answer(() => running.receiver.reconcile());
  }

  async verify(): Promise<'idle' | 'asked' | typeof DIED> {
    await this.#live();
    const owner = this.#owner;
    if (owner?.duties === undefined) return 'idle';
    return owner.life.whileAwake(owner.duties.verify());
  }

  async closeDays(wanted: WantedDays): Promise<CloseResult | undefined | typeof DIED> {
    await this.#live();
    const owner = this.#owner;
    if (owner?.duties === undefined) return undefined;
    return owner.life.whileAwake(owner.duties.closeDays(wanted));
  }

  async decide(decision: Decision, actor: string): Promise<Submitted | typeof DIED> {
    await this.#live();
    const running = this.#someAwake();
    if (running === undefined) return DIED;
    const at = this.#nowOf(this.#seatOf(running.process.name));
    const outcome = await running.process.decide(decision, actor);
    this.#decisions.add({ kind: 'decision', at, actor, decision }, outcome);
    return outcome;
  }

  async problems(): Promise<readonly string[]> {
    await this.#live();
    return problemsOf({
      journal: this.#journal,
      decisions: this.#decisions,
      receivers: this.#seats.map(({ name, running }) => ({
        name,
        path: running?.process.path ?? '',
        role: running?.role ?? null,
      })),
    });
  }

  extent(): Readonly<Record<string, number>> {
    const { handed } = this.#handing;
    return { epochs: this.#journal.ownerOf()?.epoch ?? 0, ...this.#counts, handed };
  }

  async close(): Promise<void> {
    for (const { life } of this.#running) life.die();
    for (const { process } of [...this.#dead, ...this.#running]) await process.release();
  }

  get #running(): SharingProcess[] {
    return this.#seats.flatMap(({ running }) => (running === undefined ? [] : [running]));
  }

  get #owner(): SharingProcess | undefined {
    return this.#running.find(({ life, role }) => life.isAwake && role?.kind === 'owner');
  }

  #someAwake(): SharingProcess | undefined {
    return this.#faults.chance.pickAny(this.#running.filter(({ life }) => life.isAwake));
  }

  #seatOf(name: string): Seat {
    const seat = this.#seats.find((one) => one.name === name);
    if (seat === undefined) throw new Error(`no receiver has the name ${name}`);
    return seat;
  }

  #nowOf({ skewMs }: Seat): number {
    return this.#options.clock.now() + skewMs;
  }

  #born(seat: Seat): SharingProcess {
    const { name } = seat;
    const born: SharingProcess = new SharingProcess({
      ...this.#options,
      name,
      path: seat.files.at(-1) ?? '',
      life: new Life(),
      now: () => this.#nowOf(seat),
      die: () => this.#end(born),
      journal: this.#journal,
      faults: this.#faults,
      hand: (owner, facts) => this.#handing.hand(born, owner, facts),
      reconcile: (owner) => this.#handing.reconcile(born, owner),
    });
    return born;
  }

  /** Ends a process; what its file and log hold now is what the next one finds. */
  #end(dying: SharingProcess): void {
    const seat = this.#seatOf(dying.process.name);
    if (seat.running !== dying) return;
    this.#options.log(`${seat.name} dies`);
    dying.life.die();
    this.#dead.push(dying);
    seat.running = undefined;
    const from = dying.process.path;
    copyCrashed(from, this.#nextFile(seat), this.#options.tornBytes());
  }

  #nextFile(seat: Seat): string {
    const file = join(this.#options.folder, `${seat.name}-${seat.files.length}.db`);
    seat.files.push(file);
    return file;
  }

  async #inject(some: SharingProcess, event: Event): Promise<void> {
    switch (event) {
      case 'cut':
        some.connection.isCut = !some.connection.isCut;
        return;
      case 'sleep':
        some.life.fallAsleep();
        return;
      case 'wake':
        for (const running of this.#running) await this.#wake(running);
        return;
      case 'leave':
        if (!some.life.isAwake) return;
        await some.leave();
        this.#counts.left += 1;
        this.#end(some);
        return;
      case 'fail_over':
        this.#journal.failOver();
        return;
      case 'deliver_late':
        this.#journal.deliverLate();
        return;
      case 'slow':
        some.isSlow = !some.isSlow;
        return;
      case 'old_replica':
      case 'empty_replica':
        this.#end(some);
        this.#replaceReplica(this.#seatOf(some.process.name), event);
        return;
      case 'rough':
      case 'calm':
        return;
      default:
        event satisfies never;
    }
  }

  /** The receiver starts next with a replica of an earlier life, or with none. */
  #replaceReplica(seat: Seat, event: 'old_replica' | 'empty_replica'): void {
    const earlier = this.#faults.chance.pick(seat.files.slice(0, -1));
    const next = this.#nextFile(seat);
    if (event === 'old_replica') copyCrashed(earlier, next, 0);
    this.#counts.oldReplicas += 1;
  }

  async #wake(running: SharingProcess): Promise<void> {
    if (running.life.isAwake || running.life.isDead) return;
    this.#counts.sleeps += 1;
    running.life.wake();
    // What it was doing goes on, before anything else happens.
    await running.life.whileAwake(running.idle());
    await this.#untilStarted();
  }

  /** Time has passed: every receiver that is awake takes a step. */
  #live(): Promise<void> {
    this.#living ??= this.#steps().finally(() => {
      this.#living = undefined;
    });
    return this.#living;
  }

  async #steps(): Promise<void> {
    this.#journal.now = this.#options.clock.now();
    const isOwner = ({ role }: SharingProcess): boolean => role?.kind === 'owner';
    const inOrder = this.#faults.ownerFirst()
      ? this.#running.toSorted((one, other) => Number(isOwner(other)) - Number(isOwner(one)))
      : this.#running.toReversed();
    for (const running of inOrder) {
      if (!running.life.isAwake) continue;
      if (running.isSlow && !this.#faults.slowSteps()) continue;
      await running.step().catch((error: unknown) => {
        this.#options.defect(`a step of ${running.process.name} failed: ${String(error)}`);
      });
    }
    await this.#untilStarted();
  }

  /** Waits until the duties of a new owner have begun. Duties that a fault delays begin later. */
  async #untilStarted(): Promise<void> {
    const haveStarted = (): boolean =>
      this.#running.every((running) => !running.life.isAwake || running.hasStarted);
    for (let turn = 0; turn < STARTING_TURNS_MAX && !haveStarted(); turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
