import { createAdaptorServer } from '@hono/node-server';
import Database, { type Database as Connection } from 'better-sqlite3';
import { Hono } from 'hono';
import { join } from 'node:path';
import { answerTo, KEPT_PATH, type BaselineServer, type Kept } from './baseline.ts';
import { noticeOf, postingsOf, type Posting } from './notice.ts';

/** As in PostgreSQL (`postgres-baseline.ts`). Amounts are text: 64 bits end at 9 ether in wei. */
const TABLES = `
  CREATE TABLE notifications (
    id TEXT PRIMARY KEY, vault_id TEXT NOT NULL, stream TEXT NOT NULL, type TEXT NOT NULL,
    network TEXT NOT NULL, blockchain_hash TEXT NOT NULL, body TEXT NOT NULL) STRICT;
  CREATE TABLE postings (
    network TEXT NOT NULL, blockchain_hash TEXT NOT NULL, view TEXT NOT NULL,
    account TEXT NOT NULL, asset TEXT NOT NULL, kind TEXT NOT NULL, amount TEXT NOT NULL,
    notification_id TEXT NOT NULL REFERENCES notifications,
    PRIMARY KEY (blockchain_hash, network, view, account, asset, kind)) STRICT;
  CREATE TABLE balances (
    view TEXT NOT NULL, account TEXT NOT NULL, asset TEXT NOT NULL, amount TEXT NOT NULL,
    PRIMARY KEY (account, view, asset)) STRICT`;

const INSERT_NOTIFICATION = `
  INSERT INTO notifications (id, vault_id, stream, type, network, blockchain_hash, body)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

/** A later confirmation states the same amounts again: they are posted once. */
const INSERT_POSTING = `
  INSERT INTO postings (network, blockchain_hash, view, account, asset, kind, amount, notification_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const SET_BALANCE = `
  INSERT INTO balances (view, account, asset, amount) VALUES (?, ?, ?, ?)
  ON CONFLICT (account, view, asset) DO UPDATE SET amount = excluded.amount`;

function openStore(folder: string, tables: string): Connection {
  const db = new Database(join(folder, 'store.db'));
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.exec(tables);
  return db;
}

/** Takes a body; whether it is new. Resolves once the body is durable. */
type Take = (body: string) => boolean | Promise<boolean>;

function serve(db: Connection, take: Take, kept: () => Kept): BaselineServer {
  const app = new Hono();
  app.post('/hooks/:token', async (context) =>
    context.json(answerTo(await take(await context.req.text()))),
  );
  app.get(KEPT_PATH, (context) => context.json(kept()));
  return { server: createAdaptorServer({ fetch: app.fetch }), close: () => void db.close() };
}

function countIn(db: Connection, table: string): number {
  return Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
}

/** The least that deduplicates durably: a row with the id and the body, and no books at all. */
function oneRow(folder: string): BaselineServer {
  const db = openStore(
    folder,
    'CREATE TABLE deliveries (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT',
  );
  const insert = db.prepare<[string, string]>(
    'INSERT INTO deliveries (id, body) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const take = db.transaction((body: string) => {
    const { id } = JSON.parse(body) as { id: string };
    return insert.run(id, body).changes === 1;
  });
  return serve(
    db,
    (body) => take.immediate(body),
    () => ({
      notifications: countIn(db, 'deliveries'),
      defects: [],
    }),
  );
}

/** Balances that are not the sums of their postings. */
function wrongBalances(db: Connection): string[] {
  const sums = new Map<string, bigint>();
  const add = (row: unknown, sign: bigint): void => {
    const { view, account, asset, amount } = row as Posting;
    const key = JSON.stringify([view, account, asset]);
    sums.set(key, (sums.get(key) ?? 0n) + sign * BigInt(amount));
  };
  for (const row of db.prepare('SELECT * FROM postings').iterate()) add(row, 1n);
  for (const row of db.prepare('SELECT * FROM balances').iterate()) add(row, -1n);
  const wrong = [...sums.values()].filter((sum) => sum !== 0n).length;
  return wrong === 0 ? [] : [`${wrong} balances are not the sum of their postings`];
}

/** Books a body in the open transaction; whether it is new. */
function bookkeepingIn(db: Connection): (text: string) => boolean {
  const insertNotification = db.prepare<string[]>(INSERT_NOTIFICATION);
  const insertPosting = db.prepare<string[]>(INSERT_POSTING);
  const balanceOf = db
    .prepare<string[], string>(
      'SELECT amount FROM balances WHERE account = ? AND view = ? AND asset = ?',
    )
    .pluck();
  const setBalance = db.prepare<string[]>(SET_BALANCE);
  return (text) => {
    const notice = noticeOf(text);
    const { id, vaultId, stream, type, network, blockchainHash } = notice;
    const columns = [id, vaultId, stream, type, network, blockchainHash, text];
    if (insertNotification.run(...columns).changes === 0) return false;
    for (const { view, account, asset, kind, amount } of postingsOf(notice)) {
      const line = [network, blockchainHash, view, account, asset, kind, amount, id];
      if (insertPosting.run(...line).changes === 0) continue;
      const before = BigInt(balanceOf.get(account, view, asset) ?? '0');
      setBalance.run(view, account, asset, String(before + BigInt(amount)));
    }
    return true;
  };
}

interface Taking {
  readonly take: Take;
  /** The transactions so far; absent: one for each body. */
  readonly transactions?: () => number;
}

/** Serves the books; `taking` says which bodies share a transaction. */
function serveBooks(
  folder: string,
  taking: (db: Connection, book: (body: string) => boolean) => Taking,
): BaselineServer {
  const db = openStore(folder, TABLES);
  const { take, transactions } = taking(db, bookkeepingIn(db));
  return serve(db, take, () => ({
    notifications: countIn(db, 'notifications'),
    ...(transactions && { transactions: transactions() }),
    defects: wrongBalances(db),
  }));
}

/**
 * The receiver that one writes first: the books of the PostgreSQL ones, and each request is one durable
 * transaction.
 */
function oneTransaction(folder: string): BaselineServer {
  return serveBooks(folder, (db, book) => {
    const take = db.transaction(book);
    return { take: (body) => take.immediate(body) };
  });
}

interface Queued {
  readonly body: string;
  readonly resolve: (isNew: boolean) => void;
}

/**
 * As `one-transaction`, but all requests that the event loop has read share a transaction. So it shows
 * what these books cost without threads, where a commit costs each request least.
 */
function groupCommit(folder: string): BaselineServer {
  return serveBooks(folder, (db, book) => {
    let queued: Queued[] = [];
    let transactions = 0;
    const takeAll = db.transaction((bodies: readonly Queued[]) =>
      bodies.map(({ body }) => book(body)),
    );
    const flush = (): void => {
      const taken = queued;
      queued = [];
      const areNew = takeAll.immediate(taken);
      transactions += 1;
      for (const [index, { resolve }] of taken.entries()) resolve(areNew[index] === true);
    };
    const take: Take = (body) =>
      new Promise((resolve) => {
        if (queued.length === 0) setImmediate(flush);
        queued.push({ body, resolve });
      });
    return { take, transactions: () => transactions };
  });
}

/** Receivers with SQLite. */
export const SQLITE_BASELINES = {
  'one-row': oneRow,
  'one-transaction': oneTransaction,
  'group-commit': groupCommit,
} as const;
