import { Agent, request, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { CloseAnswer } from '../../api/services.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import { UNKNOWN_AUTHORITY } from '../../ops/certificates.ts';
import type { Owner } from '../../store/replicated/shared-journal.ts';
import { framed, ownerAnswers, PROTOCOL, type OwnerAnswers } from './frame.ts';

/** Where an owner takes what other receivers hand on, below its `receiver.url`. */
export const RECEIVER_PATHS = {
  facts: '/receivers/facts',
  reconcile: '/receivers/reconcile',
  close: '/receivers/close',
} as const;

/** Headers of a call between receivers. */
export const RECEIVER_HEADERS = {
  protocol: 'counterfoil-protocol',
  /** The epoch in which the sender takes the called receiver for the owner. */
  epoch: 'counterfoil-epoch',
  sender: 'counterfoil-receiver',
  /** The sender's clock, Unix milliseconds. */
  sentAt: 'counterfoil-sent-at',
} as const;

const CONNECT_MS_MAX = 1_000;
/** A commit waits for the standby at most 4 s; the sender of a webhook gives up after 10 s. */
const FACTS_MS_MAX = 6_000;
/** A run reads the custody API for up to some minutes. */
const CALL_MS_MAX = 600_000;
/** For facts: two frames are under way, and one question without facts. Calls have as many. */
const CONNECTIONS_MAX = 4;

/**
 * What became of facts handed to the owner. After `not_owner`, `busy`, `refused` and `unreached`
 * nothing was kept. After `unknown` the facts may have been kept.
 */
export type HandOverResult =
  | ({ readonly kind: 'answered' } & OwnerAnswers)
  | { readonly kind: 'not_owner' }
  /** The owner has no room for more facts now. */
  | { readonly kind: 'busy' }
  /** The owner takes nothing from this receiver, and why; a person must change something. */
  | { readonly kind: 'refused'; readonly cause: string }
  | { readonly kind: 'unreached'; readonly cause: string }
  | { readonly kind: 'unknown'; readonly cause: string };

/** The answer to a call that only the owner can carry out. */
export type OwnerCall<Answer> =
  { readonly kind: 'answered'; readonly answer: Answer; readonly position: number } | NotAnswered;

type NotAnswered = Exclude<HandOverResult, { readonly kind: 'answered' }>;
type Sent = { readonly kind: 'ok'; readonly json: unknown } | NotAnswered;

/** The run's journal position, or why it was not recorded. */
export const ownerRun = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ran'), seq: z.int() }),
  z.object({ kind: z.literal('not_recorded'), cause: z.string() }),
]);
export type OwnerRun = z.infer<typeof ownerRun>;

const ownerClose = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('closed') }),
  z.object({ kind: z.literal('too_early'), cutOffAt: z.number() }),
  z.object({ kind: z.literal('unknown') }),
  z.object({ kind: z.literal('unavailable'), reason: z.string() }),
]) satisfies z.ZodType<CloseAnswer>;

/** Nothing was sent: the connection did not come about. */
const UNREACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** What to do about an owner that cannot be reached. */
const REPAIR = 'repair the network between the receivers, or correct receiver.url';

/** Other codes of an owner's certificate that is not accepted, with what to do. */
const CERTIFICATE_FLAWS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', 'renew it'],
  ['CERT_NOT_YET_VALID', 'set both clocks by NTP'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "write a name that it has into that receiver's receiver.url"],
]);

/** What to do about a certificate that is not accepted; nothing was sent. Undefined for another code. */
function certificateAdvice(code: string): string | undefined {
  return UNKNOWN_AUTHORITY.has(code)
    ? 'put its authority into receiver.caFile'
    : CERTIFICATE_FLAWS.get(code);
}

interface OwnerClientOptions {
  /** This receiver's name. */
  readonly name: string;
  readonly secret: string;
  /** Authority of the owners' certificates, PEM; null: those that Node knows. */
  readonly ca: string | null;
  /** This receiver's clock, Unix milliseconds. */
  readonly now: () => number;
}

/** Hands facts and calls to the owner over HTTP. It does not repeat. */
export class OwnerClient {
  readonly #options: OwnerClientOptions;
  readonly #forFacts: Agent;
  /** Calls take minutes: on the connections of the facts they would hold the facts up. */
  readonly #forCalls: Agent;

