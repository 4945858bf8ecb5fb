import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { createMiddleware } from 'hono/factory';
import type { Caller, Identify } from '../api/access.ts';
import type { SignedInPeople } from '../api/people/signed-in-people.ts';
import type { Acting } from '../api/acting.ts';
import { mountAssets } from '../pages/assets/assets.ts';
import { readForm } from '../pages/frame/form-body.ts';
import { mountHeaders, ownForms } from '../pages/frame/headers.ts';
import type { Section } from '../pages/frame/site.ts';
import { mountAccess } from './access/access.tsx';
import { mountAudit } from './audit/audit.tsx';
import { mountBooks } from './books/books.tsx';
import { mountBreaks } from './breaks/breaks.tsx';
import { mountClose } from './close/close.tsx';
import { mountFeed } from './feed/feed.tsx';
import type { ConsoleContext, ConsoleEnv, PageRequest } from './frame/context.ts';
import { roomContext } from './frame/room-context.tsx';
import {
  askToSendAgain,
  askToSignIn,
  mountSigningIn,
  sessionIdOf,
  type SignInSite,
} from './frame/signing-in.tsx';
import { mountJournal } from './journal/journal.tsx';
import type { Changes } from './live/changes.ts';
import { liveStream } from '../pages/live/stream.ts';
import { mountDeposits } from './deposits/deposits.tsx';
import type { DaemonStatus } from './overview/daemon-status.ts';
import type { DayCloses } from './parts/journal-days.ts';
import { mountOverview } from './overview/overview.tsx';
import { mountPolicy } from './policy/policy.tsx';
import { mountQuarantine } from './quarantine/quarantine.tsx';
import { mountRuns } from './runs/runs.tsx';
import { mountSearch } from './search/search.tsx';
import { IdentityProvider, type ProviderSettings } from './session/identity-provider.ts';
import type { SessionFile } from './session/session-file.ts';
import { mountWithdrawals } from './withdrawals/withdrawals.tsx';
import { mountSettings } from './settings/settings.tsx';
import { Sessions } from './session/session.ts';

/** Larger than any form: the longest changes a policy. */
const FORM_BYTES_MAX = 512 * 1024;
/** A sign-in form holds a token. */
const SIGN_IN_BYTES_MAX = 4 * 1024;

/**
 * Who may see the console: everyone (for demonstrations), or holders of an API token. Only who has
 * signed in with a token may act.
 */
export interface ConsoleAccess {
  readonly kind: 'public' | 'token';
  readonly identify: Identify;
  /** The caller of the token with this SHA-256 (hex), while it is active. */
  readonly callerOf: (sha256: string) => Caller | undefined;
  /** Notes who signs in. */
  readonly people: SignedInPeople;
  /** Keeps sessions over a restart; absent: a restart signs everybody out. */
  readonly sessionFile?: SessionFile | undefined;
  /** An OpenID Connect provider at which people sign in too. */
  readonly provider?: ProviderSettings | undefined;
}

export interface ConsoleOptions
  extends DayCloses, Pick<ConsoleContext, 'reads' | 'document' | 'table' | 'now'> {
  readonly access: ConsoleAccess;
  /** Calls the API as the signed-in person. */
  readonly acting: Acting;
  /** What commits change, for open pages. */
  readonly changes: Changes;
  /** The daemon's own state, besides its store. */
  readonly status: () => DaemonStatus;
  /** Whether browsers use TLS; then the page and the cookie require it. */
  readonly secure: boolean;
  /** A session ends after this many milliseconds without an action. */
  readonly idleMsMax: number;
}

/** The navigation, in order. Each room mounts its own routes below its path. */
const SECTIONS: readonly Section[] = [
  { name: 'Overview', path: '/console', key: 'o' },
  { name: 'Deposits', path: '/console/deposits', key: 'd' },
  { name: 'Feed', path: '/console/feed', key: 'f' },
  { name: 'Withdrawals', path: '/console/withdrawals', key: 'w' },
  { name: 'Books', path: '/console/books', key: 'l' },
  { name: 'Breaks', path: '/console/breaks', key: 'b' },
  { name: 'Close', path: '/console/close', key: 'c' },
  { name: 'Policy', path: '/console/policy', key: 'p' },
  { name: 'Quarantine', path: '/console/quarantine', key: 'q' },
  { name: 'Runs', path: '/console/runs', key: 'r' },
  { name: 'Audit', path: '/console/audit', key: 'a' },
  { name: 'Settings', path: '/console/settings', key: 's' },
  { name: 'Access', path: '/console/access', key: 't' },
];

