import { createRoute, z, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { SIGNATURE_ROLES } from '../../domain/close/record.ts';
import { REPORT_STATUSES } from '../../domain/close/report.ts';
import { DOCUMENT_POLICY, FORMATS } from '../../report/document.ts';
import { signatureShown } from '../../report/json.ts';
import { XLSX_TYPE } from '../../report/workbook.ts';
import type { ClosedReport, SignedDay } from '../../store/answers.ts';
import { needs, type ApiEnv } from '../access.ts';
import { dateParams, notClosed } from './closed-day.ts';
import { optionalReason, reasonText, recordDecision } from '../exchange/decision.ts';
import { listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, notFound, ProblemError, WRITE_PROBLEMS } from '../problem.ts';
import type { Services } from '../services.ts';
import { isoTime, jsonBody, timeText } from '../formats.ts';
import { reportSchema, signatureSchema } from './daily-report-schema.ts';

const tags = ['Reports'];

const closedDaySchema = z
  .object({
    day: z.string(),
    timezone: z.string(),
    cutOffAt: timeText,
    closedAt: timeText,
    status: z.enum(REPORT_STATUSES),
    custodyCompared: z.boolean(),
    reportHash: z.string().openapi({ description: 'SHA-256 of the sealed report, hex.' }),
    previousReportHash: z.string().nullable(),
    signatures: z.array(signatureSchema),
  })
  .openapi('ClosedDay');

function closedDayView({ close, signatures }: SignedDay): z.infer<typeof closedDaySchema> {
  return {
    day: close.day,
    timezone: close.timezone,
    cutOffAt: isoTime(close.cutOffAt),
    closedAt: isoTime(close.closedAt),
    status: close.status,
    custodyCompared: close.custodyCompared,
    reportHash: close.reportHash,
    previousReportHash: close.previousReportHash,
    signatures: signatures.map(signatureShown),
  };
}

const listReports = createRoute({
  method: 'get',
  path: '/v1/reports/daily',
  operationId: 'listDailyReports',
  tags,
  summary: 'Closed days, newest first, with their signatures',
  ...needs('read'),
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ description: 'A page of closed days', schema: listOf(closedDaySchema) }),
});

const json = { description: 'The report', schema: reportSchema };
const text = { schema: z.string() };

/** One answer in several media types: JSON has a schema, the others are documents. */
const reportResponses: RouteConfig['responses'] = {
  ...answers(json, ['not-found']),
  200: {
    description: json.description,
    content: {
      'application/json': { schema: reportSchema },
      'text/csv': text,
      'text/html': text,
      'text/plain': text,
      [XLSX_TYPE]: { schema: z.string().openapi({ format: 'binary' }) },
    },
  },
};

const getReport = createRoute({
  method: 'get',
  path: '/v1/reports/daily/{date}',
  operationId: 'getDailyReport',
  tags,
  summary:
    'The sealed report of a closed day; JSON is its own text, followed by hash and signatures',
  ...needs('read'),
  request: {
    params: dateParams,
    query: z.strictObject({
      format: z.enum(FORMATS, `must be one of ${FORMATS.join(', ')}`).default('json'),
    }),
  },
  responses: reportResponses,
});

const closeDay = createRoute({
  method: 'post',
  path: '/v1/reports/daily/{date}/close',
  operationId: 'closeDay',
  tags,
  summary: 'Close a day now, and the days before it; a closed day never changes',
  ...needs('close-days'),
  request: { params: dateParams, query: noQuery, body: optionalReason },
  responses: answers({ description: 'The closed day', schema: closedDaySchema }, WRITE_PROBLEMS),
});

/** The signer must send the hash of the report they read; it is never filled in. */
const seenHash = z
  .string('must be the reportHash of the report that you read: see GET /v1/reports/daily/{date}')
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256, 64 hexadecimal digits')
  .openapi({ description: 'The hash of the report that you read. Another hash is refused.' });

const signReport = createRoute({
  method: 'post',
  path: '/v1/reports/daily/{date}/sign',
  operationId: 'signDailyReport',
  tags,
  summary: 'Sign the report that you read: the preparer first, then another person as reviewer',
  description:
    'A signature is final. The same person who signs in the same role again gets 200, and nothing changes: the first `reason` and `signedAt` stay.',
  ...needs('close-days'),
  request: {
    params: dateParams,
    query: noQuery,
    body: jsonBody(
      z
        .strictObject({
          role: z.enum(SIGNATURE_ROLES),
          reason: reasonText,
          reportHash: seenHash,
        })
        .openapi('Signing'),
    ),
  },
  responses: answers({ description: 'The signed day', schema: closedDaySchema }, WRITE_PROBLEMS),
});

/** `/v1/reports/daily`: closed days, their documents, closing and signing. */
export function mountReports(app: OpenAPIHono<ApiEnv>, services: Services): void {
  const { reads } = services;
  const closed = async (day: string): Promise<ClosedReport> => {
    const known = await reads.closedDay(day);
    if (known === undefined) throw await notClosed(day, services);
    return known;
  };
  app.openapi(listReports, async (context) => {
    const found = await reads.closes(context.req.valid('query'));
    return context.json(listAnswer(found, closedDayView), 200);
  });
  app.openapi(getReport, async (context) => {
    const { date: day } = context.req.valid('param');
    const { format } = context.req.valid('query');
    const document = await services.document(day, format);
    if (document === undefined) throw await notClosed(day, services);
    return context.body(document.body, 200, {
      'Content-Type': document.contentType,
      'Content-Disposition': `inline; filename="${document.fileName}"`,
      'Content-Security-Policy': DOCUMENT_POLICY,
    });
  });
  app.openapi(closeDay, async (context) => {
    const { date: day } = context.req.valid('param');
    const { reason } = context.req.valid('json');
    const isNew = await closeNow(services, day);
    if (isNew && reason !== undefined) {
      await recordDecision(services, context.get('caller'), { kind: 'close-now', day, reason });
    }
    return context.json(closedDayView(await closed(day)), 200);
  });
  app.openapi(signReport, async (context) => {
    const { date: day } = context.req.valid('param');
    const { role, reason, reportHash } = context.req.valid('json');
    await closed(day);
    const decision = { kind: 'sign', day, role, reason, reportHash } as const;
    await recordDecision(services, context.get('caller'), decision);
    return context.json(closedDayView(await closed(day)), 200);
  });
}

/** Closes a day; false where it was closed already. Throws the problem of a refusal. */
async function closeNow({ reads, close }: Services, day: string): Promise<boolean> {
  if ((await reads.closedDay(day)) !== undefined) return false;
  const answer = await close(day);
  switch (answer.kind) {
    case 'closed':
      return true;
    case 'unknown':
      throw notFound(`The journal begins after ${day}: nothing to close.`);
    case 'too_early': {
      const detail = `${day} ends at ${isoTime(answer.cutOffAt)}: close it after that.`;
      throw new ProblemError({ kind: 'conflict', detail });
    }
    case 'unavailable': {
      const detail = `${day} cannot be closed now (${answer.reason}): try again.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    }
    default:
      return answer satisfies never;
  }
}
