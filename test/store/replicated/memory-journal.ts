import { GENESIS_HASH } from '../../../src/store/seal.ts';
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

const EMPTY: JournalHead = { commitNumber: 0, lastSeq: 0, hash: GENESIS_HASH };

/** What a database server holds. Immutable, so that a standby is a copy. */
interface Held {
  readonly commits: readonly SealedCommit[];
  readonly owner: { readonly name: string; readonly epoch: number; readonly leaseUntil: number };
}

/** The fault of a receiver's next append. */
export type AppendFault =
  /** The connection ends before the statement arrives. */
  | 'lost_before'
  /** The connection ends after the commit. */
  | 'lost_after'
  /** The statement arrives when the receiver no longer waits for it. */
  | 'late'
  /** The wait for the standby is cancelled: only the primary holds the commit. */
  | 'cancelled';

/** Mistakes that the judge must notice. */
export interface Mistakes {
  /** Commits do not wait for the standby. */
  readonly isAsynchronous?: boolean;
  /** An append does not compare epochs and heads. */
  readonly ignoresEpoch?: boolean;
  /** A read hands out commits that no later synchronous write has confirmed. */
  readonly readsUnproven?: boolean;
}

/** The shared journal in memory: a primary and its synchronous standby, with faults on demand. */
export class MemoryJournal {
  /** The database's clock, milliseconds. */
  now = 0;
  leaseMs = 3_000;
  /** Statements that still travel to the primary. */
  readonly #late: (() => void)[] = [];
  readonly #mistakes: Mistakes;
  #primary: Held = { commits: [], owner: { name: '', epoch: 0, leaseUntil: -1 } };
  #standby: Held = this.#primary;

  constructor(mistakes: Mistakes = {}) {
    this.#mistakes = mistakes;
  }

  get commits(): readonly SealedCommit[] {
    return this.#primary.commits;
  }

  /** The primary dies and its standby is promoted; statements on their way are lost. */
  failOver(): void {
    this.#late.length = 0;
    this.#primary = this.#standby;
  }

  /** Statements that travelled arrive now. */
  deliverLate(): void {
    for (const arrive of this.#late.splice(0)) arrive();
  }

  /** The standby confirms everything that the primary holds. */
  synchronise(): void {
    this.#standby = this.#primary;
  }

  receiver(name: string): MemoryReceiver {
    return new MemoryReceiver(name, this);
  }

  ownerOf(): Owner | null {
    const { name, epoch, leaseUntil } = this.#primary.owner;
    if (epoch === 0) return null;
    return { name, url: `http://${name}.invalid`, epoch, isLeased: leaseUntil >= this.now };
  }

  acquire(name: string): Acquired {
    const owner = this.ownerOf();
    if (owner?.isLeased === true && owner.name !== name) return { kind: 'owned', by: owner };
    const epoch = (owner?.epoch ?? 0) + 1;
    this.#own({ name, epoch, leaseUntil: this.now + this.leaseMs });
    this.synchronise();
    return { kind: 'acquired', epoch };
  }

  renew(from: { readonly name: string; readonly epoch: number }, head: JournalHead): boolean {
    return this.#endsWith(head) && this.#lease(from, this.now + this.leaseMs);
  }

  release(from: { readonly name: string; readonly epoch: number | null }): void {
    const { epoch = 0 } = this.ownerOf() ?? {};
    this.#lease({ name: from.name, epoch: from.epoch ?? epoch }, -1);
  }

  append(
    from: { readonly name: string; readonly epoch: number },
    commit: SealedCommit | JournalHead,
    fault: AppendFault | undefined,
  ): Appended {
    if (fault === 'lost_before') return { kind: 'unknown', cause: 'the connection was lost' };
    if (fault === 'late') {
      this.#late.push(() => this.#write(from, commit));
      return { kind: 'unknown', cause: 'no answer came' };
    }
    if (!this.#write(from, commit)) return { kind: 'fenced' };
    if (fault === 'cancelled') return { kind: 'unknown', cause: 'the wait was cancelled' };
    if (this.#mistakes.isAsynchronous !== true) this.synchronise();
    if (fault === 'lost_after') return { kind: 'unknown', cause: 'the connection was lost' };
    return { kind: 'appended' };
  }

  after(head: JournalHead): Following {
    const held = this.commits[head.commitNumber - 1] ?? EMPTY;
    if (Buffer.compare(held.hash, head.hash) !== 0) {
      return { kind: 'diverged', detail: `the journal has no commit ${head.commitNumber} like it` };
    }
    const { isAsynchronous = false, readsUnproven = false } = this.#mistakes;
    if (!isAsynchronous && !readsUnproven) this.synchronise();
    return { kind: 'commits', commits: this.commits.slice(head.commitNumber) };
  }

  #endsWith({ hash }: JournalHead): boolean {
    return Buffer.compare((this.commits.at(-1) ?? EMPTY).hash, hash) === 0;
  }

  #lease(
    { name, epoch }: { readonly name: string; readonly epoch: number },
    leaseUntil: number,
  ): boolean {
    const { owner } = this.#primary;
    if (owner.name !== name || owner.epoch !== epoch) return false;
    this.#own({ name, epoch, leaseUntil });
    this.synchronise();
    return true;
  }

  #own(owner: Held['owner']): void {
    this.#primary = { ...this.#primary, owner };
  }

