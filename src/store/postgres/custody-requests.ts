import { JournalUnavailable } from '../replicated/shared-journal.ts';
import type { JournalAddress } from './address.ts';
import { Primary } from './connection/primary.ts';
import type { Calls, Statement } from './connection/session.ts';
import { sessionName, StandbyWait } from './connection/standby-wait.ts';
import { StatementFailed } from './connection/statement-failure.ts';

/** Most requests whose time, or the time since their end, lies within a span. */
export interface RequestLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface CustodyRequestsSettings {
  readonly address: JournalAddress;
  /** The API client, by which the service counts. */
  readonly clientId: string;
  readonly limits: { readonly minute: RequestLimit; readonly hour: RequestLimit };
  /** A request without an end counts as ended after so many seconds: its process died. */
  readonly underWaySecondsMax: number;
  /** Whether a count is valid that the synchronous standby has not confirmed. */
  readonly standby: 'required' | 'optional';
}

interface RequestRow {
  readonly lane: string;
  readonly startedAgoMs: number;
  readonly finishedAgoMs: number | null;
}

/** `failed`: the database cannot be used; `detail` says what to do. */
type Counted<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly detail: string };

/** How long an answer may take: verification waits for it. */
const ANSWER_MS_MAX = 4_000;
/** How long the end waits for an answer. A request without an end counts for longer; that is all. */
const CLOSE_MS_MAX = 100;

const BEGIN: Statement<object> = {
  name: 'begin',
  // A later statement must see what was counted while this one waited for the lock.
  text: 'BEGIN ISOLATION LEVEL READ COMMITTED',
};
const COMMIT: Statement<object> = { name: 'commit', text: 'COMMIT' };

/** One process at a time counts for the API client $1. */
const LOCK: Statement<object> = {
  name: 'lock-requests',
  text: `SELECT pg_advisory_xact_lock(
    hashtextextended(current_schema() || ' custody_requests ' || $1, 0))`,
};

/**
 * $1 API client. A later time was written before the database's clock was set back, or by a primary
 * whose clock was ahead. It becomes now for good, so that it counts for one window and no longer.
 */
const PULL_BACK: Statement<object> = {
  name: 'pull-back-requests',
  text: `UPDATE custody_requests
    SET started_at = least(started_at, clock_timestamp()),
      finished_at = CASE WHEN finished_at > clock_timestamp() THEN clock_timestamp()
        ELSE finished_at END
    WHERE client_id = $1 AND greatest(started_at, finished_at) > clock_timestamp()`,
};

const ENDED_AT = `coalesce(finished_at, started_at + make_interval(secs => $2))`;

/**
 * $1 API client, $2 seconds after which a request without an end has ended, $3 lane; $4 requests
 * within $5 seconds and $6 requests within $7 seconds. No row: a limit leaves no room.
 */
const START: Statement<{ id: number }> = {
  name: 'start-request',
  text: `WITH forgotten AS (
      DELETE FROM custody_requests WHERE ${ENDED_AT} < clock_timestamp() - interval '1 hour'
    )
    INSERT INTO custody_requests (client_id, lane)
    SELECT $1, $3 FROM (
      SELECT count(*) FILTER (WHERE ${ENDED_AT} >= clock_timestamp() - make_interval(secs => $5))
          AS short,
        count(*) FILTER (WHERE ${ENDED_AT} >= clock_timestamp() - make_interval(secs => $7)) AS long
      FROM custody_requests WHERE client_id = $1
    ) AS recent WHERE recent.short < $4 AND recent.long < $6
    RETURNING id`,
};

const FINISH: Statement<object> = {
  name: 'finish-request',
  text: 'UPDATE custody_requests SET finished_at = clock_timestamp() WHERE id = $1',
};

/** $1 API client. */
const RECENT: Statement<RequestRow> = {
  name: 'recent-requests',
  text: `SELECT lane,
      floor(extract(epoch FROM clock_timestamp() - started_at) * 1000)::bigint AS "startedAgoMs",
      floor(extract(epoch FROM clock_timestamp() - finished_at) * 1000)::bigint AS "finishedAgoMs"
    FROM custody_requests WHERE client_id = $1 ORDER BY id`,
};

/**
 * The requests to the custody API, counted in the journal's database for all receivers and commands.
 * A request is counted before it is sent, by the database's clock, and only while both limits leave
 * room. So no owner, no former owner and no command exceeds them together.
 */
export class CustodyRequests {
  readonly #settings: CustodyRequestsSettings;
  readonly #primary: Primary;
  readonly #wait: StandbyWait;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(settings: CustodyRequestsSettings) {
    this.#settings = settings;
    const name = sessionName(settings.standby, 'counterfoil custody requests');
    this.#primary = new Primary(settings.address, { answerMsMax: ANSWER_MS_MAX, name });
    this.#wait = new StandbyWait(settings.standby, this.#primary);
  }

  /** The requests of the last hour of everybody, oldest first. */
  recent(): Promise<Counted<readonly RequestRow[]>> {
    const values = [this.#settings.clientId];
    return this.#alone(async () => {
      const [rows] = await this.#answers<[RequestRow]>([{ statement: RECENT, values }]);
      return rows;
    });
  }

  /** Counts one request and gives its number; null when a limit leaves no room for it. */
  start(lane: string): Promise<Counted<number | null>> {
    const { clientId, limits, underWaySecondsMax } = this.#settings;
    const { minute, hour } = limits;
    const ends = [minute.requests, minute.seconds, hour.requests, hour.seconds];
    const values = [clientId, underWaySecondsMax, lane, ...ends];
    return this.#alone(async () => {
      type Rows = [object, object, object, { id: number }, object];
      const [, , , [started]] = await this.#answers<Rows>([
        { statement: BEGIN },
        { statement: LOCK, values: [clientId] },
        { statement: PULL_BACK, values: [clientId] },
        { statement: START, values },
        { statement: COMMIT },
      ]);
      return started?.id ?? null;
    });
  }

  /** Notes the end of a request. A note that is lost lets the request count for longer. */
  finish(id: number): void {
    void this.#alone(() => this.#answers<[object]>([{ statement: FINISH, values: [id] }]));
  }

  /** Ends after what was asked before, unless that takes long; what is asked later fails. */
  async close(): Promise<void> {
    const cut = setTimeout(() => void this.#primary.close(), CLOSE_MS_MAX);
    await this.#alone(() => this.#primary.close());
    clearTimeout(cut);
  }

  async #answers<Rows extends readonly object[]>(calls: Calls<Rows>) {
    const session = await this.#primary.session();
    const { rows, unproven } = await this.#wait.write<Rows>(session, calls);
    if (unproven !== undefined) throw new JournalUnavailable(unproven);
    return rows;
  }

  /** One question after the other: they share a session. */
  #alone<Value>(ask: () => Promise<Value>): Promise<Counted<Value>> {
    const answered = this.#turn.then(async (): Promise<Counted<Value>> => {
      try {
        return { kind: 'done', value: await ask() };
      } catch (error) {
        if (error instanceof StatementFailed) await this.#primary.drop();
        else if (!(error instanceof JournalUnavailable)) throw error;
        return { kind: 'failed', detail: error.message };
      }
    });
    this.#turn = answered.catch(() => undefined);
    return answered;
  }
}
