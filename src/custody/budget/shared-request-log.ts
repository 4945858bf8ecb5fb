import Database from 'better-sqlite3';
import { rmSync } from 'node:fs';
import {
  HISTORY_MS,
  UNDER_WAY_MS_MAX,
  type LoggedRequest,
  type RequestEntries,
  type RequestHistory,
  type RequestLog,
  type ServiceCount,
  type Step,
} from './request-log.ts';

/** Requests and the service's counts, by API client: the limits are per client. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS requests (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id     TEXT    NOT NULL,
    lane          TEXT    NOT NULL,
    started_at_ms INTEGER NOT NULL,
    settled_at_ms INTEGER
  ) STRICT;
  CREATE TABLE IF NOT EXISTS clients (
    client_id       TEXT    PRIMARY KEY,
    silent_until_ms INTEGER NOT NULL DEFAULT 0,
    told_limit      INTEGER,
    told_remaining  INTEGER,
    told_reset_ms   INTEGER NOT NULL DEFAULT 0,
    told_request_id INTEGER
  ) STRICT`;

/** Creating the file holds its lock longer than a request does. */
const OPENING_MS_MAX = 5_000;

/** The event loop blocks meanwhile, so a step that finds the log busy retries later. */
const BUSY_MS_MAX = 10;

export type OpenedLog =
  | { readonly kind: 'open'; readonly log: RequestLog }
  | { readonly kind: 'refused'; readonly detail: string };

/**
 * Opens an API client's log in a SQLite file that all processes of the store share. Creates a
 * missing file and replaces a damaged one: it holds only the last hour. Commits do not wait for the
 * disk: a machine failure loses part of an hour. `refused`, with a detail for people, when the file
 * cannot be opened.
 */
export function openSharedLog(path: string, clientId: string): OpenedLog {
  try {
    return { kind: 'open', log: new SharedRequestLog(opened(path), clientId) };
  } catch (error) {
    if (error instanceof Database.SqliteError && isDamage(error.code)) {
      for (const file of [path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true });
      return { kind: 'open', log: new SharedRequestLog(opened(path), clientId) };
    }
    return { kind: 'refused', detail: `${path} cannot be opened (${textOf(error)})` };
  }
}

