import type { CustodyClient } from '../custody/client.ts';
import type { CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import type { TransactionId } from '../domain/ids.ts';

/** Transactions repaired per run: each costs a request or two of the budget. */
const REPAIRS_MAX = 20;

/** Transactions remembered as replayed; beyond it the oldest are replayed again first. */
const REMEMBERED_MAX = 10_000;

/** What a run's repairs brought. */
export interface Repaired {
  /** Backfills for what a replay did not bring. */
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
}

interface Visit {
  readonly custody: CustodyClient;
  readonly options: { readonly priority: 'repair'; readonly deadlineMs: number };
}

/**
 * Brings in what the API knows and no notification told, in this order: pull a waiting backlog
 * forward, replay what was delivered and never reached us, and, in the run after a replay that
 * brought nothing, backfill from the API.
 */
export class Repair {
  readonly #webhookUrl: string;
  /** When each transaction was replayed, by its status then: a new status is a new loss. */
  readonly #replayed = new Map<TransactionId, string>();

  constructor(options: {
    /** Our own URL, with its path token: replays go there. */
    webhookUrl: string;
  }) {
    this.#webhookUrl = options.webhookUrl;
  }

  /** `missed`: transactions whose notification is overdue. */
  async run(
    missed: readonly CustodyTransaction[],
    context: { custody: CustodyClient; deadlineMs: number },
  ): Promise<Repaired> {
    const visit: Visit = {
      custody: context.custody,
      options: { priority: 'repair', deadlineMs: context.deadlineMs },
    };
    const records: CustodyRecord[] = [];
    let requests = 0;
    for (const transaction of missed.slice(0, REPAIRS_MAX)) {
      if (this.#replayed.get(transaction.transactionId) === transaction.status) {
        records.push({ kind: 'backfill', transaction });
        continue;
      }
      const tried = await this.#replay(transaction, visit);
      requests += tried.requests;
      if (!tried.answered) break;
      this.#remember(transaction);
    }
    return { records, requests };
  }

  async #replay(
    transaction: CustodyTransaction,
    { custody, options }: Visit,
  ): Promise<{ answered: boolean; requests: number }> {
    const { subscriptions } = custody;
    const listed = await subscriptions.notifications(transaction.transactionId, options);
    if (listed.kind !== 'ok') return { answered: listed.kind === 'not-found', requests: 1 };
    let requests = 1;
    const pending = listed.value.some((row) => row.status === 'pending');
    if (pending) {
      requests += 1;
      await subscriptions.pullRetriesForward(transaction.vaultId, options);
    }
    for (const { id, status } of listed.value) {
      if (status !== 'delivered') continue;
      requests += 1;
      await subscriptions.replay({ notificationId: id, url: this.#webhookUrl }, options);
    }
    return { answered: true, requests };
  }

  #remember({ transactionId, status }: CustodyTransaction): void {
    this.#replayed.delete(transactionId);
    this.#replayed.set(transactionId, status);
    if (this.#replayed.size <= REMEMBERED_MAX) return;
    const oldest = this.#replayed.keys().next();
    if (oldest.done !== true) this.#replayed.delete(oldest.value);
  }
}
