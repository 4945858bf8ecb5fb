import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import {
  NOT_INSTALLED,
  postgresPrograms,
} from '../../../src/commands/demo/postgres/installation.ts';
import { eventually } from '../program.ts';
import { ownerAndFollower, until, webhook, type RealReceiver } from './receivers.ts';

const isInstalled = postgresPrograms(process.env) !== undefined;
if (!isInstalled) console.warn(`skipped: ${NOT_INSTALLED}`);

/** The aim is 2 s on a machine with room; this one may be busy with other tests. */
const DRAIN_MS_MAX = 20_000;
const SENDERS = 8;

/** Senders behind a proxy: a delivery that one receiver refuses goes to the other. */
class Load {
  readonly acknowledged: number[] = [];
  readonly refused: string[] = [];
  #next = 1;
  #isStopped = false;
  readonly #senders: Promise<void>[];

  constructor(receivers: readonly [RealReceiver, RealReceiver]) {
    this.#senders = Array.from({ length: SENDERS }, () => this.#send(receivers));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#senders);
  }

  async #send([first, second]: readonly [RealReceiver, RealReceiver]): Promise<void> {
    while (!this.#isStopped) {
      const number = this.#next;
      this.#next += 1;
      const [chosen, otherwise] = number % 2 === 0 ? [first, second] : [second, first];
      const answer = await given(chosen, number).catch(() =>
        // A refused or ended connection: the proxy tries the other receiver.
        eventually('an answer', () => given(otherwise, number).catch(() => undefined)),
      );
      if (answer === 'refused 503') this.refused.push(answer);
      else this.acknowledged.push(number);
    }
  }
}

async function given(receiver: RealReceiver, number: number): Promise<string> {
  const answer = await receiver.daemon.deliver(webhook(number));
  const { status } = (await answer.json()) as { status: string | number };
  return answer.ok ? String(status) : `refused ${answer.status}`;
}

describe.runIf(isInstalled)('SIGTERM amid deliveries', () => {
  let cluster: PostgresCluster;
  beforeAll(async () => {
    cluster = await startPostgres({ standby: true });
  });
  afterAll(() => cluster?.stop());

  test.each(['owner', 'follower'] as const)(
    'a drained %s leaves soon, and no delivery is refused or lost',
    async (which) => {
      const pair = await ownerAndFollower(cluster);
      const leaving = pair[which];
      const staying = which === 'owner' ? pair.follower : pair.owner;
      const load = new Load([pair.owner, pair.follower]);
      await until('deliveries arrive', () => load.acknowledged.length > 200);
      const startedAt = performance.now();
      const code = await leaving.daemon.end('SIGTERM');
      const tookMs = Math.round(performance.now() - startedAt);
      console.info(`SIGTERM to exit of the ${which}: ${tookMs} ms`);
      expect(code).toBe(0);
      expect(tookMs).toBeLessThan(DRAIN_MS_MAX);
      const before = load.acknowledged.length;
      await until('deliveries go on', () => load.acknowledged.length > before + 100);
      await load.stop();
      expect(load.refused).toEqual([]);
      expect((await staying.becomes('owner')).status).toBe('ready');
      const answers = await Promise.all(
        load.acknowledged.slice(-300).map((number) => given(staying, number)),
      );
      expect(answers.filter((answer) => answer !== 'duplicate')).toEqual([]);
    },
  );
});
