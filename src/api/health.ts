import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { ApiEnv } from './access.ts';
import { timeText } from './formats.ts';

/** The daemon's state, for `/readyz`. */
export interface Readiness {
  readonly phase: 'starting' | 'serving' | 'stopping';
  readonly store: 'writable' | 'unavailable';
  /** Null without a custody API. Its state never makes the daemon unready: intake continues. */
  readonly custody: z.infer<typeof custodySchema> | null;
  readonly queue: { readonly waiting: number; readonly limit: number };
  /** Absent with SQLite. */
  readonly receiver?: ReceiverState;
}

/** The state of a receiver that shares its journal with others. */
export interface ReceiverState {
  readonly name: string;
  readonly role: 'starting' | 'owner' | 'follower' | 'cut_off' | 'diverged';
  /** The newest epoch that it knows; null while it knows none. */
  readonly epoch: number | null;
  /** The owner's name; null while it knows none. */
  readonly owner: string | null;
  /** The last journal position in its replica. */
  readonly position: number;
  /** Why it does not serve, and what to do; else null. */
  readonly cause: string | null;
  /** What works, and needs a person all the same; each with what to do. */
  readonly warnings: readonly string[];
}

export interface HealthOptions {
  /** Whether every essential thread runs. */
  readonly alive: () => boolean;
  readonly readiness: () => Readiness | Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
  readonly metrics: () => string | Promise<string>;
}

const aliveSchema = z.object({ status: z.enum(['alive', 'failing']) }).openapi('Alive');

const STATUSES = [
  'ready',
  'starting',
  'stopping',
  'store-unavailable',
  'journal-unavailable',
  'diverged',
] as const;

const custodySchema = z.object({
  circuit: z.enum(['closed', 'open', 'half-open']),
  failures: z.int().openapi({ description: 'Calls that have failed since the last success.' }),
  retryAtMs: z.int().optional().openapi({
    description: 'Only with `open`: when the next request may go, in Unix milliseconds.',
  }),
  access: z.enum(['unknown', 'granted', 'refused']).openapi({
    description:
      'Whether the custody API accepts our key; when refused, see `refusals`; `notices` says what to do.',
  }),
  refusals: z
    .array(z.object({ operation: z.string(), status: z.int(), since: timeText }))
    .optional()
    .openapi({ description: 'Only with `refused`: the refused operations.' }),
  notices: z
    .array(z.string())
    .optional()
    .openapi({ description: 'Only with `refused`: what to do.' }),
  requests: z
    .object({ minute: z.int(), hour: z.int() })
    .openapi({ description: 'Requests of the last minute and of the last hour.' }),
});

const readySchema = z
  .object({
    status: z.enum(STATUSES),
    store: z.enum(['writable', 'unavailable']),
    custody: custodySchema.nullable().openapi({ description: 'Null without a custody API.' }),
    queue: z.object({ waiting: z.int(), limit: z.int() }),
    receiver: z
      .object({
        name: z.string(),
        role: z.enum(['starting', 'owner', 'follower', 'cut_off', 'diverged']),
        epoch: z.int().nullable(),
        owner: z.string().nullable(),
        position: z.int(),
        cause: z.string().nullable(),
        warnings: z.array(z.string()).readonly(),
      })
      .optional()
      .openapi({ description: 'Only with a journal that several receivers share.' }),
  })
  .openapi('Readiness');

const tags = ['Health'];
const json = (schema: z.ZodType, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});

const healthz = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'alive',
  tags,
  summary: 'Whether the process is alive',
  security: [],
  responses: {
    200: json(aliveSchema, 'It is'),
    503: json(aliveSchema, 'An essential thread stopped; the process exits'),
  },
});

const readyz = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'ready',
  tags,
  summary: 'Whether intake accepts notifications; stays 200 while the custody API is down',
  security: [],
  responses: {
    200: json(readySchema, 'It can'),
    503: json(readySchema, 'Starting, shutting down, or the store cannot be written'),
  },
});

const metricsRoute = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'metrics',
  tags,
  summary: 'Metrics in the text format of Prometheus',
  security: [],
  responses: {
    200: {
      description: 'One line each',
      content: { 'text/plain': { schema: z.string() } },
    },
  },
});

function statusOf({ phase, store, receiver }: Readiness): z.infer<typeof readySchema>['status'] {
  if (phase !== 'serving') return phase;
  const role = receiver?.role;
  switch (role) {
    case 'starting':
    case 'diverged':
      return role;
    case 'cut_off':
      return 'journal-unavailable';
    case 'owner':
    case 'follower':
      if (receiver?.cause !== null) return 'journal-unavailable';
      break;
    case undefined:
      break;
    default:
      role satisfies never;
  }
  return store === 'writable' ? 'ready' : 'store-unavailable';
}

/** `/healthz`, `/readyz` and `/metrics`; open without a token. */
export function mountHealth(app: OpenAPIHono<ApiEnv>, options: HealthOptions): void {
  app.openapi(healthz, (context) => {
    context.header('Cache-Control', 'no-store');
    return options.alive()
      ? context.json({ status: 'alive' }, 200)
      : context.json({ status: 'failing' }, 503);
  });
  app.openapi(readyz, async (context) => {
    const readiness = await options.readiness();
    const { store, custody, queue, receiver } = readiness;
    const status = statusOf(readiness);
    context.header('Cache-Control', 'no-store');
    const shared = receiver === undefined ? {} : { receiver };
    return context.json(
      { status, store, custody, queue, ...shared },
      status === 'ready' ? 200 : 503,
    );
  });
  app.openapi(metricsRoute, async (context) => {
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return context.text(await options.metrics(), 200, { 'Content-Type': type });
  });
}
