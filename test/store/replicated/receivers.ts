import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { FactOutcome } from '../../../src/store/port.ts';
import { ReplicatedLedger } from '../../../src/store/replicated/replicated-ledger.ts';
import type { Role } from '../../../src/store/replicated/role.ts';
import { compareProjections } from '../../../src/store/sqlite/audit/projections.ts';
import type { Choices } from '../generated-choices.ts';
import { OpenLedger } from '../open-ledger.ts';
import {
  MemoryJournal,
  type AppendFault,
  type MemoryReceiver,
  type Mistakes,
} from './memory-journal.ts';

/** A batch that was refused so often meets connected receivers. */
const HEALED_AFTER = 20;
const REFUSALS_MAX = 5 * HEALED_AFTER;

const FAULTS: readonly AppendFault[] = ['lost_before', 'lost_after', 'late', 'cancelled'];

/** One receiver: a replica, its connection to the journal, and its role. */
export class Receiver {
  readonly name: string;
  readonly open = new OpenLedger();
  readonly connection: MemoryReceiver;
  ledger: ReplicatedLedger;
  role: Role | undefined;
  readonly #journal: MemoryJournal;

  constructor(name: string, journal: MemoryJournal) {
    this.name = name;
    this.#journal = journal;
    this.connection = journal.receiver(name);
    this.ledger = this.#started();
  }

  /** The process ends and starts again with the same replica. */
  restart(): void {
    this.role = undefined;
    this.ledger = this.#started();
  }

  #started(): ReplicatedLedger {
    return new ReplicatedLedger({
      replica: this.open.ledger,
      journal: this.connection,
      leaseMs: this.#journal.leaseMs,
      clock: () => this.#journal.now,
      onRole: (role) => {
        this.role = role;
      },
      onApplied: () => undefined,
    });
  }
}

/** An acknowledged fact, and the outcome that its sender received. */
interface Acknowledged {
  readonly fact: Fact;
  readonly outcome: FactOutcome;
}

/**
 * Three receivers of one journal, while connections break, receivers restart and sleep, and the
 * database fails over. Each fact is sent again until some receiver acknowledges it.
 */
export class Receivers {
  readonly journal: MemoryJournal;
  readonly all: readonly Receiver[];
  readonly acknowledged: Acknowledged[] = [];
  readonly #from: Choices;
  #isStuck = false;

  constructor(from: Choices, mistakes: Mistakes = {}) {
    this.#from = from;
    this.journal = new MemoryJournal(mistakes);
    this.all = ['a', 'b', 'c'].map((name) => new Receiver(name, this.journal));
  }

  /** Delivers the facts in order, with faults between and during the commits. */
  async run(facts: readonly Fact[]): Promise<void> {
    let refusals = 0;
    for (let start = 0; start < facts.length && refusals < REFUSALS_MAX;) {
      const batch = facts.slice(start, start + 1 + this.#from.below(4));
      await this.#injectFault();
      if (await this.#deliver(batch)) {
        start += batch.length;
        refusals = 0;
      } else {
        refusals += 1;
        if (refusals % HEALED_AFTER === 0) this.#reconnect();
        await this.#pass();
      }
      // A sender may repeat what was acknowledged.
      if (this.#from.oneIn(5)) await this.#deliver(batch);
    }
    this.#isStuck = refusals === REFUSALS_MAX;
    await this.#heal();
  }

  /** Everything that is wrong at the end; empty when every promise holds. */
  problems(): string[] {
    const [first, ...others] = this.all.map(({ open }) => open);
    if (first === undefined) return ['no receiver'];
    const diverged = this.all.flatMap(({ name, role }) =>
      role?.kind === 'diverged' ? [`${name} diverged: ${role.detail}`] : [],
    );
    const differing = others.flatMap((one) => compareProjections(first.db, one.db).problems);
    const stuck = this.#isStuck ? ['no receiver takes facts any more'] : [];
    return [...stuck, ...diverged, ...differing, ...this.#brokenChain(), ...this.#lost()];
  }

  /** Whether some receiver that takes itself for the owner acknowledged the batch. */
  async #deliver(batch: readonly Fact[]): Promise<boolean> {
    const owners = this.all.filter(({ role }) => role?.kind === 'owner');
    if (owners.length === 0) return false;
    const { ledger } = this.#from.pick(owners);
    const result = await ledger.commit(batch);
    if (result.kind === 'unavailable') return false;
    for (const [index, outcome] of result.outcomes.entries()) {
      const fact = batch[index];
      if (fact !== undefined) this.acknowledged.push({ fact, outcome });
    }
    return true;
  }

  /** Time passes, and some receivers take a step; one that takes none is asleep. */
  async #pass(): Promise<void> {
    this.journal.now += 200 + this.#from.below(1_500);
    for (const receiver of this.all) {
      if (!this.#from.oneIn(3)) await receiver.ledger.step();
    }
  }

  async #injectFault(): Promise<void> {
    if (!this.#from.oneIn(3)) return;
    const receiver = this.#from.pick(this.all);
    switch (this.#from.below(7)) {
      case 0:
        receiver.connection.isCut = !receiver.connection.isCut;
        return;
      case 1:
        receiver.restart();
        return;
      case 2:
        this.journal.failOver();
        return;
      case 3:
        this.journal.deliverLate();
        return;
      case 4:
        await receiver.ledger.resign();
        receiver.restart();
        return;
      case 5:
        return this.#pass();
      default:
        receiver.connection.nextFault = this.#from.pick(FAULTS);
    }
  }

  async #heal(): Promise<void> {
    this.journal.deliverLate();
    this.#reconnect();
    for (let turn = 0; turn < 3; turn += 1) {
      this.journal.now += this.journal.leaseMs + 1;
      for (const { ledger } of this.all) await ledger.step();
    }
  }

  #reconnect(): void {
    for (const { connection } of this.all) {
      connection.isCut = false;
      connection.nextFault = undefined;
    }
  }

  #brokenChain(): string[] {
    const { commits } = this.journal;
    return commits.flatMap((commit, index) => {
      const previous = commits[index - 1];
      const isNext = commit.commitNumber === index + 1;
      const isLinked =
        previous === undefined || Buffer.compare(previous.hash, commit.previousHash) === 0;
      return isNext && isLinked ? [] : [`commit ${index + 1} breaks the chain`];
    });
  }

  /** Acknowledged deliveries whose bytes no journal row has, and acknowledged rows that are gone. */
  #lost(): string[] {
    const rows = this.journal.commits.flatMap((commit) => commit.rows);
    const bodies = new Set(rows.map(({ body }) => Buffer.from(body).toString('base64')));
    return this.acknowledged.flatMap(({ fact, outcome }) => {
      if (outcome.kind === 'taken') {
        return rows.some(({ seq, kind }) => seq === outcome.seq && kind === fact.kind)
          ? []
          : [`the fact at ${outcome.seq} was acknowledged and is lost`];
      }
      if (outcome.kind !== 'delivery' || !('raw' in fact)) return [];
      return bodies.has(Buffer.from(fact.raw).toString('base64'))
        ? []
        : [`a delivery was acknowledged (${outcome.status}) and is lost`];
    });
  }
}
