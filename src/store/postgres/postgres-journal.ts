import { randomUUID } from 'node:crypto';
import {
  JournalUnavailable,
  type Acquired,
  type Appended,
  type Following,
  type JournalHead,
  type Owner,
  type SealedCommit,
  type SharedJournal,
} from '../replicated/shared-journal.ts';
import type { JournalState } from '../replicated/journal-state.ts';
import type { JournalAddress } from './address.ts';
import {
  commitsOf,
  valuesOf,
  type BlockColumns,
  type DayColumns,
  type FactColumns,
  type SealColumns,
} from './commit-rows.ts';
import {
  ACQUIRE,
  APPEND,
  BLOCKS,
  CONFIRM_REPEATS,
  DAYS,
  FACTS,
  HEAD,
  LEASE_SECONDS_MAX,
  OWNER,
  RENEW,
  RELEASE,
  REPORT_RECEIVER,
  SEALS,
  type AppendRow,
} from './journal-statements.ts';
import { missingCommit, replacedCommit } from './diverged-replica.ts';
import { readJournalState, type AskingReceiver } from './read-journal-state.ts';
import { Primary } from './connection/primary.ts';
import type { Call, Calls, Rowsets, Session } from './connection/session.ts';
import { NO_PROOF_ADVICE, withoutStandby } from './connection/standby-proof.ts';
import { sessionName, StandbyWait, type StandbyPolicy } from './connection/standby-wait.ts';
import { StatementFailed } from './connection/statement-failure.ts';
import { firstOf, isHead } from './read-seals.ts';
import { TRY_SPACE } from './try-space.ts';

/** How long an answer may take. A healthy standby answers in milliseconds. */
const ANSWER_MS_MAX = 4_000;
/** How often a receiver that reads nothing new says that it lives. */
const REPORT_MS = 1_000;
/** Most commits that one `read` takes. */
const READ_COMMITS_MAX = 512;

export interface PostgresJournalSettings {
  readonly address: JournalAddress;
  readonly receiver: { readonly name: string; readonly url: string; readonly version: string };
  /** At most `LEASE_SECONDS_MAX`. */
  readonly leaseSeconds: number;
  /**
   * Whether appends need a synchronous standby. When they do, nothing is appended while
   * `synchronous_standby_names` is empty, and nothing counts as kept that no standby has confirmed.
   */
  readonly standby: StandbyPolicy;
  /** Longest wait for an answer, in milliseconds; 4,000 by default. */
  readonly answerMsMax?: number;
}

/**
 * The shared journal in PostgreSQL (schema.sql in this folder). A receiver calls one method at a
 * time. Every write waits for the synchronous standby; a write for which the server did not wait
 * counts as not kept.
 */
export class PostgresJournal implements SharedJournal {
  readonly #settings: PostgresJournalSettings;
  readonly #primary: Primary;
  /** Distinguishes two processes under one name. */
  readonly #process = randomUUID();
  readonly #openedAtMs = performance.now();
  readonly #wait: StandbyWait;
  #reportedAtMs = -Infinity;
  /** Whether the server lacked space, or failed to write, at the last append. */
  #lacksSpace = false;

