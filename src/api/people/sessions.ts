import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { needs, type ApiEnv } from '../access.ts';
import { reasonBody, recordDecision } from '../exchange/decision.ts';
import { isoTime, jsonBody, nameText, timeText } from '../formats.ts';
import { noQuery } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import type { OpenSession } from './open-sessions.ts';
import { ROLES } from '../../domain/access/role.ts';

const tags = ['Access'];
const ID_CHARACTERS_MAX = 64;

const sessionSchema = z
  .object({
    sessionId: z.string().openapi({ example: 'ses_6f1ed002ab559585' }),
    name: z.string(),
    role: z.enum(ROLES),
    by: z.enum(['token', 'provider']),
    signedInAt: timeText,
    actedAt: timeText.openapi({ description: 'When its person last acted.' }),
    endsAt: timeText.openapi({ description: 'At the latest; without an action it ends earlier.' }),
  })
  .openapi('OpenSession');

/** A session as the API shows it. */
export type SessionView = z.infer<typeof sessionSchema>;

function sessionView({ signedInAt, actedAt, endsAt, ...session }: OpenSession): SessionView {
  return {
    ...session,
    signedInAt: isoTime(signedInAt),
    actedAt: isoTime(actedAt),
    endsAt: isoTime(endsAt),
  };
}

const listSchema = z.object({ data: z.array(sessionSchema) }).openapi('OpenSessions');

const listSessions = createRoute({
  method: 'get',
  path: '/v1/sessions',
  operationId: 'listSessions',
  tags,
  summary: 'Open sessions of this daemon’s console, the newest sign-in first',
  ...needs('read-access'),
  request: { query: noQuery },
  responses: answers({ description: 'The sessions', schema: listSchema }),
});

const endSession = createRoute({
  method: 'post',
  path: '/v1/sessions/{id}/end',
  operationId: 'endSession',
  tags,
  summary: 'Sign a person out: the session ends at once; the token or the group stays valid',
  ...needs('manage-access'),
  request: {
    params: z.strictObject({ id: nameText(ID_CHARACTERS_MAX) }),
    query: noQuery,
    body: jsonBody(reasonBody),
  },
  responses: answers({ description: 'The remaining sessions', schema: listSchema }, WRITE_PROBLEMS),
});

function endedUnrecorded({ problem }: ProblemError): ProblemError {
  const detail =
    'The session has ended. The store did not confirm the decision, so the journal may lack it: look at the audit log.';
  return new ProblemError({ ...problem, detail });
}

/** `/v1/sessions`: who is signed in at the console now. An admin ends a session, with a reason. */
export function mountSessions(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { sessions } = services.access.people;
  const listed = (): SessionView[] => sessions.list().map(sessionView);
  app.openapi(listSessions, (context) => context.json({ data: listed() }, 200));
  app.openapi(endSession, async (context) => {
    const { id: sessionId } = context.req.valid('param');
    const open = sessions.list().find((one) => one.sessionId === sessionId);
    if (open === undefined) throw notFound(`No session ${sessionId} is open.`);
    const { reason } = context.req.valid('json');
    const decision = { kind: 'end-session', sessionId, name: open.name, reason } as const;
    try {
      await recordDecision(services, context.get('caller'), decision);
    } catch (error) {
      throw error instanceof ProblemError ? endedUnrecorded(error) : error;
    } finally {
      // Whatever the journal answers: it may hold the decision, and a stolen session must not last.
      sessions.end(sessionId);
    }
    return context.json({ data: listed() }, 200);
  });
}
