import type { CustodyClient } from '../../custody/client.ts';
import type { CustodyTransaction } from '../../domain/custody.ts';
import type { TransactionId } from '../../domain/ids.ts';
import type { Reads } from '../../store/reads.ts';
import { transactionOf } from '../../translation/transaction.ts';
import { hasFailed, isOutOfReach } from '../out-of-reach.ts';
import type { Tally } from '../tally.ts';
import { Turns } from '../turns.ts';
import { lookAtTroubled } from '../watching/troubled.ts';

/** Open breaks that a run chooses from. */
const OPEN_MAX = 1_000;

/**
 * Transactions with an open `missing_notification`. They are repaired first. One that the list does
 * not show any more, as a row older than a day, is looked up singly: without its row a run could not
 * backfill it.
 */
export class Overdue {
  readonly #reads: Pick<Reads, 'openBreaksOf'>;
  readonly #turns = new Turns<TransactionId>((transactionId) => transactionId);

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
    /** All of them, whether listed or not. */
    open: ReadonlySet<TransactionId>;
    transactions: readonly CustodyTransaction[];
    requests: number;
  }> {
    const { custody, listed, deadlineMs } = context;
    const found = await this.#reads.openBreaksOf('missing_notification', OPEN_MAX);
    const open = new Set(found.flatMap(({ subject }) => subject.transactionId ?? []));
    const transactions: CustodyTransaction[] = [];
    let requests = 0;
    await lookAtTroubled(
      [...open].filter((id) => !listed.has(id)),
      {
        ...context,
        turns: this.#turns,
        room: () => custody.room('repair'),
        look: async (transactionId) => {
          requests += 1;
          const answer = await custody.transaction(transactionId, {
            priority: 'repair',
            deadlineMs,
          });
          if (answer.kind === 'ok') transactions.push(transactionOf(answer.value));
          if (hasFailed(answer)) return 'failed';
          return isOutOfReach(answer.kind) ? 'out of reach' : 'in trouble';
        },
      },
    );
    return { open, transactions, requests };
  }
}

/** Those with an open break before those that are missed for the first time. */
export function openFirst(
  missed: readonly CustodyTransaction[],
  open: ReadonlySet<TransactionId>,
): CustodyTransaction[] {
  const isOpen = ({ transactionId }: CustodyTransaction): boolean => open.has(transactionId);
  return [...missed.filter(isOpen), ...missed.filter((one) => !isOpen(one))];
}
