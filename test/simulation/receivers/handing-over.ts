import { z } from 'zod';
import { framed, ownerAnswers, PROTOCOL } from '../../../src/daemon/receivers/frame.ts';
import {
  RECEIVER_HEADERS,
  RECEIVER_PATHS,
  ownerRun,
  type OwnerCall,
  type HandOverResult,
  type OwnerRun,
} from '../../../src/daemon/receivers/owner-client.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import type { Owner } from '../../../src/store/replicated/shared-journal.ts';
import { DIED } from '../product/process-state.ts';
import { SECRET, type SharingProcess } from './sharing-process.ts';
import type { HandFate } from './faults.ts';

/** Steps that a caller waits for the owner's effect to reach its replica. */
const STEPS_MAX = 3;

type Failed = Exclude<HandOverResult, { readonly kind: 'answered' }>;

interface Sent {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer> | string;
}

interface HandingOverOptions {
  readonly fate: () => HandFate;
  /** The process that listens at a URL. */
  readonly at: (url: string) => SharingProcess | undefined;
  /** The clock of a receiver. */
  readonly now: (name: string) => number;
  readonly log: (line: string) => void;
}

/** The network between receivers: it hands facts and calls to the owner's routes, or loses them. */
export class HandingOver {
  readonly #options: HandingOverOptions;
  /** Facts that an owner has answered. */
  handed = 0;

  constructor(options: HandingOverOptions) {
    this.#options = options;
  }

  async hand(from: SharingProcess, owner: Owner, facts: readonly Fact[]): Promise<HandOverResult> {
    const body = new Uint8Array(framed(facts));
    const sent = await this.#send(from, owner, { path: RECEIVER_PATHS.facts, body });
    // Nobody answers: the facts leave before the call ends.
    if (sent.kind === 'unknown') from.endWaits();
    if (sent.kind !== 'ok') return sent;
    const answers = ownerAnswers.parse(sent.json);
    this.handed += facts.length;
    const isShown = answers.answers.some(({ kind }) => kind === 'taken' || kind === 'unchanged');
    const position = isShown ? answers.position : 0;
    return (await this.#shows(from, position)) ?? { kind: 'answered', ...answers };
  }

  async reconcile(from: SharingProcess, owner: Owner): Promise<OwnerCall<OwnerRun>> {
    const sent = await this.#send(from, owner, { path: RECEIVER_PATHS.reconcile, body: '{}' });
    if (sent.kind !== 'ok') return sent;
    const { answer, position } = z.object({ answer: ownerRun, position: z.int() }).parse(sent.json);
    return (await this.#shows(from, position)) ?? { kind: 'answered', answer, position };
  }

  async #send(
    from: SharingProcess,
    owner: Owner,
    { path, body }: Sent,
  ): Promise<{ readonly kind: 'ok'; readonly json: unknown } | Failed> {
    const { fate: fateOf, at, now, log } = this.#options;
    const { name } = from.process;
    const to = at(owner.url);
    if (to === undefined) return { kind: 'unreached', cause: 'nobody listens there' };
    const fate = fateOf();
    log(`${name} hands to ${owner.name}: ${fate}`);
    if (fate === 'request_lost') return { kind: 'unknown', cause: 'the request was lost' };
    const headers = {
      authorization: `Bearer ${SECRET}`,
      [RECEIVER_HEADERS.protocol]: PROTOCOL,
      [RECEIVER_HEADERS.epoch]: String(owner.epoch),
      [RECEIVER_HEADERS.sender]: name,
      [RECEIVER_HEADERS.sentAt]: String(now(name)),
    };
    const answered = await to.life.answer(async () =>
      to.routes.request(path, { method: 'POST', body, headers }),
    );
    if (answered === DIED) return { kind: 'unknown', cause: 'no answer came' };
    if (fate === 'answer_lost') return { kind: 'unknown', cause: 'the answer was lost' };
    switch (answered.status) {
      case 200:
        return { kind: 'ok', json: await answered.json() };
      case 409:
        return { kind: 'not_owner' };
      case 422:
        return { kind: 'refused', cause: await answered.text() };
      default:
        return { kind: 'unknown', cause: await answered.text() };
    }
  }

  /** Waits for a position as steps would bring it; a failure when the receiver does not follow. */
  async #shows(from: SharingProcess, position: number): Promise<Failed | undefined> {
    for (let step = 0; step < STEPS_MAX && from.applied.position < position; step += 1) {
      await from.step();
    }
    if (from.applied.position >= position) return undefined;
    return { kind: 'unknown', cause: 'this replica does not follow' };
  }
}
