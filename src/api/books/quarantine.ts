import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { QuarantineRow } from '../../store/records.ts';
import { needs, type ApiEnv } from '../access.ts';
import { versionText } from '../../domain/fact/basis.ts';
import { quarantineParts } from '../../domain/fact/quarantined.ts';
import { basisText, versionField } from '../basis.ts';
import { reasonText, recordDecision } from '../exchange/decision.ts';
import { journalSeq } from './journal.ts';
import { given, idParams, listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { intakeStatus } from './notifications.ts';
import { answers, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { isoTime, isoTimeOrNull, optionalBody, timeText } from '../formats.ts';

const tags = ['Intake'];

const keptSchema = z
  .object({
    quarantineId: z.string(),
    notificationId: z.string(),
    defect: z.string().openapi({ description: 'The part that could not be read, and its path.' }),
    state: z.enum(['kept', 'retried']),
    journalSeq,
    receivedAt: timeText,
    retriedAt: timeText.nullable(),
    version: versionField,
  })
  .openapi('Quarantined');

function keptView(row: QuarantineRow): z.infer<typeof keptSchema> {
  return {
    quarantineId: row.quarantineId,
    notificationId: row.notificationId,
    defect: row.defect,
    state: row.state,
    journalSeq: row.seq,
    receivedAt: isoTime(row.receivedAt),
    retriedAt: isoTimeOrNull(row.retriedAt),
    version: versionText(quarantineParts(row)),
  };
}

const listQuarantine = createRoute({
  method: 'get',
  path: '/v1/quarantine',
  operationId: 'listQuarantine',
  tags,
  summary: 'Bodies that could not be read, newest first',
  ...needs('read'),
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ description: 'A page of them', schema: listOf(keptSchema) }),
});

const retrySchema = z
  .object({ quarantineId: z.string(), status: intakeStatus })
  .openapi('RetriedQuarantine');

/** May be absent: a program retries without one. */
const retryBody = optionalBody(
  z.strictObject({ reason: reasonText.optional(), basis: basisText }).openapi('QuarantineRetry'),
);

const retry = createRoute({
  method: 'post',
  path: '/v1/quarantine/{id}/retry',
  operationId: 'retryQuarantined',
  tags,
  summary: 'Read a quarantined body again, for example after an upgrade; it takes effect now',
  ...needs('retry-quarantine'),
  request: {
    params: idParams,
    query: noQuery,
    body: retryBody,
  },
  responses: answers({ description: 'How it was taken', schema: retrySchema }, WRITE_PROBLEMS),
});

/** `GET /v1/quarantine`, and its retry. */
export function mountQuarantine(app: OpenAPIHono<ApiEnv>, services: Services): void {
  app.openapi(listQuarantine, async (context) => {
    const found = await services.reads.quarantine(context.req.valid('query'));
    return context.json(listAnswer(found, keptView), 200);
  });
  app.openapi(retry, async (context) => {
    const { id } = context.req.valid('param');
    const { reason = 'retried through the API', basis } = context.req.valid('json');
    const decision = { kind: 'retry', quarantineId: id, reason, ...given({ basis }) } as const;
    const outcome = await recordDecision(services, context.get('caller'), decision);
    const status = outcome.kind === 'unchanged' ? 'duplicate' : (outcome.status ?? 'accepted');
    return context.json({ quarantineId: id, status }, 200);
  });
}