function mountRooms(app: Hono<ConsoleEnv>, context: ConsoleContext, options: ConsoleOptions): void {
  mountOverview(app, context, options);
  mountDeposits(app, context);
  mountFeed(app, context);
  mountWithdrawals(app, context);
  mountBooks(app, context);
  mountBreaks(app, context);
  mountQuarantine(app, context);
  mountJournal(app, context);
  mountClose(app, context, options);
  mountPolicy(app, context);
  mountRuns(app, context);
  mountAudit(app, context);
  mountSettings(app, context);
  mountSearch(app, context);
  mountAccess(app, context);
}

/** Whether a person asks. The script of an open page does not, nor a page that reloads itself. */
function isByPerson(pageRequest: PageRequest): boolean {
  const { path } = pageRequest.req;
  if (path === '/console/live' || pageRequest.req.header('X-Live') !== undefined) return false;
  return pageRequest.req.query('reload') === undefined;
}

/** Whether a person sends a form. A program, which wants no page, reads a short text instead. */
function isFormOfPerson({ req }: PageRequest): boolean {
  return req.method === 'POST' && req.header('Accept')?.includes('text/html') === true;
}

/**
 * Admits visitors with a session, and says who they are. Everybody else is asked to sign in, or only
 * looks where the console is public.
 */
function admit(access: ConsoleAccess, sessions: Sessions, site: SignInSite) {
  return createMiddleware<ConsoleEnv>(async (pageRequest, next) => {
    const id = sessionIdOf(pageRequest);
    if (isByPerson(pageRequest)) sessions.acted(id);
    const visitor = sessions.visitor(id);
    if (visitor === undefined || id === undefined) {
      if (isFormOfPerson(pageRequest)) return askToSendAgain(pageRequest, site);
      if (access.kind === 'public') return next();
      const isPage = pageRequest.req.method === 'GET' && isByPerson(pageRequest);
      if (isPage) return askToSignIn(pageRequest, site, { status: 200, refused: null });
      return pageRequest.text('Sign in at /console.', 401);
    }
    pageRequest.set('visitor', visitor);
    pageRequest.set('sessionId', id);
    return next();
  });
}

/** The web pages. They read the store, and act through the API as the signed-in person. */
export function createConsole(options: ConsoleOptions): Hono<ConsoleEnv> {
  const { access, changes, now, secure } = options;
  const app = new Hono<ConsoleEnv>();
  const provider = access.provider && new IdentityProvider(access.provider);
  const sessions = new Sessions({
    ...options,
    file: access.sessionFile,
    callerOf: (credential) =>
      credential.kind === 'token'
        ? access.callerOf(credential.sha256)
        : provider?.callerOf(credential),
  });
  access.people.sessions.keptBy(sessions);
  mountHeaders(app, { below: '/console', secure });
  app.get('/', (pageRequest) => pageRequest.redirect('/console', 302));
  app.get('/console/', (pageRequest) => pageRequest.redirect('/console', 308));
  const assets = mountAssets(app, '/console/assets');
  app.use('/console/*', ownForms);
  app.use('/console/session/*', bodyLimit({ maxSize: SIGN_IN_BYTES_MAX }));
  app.use('/console/*', readForm(FORM_BYTES_MAX));
  const signIn = { assets, provider };
  mountSigningIn(app, sessions, { ...access, now, secure, site: signIn });
  app.use('/console/*', admit(access, sessions, signIn));
  app.get('/console/live', (pageRequest) => {
    const id = pageRequest.get('sessionId');
    const isAllowed = (): boolean => id === undefined || sessions.visitor(id) !== undefined;
    return liveStream(pageRequest, changes, isAllowed);
  });
  const site = {
    name: 'Counterfoil',
    home: '/console',
    assets,
    sections: SECTIONS,
    search: { action: '/console/search', label: 'Search by id, hash, address, memo or day' },
    live: { stream: '/console/live', acted: '/console/session/acted' },
  };
  const context = roomContext({ ...options, sessions, site });
  mountRooms(app, context, options);
  // A program reads the API's problem instead, which the next application answers.
  app.get('/console/*', (pageRequest, next) => {
    const isForPerson = pageRequest.req.header('Accept')?.includes('text/html') === true;
    if (!isForPerson) return next();
    return context.missing(pageRequest, `No page is at ${pageRequest.req.path}.`);
  });
  return app;
}
