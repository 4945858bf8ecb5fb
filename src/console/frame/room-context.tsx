import { html } from 'hono/html';
import type { Acting, ApiCall, ApiResult } from '../../api/acting.ts';
import type { Documents } from '../../report/document.ts';
import type { Reads } from '../../store/reads.ts';
import type { AssetUrls } from '../assets/assets.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import type { Message, Sessions } from '../session/session.ts';
import type { Actions, ConsoleContext, Page, Visit } from './context.ts';
import { FramedPage } from './document.tsx';
import { hrefIn, type Section } from './sections.ts';

const READ_ONLY: ApiResult = {
  kind: 'refused',
  problem: {
    status: 403,
    title: 'Nobody is signed in',
    detail: 'Sign in with an API token, and try again.',
  },
};

/** Most different refusals that one message repeats. */
const REFUSALS_SHOWN_MAX = 3;

/** The message about one call. */
function messageOf(result: ApiResult, done: string): Message {
  if (result.kind === 'done') return { tone: 'good', title: done, detail: null };
  const { title, detail } = result.problem;
  return { tone: 'alarm', title, detail };
}

const NOTHING_CHOSEN: Message = {
  tone: 'alarm',
  title: 'Nothing was chosen',
  detail: 'Tick the boxes of the rows that you mean, and try again.',
};

/** The message about several calls; each refusal of some of them is repeated once. */
function messageOfAll(results: readonly ApiResult[], { done }: Pick<Actions, 'done'>): Message {
  if (results.length === 0) return NOTHING_CHOSEN;
  const problems = results.flatMap((one) => (one.kind === 'refused' ? [one.problem] : []));
  const [first] = problems;
  const count = results.length - problems.length;
  if (first === undefined) return { tone: 'good', title: done(count), detail: null };
  const details = [...new Set(problems.map(({ detail }) => detail))];
  const detail = details.slice(0, REFUSALS_SHOWN_MAX).join(' ');
  const title = count === 0 ? first.title : `${done(count)} ${problems.length} refused.`;
  return { tone: 'alarm', title, detail };
}

/** The frame's services for rooms of pages. */
export function roomContext(options: {
  readonly reads: Reads;
  readonly document: Documents;
  readonly now: () => number;
  readonly acting: Acting;
  readonly sessions: Sessions;
  readonly assets: AssetUrls;
  readonly sections: readonly Section[];
}): ConsoleContext {
  const { reads, document, now, acting, sessions, assets, sections } = options;
  const show = async (visit: Visit, page: Page, status: 200 | 404 | 400 | 409 | 503 = 200) => {
    const isLive = visit.req.header('X-Live') !== undefined;
    const framed = (
      <FramedPage
        title={page.title}
        body={page.body}
        assets={assets}
        sections={sections}
        path={visit.req.path}
        reloads={page.reloads === true}
        visitor={visit.get('visitor')}
        message={isLive ? null : sessions.takeMessage(visit.get('sessionId'))}
      />
    );
    return visit.html(html`<!doctype html>${framed}`, status);
  };
  const act = async (visit: Visit, call: ApiCall): Promise<ApiResult> => {
    const visitor = visit.get('visitor');
    return visitor === undefined ? READ_ONLY : acting.call(visitor, call);
  };
  return {
    hrefOf: (subject, id) => hrefIn(sections, subject, id),
    reads,
    document,
    now,
    show,
    missing: (visit, text) =>
      show(visit, { title: 'Not found', body: <EmptyState title={text} /> }, 404),
    may: (visit, call) => {
      const visitor = visit.get('visitor');
      return visitor !== undefined && acting.permits(visitor, call);
    },
    act,
    perform: async (visit, { done, back, ...call }) => {
      const result = await act(visit, call);
      sessions.leave(visit.get('sessionId'), messageOf(result, done));
      return visit.redirect(back, 303);
    },
    performAll: async (visit, { calls, done, back }) => {
      // Together, so that the store commits them together.
      const results = await Promise.all(calls.map((call) => act(visit, call)));
      sessions.leave(visit.get('sessionId'), messageOfAll(results, { done }));
      return visit.redirect(back, 303);
    },
  };
}
