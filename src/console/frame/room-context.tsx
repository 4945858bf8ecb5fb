import { html } from 'hono/html';
import type { Caller } from '../../api/access.ts';
import type { Acting, ApiCall, ApiResult, ApiRoute } from '../../api/acting.ts';
import { FramedPage } from '../../pages/frame/document.tsx';
import type { Message } from '../../pages/parts/notice.tsx';
import type { Site } from '../../pages/frame/site.ts';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { roleRefusal } from '../parts/missing-role.ts';
import type { Sessions } from '../session/session.ts';
import type { Action, Actions, ConsoleContext, PageRequest } from './context.ts';
import { inFormWords } from './form-words.ts';
import { Person } from './person.tsx';
import { sectionsFor } from './sections.ts';
import { writtenIn } from './written.ts';

const NOBODY = 'Nobody is signed in';

const READ_ONLY: ApiResult = {
  kind: 'refused',
  problem: { status: 403, title: NOBODY, detail: 'Sign in with an API token, and try again.' },
};

/** A form that is wrong before the API is called. */
function invalid(detail: string): ApiResult {
  return { kind: 'refused', problem: { status: 400, title: 'The form is not valid', detail } };
}

/** Most different refusals that one message repeats. */
const REFUSALS_SHOWN_MAX = 3;
/** Most ids that it names beside each. */
const IDS_SHOWN_MAX = 10;

/** The message about one call. */
function messageOf(result: ApiResult, action: Omit<Action, 'back'>): Message {
  const { done, doubts } = action;
  if (result.kind === 'refused') {
    const { title, detail } = inFormWords(result.problem);
    const written = writtenIn({ body: action.written ?? action.body });
    return { tone: 'alarm', title, detail, written };
  }
  const doubt = doubts?.(result.body) ?? null;
  return doubt === null ? { tone: 'good', title: done, detail: null } : { tone: 'alarm', ...doubt };
}

const NOTHING_CHOSEN = {
  tone: 'alarm',
  title: 'Nothing was chosen',
  detail: 'Tick the boxes of the rows that you mean, and try again.',
} as const satisfies Message;

/** A refusal with the id of its thing. */
interface Refused {
  readonly about: string;
  readonly detail: string;
}

/** `brk_1, brk_2 and 9 more: it changed since you read it.` */
function refusalText(detail: string, refused: readonly Refused[]): string {
  const ids = refused.filter((one) => one.detail === detail).map(({ about }) => about);
  const more = ids.length > IDS_SHOWN_MAX ? ` and ${ids.length - IDS_SHOWN_MAX} more` : '';
  return `${ids.slice(0, IDS_SHOWN_MAX).join(', ')}${more}: ${detail}`;
}

/** The message about several calls; each refusal of some of them is repeated once. */
function messageOfAll(results: readonly ApiResult[], actions: Omit<Actions, 'back'>): Message {
  const { calls, done } = actions;
  const written = writtenIn({ body: actions.written });
  if (calls.length === 0) return { ...NOTHING_CHOSEN, written };
  const refused = results.flatMap((one, index) =>
    one.kind === 'refused'
      ? [{ ...inFormWords(one.problem), about: calls[index]?.about ?? '' }]
      : [],
  );
  const [first] = refused;
  const count = results.length - refused.length;
  if (first === undefined) return { tone: 'good', title: done(count), detail: null };
  const title = count === 0 ? first.title : `${done(count)} ${refused.length} refused.`;
  const details = [...new Set(refused.map(({ detail }) => detail))].slice(0, REFUSALS_SHOWN_MAX);
  // Of one cause that refused every row, no row needs to be named.
  const detail =
    count === 0 && details.length === 1
      ? first.detail
      : details.map((one) => refusalText(one, refused)).join(' ');
  return { tone: 'alarm', title, detail, written };
}

const NOT_ALLOWED = 'Your role does not allow this';

/** Why the visitor's role does not allow a call, and whom to ask; null when it does. */
function whyNot(acting: Acting, visitor: Caller, call: ApiRoute): string | null {
  const permission = acting.missingPermission(visitor, call);
  return permission === null ? null : roleRefusal(visitor.role, permission);
}