function opened(path: string): Database.Database {
  const db = new Database(path, { timeout: OPENING_MS_MAX });
  try {
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = NORMAL');
    db.transaction(() => db.exec(TABLES)).immediate();
    db.pragma(`busy_timeout = ${BUSY_MS_MAX}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function isDamage(code: string): boolean {
  return code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

class SharedRequestLog implements RequestLog {
  readonly #db: Database.Database;
  readonly #entries: RequestEntries;

  constructor(db: Database.Database, clientId: string) {
    this.#db = db;
    this.#entries = new SharedEntries(db, clientId);
  }

  alone<Value>(step: (entries: RequestEntries) => Value): Step<Value> {
    if (!this.#db.open) return { kind: 'failed', detail: 'the log of requests is closed' };
    try {
      const run = this.#db.transaction(() => step(this.#entries));
      return { kind: 'done', value: run.immediate() };
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
      if (error.code.startsWith('SQLITE_BUSY')) return { kind: 'busy' };
      return { kind: 'failed', detail: `${this.#db.name}: ${error.message}` };
    }
  }

  close(): void {
    this.#db.close();
  }
}

interface ClientRow {
  readonly silentUntilMs: number;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly resetAtMs: number;
  readonly requestId: number | null;
}

class SharedEntries implements RequestEntries {
  readonly #clientId: string;
  readonly #pullBack: Database.Statement<[object]>;
  readonly #shorten: Database.Statement<[object]>;
  readonly #forget: Database.Statement<[object]>;
  readonly #requests: Database.Statement<[string], LoggedRequest>;
  readonly #client: Database.Statement<[string], ClientRow>;
  readonly #start: Database.Statement<[object]>;
  readonly #finish: Database.Statement<[object]>;
  readonly #cancel: Database.Statement<[number]>;
  readonly #recordServiceCount: Database.Statement<[object]>;
  readonly #silence: Database.Statement<[object]>;

  constructor(db: Database.Database, clientId: string) {
    this.#clientId = clientId;
    this.#pullBack = db.prepare(
      `UPDATE requests SET started_at_ms = min(started_at_ms, @nowMs),
         settled_at_ms = min(settled_at_ms, @nowMs)
       WHERE started_at_ms > @nowMs OR settled_at_ms > @nowMs`,
    );
    this.#shorten = db.prepare(
      `UPDATE clients SET silent_until_ms = min(silent_until_ms, @latestMs),
         told_reset_ms = min(told_reset_ms, @latestMs)
       WHERE silent_until_ms > @latestMs OR told_reset_ms > @latestMs`,
    );
    this.#forget = db.prepare(
      'DELETE FROM requests WHERE coalesce(settled_at_ms, started_at_ms + @lostMs) < @sinceMs',
    );
    this.#requests = db.prepare(
      `SELECT id, lane, started_at_ms AS startedAtMs, settled_at_ms AS finishedAtMs
       FROM requests WHERE client_id = ? ORDER BY id`,
    );
    this.#client = db.prepare(
      `SELECT silent_until_ms AS silentUntilMs, told_limit AS "limit",
         told_remaining AS remaining, told_reset_ms AS resetAtMs, told_request_id AS requestId
       FROM clients WHERE client_id = ?`,
    );
    this.#start = db.prepare(
      'INSERT INTO requests (client_id, lane, started_at_ms) VALUES (@clientId, @lane, @atMs)',
    );
    this.#finish = db.prepare('UPDATE requests SET settled_at_ms = @atMs WHERE id = @id');
    this.#cancel = db.prepare('DELETE FROM requests WHERE id = ?');
    this.#recordServiceCount = db.prepare(
      `INSERT INTO clients
         (client_id, told_limit, told_remaining, told_reset_ms, told_request_id)
       VALUES (@clientId, @limit, @remaining, @resetAtMs, @requestId)
       ON CONFLICT (client_id) DO UPDATE SET told_limit = @limit, told_remaining = @remaining,
         told_reset_ms = @resetAtMs, told_request_id = @requestId`,
    );
    this.#silence = db.prepare(
      `INSERT INTO clients (client_id, silent_until_ms) VALUES (@clientId, @ms)
       ON CONFLICT (client_id) DO UPDATE SET silent_until_ms = max(silent_until_ms, @ms)`,
    );
  }

  historyAt(nowMs: number): RequestHistory {
    this.#pullBack.run({ nowMs });
    this.#shorten.run({ latestMs: nowMs + HISTORY_MS });
    this.#forget.run({ lostMs: UNDER_WAY_MS_MAX, sinceMs: nowMs - HISTORY_MS });
    const client = this.#client.get(this.#clientId);
    return {
      requests: this.#requests.all(this.#clientId),
      serviceCount: client === undefined ? null : serviceCountOf(client),
      silentUntilMs: client?.silentUntilMs ?? 0,
    };
  }

  start({ lane, atMs }: { readonly lane: string; readonly atMs: number }): number {
    const { lastInsertRowid } = this.#start.run({ clientId: this.#clientId, lane, atMs });
    return Number(lastInsertRowid);
  }

  finish(id: number, atMs: number): void {
    this.#finish.run({ id, atMs });
  }

  cancel(id: number): void {
    this.#cancel.run(id);
  }

  recordServiceCount(count: ServiceCount & { readonly requestId: number }): void {
    this.#recordServiceCount.run({ clientId: this.#clientId, ...count });
  }

  silenceUntil(ms: number): void {
    this.#silence.run({ clientId: this.#clientId, ms });
  }
}

function serviceCountOf({
  limit,
  remaining,
  resetAtMs,
  requestId,
}: ClientRow): RequestHistory['serviceCount'] {
  if (remaining === null || requestId === null) return null;
  return { limit, remaining, resetAtMs, requestId };
}
