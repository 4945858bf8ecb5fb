import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { AddressChecks } from '../domain/custody.ts';
import type { ReconciliationRow } from '../store/records.ts';
import { authorize, type ApiEnv } from './access.ts';
import { listAnswer, listOf, noQuery, pageQuery } from './list.ts';
import { answers, ProblemError } from './problem.ts';
import type { Services } from './services.ts';
import { isoTime, timeText } from './value.ts';

/** Requests for a run that may wait for one another; each holds a connection. */
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
    skipped: z
      .record(z.string(), z.int())
      .openapi({ description: 'By cause: could not be compared, neither matched nor a break.' }),
    requests: z.int().openapi({ description: 'Requests that it cost at the custody API.' }),
    incomplete: z
      .string()
      .nullable()
      .openapi({ description: 'What kept its custody half from completing.' }),
    repairs: z
      .object({
        replayed: z.int().openapi({
          description: 'Notifications that the custody service sent again, and we took.',
        }),
        pulledForward: z
          .int()
          .openapi({ description: 'Vaults whose next delivery was pulled forward.' }),
        backfilled: z
          .int()
          .openapi({ description: 'Transactions taken into the books from the custody API.' }),
      })
      .openapi({ description: 'What the run did to bring in what no notification told.' }),
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
          'Addresses whose own list was compared, and how those comparisons, which are counted above too, ended; null where none was.',
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
  request: { query: z.strictObject(pageQuery) },
  responses: answers({ description: 'A page of runs', schema: listOf(runSchema) }),
});

const runNow = createRoute({
  method: 'post',
  path: '/v1/reconciliations',
  operationId: 'reconcileNow',
  tags,
  summary: 'Reconcile now, and wait for the outcome; concurrent requests run one after the other',
  middleware: authorize('operator'),
  request: { query: noQuery },
  responses: answers({ description: 'The run', schema: runSchema }, ['unavailable']),
});

export function mountReconciliations(app: OpenAPIHono<ApiEnv>, services: Services): void {
  app.openapi(listRuns, async (context) => {
    const found = await services.reads.reconciliations(context.req.valid('query'));
    return context.json(listAnswer(found, runView), 200);
  });
  let pending = 0;
  app.openapi(runNow, async (context) => {
    if (pending >= RUNS_PENDING_MAX) {
      const detail = `${pending} requests for a run wait already: try again when they are done.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    }
    pending += 1;
    try {
      const answer = await services.reconcile();
      if (answer.kind === 'ran') return context.json(runView(answer.run), 200);
      const detail = `The run could not be recorded (${answer.cause}): try again.`;
      throw new ProblemError({ kind: 'unavailable', detail });
    } finally {
      pending -= 1;
    }
  });
}
