import Sqlite from 'better-sqlite3';
import type { Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import type { CreditingPolicy } from '../../src/domain/policy/policy.ts';
import type { CustodyRecord, RunAges, RunCounts } from '../../src/domain/fact/custody-record.ts';
import type { Decision } from '../../src/domain/fact/decision.ts';
import type { Fact, FactKind } from '../../src/domain/fact/fact.ts';
import { BreakId, CreditId, DepositId } from '../../src/domain/ids.ts';
import { decode } from '../../src/intake/decode.ts';
import type { CommitNews } from '../../src/store/commit-news.ts';
import type { FactOutcome, Ledger } from '../../src/store/port.ts';
import { compareProjections } from '../../src/store/sqlite/audit/projections.ts';
import { createTables, openForWriting } from '../../src/store/sqlite/file/database.ts';
import { JournalReader } from '../../src/store/sqlite/journal/journal-reader.ts';
import { SqliteLedger } from '../../src/store/sqlite/sqlite-ledger.ts';
import type { BreakRow } from '../../src/store/sqlite/table/rows/break-row.ts';
import type { CreditRow } from '../../src/store/sqlite/table/tables.ts';
import type { DepositRow } from '../../src/store/sqlite/table/rows/deposit-row.ts';
import { FollowedLedger, inMemory, type TwoConnections } from './replicated/followed-ledger.ts';
import { suiteJournal } from './replicated/suite-journal.ts';

export const START = 1_763_600_000_000;
const FACT_MS = 1_000;

export const SIX_DEEP: CreditingPolicy = {
  default: { confirmations: 6 },
  networks: {},
  assets: {},
};

const NOTHING_COMPARED: RunCounts = { matched: 0, broken: 0, exempt: {}, skipped: {} };

const encoder = new TextEncoder();

function bytesOf(body: object | string | Uint8Array): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return encoder.encode(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Reads a body the way the intake does, into the fact that it submits. */
export function factOf(body: object | string | Uint8Array, at: number): Fact {
  const raw = bytesOf(body);
  const decoded = decode(raw);
  return decoded.kind === 'malformed'
    ? { kind: 'refused', at, raw, defect: decoded.defect }
    : { ...decoded, at, raw };
}

/** A store of its own in a folder of its own; both are gone when the test ends. */
export function temporaryPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store.db');
}

function memoryDatabase(): Database {
  const db = new Sqlite(':memory:');
  db.pragma('foreign_keys = ON');
  createTables(db);
  return db;
}

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Set by the projects `shared` and `postgres`: every store under test is the replica of a shared
     * journal's owner. The journal is in memory, or in PostgreSQL.
     */
    readonly store: 'shared' | 'postgres';
    /** With `postgres`: the database, without parameters. */
    readonly postgresUrl: string;
  }
}

/** `sharing`: two receivers' connections to a new journal; null: SQLite alone. */
interface OpenLedgerOptions {
  readonly replays?: boolean;
  readonly sharing?: TwoConnections | null;
}

/** One SQLite ledger under test, with the words that tests speak about it. */
export class OpenLedger {
  readonly db: Database;
  readonly ledger: SqliteLedger;
  /** The replica of the journal's other receiver, level after each commit; absent with SQLite alone. */
  readonly follower: OpenLedger | undefined;
  readonly #writer: Ledger;
  readonly #sharing: TwoConnections | null;
  /** When the next fact arrives, Unix milliseconds; every fact takes a second. */
  at = START;
  /** Told what each commit changed that a verifier waits for. */
  onNews: (news: CommitNews) => void = () => undefined;

  constructor(path?: string, { sharing = sharingOf(), ...options }: OpenLedgerOptions = {}) {
    this.db = path === undefined ? memoryDatabase() : openForWriting(path);
    this.ledger = new SqliteLedger(this.db, {
      decode,
      now: () => this.at,
      // So few that keys are merged, and found before, during and after it, in every longer test.
      keysKeptMax: 4,
      // So few that records are let go, and read again, in every longer test.
      askedForMax: 12,
      ...options,
    });
    // The journal of a store that holds commits would have to hold them too.
    const isShared = sharing !== null && this.ledger.head.commitNumber === 0;
    this.follower = isShared ? new OpenLedger(undefined, { sharing: null }) : undefined;
    this.#sharing = isShared ? sharing : null;
    this.#writer = this.#writerOf(this.#sharing);
    onTestFinished(() => this.close());
  }