  #write(
    { name, epoch }: { readonly name: string; readonly epoch: number },
    commit: SealedCommit | JournalHead,
  ): boolean {
    const { owner, commits } = this.#primary;
    const isOwner = owner.name === name && owner.epoch === epoch;
    const isNext =
      'rows' in commit ? commit.commitNumber === commits.length + 1 : this.#endsWith(commit);
    if (!(isOwner && isNext) && this.#mistakes.ignoresEpoch !== true) return false;
    const kept = 'rows' in commit ? [...commits, commit] : commits;
    this.#primary = { commits: kept, owner: { ...owner, leaseUntil: this.now + this.leaseMs } };
    return true;
  }
}

/** One receiver's connection to the journal. */
export class MemoryReceiver implements SharedJournal {
  readonly #name: string;
  readonly #journal: MemoryJournal;
  /** Whether the receiver cannot reach the primary. */
  isCut = false;
  nextFault: AppendFault | undefined;
  /** How long an append's answer travels, milliseconds. */
  answersAfterMs = 0;

  constructor(name: string, journal: MemoryJournal) {
    this.#name = name;
    this.#journal = journal;
  }

  async acquire(): Promise<Acquired> {
    this.#reach();
    return this.#journal.acquire(this.#name);
  }

  async renew(epoch: number, head: JournalHead): Promise<boolean> {
    this.#reach();
    return this.#journal.renew({ name: this.#name, epoch }, head);
  }

  async release(epoch: number | null): Promise<void> {
    this.#reach();
    this.#journal.release({ name: this.#name, epoch });
  }

  async append(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended> {
    if (this.isCut) return { kind: 'unavailable', cause: 'the journal cannot be reached' };
    const fault = this.nextFault;
    this.nextFault = undefined;
    const appended = this.#journal.append({ name: this.#name, epoch }, commit, fault);
    this.#journal.now += this.answersAfterMs;
    return appended;
  }

  async read(after: JournalHead): Promise<Following> {
    this.#reach();
    return this.#journal.after(after);
  }

  async head(): Promise<JournalHead> {
    this.#reach();
    const last = this.#journal.commits.at(-1);
    return last === undefined
      ? EMPTY
      : { commitNumber: last.commitNumber, lastSeq: last.rows.at(-1)?.seq ?? 0, hash: last.hash };
  }

  async owner(): Promise<Owner | null> {
    this.#reach();
    return this.#journal.ownerOf();
  }

  async close(): Promise<void> {
    // Nothing to close.
  }

  #reach(): void {
    if (this.isCut) throw new JournalUnavailable('the journal cannot be reached');
  }
}