function NotAllowed({ why }: { why: string | null }): Markup {
  return (
    <EmptyState title={why === null ? NOBODY : NOT_ALLOWED}>
      <p>{why ?? 'Sign in, and open the page again.'}</p>
    </EmptyState>
  );
}

/** What is missing, and the ways back. */
function Missing({ text, site }: { text: string; site: Site }): Markup {
  return (
    <EmptyState title={text}>
      <p>
        Check the address. <a href={site.search.action}>Search</a> by id, hash, address, memo or
        day, or open the <a href={site.home}>overview</a>.
      </p>
    </EmptyState>
  );
}

/** Answers with pages in the frame, with the message that the visitor's last action left. */
function showOn(
  site: Site,
  sessions: Sessions,
  may: ConsoleContext['may'],
): ConsoleContext['show'] {
  return async (pageRequest, page, status = 200) => {
    const isLive = pageRequest.req.header('X-Live') !== undefined;
    const { path } = pageRequest.req;
    const visitor = pageRequest.get('visitor');
    const { stream, acted } = site.live;
    const framed = (
      <FramedPage
        site={{ ...site, sections: sectionsFor(site.sections, (call) => may(pageRequest, call)) }}
        title={page.title}
        body={page.body}
        path={path}
        reloads={page.reloads === true}
        live={visitor === undefined ? { stream } : { stream, acted }}
        aside={
          <>
            <a href="/docs">API</a>
            <Person visitor={visitor} path={path} />
          </>
        }
        message={isLive ? null : sessions.takeMessage(pageRequest.get('sessionId'))}
      />
    );
    return pageRequest.html(html`<!doctype html>${framed}`, status);
  };
}

/** The frame's services for rooms of pages. */
export function roomContext(
  options: Pick<ConsoleContext, 'reads' | 'document' | 'table' | 'now' | 'timezone'> & {
    readonly acting: Acting;
    readonly sessions: Sessions;
    readonly site: Site;
  },
): ConsoleContext {
  const { reads, document, table, now, timezone, acting, sessions, site } = options;
  const may: ConsoleContext['may'] = (pageRequest, call) => {
    const visitor = pageRequest.get('visitor');
    return visitor !== undefined && acting.missingPermission(visitor, call) === null;
  };
  const show = showOn(site, sessions, may);
  const act = async (pageRequest: PageRequest, call: ApiCall): Promise<ApiResult> => {
    // Again: the session may have ended while the form was on its way.
    const visitor = sessions.visitor(pageRequest.get('sessionId'));
    if (visitor === undefined) return READ_ONLY;
    const result = await acting.call(visitor, call);
    if (result.kind === 'done' || result.problem.status !== 403) return result;
    // The API speaks to programs of permissions; a person reads whom to ask.
    const detail = whyNot(acting, visitor, call) ?? result.problem.detail;
    return { kind: 'refused', problem: { status: 403, title: NOT_ALLOWED, detail } };
  };
  return {
    reads,
    document,
    table,
    now,
    timezone,
    show,
    missing: (pageRequest, text) =>
      show(pageRequest, { title: 'Not found', body: <Missing text={text} site={site} /> }, 404),
    denied: (pageRequest, call) => {
      const visitor = pageRequest.get('visitor');
      const why = visitor === undefined ? null : whyNot(acting, visitor, call);
      return show(pageRequest, { title: 'Not allowed', body: <NotAllowed why={why} /> }, 403);
    },
    may,
    act,
    perform: async (pageRequest, { back, ...action }) => {
      const { problem = null } = action;
      const result = problem === null ? await act(pageRequest, action) : invalid(problem);
      sessions.leave(pageRequest.get('sessionId'), messageOf(result, action));
      return pageRequest.redirect(back, 303);
    },
    performAll: async (pageRequest, { back, ...actions }) => {
      // Together, so that the store commits them together.
      const results = await Promise.all(actions.calls.map((call) => act(pageRequest, call)));
      sessions.leave(pageRequest.get('sessionId'), messageOfAll(results, actions));
      return pageRequest.redirect(back, 303);
    },
  };
}