  /** Throws when the follower's replica differs from this one. */
  close(): void {
    if (!this.db.open) return;
    void this.#sharing?.owner.close();
    void this.#sharing?.follower.close();
    const followed = this.follower?.db;
    const problems = followed === undefined ? [] : compareProjections(this.db, followed).problems;
    this.follower?.close();
    this.ledger.close();
    if (problems.length > 0) throw new Error(`the follower differs: ${problems.join('; ')}`);
  }

  /** This replica, and the follower's. */
  get replicas(): readonly OpenLedger[] {
    return this.follower === undefined ? [this] : [this, this.follower];
  }

  #writerOf(sharing: TwoConnections | null): Ledger {
    if (sharing === null || this.follower === undefined) return this.ledger;
    return new FollowedLedger({ owner: this.ledger, follower: this.follower.ledger }, sharing);
  }

  #tick(): number {
    this.at += FACT_MS;
    return this.at;
  }

  /** Commits facts together; throws when the store is unavailable. */
  async commit(facts: readonly Fact[]): Promise<readonly FactOutcome[]> {
    const result = await this.#writer.commit(facts);
    if (result.kind === 'unavailable') throw new Error(result.cause);
    if (result.news !== undefined) this.onNews(result.news);
    return result.outcomes;
  }

  async #take(fact: Fact): Promise<FactOutcome> {
    const [outcome] = await this.commit([fact]);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  }

  /** Delivers bodies one commit each; answers their intake statuses. */
  async deliver(...bodies: readonly (object | string | Uint8Array)[]): Promise<string[]> {
    const statuses: string[] = [];
    for (const body of bodies) {
      const outcome = await this.#take(factOf(body, this.#tick()));
      statuses.push(outcome.kind === 'delivery' ? outcome.status : outcome.kind);
    }
    return statuses;
  }

  /** Delivers bodies in one commit. */
  async deliverTogether(...bodies: readonly object[]): Promise<string[]> {
    const outcomes = await this.commit(bodies.map((body) => factOf(body, this.#tick())));
    return outcomes.map((one) => (one.kind === 'delivery' ? one.status : one.kind));
  }

  decide(decision: Decision, actor = 'ann'): Promise<FactOutcome> {
    return this.#take({ kind: 'decision', at: this.#tick(), actor, decision });
  }

  setPolicy(policy: CreditingPolicy): Promise<FactOutcome> {
    const reason = 'the configuration says so';
    return this.decide(
      { kind: 'policy', source: 'config', policy, configured: policy, reason },
      'config',
    );
  }

  record(record: CustodyRecord): Promise<FactOutcome> {
    return this.#take({ kind: 'custody-record', at: this.#tick(), record });
  }

  /** A reconciliation whose custody half compared nothing. */
  run(graceMs = 0, ages?: RunAges): Promise<FactOutcome> {
    return this.record({
      kind: 'run',
      startedAt: this.at,
      graceMs,
      ...(ages === undefined ? {} : { ages }),
      custody: NOTHING_COMPARED,
      requests: 0,
      watermark: null,
      incomplete: null,
      isBounded: true,
    });
  }

  /** A reconciliation as versions before bounded runs journalled it. */
  unboundedRun(): Promise<FactOutcome> {
    return this.record({
      kind: 'run',
      startedAt: this.at,
      graceMs: 0,
      custody: NOTHING_COMPARED,
      requests: 0,
      watermark: null,
      incomplete: null,
    });
  }

  rows<Row>(sql: string, ...values: readonly (string | number)[]): Row[] {
    return this.db.prepare<unknown[], Row>(sql).all(...values);
  }

  deposits(): DepositRow[] {
    return this.rows('SELECT * FROM deposits ORDER BY first_seq, deposit_id');
  }

  /** The only deposit there is. */
  deposit(): DepositRow {
    const [only, second] = this.deposits();
    if (only === undefined || second !== undefined) throw new Error('not exactly one deposit');
    return only;
  }

  depositId(): DepositId {
    return DepositId(this.deposit().deposit_id);
  }

  /** `state`, or `held: reason`. */
  depositState(): string {
    const { state, reason } = this.deposit();
    return reason === null ? state : `${state}: ${reason}`;
  }

  feed(): CreditRow[] {
    return this.rows('SELECT * FROM credits ORDER BY feed_seq');
  }

  /** The feed in words: `credit 100`, `reversal 100`. */
  feedLines(): string[] {
    return this.feed().map(({ kind, amount }) => `${kind} ${amount}`);
  }

  lastCreditId(): CreditId {
    const last = this.feed().at(-1);
    if (last === undefined) throw new Error('the feed is empty');
    return CreditId(last.credit_id);
  }

  breaks(): BreakRow[] {
    return this.rows('SELECT * FROM breaks ORDER BY length(break_id), break_id');
  }

  /** Types of the unresolved breaks, sorted. */
  openBreaks(): string[] {
    return this.breaks()
      .filter(({ state }) => state !== 'resolved')
      .map(({ type }) => type)
      .toSorted();
  }

  /** The only unresolved break of a type. */
  openBreak(type: string): BreakRow & { readonly id: BreakId } {
    const [only, second] = this.breaks().filter(
      (one) => one.type === type && one.state !== 'resolved',
    );
    if (only === undefined || second !== undefined) throw new Error(`not one open ${type}`);
    return { ...only, id: BreakId(only.break_id) };
  }

  /** Non-zero balances by ledger account: `v1/acc-1/adr-1 ethereum:ETH` or `world:v1 …`. */
  balances(view: 'books' | 'chain' = 'books'): Record<string, string> {
    const rows = this.rows<{ name: string; amount: string }>(
      `SELECT CASE kind
                WHEN 'position' THEN rtrim(vault_id || '/' || account_id || '/' || address_id
                  || '/' || memo, '/')
                ELSE kind || ':' || vault_id END || ' ' || asset AS name, amount
       FROM balances JOIN ledger_accounts USING (ledger_account)
       WHERE view = ? AND amount <> '0' ORDER BY name`,
      view,
    );
    return Object.fromEntries(rows.map(({ name, amount }) => [name, amount]));
  }

  /** The non-zero custody positions alone. */
  positions(view: 'books' | 'chain' = 'books'): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.balances(view)).filter(([name]) => !/^[a-z-]+:/.test(name)),
    );
  }

  /** The bodies of the facts of some kinds, as text. */
  bodies(...kinds: readonly FactKind[]): string[] {
    return [...new JournalReader(this.db).all()]
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ body }) => Buffer.from(body).toString('utf8'));
  }

  journalLength(): number {
    return this.rows<{ n: number }>('SELECT count(*) AS n FROM journal')[0]?.n ?? -1;
  }
}

/** The store that the project of the test asks for. */
function sharingOf(): TwoConnections | null {
  switch (inject('store')) {
    case 'shared':
      return inMemory();
    case 'postgres':
      return suiteJournal();
    default:
      return null;
  }
}

/** A fresh in-memory ledger with the policy "six confirmations" (or another). */
export async function openLedger(
  policy: CreditingPolicy = SIX_DEEP,
  options: OpenLedgerOptions = {},
): Promise<OpenLedger> {
  const open = new OpenLedger(undefined, options);
  await open.setPolicy(policy);
  return open;
}

/** The same in a file. */
export async function openLedgerFile(
  policy: CreditingPolicy = SIX_DEEP,
  options: OpenLedgerOptions = {},
): Promise<{
  readonly open: OpenLedger;
  readonly path: string;
}> {
  const path = temporaryPath();
  const open = new OpenLedger(path, options);
  await open.setPolicy(policy);
  return { open, path };
}