  constructor(options: OwnerClientOptions) {
    this.#options = options;
    const connect = {
      timeout: CONNECT_MS_MAX,
      ...(options.ca === null ? {} : { ca: options.ca }),
    };
    this.#forFacts = new Agent({ connections: CONNECTIONS_MAX, connect });
    this.#forCalls = new Agent({ connections: CONNECTIONS_MAX, connect });
  }

  async hand(owner: Owner, facts: readonly Fact[]): Promise<HandOverResult> {
    const body = Buffer.from(framed(facts));
    const how = { body, msMax: FACTS_MS_MAX, dispatcher: this.#forFacts };
    const sent = await this.#send(owner, RECEIVER_PATHS.facts, how);
    if (sent.kind !== 'ok') return sent;
    const read = ownerAnswers.safeParse(sent.json);
    if (read.success && read.data.answers.length === facts.length) {
      return { kind: 'answered', ...read.data };
    }
    return inAnotherForm(owner);
  }

  reconcile(owner: Owner): Promise<OwnerCall<OwnerRun>> {
    return this.#call(owner, { path: RECEIVER_PATHS.reconcile, asked: {}, answer: ownerRun });
  }

  close(owner: Owner, day: string): Promise<OwnerCall<CloseAnswer>> {
    return this.#call(owner, { path: RECEIVER_PATHS.close, asked: { day }, answer: ownerClose });
  }

  /** Ends all calls under way. */
  async end(): Promise<void> {
    await Promise.all([this.#forFacts.destroy(), this.#forCalls.destroy()]);
  }

  async #call<Answer>(
    owner: Owner,
    call: { path: string; asked: object; answer: z.ZodType<Answer> },
  ): Promise<OwnerCall<Answer>> {
    const body = Buffer.from(JSON.stringify(call.asked));
    const how = { body, msMax: CALL_MS_MAX, dispatcher: this.#forCalls };
    const sent = await this.#send(owner, call.path, how);
    if (sent.kind !== 'ok') return sent;
    const read = z.object({ answer: call.answer, position: z.int() }).safeParse(sent.json);
    if (read.success) return { kind: 'answered', ...read.data };
    return inAnotherForm(owner);
  }

  async #send(
    owner: Owner,
    path: string,
    how: { readonly body: Buffer; readonly msMax: number; readonly dispatcher: Agent },
  ): Promise<Sent> {
    const { name, secret, now } = this.#options;
    const { body, msMax, dispatcher } = how;
    try {
      const response = await request(`${owner.url}${path}`, {
        method: 'POST',
        dispatcher,
        headersTimeout: msMax,
        bodyTimeout: msMax,
        headers: {
          authorization: `Bearer ${secret}`,
          'content-type': 'application/octet-stream',
          [RECEIVER_HEADERS.protocol]: PROTOCOL,
          [RECEIVER_HEADERS.epoch]: String(owner.epoch),
          [RECEIVER_HEADERS.sender]: name,
          [RECEIVER_HEADERS.sentAt]: String(now()),
        },
        body,
      });
      return await sentOf(owner, response);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      const advice = certificateAdvice(code);
      if (advice !== undefined) {
        const cause = `the certificate of the owner ${owner.name} at ${owner.url} is not accepted (${code}): ${advice}`;
        return { kind: 'unreached', cause };
      }
      const cause = `the owner ${owner.name} cannot be reached (${code || String(error)}): ${REPAIR}`;
      return { kind: UNREACHED.has(code) ? 'unreached' : 'unknown', cause };
    }
  }
}

function inAnotherForm({ name }: Owner): HandOverResult & { readonly kind: 'unknown' } {
  const cause = `the owner ${name} answered in another form: run the same version of the program on both`;
  return { kind: 'unknown', cause };
}

async function sentOf(owner: Owner, { statusCode, body }: Dispatcher.ResponseData): Promise<Sent> {
  if (statusCode === 200) return { kind: 'ok', json: await body.json() };
  const text = await body.text();
  if (statusCode === 409) return { kind: 'not_owner' };
  if (statusCode === 429) return { kind: 'busy' };
  const cause = `the owner ${owner.name} refuses (${statusCode}): ${text.slice(0, 300)}`;
  // Anything else comes from a program in between, or from a defect: the facts may have arrived.
  return {
    kind: [400, 401, 404, 413, 422, 426].includes(statusCode) ? 'refused' : 'unknown',
    cause,
  };
}
