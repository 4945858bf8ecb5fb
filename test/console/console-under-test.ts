import { onTestFinished } from 'vitest';
import { actingOn } from '../../src/api/acting.ts';
import { createConsole, type ConsoleOptions } from '../../src/console/application.ts';
import type { ProviderSettings } from '../../src/console/session/identity-provider.ts';
import type { SessionFile } from '../../src/console/session/session-file.ts';
import { Changes } from '../../src/console/live/changes.ts';
import type { DaemonStatus } from '../../src/console/overview/daemon-status.ts';
import type { Markup } from '../../src/pages/parts/markup.ts';
import { documentsFrom } from '../../src/report/document.ts';
import { tablesFrom } from '../../src/report/tables/table-documents.ts';
import { apiUnderTest, tokenOf, type Person } from '../api/api-under-test.ts';
import type { ApiUnderTest } from '../api/api-under-test.ts';
import { verifyWith } from '../store/evidence.ts';
import { Service } from '../store/webhook.ts';

/** What browsers send with a form of the console's own pages. */
export const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

/** The HTML of a part. */
export async function htmlOf(markup: Markup): Promise<string> {
  return (await markup).toString();
}

/** The text of a page without its tags; thin spaces become `_`. */
export function words(page: string): string {
  return page
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('\u202F', '_')
    .replaceAll(/\s+/g, ' ');
}

/** A daemon without a custody API that has received nothing. */
export const CALM: DaemonStatus = {
  notices: [],
  creditLatency: null,
  store: 'writable',
  receiver: null,
  receivers: [],
  custody: null,
  queue: { queued: 0, limit: 10_000 },
  countedFromMs: 0,
  perMinute: [],
};

/** A browser of one person, or of a stranger: it keeps the session's cookie. */
export class Browser {
  readonly #app: ReturnType<typeof createConsole>;
  readonly #cookie: string;

  constructor(app: ReturnType<typeof createConsole>, cookie = '') {
    this.#app = app;
    this.#cookie = cookie;
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#cookie !== '') headers.set('Cookie', this.#cookie);
    return Promise.resolve(this.#app.request(path, { ...init, headers }));
  }

  /** The page's text, white space collapsed. */
  async get(path = '/console'): Promise<string> {
    return (await (await this.request(path)).text()).replaceAll(/[ \n]+/g, ' ');
  }

  /** Sends a form of the console. */
  post(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Response> {
    const body = new URLSearchParams(fields);
    return this.request(path, { method: 'POST', body, headers: OWN_PAGE });
  }

  /** Sends a form and opens the page that the answer leads to, with its message. */
  async send(path: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
    const answer = await this.post(path, fields);
    const to = answer.headers.get('Location');
    if (answer.status !== 303 || to === null) throw new Error(`${path}: ${answer.status}`);
    return this.get(to);
  }
}

/** Everyone may look. */
export const PUBLIC = { isPublic: true } as const;

/** Options of a console, and how its visitors sign in. */
export interface ConsoleTestOptions extends Partial<ConsoleOptions> {
  /** Everyone may look. */
  readonly isPublic?: boolean;
  readonly provider?: ProviderSettings;
  readonly sessionFile?: SessionFile;
}

/** A console over a store of its own, beside the API through which it acts. */
export class ConsoleUnderTest {
  readonly api: ApiUnderTest;
  readonly changes = new Changes();
  readonly service = new Service();
  readonly app: ReturnType<typeof createConsole>;
  /** A browser without a session. */
  readonly stranger: Browser;

  constructor(api: ApiUnderTest, given: ConsoleTestOptions = {}) {
    const { isPublic = false, provider, sessionFile, ...options } = given;
    this.api = api;
    onTestFinished(() => this.changes.close());
    // Each look is a second later than the one before, so that none is shared.
    let extraMs = 0;
    this.app = createConsole({
      reads: api.reads,
      document: documentsFrom(api.reads),
      table: tablesFrom(api.reads),
      now: () => api.open.at + (extraMs += 1_000),
      timezone: 'UTC',
      access: {
        kind: isPublic ? 'public' : 'token',
        identify: api.tokens.identify,
        callerOf: api.tokens.callerOf,
        people: api.people,
        provider,
        sessionFile,
      },
      acting: actingOn(api.app),
      changes: this.changes,
      status: () => CALM,
      overdueFrom: () => undefined,
      nextDueAt: () => Date.parse('2025-11-21T00:05:00Z'),
      secure: false,
      idleMsMax: 12 * 3_600_000,
      ...options,
    });
    this.stranger = new Browser(this.app);
  }

  get open(): ApiUnderTest['open'] {
    return this.api.open;
  }

  /** A browser in which a person has signed in. */
  async as(person: Person): Promise<Browser> {
    const answer = await this.stranger.post('/console/session', { token: tokenOf(person) });
    const cookie = (answer.headers.get('Set-Cookie') ?? '').split(';')[0] ?? '';
    if (answer.status !== 303) throw new Error(`${person} could not sign in: ${answer.status}`);
    return new Browser(this.app, cookie);
  }
}

/** A console over a fresh store with the policy "six confirmations". */
export async function consoleUnderTest(
  options: ConsoleTestOptions = {},
): Promise<ConsoleUnderTest> {
  return new ConsoleUnderTest(await apiUnderTest(), options);
}

/** A console over a deposit whose credit the feed has reversed after a rollback. */
export async function consoleAfterReversal(): Promise<ConsoleUnderTest> {
  const console = await consoleUnderTest();
  const { open, service } = console;
  await open.deliver(service.confirmed(6));
  await verifyWith(open);
  await open.deliver(service.incoming('rollback'));
  await verifyWith(open, { status: 'rolledback' });
  return console;
}
