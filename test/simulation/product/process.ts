import { basename } from 'node:path';
import type { Hono } from 'hono';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import type { Fact } from '../../../src/domain/fact/fact.ts';
import { BodyMemory } from '../../../src/intake/body-memory.ts';
import { CommitQueue } from '../../../src/intake/commit-queue.ts';
import { decode } from '../../../src/intake/decode.ts';
import type { FactQueue } from '../../../src/intake/fact-queue.ts';
import { createHooks, type HooksEnv } from '../../../src/intake/hooks.ts';
import { PathTokens } from '../../../src/intake/path-token.ts';
import { RefusedBodies } from '../../../src/intake/refused-bodies.ts';
import type { Ledger, Submitted } from '../../../src/store/port.ts';
import { openForReading, openForWriting } from '../../../src/store/sqlite/file/database.ts';
import { SqliteReads } from '../../../src/store/sqlite/reads/sqlite-reads.ts';
import { SqliteLedger } from '../../../src/store/sqlite/sqlite-ledger.ts';
import { Duties } from './duties.ts';
import { FragileLedger } from './fragile-ledger.ts';
import { DIED, type Life } from './process-state.ts';
import type { Delivered, ProductOptions } from './product.ts';

const BODY_BYTES_MAX = 1_048_576;
const BATCH_MAX = 64;
const QUEUE_MAX = 1_024;
/** Well above what a simulation garbles: every malformed body shall leave its break. */
const MALFORMED_PER_HOUR_MAX = 10_000;

interface ProcessOptions extends ProductOptions {
  readonly name: string;
  /** Each life has a file of its own. */
  readonly path: string;
  readonly life: Life;
  readonly now: () => number;
  /** The process dies in a commit. */
  readonly die: () => void;
  /** Who takes the commits; by default, the store. */
  readonly ledgerOver?: (store: SqliteLedger) => Ledger;
  /** Who takes the facts of everybody; by default, the writer. */
  readonly queueOver?: (writer: CommitQueue) => Pick<FactQueue, 'submit'>;
}

/** The daemon's parts as `serve` wires them, on a simulated clock and network, with a mortal writer. */
export class Process {
  readonly name: string;
  /** As the network names it, from its file: the next life has another name. */
  readonly networkName: string;
  readonly path: string;
  readonly life: Life;
  readonly reads: SqliteReads;
  readonly #options: ProcessOptions;
  readonly #store: SqliteLedger;
  readonly #writer: CommitQueue;
  readonly #queue: Pick<FactQueue, 'submit'>;
  readonly #app: Hono<HooksEnv>;
  readonly #duties: Duties[] = [];

  constructor(options: ProcessOptions) {
    this.#options = options;
    const { name, path, life, now } = options;
    this.name = name;
    this.networkName = basename(path, '.db');
    this.path = path;
    this.life = life;
    this.#store = new SqliteLedger(openForWriting(path), {
      decode,
      now,
      keysKeptMax: 16,
      askedForMax: 40,
    });
    const ledger = new FragileLedger({
      ledger: options.ledgerOver?.(this.#store) ?? this.#store,
      fate: options.fate,
      life,
      die: options.die,
    });
    this.reads = new SqliteReads(openForReading(path));
    this.#writer = new CommitQueue({
      ledger,
      batchMax: BATCH_MAX,
      queueMax: QUEUE_MAX,
      onNews: (news) => this.#duties.at(-1)?.verifier.take(news),
    });
    this.#queue = options.queueOver?.(this.#writer) ?? this.#writer;
    this.#app = createHooks({
      tokens: new PathTokens([options.pathToken]),
      bodyBytesMax: BODY_BYTES_MAX,
      memory: new BodyMemory(),
      submit: (fact) => this.#queue.submit(fact),
      refused: new RefusedBodies(MALFORMED_PER_HOUR_MAX),
      now,
      certificateAccepted: () => true,
      observe: () => undefined,
    });
  }

  awake(): Promise<void> {
    return this.life.awake();
  }

  /** The duties of one ownership. */
  newDuties(): Duties {
    const { reads, path, networkName } = this;
    const duties = new Duties({
      ...this.#options,
      name: networkName,
      reads,
      queue: this.#writer,
      requestLogPath: `${path}.requests`,
    });
    this.#duties.push(duties);
    return duties;
  }

  /** A delivery to the webhook path. */
  async deliver(body: Uint8Array): Promise<Delivered> {
    const answer = await this.life.answer(async () =>
      this.#app.request(`/${this.#options.pathToken}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      }),
    );
    return answer === DIED ? DIED : answer.status;
  }

  decide(decision: Decision, actor: string): Promise<Submitted | typeof DIED> {
    const fact: Fact = { kind: 'decision', at: this.#options.now(), actor, decision };
    return this.life.answer(() => this.#queue.submit(fact));
  }

  /** Lets go of files and sockets. */
  async release(): Promise<void> {
    this.reads.close();
    this.#store.close();
    for (const duties of this.#duties) await duties.close();
  }
}
