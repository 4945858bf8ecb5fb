import { Hono } from 'hono';
import type { Context } from 'hono';
import type { IncomingMessage } from 'node:http';
import type { Fact } from '../domain/fact/fact.ts';
import { fullSentence } from '../domain/full-sentence.ts';
import { readBody } from './read-body.ts';
import type { BodyMemory, BodyShare } from './body-memory.ts';
import { decode } from './decode.ts';
import { LongBodyQueue } from './long-body-queue.ts';
import type { Submitted } from '../store/port.ts';
import type { PathTokens } from './path-token.ts';
import type { RefusedBodies } from './refused-bodies.ts';

/** `Retry-After` of a "busy" answer, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** The result of a delivery, for metrics. */
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
  /** Memory of bodies, from their first byte until their answer. */
  readonly memory: BodyMemory;
  readonly submit: (submission: Fact) => Promise<Submitted>;
  readonly refused: RefusedBodies;
  /** Wall clock, Unix milliseconds. */
  readonly now: () => number;
  /**
   * Whether the sender's client certificate may deliver now. `request`: as Node's server has it;
   * undefined when it comes from elsewhere.
   */
  readonly certificateAccepted: (request: IncomingMessage | undefined) => boolean;
  readonly observe: (answer: Answer) => void;
}

/** The request as Node's server has it; absent when the request comes from elsewhere. */
export interface HooksEnv {
  Bindings: { incoming?: IncomingMessage };
}

type HooksContext = Context<HooksEnv>;

/** Problem type and title by status; the same as the API's where both have the problem. */
const PROBLEMS = {
  400: { kind: 'invalid-request', title: 'The request is not valid' },
  403: { kind: 'certificate-refused', title: 'The sender may not deliver' },
  404: { kind: 'not-found', title: 'Not found' },
  405: { kind: 'method-not-allowed', title: 'No such method here' },
  413: { kind: 'too-large', title: 'The body is too large' },
  503: { kind: 'unavailable', title: 'Not available now' },
} as const;

/** A problem document, RFC 9457. Omits `instance`, because the path holds the token. */
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
 * `POST /hooks/{token}`: receives the custody service's deliveries. Answers 2xx only after the
 * bytes and all their effects are durable (ARCHITECTURE.md, "Intake answers"). The sender retries
 * after any other answer (the specification, section "Delivery rules", 3), so a body that a later
 * version might understand is never refused. Refuses with a problem document: 400 malformed, 403
 * certificate, 404 token, 405 method, 413 length, and 503 with `Retry-After` in seconds.
 */
export function createHooks(options: HooksOptions): Hono<HooksEnv> {
  const app = new Hono<HooksEnv>();
  const longBodies = new LongBodyQueue();
  app.all('/:token', async (context) => {
    const refusal = refuseSender(context, options);
    if (refusal !== null) return refusal;
    const share = options.memory.share();
    try {
      return await takeDelivery(context, { share, longBodies }, options);
    } finally {
      share.release();
    }
  });
  return app;
}

async function takeDelivery(
  context: HooksContext,
  { share, longBodies }: { readonly share: BodyShare; readonly longBodies: LongBodyQueue },
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
        `The body is larger than ${options.bodyBytesMax} bytes (intake.maxBodyBytes).`,
      );
    case 'no_memory':
      return busy(context, options);
    case 'cut_off':
      options.observe('malformed');
      return problem(context, 400, 'The body ended before its announced length.');
    case 'read':
      return (
        // Again: the certificate may have lost its pin while the body was on its way.
        refuseCertificate(context, options) ??
        longBodies.pass(read.bytes.length, () => takeBody(context, read.bytes, options))
      );
    default:
      return read satisfies never;
  }
}

function incomingOf(context: HooksContext): IncomingMessage | undefined {
  // Without a server, as in `app.request`, there are no bindings.
  const env: HooksEnv['Bindings'] | undefined = context.env;
  return env?.incoming;
}

/**
 * Answers 404 for every unknown path. Never repeats the path, because it may contain a mistyped
 * token.
 */
export function noSuchPath(context: Context, options: Pick<HooksOptions, 'observe'>): Response {
  options.observe('unknown_token');
  return problem(context, 404, 'No such path.');
}

/** Checks everything that is known before the body is read. */
function refuseSender(context: HooksContext, options: HooksOptions): Response | null {
  // First, so that nobody without the certificate learns which tokens exist.
  const refusal = refuseCertificate(context, options);
  if (refusal !== null) return refusal;
  if (!options.tokens.accepts(context.req.param('token') ?? '')) {
    return noSuchPath(context, options);
  }
  if (context.req.method !== 'POST') {
    options.observe('wrong_method');
    return problem(context, 405, 'Notifications are delivered by POST.', { allow: 'POST' });
  }
  return null;
}

/** The answer never says why: the log does. */
function refuseCertificate(context: HooksContext, options: HooksOptions): Response | null {
  if (options.certificateAccepted(incomingOf(context))) return null;
  options.observe('certificate_refused');
  return problem(context, 403, 'The client certificate is not one of intake.clientCertificate.');
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
  const read = decode(raw);
  if (read.kind === 'malformed') {
    return refuseBody(context, { raw, at, defect: read.defect }, options);
  }
  const outcome = await options.submit({ ...read, at, raw });
  if (isRetry(outcome)) return busy(context, options);
  if (outcome.kind !== 'delivery' || outcome.status === 'refused') {
    throw new Error(`a delivery ended as ${outcome.kind}`);
  }
  options.observe(outcome.status);
  return context.json({ status: outcome.status });
}

/** Journals the beginning of a malformed body, then answers 400. */
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
  return problem(context, 400, fullSentence(body.defect));
}

function isRetry(outcome: Submitted): boolean {
  return outcome.kind === 'busy' || outcome.kind === 'unavailable';
}

function busy(context: HooksContext, options: HooksOptions): Response {
  options.observe('busy');
  const detail = 'This delivery cannot be taken now, and is not acknowledged: deliver it again.';
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return problem(context, 503, detail, headers);
}
