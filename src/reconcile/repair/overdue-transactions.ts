import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import { transactionOf } from '../../translation/transaction.ts';
import type { Backfill } from '../comparing/comparison.ts';
import type { Tally } from '../comparing/tally.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { checkOpenBreaks, notFixed } from '../watching/open-break-checks.ts';

/** Most open breaks read per run. */
const OPEN_MAX = 1_000;

/**
 * Transactions with an open `missing_notification` break, which are repaired first. A transaction
 * that left the list, for example after a day, is looked up: a backfill needs its row.
 */
export class OverdueTransactions {
  readonly #reads: Pick<Reads, 'openBreaksOf'>;
  readonly #backoff = new LookupBackoff<TransactionId>((transactionId) => transactionId);

  constructor(reads: Pick<Reads, 'openBreaksOf'>) {
    this.#reads = reads;
  }

  async lookUp(context: {
    custody: CustodyClient;
    listed: ReadonlyMap<TransactionId, CustodyTransaction>;
    now: number;
    deadlineMs: number;
    tally: Tally;
  }): Promise<{
    /** All transactions with an open break, listed or not. */
    open: ReadonlySet<TransactionId>;
    transactions: readonly CustodyTransaction[];
    requests: number;
  }> {
    const { custody, listed, deadlineMs } = context;
    const found = await this.#reads.openBreaksOf('missing_notification', OPEN_MAX);
    const open = new Set(found.flatMap(({ subject }) => subject.transactionId ?? []));
    const transactions: CustodyTransaction[] = [];
    let requests = 0;
    await checkOpenBreaks(
      [...open].filter((id) => !listed.has(id)),
      {
        ...context,
        backoff: this.#backoff,
        room: () => custody.room('repair'),
        look: async (transactionId) => {
          requests += 1;
          const answer = await custody.transaction(transactionId, {
            priority: 'repair',
            deadlineMs,
          });
          if (answer.kind === 'ok') transactions.push(transactionOf(answer.value));
          return notFixed(answer);
        },
      },
    );
    return { open, transactions, requests };
  }
}

/** Sorts transactions with an open break before newly missed ones. */
export function openFirst(
  missed: readonly Backfill[],
  open: ReadonlySet<TransactionId>,
): Backfill[] {
  const isOpen = ({ transaction }: Backfill): boolean => open.has(transaction.transactionId);
  return [...missed.filter(isOpen), ...missed.filter((one) => !isOpen(one))];
}
