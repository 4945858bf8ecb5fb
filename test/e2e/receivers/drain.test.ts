import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startPostgres, type PostgresCluster } from '../../postgres/cluster.ts';
import { isInstalled } from '../../postgres/installed.ts';
import { eventually } from '../program.ts';
import { ownerAndFollower, until, webhook, type RealReceiver } from './receivers.ts';

/** A drained receiver leaves within this time on a machine with room. */
const DRAIN_MS_MAX = 2_000;
/** Other programs only lengthen a drain: one of three within its limit shows what the receiver needs. */
const DRAINS_MAX = 3;
/**
 * A receiver needs several times as long to start as to leave. On a machine so busy that half its start
 * takes more than two seconds, it may also leave that late.
 */
const SHARE_OF_START = 0.5;

const SENDERS = 8;

/** Senders behind a proxy: a delivery that one receiver refuses goes to the other. */
class Load {
  readonly acknowledged: number[] = [];
  readonly refused: string[] = [];
  #next = 1;
  #isStopped = false;
  readonly #senders: Promise<void>[];

  constructor(receivers: readonly RealReceiver[]) {
    this.#senders = Array.from({ length: SENDERS }, () => this.#send(receivers));
  }

  /** Resolves when more deliveries are acknowledged. */
  goesOn(): Promise<void> {
    const before = this.acknowledged.length;
    return until('deliveries go on', () => this.acknowledged.length > before + 200);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#senders);
  }

  async #send(receivers: readonly RealReceiver[]): Promise<void> {
    while (!this.#isStopped) {
      const number = this.#next;
      this.#next += 1;
      const inTurn = number % 2 === 0 ? receivers : receivers.toReversed();
      // A refused or ended connection: the proxy tries the other receiver.
      const answer = await eventually('an answer', () => takenByOne(inTurn, number));
      if (answer === 'refused 503') this.refused.push(answer);
      else this.acknowledged.push(number);
    }
  }
}

async function takenByOne(
  receivers: readonly RealReceiver[],
  number: number,
): Promise<string | undefined> {
  for (const receiver of receivers) {
    const answer = await given(receiver, number).catch(() => undefined);
    if (answer !== undefined) return answer;
  }
  return undefined;
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
    'a drained %s leaves within two seconds, and no delivery is refused or lost',
    async (which) => {
      let { owner, follower } = await ownerAndFollower(cluster);
      const load = new Load([owner, follower]);
      const drains = [];
      for (let limitMs = DRAIN_MS_MAX; ;) {
        await load.goesOn();
        const [leaving, staying] = which === 'owner' ? [owner, follower] : [follower, owner];
        const tookMs = await timed(async () => {
          expect(await leaving.daemon.end('SIGTERM')).toBe(0);
        });
        drains.push({ tookMs, limitMs });
        expect((await staying.becomes('owner')).status).toBe('ready');
        [owner, follower] = [staying, leaving];
        if (tookMs < limitMs || drains.length === DRAINS_MAX) break;
        const startMs = await timed(async () => {
          await leaving.start();
          await leaving.becomes('follower');
        });
        limitMs = Math.max(DRAIN_MS_MAX, Math.round(startMs * SHARE_OF_START));
      }
      console.info(`SIGTERM to exit of the ${which}, milliseconds: ${JSON.stringify(drains)}`);
      expect(drains.filter(({ tookMs, limitMs }) => tookMs < limitMs)).toHaveLength(1);
      await load.goesOn();
      await load.stop();
      expect(load.refused).toEqual([]);
      const answers = await Promise.all(
        load.acknowledged.slice(-300).map((number) => given(owner, number)),
      );
      expect(answers.filter((answer) => answer !== 'duplicate')).toEqual([]);
    },
  );
});

async function timed(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return Math.round(performance.now() - startedAt);
}
