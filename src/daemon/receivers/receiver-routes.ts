import { Hono, type Context } from 'hono';
import { z } from 'zod';
import type { CloseAnswer, RunAnswer } from '../../api/services.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { HooksEnv } from '../../intake/hooks.ts';
import { BodyMemory } from '../../intake/body-memory.ts';
import type { FactQueue } from '../../intake/fact-queue.ts';
import { PathTokens } from '../../intake/path-token.ts';
import { readBody } from '../../intake/read-body.ts';
import type { DecodeBody } from '../../store/port.ts';
import { CLOCK_DIFFERENCE_MS_MAX, clockText } from '../../store/replicated/journal-state.ts';
import {
  BODIES_BYTES_MAX,
  unframed,
  PROTOCOL,
  type FramedFact,
  type OwnerAnswer,
} from './frame.ts';
import { RECEIVER_HEADERS, type OwnerRun } from './owner-client.ts';

/** Bytes of a frame besides its bodies: the list of its facts. */
const LIST_BYTES_MAX = 1_048_576;

/** Kinds of decisions after which deposits are evaluated again. */
const CHANGES_POLICY: ReadonlySet<string> = new Set(['policy', 'halt', 'resume', 'decimals']);

/** What the owner does for other receivers. */
export interface OwnerServices {
  readonly reconcile: () => Promise<RunAnswer>;
  readonly close: (day: string) => Promise<CloseAnswer>;
  readonly reevaluate: () => void;
}

export interface ReceiverRoutesOptions {
  readonly secret: string;
  readonly bodyBytesMax: number;
  /** The epoch of this receiver's ownership; null while it takes no facts of others. */
  readonly epoch: () => number | null;
  readonly services: () => OwnerServices | null;
  readonly submit: FactQueue['submit'];
  readonly decode: DecodeBody;
  /** This receiver's last journal position. */
  readonly position: () => number;
  /** This receiver's clock, Unix milliseconds. */
  readonly now: () => number;
  readonly observe: (refused: 'secret' | 'protocol' | 'clock' | 'epoch') => void;
}

/**
 * What this receiver takes from others while it is the owner: facts, and calls for its duties. Every
 * request needs the shared secret, the same protocol, a clock that agrees, and the owner's epoch.
 */
export function receiverRoutes(options: ReceiverRoutesOptions): Hono<HooksEnv> {
  const secrets = new PathTokens([options.secret]);
  const bytesMax = Math.max(options.bodyBytesMax, BODIES_BYTES_MAX) + LIST_BYTES_MAX;
  const memory = new BodyMemory(2 * bytesMax + 33_554_432);
  const app = new Hono<HooksEnv>();
  app.use('*', async (context: Context<HooksEnv>, next) => {
    context.header('cache-control', 'no-store');
    return refusal(context, secrets, options) ?? next();
  });
  app.post('/facts', async (context) => {
    const share = memory.share();
    try {
      const incoming = (context.env as HooksEnv['Bindings'] | undefined)?.incoming;
      const read = await readBody(context.req.raw, { bytesMax, share }, incoming);
      if (read.kind === 'too_large') {
        const text = `the facts are larger than ${bytesMax} bytes: intake.maxBodyBytes must be the same for all receivers`;
        return context.text(text, 413);
      }
      if (read.kind === 'no_memory') return context.text('no memory for more facts now', 429);
      const facts = read.kind === 'read' ? unframed(read.bytes, options.decode) : null;
      if (facts === null) return context.text('the body is no frame of facts', 400);
      const answers = await Promise.all(facts.map((one) => answerTo(one, options)));
      return context.json({ answers, position: options.position() });
    } finally {
      share.release();
    }
  });
  app.post('/reconcile', async (context) => {
    const services = options.services();
    if (services === null) return notOwner(context);
    const result = await services.reconcile();
    const answer: OwnerRun = result.kind === 'ran' ? { kind: 'ran', seq: result.run.seq } : result;
    return context.json({ answer, position: options.position() });
  });
  app.post('/close', async (context) => {
    const services = options.services();
    if (services === null) return notOwner(context);
    const body: unknown = await context.req.json().catch(() => null);
    const asked = z.object({ day: z.string() }).safeParse(body);
    if (!asked.success) {
      return context.text('the body names no day: send {"day":"2026-01-31"} as JSON', 400);
    }
    const answer = await services.close(asked.data.day);
    return context.json({ answer, position: options.position() });
  });
  return app;
}

function refusal(
  context: Context<HooksEnv>,
  secrets: PathTokens,
  options: ReceiverRoutesOptions,
): Response | null {
  const given = /^Bearer (.+)$/.exec(context.req.header('authorization') ?? '')?.[1] ?? '';
  if (!secrets.accepts(given)) {
    options.observe('secret');
    return context.text('receiver.secret is not the same on both receivers', 401);
  }
  const protocol = context.req.header(RECEIVER_HEADERS.protocol);
  if (protocol !== PROTOCOL) {
    options.observe('protocol');
    const text = `this receiver speaks protocol ${PROTOCOL}, not ${protocol ?? 'none'}: run the same version of the program on both`;
    return context.text(text, 426);
  }
  const aheadMs = Number(context.req.header(RECEIVER_HEADERS.sentAt)) - options.now();
  if (!(Math.abs(aheadMs) <= CLOCK_DIFFERENCE_MS_MAX)) {
    options.observe('clock');
    return context.text(clockText(aheadMs, "the owner's"), 422);
  }
  const epoch = options.epoch();
  if (epoch !== null && context.req.header(RECEIVER_HEADERS.epoch) === String(epoch)) return null;
  options.observe('epoch');
  return notOwner(context);
}

function notOwner(context: Context): Response {
  return context.text('this receiver is not the owner in that epoch', 409);
}

async function answerTo(
  one: FramedFact,
  { submit, services }: ReceiverRoutesOptions,
): Promise<OwnerAnswer> {
  if (one.kind === 'unreadable') return { kind: 'failed', cause: one.cause };
  try {
    const outcome = await submit(one.fact);
    if (outcome.kind === 'taken' && changesPolicy(one.fact)) services()?.reevaluate();
    return outcome;
  } catch (error) {
    return { kind: 'failed', cause: error instanceof Error ? error.message : String(error) };
  }
}

function changesPolicy(fact: Fact): boolean {
  return fact.kind === 'decision' && CHANGES_POLICY.has(fact.decision.kind);
}
