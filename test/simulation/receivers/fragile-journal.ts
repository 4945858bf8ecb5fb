import type { VirtualClock } from '../../../src/simulator/clock.ts';
import {
  JournalUnavailable,
  type Acquired,
  type Appended,
  type Following,
  type JournalHead,
  type Owner,
  type SealedCommit,
  type SharedJournal,
} from '../../../src/store/replicated/shared-journal.ts';
import type { MemoryJournal, MemoryReceiver } from '../../store/replicated/memory-journal.ts';
import { never, type Life } from '../product/process-state.ts';
import type { AppendFate, CallFate, Faults } from './faults.ts';

interface FragileJournalOptions {
  readonly name: string;
  readonly journal: MemoryJournal;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly life: Life;
  readonly die: () => void;
  /** Gets a line for every fault. */
  readonly log: (line: string) => void;
}

/** A receiver's connection to the journal. Its process may sleep or die in each statement. */
export class FragileJournal implements SharedJournal {
  readonly #options: FragileJournalOptions;
  readonly #connection: MemoryReceiver;

  constructor(options: FragileJournalOptions) {
    this.#options = options;
    this.#connection = options.journal.receiver(options.name);
  }

  get isCut(): boolean {
    return this.#connection.isCut;
  }

  set isCut(isCut: boolean) {
    this.#connection.isCut = isCut;
  }

  acquire(): Promise<Acquired> {
    return this.#call('acquire', () => this.#connection.acquire());
  }

  renew(epoch: number, head: JournalHead): Promise<boolean> {
    return this.#call('renew', () => this.#connection.renew(epoch, head));
  }

  release(epoch: number | null): Promise<void> {
    return this.#call('release', () => this.#connection.release(epoch));
  }

  read(after: JournalHead): Promise<Following> {
    return this.#call('read', () => this.#connection.read(after));
  }

  head(): Promise<JournalHead> {
    return this.#call('head', () => this.#connection.head());
  }

  owner(): Promise<Owner | null> {
    return this.#call('owner', () => this.#connection.owner());
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async append(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended> {
    const fate = this.#options.faults.appendFate();
    this.#note('append', fate);
    switch (fate) {
      case 'dies_before':
        return this.#die();
      case 'sleeps_before':
        await this.#sleep();
        return this.#appended(epoch, commit);
      case 'dies_after':
        await this.#appended(epoch, commit);
        return this.#die();
      case 'sleeps_after': {
        const appended = await this.#appended(epoch, commit);
        await this.#sleep();
        return appended;
      }
      case 'passes':
        return this.#appended(epoch, commit);
      case 'lost_before':
      case 'lost_after':
      case 'late':
      case 'cancelled':
        this.#connection.nextFault = fate;
        return this.#appended(epoch, commit);
      default:
        return fate satisfies never;
    }
  }

  #appended(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended> {
    this.#setTime();
    return this.#connection.append(epoch, commit);
  }

  async #call<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer> {
    const fate = this.#options.faults.callFate();
    this.#note(name, fate);
    if (fate === 'unreachable') throw new JournalUnavailable('the connection was lost');
    if (fate === 'dies_before') return this.#die();
    if (fate === 'sleeps_before') await this.#sleep();
    this.#setTime();
    const answer = await call();
    return fate === 'dies_after' ? this.#die() : answer;
  }

  #setTime(): void {
    this.#options.journal.now = this.#options.clock.now();
  }

  #die<Never>(): Promise<Never> {
    this.#options.die();
    return never();
  }

  async #sleep(): Promise<void> {
    const { life } = this.#options;
    life.fallAsleep();
    await life.awake();
  }

  #note(statement: string, fate: AppendFate | CallFate): void {
    if (fate === 'passes') return;
    this.#options.log(`${this.#options.name}: ${statement}: ${fate}`);
  }
}
