import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { createHash, randomBytes } from 'node:crypto';
import { tokenVersion, type TokenDecision } from '../../domain/access/token.ts';
import { needs, type ApiEnv, type Caller } from '../access.ts';
import { recordDecision, reasonText } from '../exchange/decision.ts';
import { basedReason } from '../basis.ts';
import { isoTime, isoTimeOrNull, jsonBody, nameText, timeText } from '../formats.ts';
import { given, noQuery } from '../paging.ts';
import { answers, BODY_PROBLEMS, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { ROLES } from '../../domain/access/role.ts';
import type { ListedToken } from './token-book.ts';

const tags = ['Access'];
const TOKEN_BYTES = 32;

/** Actors of the journal that are no person. */
const RESERVED: ReadonlySet<string> = new Set(['config', 'restore', 'reconciler']);

const tokenName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/,
    'must be 1 to 64 letters, digits or ._@- that begin with a letter or digit',
  )
  .refine((name) => !RESERVED.has(name), 'is a name that the journal uses for programs')
  .openapi({ description: 'The journal records it as the actor. A name is used once.' });

const tokenFields = {
  name: z.string(),
  role: z.enum(ROLES),
  source: z
    .enum(['config', 'api'])
    .openapi({ description: '`config`: of `api.tokens`. `api`: a person made it at run time.' }),
  state: z.enum(['active', 'revoked']),
  version: z.string().nullable().openapi({
    description:
      'Send it with a rotation, and as `basis` of a revocation. Null in the configuration.',
    example: 'tok_12',
  }),
  changedAt: timeText.nullable(),
  changedBy: z.string().nullable(),
  reason: z.string().nullable().openapi({ description: 'Of its last change.' }),
  lastUsedAt: timeText.nullable().openapi({ description: 'Since the daemon started.' }),
};

const tokenSchema = z.object(tokenFields).openapi('Token');

const issuedSchema = z
  .object({
    ...tokenFields,
    token: z.string().openapi({ description: 'The token. No later call shows it again.' }),
  })
  .openapi('IssuedToken');

const personSchema = z
  .object({
    name: z.string(),
    role: z.enum(ROLES),
    by: z.enum(['token', 'provider']),
    lastSignedInAt: timeText,
  })
  .openapi('SignedInPerson');

/** A token as the API shows it. */
export type TokenView = z.infer<typeof tokenSchema>;
export type PersonView = z.infer<typeof personSchema>;

function tokenView({ changedSeq, ...token }: ListedToken): z.infer<typeof tokenSchema> {
  return {
    ...token,
    version: changedSeq === null ? null : tokenVersion(changedSeq),
    changedAt: isoTimeOrNull(token.changedAt),
    lastUsedAt: isoTimeOrNull(token.lastUsedAt),
  };
}

const listTokens = createRoute({
  method: 'get',
  path: '/v1/tokens',
  operationId: 'listTokens',
  tags,
  summary: 'Every token with its role and last use; never the token itself',
  ...needs('read-access'),
  request: { query: noQuery },
  responses: answers({
    description: 'The tokens',
    schema: z.object({ data: z.array(tokenSchema) }).openapi('Tokens'),
  }),
});

const listPeople = createRoute({
  method: 'get',
  path: '/v1/people',
  operationId: 'listPeople',
  tags,
  summary: 'Who has signed in at the console, the newest sign-in first',
  ...needs('read-access'),
  request: { query: noQuery },
  responses: answers({
    description: 'The people',
    schema: z.object({ data: z.array(personSchema) }).openapi('People'),
  }),
});

const issued = { description: 'The token, which is shown only here', schema: issuedSchema };

