import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import {
  BREAK_TYPES,
  differenceOf,
  type Break,
  type BreakEvent,
  type BreakState,
} from '../domain/break.ts';
import { BreakId } from '../domain/ids.ts';
import { authorize, type ApiEnv } from './access.ts';
import { decide, reasonBody } from './decision.ts';
import { filter, given, idParams, listAnswer, listOf, noQuery, pageQuery } from './list.ts';
import { answers, notFound, WRITE_PROBLEMS } from './problem.ts';
import type { Services } from './services.ts';
import { amountText, isoTime, isoTimeOrNull, timeText } from './value.ts';

const tags = ['Breaks'];

const breakState = z.enum({
  open: 'open',
  investigating: 'investigating',
  resolved: 'resolved',
} as const satisfies { [State in BreakState]: State });

const breakFields = {
  breakId: z.string(),
  type: z.enum(BREAK_TYPES),
  severity: z.enum(['info', 'warning', 'critical']),
  state: breakState,
  vaultId: z.string().nullable(),
  network: z.string().nullable(),
  blockchainHash: z.string().nullable(),
  asset: z.string().nullable(),
  transactionId: z.string().nullable(),
  depositId: z.string().nullable(),
  expected: amountText.nullable().openapi({ description: "The custody's side." }),
  actual: amountText.nullable().openapi({ description: 'Our side.' }),
  difference: amountText.nullable().openapi({ description: 'actual − expected.' }),
  detail: z.string(),
  openedAt: timeText,
  updatedAt: timeText,
  resolvedAt: timeText.nullable(),
  resolvedBy: z.string().nullable(),
  resolution: z.string().nullable(),
};

const breakSchema = z.object(breakFields).openapi('Break');

const eventSchema = z
  .object({
    at: timeText,
    actor: z.string(),
    action: z.enum(['opened', 'investigating', 'resolved']),
    reason: z.string(),
  })
  .openapi('BreakEvent');

const breakWithHistorySchema = z
  .object({ ...breakFields, history: z.array(eventSchema) })
  .openapi('BreakWithHistory');

function breakView(one: Break): z.infer<typeof breakSchema> {
  return {
    breakId: one.breakId,
    type: one.type,
    severity: one.severity,
    state: one.state,
    vaultId: one.subject.vaultId,
    network: one.subject.network,
    blockchainHash: one.subject.blockchainHash,
    asset: one.subject.asset,
    transactionId: one.subject.transactionId,
    depositId: one.subject.depositId,
    expected: one.expected?.toString() ?? null,
    actual: one.actual?.toString() ?? null,
    difference: differenceOf(one)?.toString() ?? null,
    detail: one.detail,
    openedAt: isoTime(one.openedAt),
    updatedAt: isoTime(one.updatedAt),
    resolvedAt: isoTimeOrNull(one.resolvedAt),
    resolvedBy: one.resolvedBy,
    resolution: one.resolution,
  };
}

function historyView(events: readonly BreakEvent[]): z.infer<typeof eventSchema>[] {
  return events.map(({ at, actor, action, reason }) => ({
    at: isoTime(at),
    actor,
    action,
    reason,
  }));
}

const listBreaks = createRoute({
  method: 'get',
  path: '/v1/breaks',
  operationId: 'listBreaks',
  tags,
  summary: 'Differences, newest first; without `state` the resolved ones too',
  request: {
    query: z.strictObject({
      state: breakState.optional(),
      type: z.enum(BREAK_TYPES).optional(),
      vaultId: filter(),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of breaks', schema: listOf(breakSchema) }),
});

const oneBreak = { description: 'The break with its history', schema: breakWithHistorySchema };

const getBreak = createRoute({
  method: 'get',
  path: '/v1/breaks/{id}',
  operationId: 'getBreak',
  tags,
  summary: 'One break, with who did what to it',
  request: { params: idParams, query: noQuery },
  responses: answers(oneBreak, ['not-found']),
});

function breakAction<Name extends string>(name: Name, summary: string) {
  return createRoute({
    method: 'post',
    path: `/v1/breaks/{id}/${name}` as const,
    operationId: `${name}Break`,
    tags,
    summary,
    middleware: authorize('operator'),
    request: {
      params: idParams,
      query: noQuery,
      body: { required: true, content: { 'application/json': { schema: reasonBody } } },
    },
    responses: answers(oneBreak, WRITE_PROBLEMS),
  });
}

const investigate = breakAction('investigate', 'Say that someone looks into it');
const resolve = breakAction(
  'resolve',
  'Close it with a reason; an unexplained movement is posted to suspense',
);

export function mountBreaks(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  const shown = async (id: string): Promise<z.infer<typeof breakWithHistorySchema>> => {
    const known = await reads.break(id);
    if (known === undefined) {
      throw notFound(`There is no break ${id}: list them with GET /v1/breaks.`);
    }
    return { ...breakView(known.found), history: historyView(known.history) };
  };
  app.openapi(listBreaks, async (context) => {
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.breaks(given(query), { page, pageSize });
    return context.json(listAnswer(found, breakView), 200);
  });
  app.openapi(getBreak, async (context) =>
    context.json(await shown(context.req.valid('param').id), 200),
  );
  for (const [route, kind] of [
    [investigate, 'investigate'],
    [resolve, 'resolve'],
  ] as const) {
    app.openapi(route, async (context) => {
      const { id } = context.req.valid('param');
      const { reason } = context.req.valid('json');
      await decide(services, context.get('caller'), { kind, breakId: BreakId(id), reason });
      return context.json(await shown(id), 200);
    });
  }
}
