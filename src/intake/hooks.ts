import { Hono } from 'hono';
import type { Context } from 'hono';
import type { IncomingMessage } from 'node:http';
import { readBody } from './body.ts';
import type { BodyRoom, BodyShare } from './body-room.ts';
import type { Submission, Submitted } from '../store/port.ts';
import type { PathTokens } from './path-token.ts';
import type { RefusedBodies } from './refused-bodies.ts';

/** Seconds after which a sender that was told "busy" should try again. */
const RETRY_AFTER_SECONDS = 1;

/** How a delivery ended, for metrics. */
export type Answer =
  | 'accepted'
  | 'duplicate'
  | 'quarantined'
  | 'malformed'
  | 'too_large'
  | 'unknown_token'
  | 'wrong_method'
  | 'certificate_refused'
  | 'busy';

export interface HooksOptions {
  readonly tokens: PathTokens;
  readonly bodyBytesMax: number;
  /** Where bodies are in memory from their first byte until their answer. */
  readonly room: BodyRoom;
  readonly submit: (submission: Submission) => Promise<Submitted>;
  readonly refused: RefusedBodies;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  /** Whether the proxy vouches for the sender's certificate; absent when none is asked for. */
  readonly certificateAccepted?: (headers: Headers) => boolean;
  readonly observe: (answer: Answer) => void;
}

/** What Node's server gives with a request; nothing where it did not come from there. */
export interface HooksEnv {
  Bindings: { incoming?: IncomingMessage };
}

type HooksContext = Context<HooksEnv>;

/** How a delivery is refused, by status; where the API has such a problem, its type and title. */
const PROBLEMS = {
  400: { kind: 'invalid-request', title: 'The request is not valid' },
  403: { kind: 'certificate-refused', title: 'The sender may not deliver' },
  404: { kind: 'not-found', title: 'Not found' },
  405: { kind: 'method-not-allowed', title: 'No such method here' },
  413: { kind: 'too-large', title: 'The body is too large' },
  503: { kind: 'unavailable', title: 'Not available now' },
} as const;

/** An error body, RFC 9457. Without `instance`: the path holds the token. */
function problem(
  context: Context,
  status: keyof typeof PROBLEMS,
  detail: string,
  headers?: Record<string, string>,
): Response {
  const { kind, title } = PROBLEMS[status];
  const type = `urn:counterfoil:problem:${kind}`;
  return context.body(JSON.stringify({ type, title, status, detail }), status, {
    'content-type': 'application/problem+json',
    ...headers,
  });
}

/**
 * `POST /hooks/{token}`: takes the custody service's deliveries. Any 2xx is given only after the
 * bytes and their whole effect are durable (ARCHITECTURE.md, "Intake answers"). The sender retries
 * everything else, so nothing that might be understood later is refused.
 */
export function createHooks(options: HooksOptions): Hono<HooksEnv> {
  const app = new Hono<HooksEnv>();
  app.all('/:token', async (context) => {
    const refusal = refuseSender(context, options);
    if (refusal !== null) return refusal;
    const share = options.room.share();
    try {
      return await takeDelivery(context, share, options);
    } finally {
      share.release();
    }
  });
  return app;
}

async function takeDelivery(
  context: HooksContext,
  share: BodyShare,
  options: HooksOptions,
): Promise<Response> {
  const bounds = { bytesMax: options.bodyBytesMax, share };
  const read = await readBody(context.req.raw, bounds, incomingOf(context));
  switch (read.kind) {
    case 'too_large':
      options.observe('too_large');
      return problem(
        context,
        413,
        `the body is larger than ${options.bodyBytesMax} bytes (intake.maxBodyBytes)`,
      );
    case 'no_room':
      return busy(context, options);
    case 'cut_off':
      options.observe('malformed');
      return problem(context, 400, 'the body ended before its announced length');
    case 'read':
      return takeBody(context, read.bytes, options);
    default:
      return read satisfies never;
  }
}

function incomingOf(context: HooksContext): IncomingMessage | undefined {
  // Without a server, as in `app.request`, there are no bindings at all.
  const env: HooksEnv['Bindings'] | undefined = context.env;
  return env?.incoming;
}

/** The same for every path that is none, and without the path: it may hold a token in another place. */
export function noSuchPath(context: Context, options: Pick<HooksOptions, 'observe'>): Response {
  options.observe('unknown_token');
  return problem(context, 404, 'no such path');
}

/** Everything that is known before a byte of the body is read. */
function refuseSender(context: HooksContext, options: HooksOptions): Response | null {
  if (!options.tokens.accepts(context.req.param('token') ?? '')) {
    return noSuchPath(context, options);
  }
  if (context.req.method !== 'POST') {
    options.observe('wrong_method');
    return problem(context, 405, 'notifications are delivered by POST', { allow: 'POST' });
  }
  if (options.certificateAccepted?.(context.req.raw.headers) === false) {
    options.observe('certificate_refused');
    return problem(context, 403, 'the client certificate is not one of intake.clientCertificate');
  }
  return null;
}

async function takeBody(
  context: HooksContext,
  raw: Uint8Array,
  options: HooksOptions,
): Promise<Response> {
  const at = options.now();
  const encoding = context.req.header('content-encoding');
  if (encoding !== undefined) {
    const defect = `Content-Encoding ${encoding} is not accepted`;
    return refuseBody(context, { raw, at, defect }, options);
  }
  const outcome = await options.submit({ kind: 'delivery', at, raw });
  if (outcome.kind === 'malformed') {
    return refuseBody(context, { raw, at, defect: outcome.defect }, options);
  }
  if (isRetry(outcome)) return busy(context, options);
  if (outcome.kind !== 'delivery' || outcome.status === 'refused') {
    throw new Error(`a delivery ended as ${outcome.kind}`);
  }
  options.observe(outcome.status);
  return context.json({ status: outcome.status });
}

/** Answers 400 to what is no notification at all, after its first bytes were kept. */
async function refuseBody(
  context: HooksContext,
  body: { readonly raw: Uint8Array; readonly at: number; readonly defect: string },
  options: HooksOptions,
): Promise<Response> {
  const fact = options.refused.keep(body.raw, body.defect, body.at);
  const kept = fact === null ? null : await options.submit(fact);
  if (kept !== null && isRetry(kept)) {
    options.refused.giveBack();
    return busy(context, options);
  }
  options.observe('malformed');
  return problem(context, 400, body.defect);
}

function isRetry(outcome: Submitted): boolean {
  return outcome.kind === 'busy' || outcome.kind === 'unavailable';
}

function busy(context: HooksContext, options: HooksOptions): Response {
  options.observe('busy');
  return problem(context, 503, 'busy: nothing of this delivery was kept, deliver it again', {
    'retry-after': String(RETRY_AFTER_SECONDS),
  });
}
