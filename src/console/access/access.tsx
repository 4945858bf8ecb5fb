import type { Hono } from 'hono';
import type { ApiCall, ProblemShown } from '../../api/acting.ts';
import type { SessionView } from '../../api/people/sessions.ts';
import type { PersonView, TokenView } from '../../api/people/tokens.ts';
import { basisIn, textOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { ProblemNotice } from '../../pages/parts/notice.tsx';
import type { Written } from '../../pages/parts/written-text.tsx';
import type { ConsoleContext, ConsoleEnv, PageRequest } from '../frame/context.ts';
import { inFormWords } from '../frame/form-words.ts';
import { refusalStatus } from '../frame/refusal-status.ts';
import { writtenIn } from '../frame/written.ts';
import { AccessPage, IssuedPage, PATH } from './access-page.tsx';
import { SESSIONS_PATH } from './sessions-card.tsx';

const TOKENS = { method: 'GET', path: '/v1/tokens' } as const;
const PEOPLE = { method: 'GET', path: '/v1/people' } as const;
const SESSIONS = { method: 'GET', path: '/v1/sessions' } as const;
const CREATE = { method: 'POST', path: '/v1/tokens' } as const;

/** Signing a person out. */
function mountSignOut(app: Hono<ConsoleEnv>, { may, denied, perform }: ConsoleContext): void {
  app.post(`${SESSIONS_PATH}/:id/end`, async (pageRequest) => {
    if (!may(pageRequest, CREATE)) return denied(pageRequest, CREATE);
    const reason = textOf(await pageRequest.req.parseBody(), 'reason');
    return perform(pageRequest, {
      method: 'POST',
      path: `/v1/sessions/${encodeURIComponent(pageRequest.req.param('id'))}/end`,
      body: { reason },
      done: 'The person is signed out.',
      back: PATH,
    });
  });
}

/** `/console/access`: tokens and people; an admin makes, rotates and revokes tokens, and signs people out. */
export function mountAccess(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { show, may, act, denied, perform } = context;
  const listOf = async <Item,>(
    pageRequest: PageRequest,
    call: ApiCall,
  ): Promise<readonly Item[]> => {
    const result = await act(pageRequest, call);
    return result.kind === 'done' ? (result.body as { readonly data: readonly Item[] }).data : [];
  };
  const list = async (pageRequest: PageRequest, problem?: ProblemShown, written: Written = []) => {
    const body = (
      <>
        {problem !== undefined && <ProblemNotice problem={{ ...problem, written }} />}
        <AccessPage
          tokens={await listOf<TokenView>(pageRequest, TOKENS)}
          people={await listOf<PersonView>(pageRequest, PEOPLE)}
          sessions={await listOf<SessionView>(pageRequest, SESSIONS)}
          mayManage={may(pageRequest, CREATE)}
        />
      </>
    );
    return show(
      pageRequest,
      { title: 'Tokens and people', body },
      problem === undefined ? 200 : refusalStatus(problem),
    );
  };
  /** Shows the new token at once: a redirect would have to keep it. */
  const issue = async (pageRequest: PageRequest, call: ApiCall): Promise<Response> => {
    const result = await act(pageRequest, call);
    if (result.kind === 'refused') {
      return list(pageRequest, inFormWords(result.problem), writtenIn(call));
    }
    const { name, token } = result.body as { readonly name: string; readonly token: string };
    return show(pageRequest, {
      title: 'New token',
      body: <IssuedPage name={name} token={token} />,
    });
  };
  mountSignOut(app, context);
  app.get(PATH, (pageRequest) =>
    may(pageRequest, TOKENS) ? list(pageRequest) : denied(pageRequest, TOKENS),
  );
  app.post(PATH, async (pageRequest) => {
    if (!may(pageRequest, CREATE)) return denied(pageRequest, CREATE);
    const { name, role, reason } = await pageRequest.req.parseBody();
    return issue(pageRequest, { ...CREATE, body: { name, role, reason } });
  });
  app.post(`${PATH}/:name/rotate`, async (pageRequest) => {
    if (!may(pageRequest, CREATE)) return denied(pageRequest, CREATE);
    const { version, reason, role } = await pageRequest.req.parseBody();
    const given = role === undefined ? {} : { role };
    const path = `/v1/tokens/${encodeURIComponent(pageRequest.req.param('name'))}/rotate`;
    return issue(pageRequest, { method: 'POST', path, body: { version, reason, ...given } });
  });
  app.post(`${PATH}/:name/revoke`, async (pageRequest) => {
    if (!may(pageRequest, CREATE)) return denied(pageRequest, CREATE);
    const name = pageRequest.req.param('name');
    const fields: Fields = await pageRequest.req.parseBody();
    return perform(pageRequest, {
      method: 'POST',
      path: `/v1/tokens/${encodeURIComponent(name)}/revoke`,
      body: { reason: textOf(fields, 'reason'), ...basisIn(fields) },
      done: `The token ${name} is revoked.`,
      back: PATH,
    });
  });
}
