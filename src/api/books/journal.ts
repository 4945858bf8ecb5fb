import { createRoute, z, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import { needs, type ApiEnv } from '../access.ts';
import { noQuery } from '../paging.ts';
import { answers, notFound, ProblemError } from '../problem.ts';
import type { Services } from '../services.ts';

/** A journal position. */
export const journalSeq = z.int().openapi({
  description: 'Its journal position: `GET /v1/journal/{seq}/body` has the bytes as received.',
});

const binary = z.string().openapi({ format: 'binary' });

const bodyResponses: RouteConfig['responses'] = {
  ...answers({ description: 'The bytes', schema: binary }, ['not-found', 'internal']),
  200: {
    description: 'The bytes; the first 64 KiB of a delivery that was answered 400',
    content: { 'application/octet-stream': { schema: binary } },
  },
};

const getBody = createRoute({
  method: 'get',
  path: '/v1/journal/{seq}/body',
  operationId: 'getJournalBody',
  tags: ['Intake'],
  summary: 'The body of a fact, byte by byte: a notification, quarantined or refused, as received',
  ...needs('read-bodies'),
  description:
    'Every `journalSeq` is a journal position. Custody records and decisions are facts too: their body is the journalled JSON. `counterfoil verify` checks all of it against its seals.',
  request: {
    params: z.strictObject({
      seq: z
        .string()
        .regex(/^[0-9]{1,15}$/, 'must be a whole number')
        .transform(Number)
        .openapi({ type: 'integer', minimum: 1 }),
    }),
    query: noQuery,
  },
  responses: bodyResponses,
});

/** `GET /v1/journal/{seq}/body`. */
export function mountJournal(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(getBody, async (context) => {
    const { seq } = context.req.valid('param');
    const kept = await reads.body(seq);
    if (kept === undefined) {
      throw notFound(
        `The journal holds nothing at ${seq}: use a journalSeq of GET /v1/notifications, GET /v1/quarantine or GET /v1/breaks.`,
      );
    }
    if (!kept.isWhole) {
      const detail = `The body at ${seq} is damaged in the store: \`counterfoil verify\` says what else is; only a backup has it.`;
      throw new ProblemError({ kind: 'internal', detail });
    }
    // The webhook's sender wrote these bytes: a browser must neither show nor run them.
    return context.body(Uint8Array.from(kept.bytes), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="journal-${seq}.bin"`,
    });
  });
}
