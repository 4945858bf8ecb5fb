import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { AddressChecks } from '../../domain/fact/custody-record.ts';
import type { ReconciliationRow } from '../../store/records.ts';
import { needs, type ApiEnv } from '../access.ts';
import { optionalReason, recordDecision } from '../exchange/decision.ts';
import { listAnswer, listOf, noQuery, pageQuery } from '../paging.ts';
import { answers, BODY_PROBLEMS, ProblemError } from '../problem.ts';
import type { Services } from '../services.ts';
import { isoTime, timeText } from '../formats.ts';

/** Most pending requests for a run; each holds a connection. */
const RUNS_PENDING_MAX = 20;

const tags = ['Reconciliation'];

const runSchema = z
  .object({
    reconciliationId: z.string(),
    startedAt: timeText,
    finishedAt: timeText,
    matched: z.int(),
    break: z.int().openapi({ description: 'Comparisons that ended as a break.' }),
    exempt: z.record(z.string(), z.int()).openapi({ description: 'By rule.' }),
    skipped: z.record(z.string(), z.int()).openapi({
      description: 'Counts by cause: could not be compared, so neither matched nor a break.',
    }),
    requests: z.int().openapi({ description: 'Requests to the custody API.' }),
    incomplete: z
      .string()
      .nullable()
      .openapi({ description: 'Why the comparison with the custody API is incomplete.' }),
    repairs: z
      .object({
        replayed: z.int().openapi({
          description:
            'Notifications that the custody service delivered again and intake accepted.',
        }),
        pulledForward: z
          .int()
          .openapi({ description: 'Vaults whose next delivery attempt was pulled forward.' }),
        backfilled: z.int().openapi({ description: 'Transactions booked from the custody API.' }),
      })
      .openapi({ description: 'What the run did about missing notifications.' }),
    addresses: z
      .object({
        checked: z.int(),
        matched: z.int(),
        break: z.int(),
        skipped: z.record(z.string(), z.int()),
      })
      .nullable()
      .openapi({
        description:
          'Addresses whose own list was compared, and the outcomes, which are also counted above; null without any.',
      }),
  })
  .openapi('Reconciliation');

function addressesView({ checked, outcomes }: AddressChecks) {
  const { matched, broken, skipped } = outcomes;
  return { checked, matched, break: broken, skipped: { ...skipped } };
}

function runView(run: ReconciliationRow): z.infer<typeof runSchema> {
  return {
    reconciliationId: `rec_${run.seq}`,
    startedAt: isoTime(run.startedAt),
    finishedAt: isoTime(run.finishedAt),
    matched: run.matched,
    break: run.broken,
    exempt: { ...run.exempt },
    skipped: { ...run.skipped },
    requests: run.requests,
    incomplete: run.incomplete,
    repairs: { ...run.repairs },
    addresses: run.addresses && addressesView(run.addresses),
  };
}

const listRuns = createRoute({
  method: 'get',
  path: '/v1/reconciliations',
  operationId: 'listReconciliations',
  tags,
  summary: 'Reconciliation runs, newest first',
  ...needs('read'),
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ description: 'A page of runs', schema: listOf(runSchema) }),
});

const runNow = createRoute({
  method: 'post',
  path: '/v1/reconciliations',
  operationId: 'reconcileNow',
  tags,
  summary: 'Reconcile now, and wait for the outcome; concurrent requests run one after the other',
  ...needs('reconcile'),
  request: { query: noQuery, body: optionalReason },
  responses: answers({ description: 'The run', schema: runSchema }, BODY_PROBLEMS),
});

/** `/v1/reconciliations`: the runs, and one on request. */
export function mountReconciliations(app: OpenAPIHono<ApiEnv>, services: Services): void {
  app.openapi(listRuns, async (context) => {
    const found = await services.reads.reconciliations(context.req.valid('query'));
    return context.json(listAnswer(found, runView), 200);
  });
  let pending = 0;
  app.openapi(runNow, async (context) => {
    if (pending >= RUNS_PENDING_MAX) {
      const detail = `${pending} requests for a run are waiting: try again when they have ended.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    }
    const { reason } = context.req.valid('json');
    pending += 1;
    try {
      if (reason !== undefined) {
        await recordDecision(services, context.get('caller'), { kind: 'run-now', reason });
      }
      const answer = await services.reconcile();
      if (answer.kind === 'ran') return context.json(runView(answer.run), 200);
      const detail = `The run could not be recorded (${answer.cause}): try again.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    } finally {
      pending -= 1;
    }
  });
}