const createToken = createRoute({
  method: 'post',
  path: '/v1/tokens',
  operationId: 'createToken',
  tags,
  summary: 'Make a token; it works at once and after a restart',
  ...needs('manage-access'),
  request: {
    query: noQuery,
    body: jsonBody(
      z
        .strictObject({ name: tokenName, role: z.enum(ROLES), reason: reasonText })
        .openapi('NewToken'),
    ),
  },
  responses: answers(issued, ['conflict', ...BODY_PROBLEMS]),
});

const params = z.strictObject({ name: nameText(256) });

const rotateToken = createRoute({
  method: 'post',
  path: '/v1/tokens/{name}/rotate',
  operationId: 'rotateToken',
  tags,
  summary: 'Replace a token by a new one, with another role if given; the old one stops at once',
  ...needs('manage-access'),
  request: {
    params,
    query: noQuery,
    body: jsonBody(
      z
        .strictObject({
          version: z
            .string()
            .regex(/^tok_[0-9]{1,15}$/, 'must be the version of the token that you read')
            .openapi({ description: 'Another one is refused with 412.', example: 'tok_12' }),
          role: z.enum(ROLES).optional().openapi({ description: 'Its role from now on.' }),
          reason: reasonText,
        })
        .openapi('TokenRotation'),
    ),
  },
  responses: answers(issued, [...WRITE_PROBLEMS, 'precondition-failed']),
});

const revokeToken = createRoute({
  method: 'post',
  path: '/v1/tokens/{name}/revoke',
  operationId: 'revokeToken',
  tags,
  summary: 'Revoke a token for good; its calls and sessions end at once',
  ...needs('manage-access'),
  request: { params, query: noQuery, body: jsonBody(basedReason) },
  responses: answers({ description: 'The revoked token', schema: tokenSchema }, WRITE_PROBLEMS),
});

function newToken(): { readonly token: string; readonly sha256: string } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, sha256: createHash('sha256').update(token).digest('hex') };
}

/** `/v1/tokens` and `/v1/people`: who may call, and who has signed in. */
export function mountTokens(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { tokens, people } = services.access;
  const shown = (name: string): z.infer<typeof tokenSchema> => {
    const found = tokens.list().find((one) => one.source === 'api' && one.name === name);
    if (found === undefined) throw new Error(`the token ${name} is not in the book`);
    return tokenView(found);
  };
  const record = async (caller: Caller, decision: TokenDecision) => {
    const { name } = decision;
    if (tokens.isConfigured(name)) {
      const detail = `The token ${name} is in the configuration (api.tokens): change it there, and restart the daemon.`;
      throw new ProblemError({ kind: 'conflict', detail });
    }
    await recordDecision(services, caller, decision);
    await services.access.changed();
    return shown(name);
  };
  app.openapi(listTokens, (context) => context.json({ data: tokens.list().map(tokenView) }, 200));
  app.openapi(listPeople, (context) => {
    const data = people
      .list()
      .map(({ lastSignedInAt, ...one }) => ({ ...one, lastSignedInAt: isoTime(lastSignedInAt) }));
    return context.json({ data }, 200);
  });
  app.openapi(createToken, async (context) => {
    const { token, sha256 } = newToken();
    const decision = { kind: 'create-token', ...context.req.valid('json'), sha256 } as const;
    const made = await record(context.get('caller'), decision);
    return context.json({ ...made, token }, 200);
  });
  app.openapi(rotateToken, async (context) => {
    const { name } = context.req.valid('param');
    const { version, ...more } = context.req.valid('json');
    const { token, sha256 } = newToken();
    const replaces = Number(version.slice('tok_'.length));
    const decision = { kind: 'rotate-token', name, sha256, replaces, ...given(more) } as const;
    const rotated = await record(context.get('caller'), decision);
    return context.json({ ...rotated, token }, 200);
  });
  app.openapi(revokeToken, async (context) => {
    const { name } = context.req.valid('param');
    const decision = { kind: 'revoke-token', name, ...given(context.req.valid('json')) } as const;
    const revoked = await record(context.get('caller'), decision);
    return context.json(revoked, 200);
  });
}
