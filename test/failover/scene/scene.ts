import { eventually, runProgram } from '../../e2e/program.ts';
import { SUPERUSER } from '../../../src/commands/demo/postgres/server.ts';
import { PASSWORD } from '../../postgres/server.ts';
import { Custody } from './custody.ts';
import { DATABASE, Pair } from './pair.ts';
import { FeedConsumer } from './consumer.ts';
import { FailoverReceiver, type ReceiverSettings } from './receiver.ts';
import { Senders } from './senders.ts';

/** Pause between two payments: each brings some five webhooks. */
const DEPOSIT_EVERY_MS = 500;
/** Longer than any fault takes to heal, also on a busy machine. */
const HEALTHY_MS_MAX = 120_000;

/** Everything that runs: two database servers, two receivers, the custody core and the senders. */
export class Scene {
  readonly pair: Pair;
  readonly receivers: readonly [FailoverReceiver, FailoverReceiver];
  readonly senders: Senders;
  readonly consumer: FeedConsumer;
  /** What went wrong besides the faults. */
  readonly problems: string[] = [];
  readonly #custody: Custody;
  #deposits: NodeJS.Timeout | undefined;

  private constructor(parts: {
    pair: Pair;
    receivers: readonly [FailoverReceiver, FailoverReceiver];
    senders: Senders;
    custody: Custody;
  }) {
    this.pair = parts.pair;
    this.receivers = parts.receivers;
    this.senders = parts.senders;
    this.consumer = new FeedConsumer(parts.receivers);
    this.#custody = parts.custody;
  }

  static async start(settings: ReceiverSettings = {}): Promise<Scene> {
    const pair = await Pair.start();
    const senders = new Senders();
    const custody = await Custody.start((body) => senders.take(body));
    const { code, stderr } = await runProgram('init', '--store', addressOf(pair));
    if (code !== 0) throw new Error(`init failed: ${stderr}`);
    const context = { pair, custody, settings };
    const receivers = [
      await FailoverReceiver.create('a', context),
      await FailoverReceiver.create('b', context),
    ] as const;
    senders.deliverTo(receivers);
    const scene = new Scene({ pair, custody, receivers, senders });
    await Promise.all(receivers.map(({ daemon }) => daemon.start()));
    await scene.untilHealthy();
    return scene;
  }

  /** Begins the stream of deliveries and of payments, and to read the feed. */
  begin(): void {
    this.senders.start();
    this.consumer.start();
    this.#pay();
  }

  /** The address of the journal, without a link between. */
  get store(): string {
    return addressOf(this.pair);
  }

  /** The receiver that owns the journal, and the other one. */
  async roles(): Promise<{
    readonly owner: FailoverReceiver;
    readonly follower: FailoverReceiver;
  }> {
    const [one, two] = this.receivers;
    const [row] = await this.pair.sql<{ owner: string }>('SELECT owner FROM counterfoil.ownership');
    return row?.owner === one.name ? { owner: one, follower: two } : { owner: two, follower: one };
  }

  /**
   * Resolves when one receiver owns the journal, the other follows it, and the standby follows the
   * primary. Rejects when a fault does not heal.
   */
  async untilHealthy(): Promise<void> {
    await this.pair.standbyFollows();
    let last = '';
    const isHealthy = async (): Promise<true | undefined> => {
      const states = await Promise.all(this.receivers.map((one) => one.ready().catch(String)));
      last = JSON.stringify(states);
      const roles = states.map((state) => (typeof state === 'string' ? '' : state.receiver.role));
      return roles.toSorted().join() === 'follower,owner' ? true : undefined;
    };
    try {
      await eventually('service returns', isHealthy, HEALTHY_MS_MAX);
    } catch (error) {
      throw new Error(`service does not return: ${last}`, { cause: error });
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.#deposits);
    for (const receiver of this.receivers) receiver.wake();
    await this.senders.stop();
    await this.consumer.stop();
    for (const receiver of this.receivers) await receiver.remove();
    await this.#custody.stop();
    await this.pair.stop();
  }

  #pay(): void {
    this.#deposits = setTimeout(() => {
      this.#custody.deposit().then(
        () => this.#pay(),
        (error: unknown) => this.problems.push(`no more payments: ${String(error)}`),
      );
    }, DEPOSIT_EVERY_MS);
  }
}

function addressOf({ primary }: Pair): string {
  return `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${primary.server.port}/${DATABASE}`;
}
