import type { Hono } from 'hono';
import type { ApiCall } from '../../api/acting.ts';
import type { PersonView, TokenView } from '../../api/people/tokens.ts';
import { ProblemNotice } from '../../pages/parts/problem-notice.tsx';
import type { ConsoleContext, ConsoleEnv, Visit } from '../frame/context.ts';
import { AccessPage, IssuedPage, PATH } from './access-page.tsx';

const TOKENS = { method: 'GET', path: '/v1/tokens' } as const;
const PEOPLE = { method: 'GET', path: '/v1/people' } as const;
const CREATE = { method: 'POST', path: '/v1/tokens' } as const;

/** `/console/access`: tokens and people; an admin makes, rotates and revokes tokens. */
export function mountAccess(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { show, may, act, denied, perform } = context;
  const listOf = async <Item,>(visit: Visit, call: ApiCall): Promise<readonly Item[]> => {
    const result = await act(visit, call);
    return result.kind === 'done' ? (result.body as { readonly data: readonly Item[] }).data : [];
  };
  const list = async (visit: Visit, problem?: { title: string; detail: string }) => {
    const body = (
      <>
        {problem === undefined ? '' : <ProblemNotice problem={problem} />}
        <AccessPage
          tokens={await listOf<TokenView>(visit, TOKENS)}
          people={await listOf<PersonView>(visit, PEOPLE)}
          mayManage={may(visit, CREATE)}
        />
      </>
    );
    return show(visit, { title: 'Tokens and people', body }, problem === undefined ? 200 : 409);
  };
  /** Shows the new token at once: a redirect would have to keep it. */
  const issue = async (visit: Visit, call: ApiCall): Promise<Response> => {
    const result = await act(visit, call);
    if (result.kind === 'refused') return list(visit, result.problem);
    const { name, token } = result.body as { readonly name: string; readonly token: string };
    return show(visit, { title: 'New token', body: <IssuedPage name={name} token={token} /> });
  };
  app.get(PATH, (visit) => (may(visit, TOKENS) ? list(visit) : denied(visit, TOKENS)));
  app.post(PATH, async (visit) => {
    if (!may(visit, CREATE)) return denied(visit, CREATE);
    const { name, role, reason } = await visit.req.parseBody();
    return issue(visit, { ...CREATE, body: { name, role, reason } });
  });
  app.post(`${PATH}/:name/rotate`, async (visit) => {
    if (!may(visit, CREATE)) return denied(visit, CREATE);
    const { version, reason, role } = await visit.req.parseBody();
    const given = role === undefined ? {} : { role };
    const path = `/v1/tokens/${encodeURIComponent(visit.req.param('name'))}/rotate`;
    return issue(visit, { method: 'POST', path, body: { version, reason, ...given } });
  });
  app.post(`${PATH}/:name/revoke`, async (visit) => {
    if (!may(visit, CREATE)) return denied(visit, CREATE);
    const name = visit.req.param('name');
    const { reason } = await visit.req.parseBody();
    return perform(visit, {
      method: 'POST',
      path: `/v1/tokens/${encodeURIComponent(name)}/revoke`,
      body: { reason },
      done: `The token ${name} is revoked.`,
      back: PATH,
    });
  });
}
