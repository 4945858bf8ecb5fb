import type { Deposit } from '../../../src/domain/deposit/deposit.ts';
import type { Decision } from '../../../src/domain/fact/decision.ts';
import { Chance } from '../seeded-draws.ts';
import type { EventLog } from '../event-log.ts';
import type { Product } from '../product/product.ts';

const EVERYTHING = { page: 0, pageSize: 100_000 } as const;

const ACTIONS = { approve: 3, attribute: 2, hold: 1, release: 2, acknowledge: 6 } as const;

/** The people behind the product, and the exchange's program that reads the credit feed. */
export class Operators {
  /** Deposits whose owner a person found. */
  readonly attributed = new Set<string>();
  readonly #product: Product;
  readonly #chance: Chance;
  readonly #log: EventLog;
  #after = 0;

  constructor(options: { product: Product; seed: number; log: EventLog }) {
    this.#product = options.product;
    this.#chance = new Chance(options.seed, 'office');
    this.#log = options.log;
  }

  async act(): Promise<void> {
    const action = this.#chance.weighted(ACTIONS);
    if (action === 'acknowledge') return this.#acknowledge();
    const deposits = await this.#held(action);
    const deposit = this.#chance.pickAny(deposits);
    return deposit === undefined ? undefined : this.#about(deposit, action);
  }

  /** Approves and releases what waits for a person. An unregistered memo gets no owner. */
  async handleHeldDeposits(): Promise<void> {
    for (const action of ['release', 'approve'] as const) {
      for (const deposit of await this.#held(action)) await this.#about(deposit, action);
    }
  }

  /**
   * Books what left without a platform transaction to suspense, and takes deposits that the custody
   * API does not know from the books.
   */
  async resolveUnexplained(): Promise<void> {
    for (const type of ['unexplained_movement', 'unknown_to_custody'] as const) {
      const found = await this.#product.reads?.breaks({ state: 'open', type }, EVERYTHING);
      for (const { breakId } of found?.items ?? []) {
        const reason = 'looked at it';
        await this.#decide({
          kind: 'resolve',
          breakId,
          reason,
          followsChain: true,
          takesBack: true,
        });
      }
    }
  }

  async #held(action: Exclude<keyof typeof ACTIONS, 'acknowledge'>): Promise<readonly Deposit[]> {
    const page = await this.#product.reads?.deposits({}, EVERYTHING);
    const deposits = page?.items ?? [];
    switch (action) {
      case 'approve':
        return deposits.filter(({ reason }) => reason === 'approval_required');
      case 'attribute':
        return deposits.filter(
          ({ reason }) => reason === 'unattributed_memo' || reason === 'memo_required',
        );
      case 'hold':
        return deposits.filter(({ state }) => state === 'confirming' || state === 'verifying');
      case 'release':
        return deposits.filter(({ reason }) => reason === 'operator_hold');
      default:
        return action satisfies never;
    }
  }

  async #about(
    deposit: Deposit,
    kind: Exclude<keyof typeof ACTIONS, 'acknowledge'>,
  ): Promise<void> {
    const { depositId } = deposit;
    const reason = 'looked at it';
    if (kind !== 'attribute') return this.#decide({ kind, depositId, reason });
    // Recorded before the call: the process may die before or after it.
    this.attributed.add(depositId);
    const attribution = { kind, depositId, attributedTo: 'customer 1', reason } as const;
    return this.#decide({ ...attribution, endsApprovals: true }, 'ben');
  }

  async #acknowledge(): Promise<void> {
    const items = await this.#product.reads?.credits(this.#after, 3);
    for (const { feedSeq, item } of items ?? []) {
      this.#after = feedSeq;
      if (item.kind !== 'credit') continue;
      const reference = `booking ${feedSeq}`;
      await this.#decide({ kind: 'acknowledge', creditId: item.creditId, reference });
    }
  }

  async #decide(decision: Decision, actor = 'ann'): Promise<void> {
    const outcome = await this.#product.decide(decision, actor);
    const said = typeof outcome === 'string' ? outcome : outcome.kind;
    this.#log.add(`office ${JSON.stringify(decision)}: ${said}`);
  }
}
