import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import {
  BREAK_ACTIONS,
  BREAK_STATES,
  BREAK_TYPES,
  differenceOf,
  partsOf,
  type BreakFigures,
} from '../../domain/break/break.ts';
import { breakText } from '../../domain/break/shown-text.ts';
import { cursorOf, type FeedRestore } from '../../domain/deposit/feed-cursor.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { BreakId } from '../../domain/ids.ts';
import type { StoredBreakEvent } from '../../store/records.ts';
import { BREAK_SORTS } from '../../store/queries.ts';
import type { ShownBreak } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { basedReason, basisText, versionField } from '../basis.ts';
import { recordDecision, reasonText, statement } from '../exchange/decision.ts';
import { filter, given, idParams, listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, notFound, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { amountText, isoTime, isoTimeOrNull, jsonBody, timeText, tooLong } from '../formats.ts';
import { breakState, breakSubject, severity } from './break-words.ts';

const tags = ['Breaks'];
const ASSIGNEE_CHARACTERS_MAX = 256;

const stateFilter = z
  .enum([...BREAK_STATES, 'unresolved'])
  .openapi({ description: '`unresolved`: open or under investigation.' });

const reversalSchema = z
  .object({
    creditId: z.string(),
    seq: z.int().openapi({ description: 'Its cursor in the feed.' }),
    reverses: z.string(),
    createdAt: timeText,
  })
  .openapi('BreakReversal');

const breakFields = {
  breakId: z.string(),
  type: z.enum(BREAK_TYPES),
  severity: severity.openapi({ description: 'The current severity: age may have raised it.' }),
  originalSeverity: severity.openapi({ description: 'The severity of the difference itself.' }),
  state: breakState,
  assignee: z.string().nullable().openapi({ description: 'The assignee, or null.' }),
  ageSeconds: z
    .int()
    .openapi({ description: 'Seconds since it opened; for a resolved one, until its resolution.' }),
  ...breakSubject,
  detail: z.string().openapi({
    description:
      'One sentence: its last finding and what to do now. After a reversal it says that the feed reversed the credit.',
  }),
  reversal: reversalSchema.nullable().openapi({
    description:
      'For `reversal_after_credit`: the feed item that reversed the credit, null until then. Null for every other type.',
  }),
  journalSeq: z.int().openapi({
    description:
      'Journal position of the newest fact that opened or changed it. `GET /v1/journal/{seq}/body` has the fact’s bytes; for `malformed`, `quarantined` and `id_conflict` the received body.',
  }),
  version: versionField,
  openedAt: timeText,
  updatedAt: timeText,
  resolvedAt: timeText.nullable(),
  resolvedBy: z.string().nullable(),
  resolution: z.string().nullable(),
};

const breakSchema = z.object(breakFields).openapi('Break');

const figuresSchema = z
  .object({
    expected: amountText.nullable(),
    actual: amountText.nullable(),
    difference: amountText.nullable(),
    severity,
  })
  .openapi('BreakFigures');

const eventSchema = z
  .object({
    at: timeText,
    actor: z.string(),
    action: z.enum(BREAK_ACTIONS),
    journalSeq: z.int().openapi({ description: 'Journal position of its fact.' }),
    reason: z.string().openapi({ description: 'The reason, or the text of a note.' }),
    before: figuresSchema.nullable(),
    after: figuresSchema.nullable().openapi({ description: 'Null when no figure changed.' }),
  })
  .openapi('BreakEvent');

const breakWithHistorySchema = z
  .object({ ...breakFields, history: z.array(eventSchema) })
  .openapi('BreakWithHistory');

/** The time of the answer (Unix milliseconds), and the restores that number the feed's items. */
interface Looking {
  readonly now: number;
  readonly restores: readonly FeedRestore[];
}

function reversalView(
  reversal: ShownBreak['reversal'],
  { restores }: Looking,
): z.infer<typeof reversalSchema> | null {
  if (reversal === null) return null;
  const { creditId, feedSeq, reverses, createdAt } = reversal;
  const seq = cursorOf(feedSeq, restores);
  return { creditId, seq, reverses, createdAt: isoTime(createdAt) };
}

function breakView(one: ShownBreak, looking: Looking): z.infer<typeof breakSchema> {
  const until = one.resolvedAt ?? looking.now;
  return {
    breakId: one.breakId,
    type: one.type,
    severity: one.severity,
    originalSeverity: one.originalSeverity,
    state: one.state,
    assignee: one.assignee,
    ageSeconds: Math.max(0, Math.floor((until - one.openedAt) / 1_000)),
    vaultId: one.subject.vaultId,
    network: one.subject.network,
    blockchainHash: one.subject.blockchainHash,
    asset: one.subject.asset,
    transactionId: one.subject.transactionId,
    depositId: one.subject.depositId,
    expected: one.expected?.toString() ?? null,
    actual: one.actual?.toString() ?? null,
    difference: differenceOf(one)?.toString() ?? null,
    detail: breakText(one),
    reversal: reversalView(one.reversal, looking),
    journalSeq: one.seq,
    version: versionText(partsOf(one)),
    openedAt: isoTime(one.openedAt),
    updatedAt: isoTime(one.updatedAt),
    resolvedAt: isoTimeOrNull(one.resolvedAt),
    resolvedBy: one.resolvedBy,
    resolution: one.resolution,
  };
}

function figuresView(figures: BreakFigures | null): z.infer<typeof figuresSchema> | null {
  if (figures === null) return null;
  return {
    expected: figures.expected?.toString() ?? null,
    actual: figures.actual?.toString() ?? null,
    difference: differenceOf(figures)?.toString() ?? null,
    severity: figures.severity,
  };
}

function historyView(events: readonly StoredBreakEvent[]): z.infer<typeof eventSchema>[] {
  return events.map(({ at, actor, action, seq, reason, before, after }) => ({
    at: isoTime(at),
    actor,
    action,
    journalSeq: seq,
    reason,
    before: figuresView(before),
    after: figuresView(after),
  }));
}

const listBreaks = createRoute({
  method: 'get',
  path: '/v1/breaks',
  operationId: 'listBreaks',
  tags,
  summary: 'Differences, newest first unless sorted; without `state` the resolved ones too',
  ...needs('read'),
  request: {
    query: z.strictObject({
      state: stateFilter.optional(),
      type: z.enum(BREAK_TYPES).optional(),
      vaultId: filter(),
      blockchainHash: filter(),
      severity: severity.optional(),
      assignee: z
        .string()
        .max(ASSIGNEE_CHARACTERS_MAX, tooLong(ASSIGNEE_CHARACTERS_MAX))
        .optional()
        .openapi({ description: 'An empty value selects breaks without an assignee.' }),
      sort: z.enum(BREAK_SORTS).optional(),
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
  summary: 'One break with its history',
  ...needs('read'),
  request: { params: idParams, query: noQuery },
  responses: answers(oneBreak, ['not-found']),
});

function breakAction<Name extends string, Body extends z.ZodType>(
  name: Name,
  described: { operationId: string; summary: string; body: Body },
) {
  const { operationId, summary, body } = described;
  return createRoute({
    method: 'post',
    path: `/v1/breaks/{id}/${name}` as const,
    operationId,
    tags,
    summary,
    ...needs('work-on-breaks'),
    request: {
      params: idParams,
      query: noQuery,
      body: jsonBody(body),
    },
    responses: answers(oneBreak, WRITE_PROBLEMS),
  });
}

const investigate = breakAction('investigate', {
  operationId: 'investigateBreak',
  summary: 'Mark it as under investigation',
  body: basedReason,
});
const resolve = breakAction('resolve', {
  operationId: 'resolveBreak',
  summary:
    'Resolve it with a reason; posts an unexplained movement to suspense, or takes it back from there; takes an unknown deposit from the books',
  body: basedReason,
});
const assign = breakAction('assign', {
  operationId: 'assignBreak',
  summary: 'Assign it to a person; null removes the assignee',
  body: z
    .strictObject({
      assignee: statement(ASSIGNEE_CHARACTERS_MAX).nullable(),
      reason: reasonText,
      basis: basisText,
    })
    .openapi('Assignment'),
});
const addNote = breakAction('notes', {
  operationId: 'noteBreak',
  summary: 'Add a note to its history, also after its resolution',
  body: z.strictObject({ note: reasonText, basis: basisText }).openapi('Note'),
});

/** `GET /v1/breaks`, one break, and the steps that people take. */
export function mountBreaks(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  const looking = async (): Promise<Looking> => ({
    now: services.now(),
    restores: await reads.feedRestores(),
  });
  const shown = async (id: string): Promise<z.infer<typeof breakWithHistorySchema>> => {
    const known = await reads.break(id);
    if (known === undefined) {
      throw notFound(`There is no break ${id}: list them with GET /v1/breaks.`);
    }
    return {
      ...breakView(known.found, await looking()),
      history: historyView(known.history),
    };
  };
  app.openapi(listBreaks, async (context) => {
    const { page, pageSize, assignee, ...query } = context.req.valid('query');
    const whose = assignee === undefined ? {} : { assignee: assignee === '' ? null : assignee };
    const found = await reads.breaks({ ...given(query), ...whose }, { page, pageSize });
    const at = await looking();
    return context.json(
      listAnswer(found, (one) => breakView(one, at)),
      200,
    );
  });
  app.openapi(getBreak, async (context) =>
    context.json(await shown(context.req.valid('param').id), 200),
  );
  for (const [route, step] of [
    [investigate, { kind: 'investigate' }],
    [resolve, { kind: 'resolve', followsChain: true, takesBack: true }],
  ] as const) {
    app.openapi(route, async (context) => {
      const { id } = context.req.valid('param');
      const decision = { ...step, breakId: BreakId(id), ...given(context.req.valid('json')) };
      await recordDecision(services, context.get('caller'), decision);
      return context.json(await shown(id), 200);
    });
  }
  app.openapi(assign, async (context) => {
    const { id } = context.req.valid('param');
    const decision = {
      kind: 'assign',
      breakId: BreakId(id),
      ...given(context.req.valid('json')),
    } as const;
    await recordDecision(services, context.get('caller'), decision);
    return context.json(await shown(id), 200);
  });
  app.openapi(addNote, async (context) => {
    const { id } = context.req.valid('param');
    const body = given(context.req.valid('json'));
    const decision = { kind: 'note', breakId: BreakId(id), ...body } as const;
    await recordDecision(services, context.get('caller'), decision);
    return context.json(await shown(id), 200);
  });
}
