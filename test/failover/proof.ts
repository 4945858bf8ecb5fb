import { Chance } from '../simulation/seeded-draws.ts';
import { FAULTS, rotation, type FaultName } from './faults/rotation.ts';
import { Judge, type Verdict } from './judge/judge.ts';
import { Scene } from './scene/scene.ts';

/** The number of faults after which the receivers are compared. */
const JUDGED_EVERY = 20;
/** How often a fault happens during a rush of deliveries. */
const RUSHES = 0.25;

/** One fault that happened. */
export interface Event {
  readonly name: FaultName;
  readonly serveMs: number;
  /** Ids that were first acknowledged from the fault until service had returned. */
  readonly acknowledged: readonly string[];
}

export interface ProofResult {
  readonly events: readonly Event[];
  readonly verdict: Verdict;
  /** Items of the feed that a consumer read from the receivers in turn, without a gap. */
  readonly consumed: number;
  /** Promises that a fault broke, and what did not heal. */
  readonly problems: readonly string[];
}

export interface ProofOptions {
  readonly seed: number;
  readonly faults: number;
  /** Called after each fault. */
  readonly onFault: (event: Event) => void;
  /** No fault begins afterwards. */
  readonly signal: AbortSignal;
}

/** Real receivers and real servers under a steady stream of deliveries, and one fault after another. */
export async function prove(options: ProofOptions): Promise<ProofResult> {
  const scene = await Scene.start();
  try {
    return await suffer(scene, options);
  } finally {
    await scene.stop();
  }
}

async function suffer(
  scene: Scene,
  { seed, faults, onFault, signal }: ProofOptions,
): Promise<ProofResult> {
  const chance = new Chance(seed, 'failover');
  const judge = new Judge(scene);
  const events: Event[] = [];
  const problems: string[] = [];
  let current = '';
  scene.begin();
  await scene.senders.probe();
  try {
    for (const name of rotation(chance)) {
      if (events.length >= faults || signal.aborted) break;
      current = name;
      scene.senders.pace = chance.happens(RUSHES) ? 'rush' : 'quiet';
      const before = scene.senders.acknowledged.size;
      const { serveMs, problems: broken } = await FAULTS[name](scene, chance);
      await scene.untilHealthy();
      const acknowledged = [...scene.senders.acknowledged.keys()].slice(before);
      const event = { name, serveMs, acknowledged };
      events.push(event);
      onFault(event);
      problems.push(...broken.map((problem) => `fault ${events.length}, ${name}: ${problem}`));
      if (events.length % JUDGED_EVERY === 0 && isBroken(await judge.judge())) break;
    }
    scene.senders.pace = 'quiet';
    const verdict = await judge.judgeFinally();
    const { items: consumed, problems: inFeed } = scene.consumer;
    return { events, verdict, consumed, problems: [...problems, ...scene.problems, ...inFeed] };
  } catch (error) {
    problems.push(`after fault ${events.length}, during "${current}": ${String(error)}`);
    const { items: consumed, problems: inFeed } = scene.consumer;
    problems.push(...inFeed);
    return { events, verdict: await judge.judgeJournal(), consumed, problems };
  }
}

/** Whether the judge found anything wrong. */
export function isBroken({ lost, doubled, problems }: Verdict): boolean {
  return lost.length + doubled.length + problems.length > 0;
}
