import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { INTAKE_STATUSES } from '../../domain/fact/fact.ts';
import type { StoredNotification } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { journalSeq } from './journal.ts';
import { filter, given, listAnswer, listOf, pageQuery } from '../paging.ts';
import { answers } from '../problem.ts';
import type { Services } from '../services.ts';
import { isoTime, timeText } from '../formats.ts';

/** How a delivery was answered. */
export const intakeStatus = z.enum(INTAKE_STATUSES);

const notificationSchema = z
  .object({
    id: z.string(),
    status: intakeStatus,
    journalSeq,
    stream: z.string().nullable(),
    type: z.string().nullable(),
    vaultId: z.string().nullable(),
    network: z.string().nullable(),
    blockchainHash: z.string().nullable(),
    transactionId: z.string().nullable(),
    confirmations: z.int().nullable(),
    receivedAt: timeText,
  })
  .openapi('Notification');

function notificationView(stored: StoredNotification): z.infer<typeof notificationSchema> {
  const { seq, receivedAt, ...rest } = stored;
  return { ...rest, journalSeq: seq, receivedAt: isoTime(receivedAt) };
}

const listNotifications = createRoute({
  method: 'get',
  path: '/v1/notifications',
  operationId: 'listNotifications',
  tags: ['Intake'],
  summary: 'Notifications, newest first',
  ...needs('read'),
  request: {
    query: z.strictObject({
      id: filter(),
      vaultId: filter(),
      blockchainHash: filter(),
      status: intakeStatus.optional(),
      ...pageQuery,
    }),
  },
  responses: answers({ description: 'A page of them', schema: listOf(notificationSchema) }),
});

/** `GET /v1/notifications`. */
export function mountNotifications(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(listNotifications, async (context) => {
    const { page, pageSize, ...query } = context.req.valid('query');
    const found = await reads.notifications(given(query), { page, pageSize });
    return context.json(listAnswer(found, notificationView), 200);
  });
}
