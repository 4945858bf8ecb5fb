import { createHash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { Identify } from '../../src/api/access.ts';
import { SignedInPeople } from '../../src/api/people/signed-in-people.ts';
import { TokenBook } from '../../src/api/people/token-book.ts';
import { createApi, type ApiOptions } from '../../src/api/application.ts';
import type { PolicyServices, RunAnswer } from '../../src/api/services.ts';
import type { Role } from '../../src/domain/access/role.ts';
import { FeedSignal } from '../../src/api/exchange/feed-signal.ts';
import { checkPolicy } from '../../src/ops/config/crediting-policy.ts';
import { checkExemption } from '../../src/ops/config/exemptions.ts';
import { Contract, type Exchange } from '../simulator/conformance/contract.ts';
import { documentsFrom } from '../../src/report/document.ts';
import { CloseCalendar } from '../../src/reconcile/close/calendar.ts';
import { closableAt } from '../../src/reconcile/close/closable.ts';
import { SqliteReads } from '../../src/store/sqlite/reads/sqlite-reads.ts';
import { openForReading } from '../../src/store/sqlite/file/database.ts';
import type { CreditingPolicy } from '../../src/domain/policy/policy.ts';
import { openLedgerFile, type OpenLedger } from '../store/open-ledger.ts';
import { undescribedMembers, type DescribedApi } from './undescribed.ts';

/** The names of the test's tokens; two operators, because large credits need two people. */
export const TOKENS = {
  vera: 'viewer',
  chris: 'crediting',
  fiona: 'finance',
  olga: 'operator',
  otto: 'operator',
  ada: 'admin',
  audra: 'auditor',
} as const satisfies Record<string, Role>;
export type Person = keyof typeof TOKENS;

/** What a person sends as their bearer token. */
export function tokenOf(person: Person): string {
  return `token-of-${person}-0123456789abcdef`;
}

const CONFIGURED = Object.entries(TOKENS).map(([name, role]) => ({
  name,
  role,
  sha256: createHash('sha256')
    .update(tokenOf(name as Person))
    .digest('hex'),
}));

/** A book with these tokens, as if the configuration named them. */
function tokenBook(now: () => number): TokenBook {
  return new TokenBook({ configured: CONFIGURED, now });
}

export const identify: Identify = tokenBook(() => 0).identify;

const UTC_DAYS = new CloseCalendar({ timezone: 'UTC', pattern: '5 0 * * *' });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** `/openapi.json`, which is the same for every store. */
let described: { readonly api: DescribedApi; readonly contract: Contract } | undefined;

/** The API over a store of its own, whose facts a test delivers. */
export class ApiUnderTest {
  readonly open: OpenLedger;
  readonly reads: SqliteReads;
  readonly feed: FeedSignal;
  readonly app: ReturnType<typeof createApi>;
  readonly bugs: unknown[] = [];
  readonly tokens = tokenBook(() => this.open.at);
  readonly people = new SignedInPeople();
  readonly policy: PolicyServices = {
    check: checkPolicy,
    warnings: () => Promise.resolve([]),
    changed: () => undefined,
  };

  constructor(store: { open: OpenLedger; path: string }, options: Partial<ApiOptions> = {}) {
    this.open = store.open;
    this.reads = new SqliteReads(openForReading(store.path));
    onTestFinished(() => this.reads.close());
    const onBug = (error: unknown): void => void this.bugs.push(error);
    this.feed = new FeedSignal({
      hasItemsAfter: async (seq) => (await this.reads.credits(seq, 1)).length > 0,
      onBug,
    });
    onTestFinished(() => this.feed.close());
    this.app = createApi({
      reads: this.reads,
      document: documentsFrom(this.reads),
      alive: () => true,
      submit: async (fact) => {
        const [outcome] = await this.open.commit([fact]);
        if (outcome === undefined) throw new Error('no outcome');
        this.feed.announce();
        return outcome;
      },
      now: () => this.open.at,
      access: {
        tokens: this.tokens,
        people: this.people,
        changed: async () => this.tokens.take(await this.reads.tokenChanges()),
      },
      feed: this.feed,
      policy: this.policy,
      checkExemption,
      settings: async () => ({
        settings: [
          { key: 'reconcile.graceSeconds', value: '600' },
          { key: 'custody.vaults', value: JSON.stringify(Array(9).fill('a-vault')) },
          { key: 'reconcile.escalation.infoToWarningAfterSeconds', value: '604800' },
        ],
        checks: [
          { check: 'store', status: 'ok', detail: 'it accepts writes' },
          { check: 'clock', status: 'warning', detail: 'a fact lies in the future' },
        ],
      }),
      reconcile: () => this.reconcile(),
      close: async () => ({ kind: 'unknown' }),
      closable: (day) => closableAt(day, this.open.at, { reads: this.reads, calendar: UTC_DAYS }),
      readiness: () => ({
        phase: 'serving',
        store: 'writable',
        custody: null,
        queue: { waiting: 0, limit: 10_000 },
      }),
      metrics: () => 'counterfoil_up 1\n',
      onBug,
      version: '0.1.0',
      ...options,
    });
  }

  /** A run whose custody half compared nothing. */
  async reconcile(): Promise<RunAnswer> {
    await this.open.run();
    const { items } = await this.reads.reconciliations({ page: 0, pageSize: 1 });
    const [newest] = items;
    if (newest === undefined) throw new Error('the run left no row');
    return { kind: 'ran', run: newest };
  }

  async request(
    method: string,
    path: string,
    init: { as?: Person; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const { as, body, headers = {} } = init;
    const response = await this.app.request(path, {
      method,
      headers: {
        ...(as === undefined ? {} : { Authorization: `Bearer ${tokenOf(as)}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    await this.#holdToDocument({
      method,
      target: path,
      requestBody: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
      status: response.status,
      contentType: response.headers.get('Content-Type') ?? undefined,
      responseBody: text,
    });
    const json = response.headers.get('Content-Type')?.includes('json') === true;
    const answered = (json ? JSON.parse(text) : { text }) as Record<string, unknown>;
    if (response.status >= 400) assertSentence(answered['detail']);
    return { status: response.status, headers: response.headers, body: answered };
  }

  /** Throws when an answered call is not as `/openapi.json` describes it. */
  async #holdToDocument(exchange: Exchange): Promise<void> {
    if (described === undefined) {
      const api = (await (await this.app.request('/openapi.json')).json()) as DescribedApi;
      described = { api, contract: new Contract(api) };
    }
    const { contentType, status, responseBody } = exchange;
    const operation = described.contract.operationOf(exchange);
    if (contentType !== 'application/json' || operation === undefined) return;
    const violations = described.contract.violationsOf(exchange);
    if (violations.length > 0) throw new Error(violations.join('\n'));
    const body: unknown = JSON.parse(responseBody);
    const answer = { status, contentType, body };
    const undescribed = undescribedMembers(described.api, operation, answer);
    if (undescribed.length > 0) {
      throw new Error(`${operation} ${status}: /openapi.json lacks ${undescribed.join(', ')}`);
    }
  }

  get(path: string, as: Person = 'vera'): Promise<Answer> {
    return this.request('GET', path, { as });
  }

  post(path: string, body: unknown, as: Person = 'olga'): Promise<Answer> {
    return this.request('POST', path, { as, body });
  }

  /** The `data` of a list. */
  async list(path: string): Promise<Record<string, unknown>[]> {
    const { body } = await this.get(path);
    return body['data'] as Record<string, unknown>[];
  }
}

/** Throws when a problem's `detail` is a half-sentence. The part of a request may come first. */
function assertSentence(detail: unknown): void {
  if (typeof detail !== 'string') return;
  const begins = /^(?:[A-Z0-9"/]|[a-z]+_[\w]+ |(?:body|path|query): )/;
  if (!begins.test(detail) || !/[.!?]$/.test(detail)) {
    throw new Error(`the detail of a problem is no sentence: ${detail}`);
  }
}

/** An API over a fresh store, by default with the policy "six confirmations". */
export async function apiUnderTest(
  policy?: CreditingPolicy,
  options: Partial<ApiOptions> = {},
): Promise<ApiUnderTest> {
  return new ApiUnderTest(await openLedgerFile(policy), options);
}
