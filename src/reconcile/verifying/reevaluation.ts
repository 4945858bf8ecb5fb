import { depositRule } from '../../domain/policy/policy.ts';
import { isUpToDate, type Deposit } from '../../domain/deposit/deposit.ts';
import type { Fact } from '../../domain/fact/fact.ts';
import type { AssetId, DepositId } from '../../domain/ids.ts';
import type { Submitted } from '../../store/port.ts';
import type { Reads } from '../../store/reads.ts';

/**
 * Deposits per fact: the writer needs some ten milliseconds for them, and intake waits no longer.
 */
const DEPOSITS_PER_FACT = 500;

/** Wait before the next attempt when the store accepted nothing. */
const RETRY_MS = 2_000;

/** The journalled actor: the policy in force, not a person. */
const ACTOR = 'policy';

/**
 * Re-evaluates deposits after a change of the policy, or of an asset's decimals, that the change's
 * own commit did not reach. Submits a bounded number per commit, so that intake continues. Its
 * selection is only a hint: the writer evaluates each deposit by the policy in force at that time.
 *
 * Modes: idle → passing (once through the uncredited deposits, by id) → passing again when the policy
 * changed meanwhile, else idle. `stop` ends it after the current fact; the next start of the daemon
 * begins again.
 */
export class Reevaluation {
  readonly #reads: Pick<Reads, 'policy' | 'depositsToReevaluate' | 'decimalsCorrections'>;
  readonly #submit: (fact: Fact) => Promise<Submitted>;
  readonly #now: () => number;
  readonly #pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | null = null;
  #again = false;

  constructor(options: {
    reads: Pick<Reads, 'policy' | 'depositsToReevaluate' | 'decimalsCorrections'>;
    submit: (fact: Fact) => Promise<Submitted>;
    /** Wall clock, Unix milliseconds. */
    now: () => number;
    /** Resolves after `ms` milliseconds, or at once when `signal` aborts. */
    pause: (ms: number, signal: AbortSignal) => Promise<void>;
  }) {
    this.#reads = options.reads;
    this.#submit = options.submit;
    this.#now = options.now;
    this.#pause = options.pause;
  }

  /** Starts a pass, or another one after the current pass. Resolves when no pass is left. */
  begin(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#passes().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** Stops after the current fact; resolves when that is done. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #passes(): Promise<void> {
    while (this.#again && !this.#isStopped) {
      this.#again = false;
      await this.#pass();
    }
  }

  async #pass(): Promise<void> {
    let after: DepositId | null = null;
    while (!this.#isStopped) {
      const held = await this.#reads.policy();
      if (held === undefined) return;
      const page = await this.#reads.depositsToReevaluate(after, DEPOSITS_PER_FACT);
      const last = page.at(-1);
      if (last === undefined) return;
      const corrections = await this.#reads.decimalsCorrections();
      const assets = new Set(corrections.map(({ asset }) => asset));
      const moving = page.filter(
        (deposit) =>
          !isUpToDate(deposit, depositRule(held.policy, deposit), this.#now()) ||
          (deposit.decimalsChanged && assets.has(deposit.asset)),
      );
      if (await this.#reevaluated(moving, assets)) after = last.depositId;
      else await this.#pause(RETRY_MS, this.#stopping.signal);
    }
  }

  /** False when the store accepted nothing. */
  async #reevaluated(deposits: readonly Deposit[], assets: ReadonlySet<AssetId>): Promise<boolean> {
    // Pages without a change must yield to intake too.
    if (deposits.length === 0) {
      await this.#pause(0, this.#stopping.signal);
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