  constructor(settings: PostgresJournalSettings) {
    if (settings.leaseSeconds > LEASE_SECONDS_MAX) {
      throw new Error(`a lease of ${settings.leaseSeconds} s would count as another clock's`);
    }
    this.#settings = settings;
    this.#primary = new Primary(settings.address, {
      answerMsMax: settings.answerMsMax ?? ANSWER_MS_MAX,
      name: sessionName(settings.standby),
    });
    this.#wait = new StandbyWait(settings.standby, this.#primary);
  }

  async acquire(): Promise<Acquired> {
    const { receiver, leaseSeconds, standby } = this.#settings;
    const isRequired = standby === 'required';
    const values = [receiver.name, receiver.url, this.#process, leaseSeconds, isRequired];
    if (this.#lacksSpace) await this.#trySpace();
    const [[acquired]] = await this.#write<[{ epoch: number }]>([{ statement: ACQUIRE, values }]);
    if (acquired !== undefined) return { kind: 'acquired', epoch: acquired.epoch };
    const by = await this.owner();
    // The standby's names were filled in after ACQUIRE had refused.
    if (by === null)
      throw new JournalUnavailable('the standby was configured just now: wait a moment');
    return { kind: 'owned', by };
  }

  async renew(epoch: number, { commitNumber, hash }: JournalHead): Promise<boolean> {
    const values = [this.#process, epoch, this.#settings.leaseSeconds, commitNumber, hash];
    const [[renewed]] = await this.#write<[{ epoch: number }]>([{ statement: RENEW, values }]);
    return renewed !== undefined;
  }

  async release(epoch: number | null): Promise<void> {
    await this.#write<[object]>([{ statement: RELEASE, values: [this.#process, epoch] }]);
  }

  async append(epoch: number, commit: SealedCommit | JournalHead): Promise<Appended> {
    let session: Session;
    try {
      session = await this.#primary.session();
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      return { kind: 'unavailable', cause: error.message };
    }
    try {
      return await this.#appendIn(session, epoch, commit);
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      await this.#primary.drop();
      this.#lacksSpace = LACKS_SPACE.test(error.code ?? '');
      const kind = error.effect === 'none' ? 'unavailable' : 'unknown';
      return { kind, cause: await this.#causeOf(error) };
    }
  }

  async read(after: JournalHead, factsMax: number): Promise<Following> {
    const session = await this.#primary.session();
    const { rows: found } = await this.#safely(() =>
      session.call(SEALS, after.commitNumber, READ_COMMITS_MAX),
    );
    const isKnown = after.commitNumber === 0 || isHead(found[0], after);
    if (!isKnown) {
      await this.#assertVouchedFor(session, after);
      return this.#diverged(session, after, found[0]);
    }
    const seals = firstOf(after.commitNumber === 0 ? found : found.slice(1), after, factsMax);
    const last = seals.at(-1);
    if (last === undefined) {
      if (performance.now() - this.#reportedAtMs >= REPORT_MS) {
        await this.#writeIn(session, [this.#report(after)]);
      }
      return { kind: 'commits', commits: [] };
    }
    const span = [after.lastSeq + 1, last.lastSeq];
    // The report is the last one: its wait for the standby covers all that the others have read.
    const [facts, blocks, days] = await this.#writeIn<
      [FactColumns, BlockColumns, DayColumns, object]
    >(session, [
      { statement: FACTS, values: span },
      { statement: BLOCKS, values: span },
      { statement: DAYS, values: span },
      this.#report(after),
    ]);
    try {
      return { kind: 'commits', commits: commitsOf({ seals, facts, blocks, days }) };
    } catch (error) {
      return { kind: 'diverged', detail: `the journal is damaged: ${String(error)}. Restore it` };
    }
  }

  async head(): Promise<JournalHead> {
    return this.#head(await this.#primary.session());
  }

  async owner(): Promise<Owner | null> {
    const session = await this.#primary.session();
    const { rows } = await this.#safely(() => session.call(OWNER));
    const [row] = rows;
    if (row === undefined || row.name === null || row.url === null) return null;
    return { name: row.name, url: row.url, epoch: row.epoch, isLeased: row.isLeased };
  }

  /** Looks at the primary and its standby. Throws `JournalUnavailable`. */
  async readState(): Promise<JournalState> {
    const session = await this.#primary.session();
    const state = await this.#safely(() => readJournalState(session, this.#asking()));
    return this.#wait.isAlone ? { ...state, standby: 'missing' } : state;
  }

  /** Ends what is asked now; what is asked later fails. */
  async close(): Promise<void> {
    await this.#primary.close();
  }

  #asking(): AskingReceiver {
    const { name, url } = this.#settings.receiver;
    const openSeconds = (performance.now() - this.#openedAtMs) / 1_000;
    return { name, url, process: this.#process, openSeconds };
  }

  async #appendIn(
    session: Session,
    epoch: number,
    commit: SealedCommit | JournalHead,
  ): Promise<Appended> {
    const { leaseSeconds, standby } = this.#settings;
    const isRequired = standby === 'required';
    const fence = [this.#process, epoch, isRequired, leaseSeconds];
    const call =
      'rows' in commit
        ? { statement: APPEND, values: [...fence, ...valuesOf(commit)] }
        : { statement: CONFIRM_REPEATS, values: [...fence, commit.commitNumber, commit.hash] };
    const { rows, unproven } = await this.#wait.write<[AppendRow]>(session, [call]);
    const [row] = rows[0];
    if (row === undefined) return { kind: 'unknown', cause: 'the server answered without a row' };
    if (row.fenced === 0) {
      if (!isRequired || row.noProof === null) return { kind: 'fenced' };
      return { kind: 'unavailable', cause: NO_PROOF_ADVICE[row.noProof] };
    }
    if (unproven !== undefined) return { kind: 'unknown', cause: unproven };
    if (row.facts !== ('rows' in commit ? commit.rows.length : 0)) {
      return { kind: 'unknown', cause: `the server has kept ${row.facts} facts of the commit` };
    }
    return { kind: 'appended' };
  }

  #report(head: JournalHead): Call {
    this.#reportedAtMs = performance.now();
    const { name, url, version } = this.#settings.receiver;
    const values = [name, url, this.#process, version, head.commitNumber, head.lastSeq];
    return { statement: REPORT_RECEIVER, values };
  }

  /**
   * The primary before a failover may come back as a primary, without the newest commits. No standby
   * follows it then, so it cannot say that a replica diverges. Throws `JournalUnavailable` for such a
   * server; the next call tries the next host.
   */
  async #assertVouchedFor(session: Session, after: JournalHead): Promise<void> {
    const doubt = await this.#safely(() => this.#wait.doubt(session, [this.#report(after)]));
    if (doubt === undefined) return;
    await this.#primary.drop();
    throw new JournalUnavailable(
      `this server lacks commit ${after.commitNumber} of this replica, and ${doubt}`,
    );
  }

  async #diverged(
    session: Session,
    after: JournalHead,
    found: SealColumns | undefined,
  ): Promise<Following> {
    if (found?.commitNumber === after.commitNumber) return replacedCommit(after);
    return missingCommit(after, await this.#head(session));
  }

  async #head(session: Session): Promise<JournalHead> {
    const { rows } = await this.#safely(() => session.call(HEAD));
    const [head] = rows;
    if (head === undefined)
      throw new JournalUnavailable('the table ownership has no row: restore the database');
    return head;
  }

  /** Answers of calls that write; throws when the server did not wait for the standby. */
  async #write<Rows extends readonly object[]>(calls: Calls<Rows>): Promise<Rowsets<Rows>> {
    return this.#writeIn(await this.#primary.session(), calls);
  }

  async #writeIn<Rows extends readonly object[]>(
    session: Session,
    calls: Calls<Rows>,
  ): Promise<Rowsets<Rows>> {
    const { rows, unproven } = await this.#safely(() => this.#wait.write<Rows>(session, calls));
    if (unproven !== undefined) throw new JournalUnavailable(unproven);
    return rows;
  }

  /** Whether there is space again: an owner that cannot append would only keep others from it. */
  async #trySpace(): Promise<void> {
    const session = await this.#primary.session();
    await this.#safely(() => session.callAll<[object, object, object]>(TRY_SPACE));
    this.#lacksSpace = false;
  }

  async #safely<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StatementFailed)) throw error;
      await this.#primary.drop();
      throw new JournalUnavailable(await this.#causeOf(error));
    }
  }

  /** A write that took too long has most likely waited for the standby: says so if none follows. */
  async #causeOf({ message, isTooLong }: StatementFailed): Promise<string> {
    if (!isTooLong) return message;
    try {
      const session = await this.#primary.session();
      const { standby } = await readJournalState(session, this.#asking());
      return standby === 'missing' ? withoutStandby(message) : message;
    } catch (error) {
      if (error instanceof JournalUnavailable || error instanceof StatementFailed) return message;
      throw error;
    }
  }
}

/** States of insufficient resources, and of a failed read or write of a file. */
const LACKS_SPACE = /^(?:53|58)/;
