import type { Fact } from '../../../src/domain/fact/fact.ts';
import {
  CreditLatency,
  type LatencyPart,
} from '../../../src/reconcile/verifying/credit-latency.ts';
import { CustodyChanges } from '../../../src/reconcile/verifying/custody-changes.ts';
import { Verifier } from '../../../src/reconcile/verifying/verifier.ts';
import type { Sweep } from '../../../src/reconcile/sweep/sweep.ts';
import { GRACE_MS, Stage } from '../stage.ts';

/** A stage with the verifier beside the sweep, joined as the daemon joins them. */
export interface VerifyingStage {
  readonly stage: Stage;
  readonly verifier: Verifier;
  readonly changes: CustodyChanges;
  readonly sweep: Sweep;
  /** The observed latencies, in milliseconds. */
  readonly observed: Record<LatencyPart, number[]>;
  /** How often the verifier asked for a sweep. */
  readonly sweepsWanted: () => number;
  /** Rounds until nothing is due within this time; answers how many there were. */
  readonly rounds: (withinMs?: number) => Promise<number>;
  /** A verifier without a memory over the same store, as after a restart. */
  readonly restarted: () => Verifier;
}

/** `history`: a sweep has read the list before, as it has in any daemon that runs for a minute. */
export async function startVerifying(
  options: Parameters<typeof Stage.start>[0] & { history?: boolean } = {},
): Promise<VerifyingStage> {
  const { history = true, ...stageOptions } = options;
  const stage = await Stage.start(stageOptions);
  const now = (): number => stage.now;
  const changes = new CustodyChanges({ custody: stage.client, now });
  const observed: Record<LatencyPart, number[]> = {
    asked: [],
    answered: [],
    committed: [],
    total: [],
  };
  let sweepsWanted = 0;
  const parts = {
    reads: stage.reads,
    custody: stage.client,
    latency: new CreditLatency({ observe: (part, ms) => observed[part].push(ms) }),
    submit: (facts: readonly Fact[]) => stage.open.commit(facts),
    wantSweep: () => (sweepsWanted += 1),
    now,
    graceMs: GRACE_MS,
  };
  const verifier = new Verifier({ ...parts, changes });
  const restarted = (): Verifier =>
    new Verifier({ ...parts, changes: new CustodyChanges({ custody: stage.client, now }) });
  stage.open.onNews = (news) => verifier.take(news);
  const sweep = stage.newSweep({ changes });
  if (history) await stage.run(sweep);
  stage.attempts.length = 0;
  const rounds = async (withinMs = 1_000): Promise<number> => {
    for (let count = 0; ; count += 1) {
      const at = verifier.nextRoundAtMs();
      if (at === null || at - stage.now > withinMs) return count;
      if (at > stage.now) await stage.caller.advance(at - stage.now);
      await verifier.round();
    }
  };
  return {
    stage,
    verifier,
    changes,
    sweep,
    observed,
    sweepsWanted: () => sweepsWanted,
    rounds,
    restarted,
  };
}
