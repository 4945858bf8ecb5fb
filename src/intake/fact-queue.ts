import type { Fact } from '../domain/fact/fact.ts';
import type { Submitted } from '../store/port.ts';

/**
 * Accepts facts and answers each when its effect is durable. Beyond its limit a fact is `busy` at
 * once, so that its sender retries and does not run into its own timeout.
 */
export interface FactQueue {
  /** Number of unanswered facts. */
  readonly queued: number;
  /** Why the last commit failed; null when it succeeded. */
  readonly lastFailure: string | null;
  /** Rejects only for bugs; other facts are not affected. */
  submit(fact: Fact): Promise<Submitted>;
  /** Refuses new facts; resolves when all facts are answered. */
  close(): Promise<void>;
}

/**
 * Most facts that one producer submits at a time. A notification that arrives meanwhile must be
 * answered before its sender's timeout, not after the evidence for 100,000 deposits.
 */
const PORTION_MAX = 64;

/**
 * Submits many facts in portions, so that other producers are served in between. Returns one
 * outcome per fact, in their order. Rejects as `submit` does, only for bugs.
 */
export async function submitAll(
  queue: Pick<FactQueue, 'submit'>,
  facts: readonly Fact[],
): Promise<Submitted[]> {
  const outcomes: Submitted[] = [];
  for (let start = 0; start < facts.length; start += PORTION_MAX) {
    const portion = facts.slice(start, start + PORTION_MAX);
    outcomes.push(...(await Promise.all(portion.map((fact) => queue.submit(fact)))));
  }
  return outcomes;
}
