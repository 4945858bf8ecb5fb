import { ruleFor } from '../domain/crediting.ts';
import { standsBy, type Deposit } from '../domain/deposit.ts';
import type { Fact } from '../domain/fact.ts';
import type { AssetId, DepositId } from '../domain/ids.ts';
import type { Submitted } from '../store/port.ts';
import type { Reads } from '../store/reads.ts';

/** Deposits per fact: the writer takes some tens of milliseconds for them, and intake waits no longer. */
const DEPOSITS_PER_FACT = 500;

/** Wait before a store that took nothing is tried again. */
const RETRY_MS = 2_000;

/** Who decides here: nobody in person, the policy that holds. */
const ACTOR = 'policy';

/**
 * Judges the deposits that a change of policy, or of an asset's decimals, moves and its own commit
 * did not reach, a bounded number per commit, so that intake goes on meanwhile. What is found is only a hint: the writer
 * judges each of them by the policy that holds by then.
 *
 * Modes: idle → passing (once through the waiting deposits, by id) → passing again when the policy
 * was changed meanwhile, else idle. `stop` ends it after the fact under way; the next start of the
 * daemon goes through all of them again.
 */
export class Judging {
  readonly #reads: Pick<Reads, 'policy' | 'depositsToJudge' | 'decimalsCorrections'>;
  readonly #submit: (fact: Fact) => Promise<Submitted>;
  readonly #now: () => number;
  readonly #pause: (ms: number) => Promise<void>;
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(options: {
    reads: Pick<Reads, 'policy' | 'depositsToJudge' | 'decimalsCorrections'>;
    submit: (fact: Fact) => Promise<Submitted>;
    /** Wall clock, Unix milliseconds. */
    now: () => number;
    pause: (ms: number) => Promise<void>;
  }) {
    this.#reads = options.reads;
    this.#submit = options.submit;
    this.#now = options.now;
    this.#pause = options.pause;
  }

  /** Begins a pass, or another one after that which is under way. Resolves when none is left. */
  begin(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#passes().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Resolves when the fact under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #passes(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#pass();
    }
  }

  async #pass(): Promise<void> {
    let after: DepositId | null = null;
    while (!this.#stopped) {
      const held = await this.#reads.policy();
      if (held === undefined) return;
      const page = await this.#reads.depositsToJudge(after, DEPOSITS_PER_FACT);
      const last = page.at(-1);
      if (last === undefined) return;
      const corrections = await this.#reads.decimalsCorrections();
      const assets = new Set(corrections.map(({ asset }) => asset));
      const moving = page.filter(
        (deposit) =>
          !standsBy(deposit, ruleFor(held.policy, deposit)) ||
          (deposit.decimalsChanged && assets.has(deposit.asset)),
      );
      if (await this.#judged(moving, assets)) after = last.depositId;
      else await this.#pause(RETRY_MS);
    }
  }

  /** False when the store took nothing. */
  async #judged(deposits: readonly Deposit[], assets: ReadonlySet<AssetId>): Promise<boolean> {
    // Pages without a change must let intake have its turn too.
    if (deposits.length === 0) {
      await this.#pause(0);
      return true;
    }
    const depositIds = deposits.map(({ depositId }) => depositId);
    const named = new Set(deposits.map(({ asset }) => asset).filter((asset) => assets.has(asset)));
    const corrected = named.size === 0 ? {} : { corrected: [...named] };
    const decision = { kind: 'judge', depositIds, ...corrected } as const;
    const outcome = await this.#submit({
      kind: 'decision',
      at: this.#now(),
      actor: ACTOR,
      decision,
    });
    return outcome.kind !== 'busy' && outcome.kind !== 'unavailable';
  }
}
