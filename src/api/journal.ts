import { createRoute, z, type OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { ApiEnv } from './access.ts';
import { noQuery } from './list.ts';
import { answers, notFound, ProblemError } from './problem.ts';
import type { Services } from './services.ts';

/** A place in the journal, in the answers about what is kept there. */
export const journalSeq = z.int().openapi({
  description: 'Its place in the journal: `GET /v1/journal/{seq}/body` has the bytes as received.',
});

const binary = z.string().openapi({ format: 'binary' });

const bodyResponses: RouteConfig['responses'] = {
  ...answers({ description: 'The bytes', schema: binary }, ['not-found', 'internal']),
  200: {
    description: 'The bytes; of a delivery that was answered 400 the first 64 KiB',
    content: { 'application/octet-stream': { schema: binary } },
  },
};

const getBody = createRoute({
  method: 'get',
  path: '/v1/journal/{seq}/body',
  operationId: 'getJournalBody',
  tags: ['Intake'],
  summary: 'The body of a fact, byte by byte: a notification, quarantined or refused, as received',
  description:
    'Every `journalSeq` is such a place. Custody records and decisions are facts too: their body is the JSON that was journalled. `counterfoil verify` says whether all of it is what was sealed.',
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

export function mountJournal(app: OpenAPIHono<ApiEnv>, { reads }: Services): void {
  app.openapi(getBody, async (context) => {
    const { seq } = context.req.valid('param');
    const kept = await reads.body(seq);
    if (kept === undefined) {
      throw notFound(
        `The journal holds nothing at ${seq}: take a journalSeq of GET /v1/notifications, GET /v1/quarantine or GET /v1/breaks.`,
      );
    }
    if (!kept.isWhole) {
      const detail = `The body at ${seq} is damaged in the store: \`counterfoil verify\` says what else is; only a backup has it.`;
      throw new ProblemError({ kind: 'internal', detail });
    }
    // Whoever posts to the webhook wrote it: a browser must neither show nor run it.
    return context.body(Uint8Array.from(kept.bytes), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="journal-${seq}.bin"`,
    });
  });
}
