import type { CustodyClient } from '../../custody/client.ts';
import { isRecordOf } from '../../domain/deposit/record/comparison.ts';
import type { CustodyRecord, CustodyTransaction } from '../../domain/fact/custody-record.ts';
import type { Deposit } from '../../domain/deposit/deposit.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { HashKey } from '../../domain/ids.ts';
import { hashKeyOf } from '../comparing/snapshot.ts';
import { rowsOfHash, type RowsOfHash } from '../list/rows-of-hash.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { roundOf } from './look-up-round.ts';

/** Most hashes asked per run. One request answers for all transactions that claim a hash. */
const HASHES_MAX = 10;

/** A hash that only webhooks claim as our own, with the deposits that wait for the answer. */
interface Disputed extends HashKey {
  readonly deposits: readonly Deposit[];
}

/** The API's answers about disputed hashes. */
export interface Disputes {
  readonly records: readonly CustodyRecord[];
  /** Every row under these hashes, of both types. */
  readonly transactions: readonly CustodyTransaction[];
  /** Hashes without an own transaction, keyed by `hashKeyOf`. */
  readonly disowned: ReadonlySet<string>;
  readonly requests: number;
  readonly postponed: number;
  readonly failed: number;
}

/**
 * Asks the API for all transactions under a hash that webhooks claim as our own. One request
 * answers for any number of claimed transactions.
 */
export class DisputedHashes {
  readonly #backoff = new LookupBackoff<Disputed>(hashKeyOf);

  /** `deposits`: deposits that are internal only by a webhook's claim, the oldest first. */
  async ask(context: {
    custody: CustodyClient;
    deposits: readonly Deposit[];
    now: number;
    graceMs: number;
    deadlineMs: number;
  }): Promise<Disputes> {
    const { custody, now, graceMs, deadlineMs } = context;
    const round = await roundOf(this.#backoff, {
      due: this.#backoff.due(disputedIn(context.deposits), now),
      max: HASHES_MAX,
      now,
      ask: (one) => answerAbout(custody, one, deadlineMs),
    });
    const records: CustodyRecord[] = [];
    const transactions: CustodyTransaction[] = [];
    const disowned = new Set<string>();
    for (const { subject, answer } of round.answers) {
      if (answer.kind !== 'complete') continue;
      transactions.push(...answer.transactions);
      const { network, blockchainHash } = subject;
      // Another network may have the same hash.
      const rows = answer.transactions.filter((row) => row.network === network);
      if (rows.some(({ type }) => type === 'outgoing')) continue;
      const incoming = rows.map(({ transactionId }) => transactionId);
      disowned.add(hashKeyOf(subject));
      records.push({ kind: 'disowned-hash', network, blockchainHash, incoming, graceMs });
    }
    return { ...round, records, transactions, disowned };
  }
}

function disputedIn(deposits: readonly Deposit[]): Disputed[] {
  return [...groupedBy(deposits, hashKeyOf).values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const { network, blockchainHash } = first;
    return [{ network, blockchainHash, deposits: list }];
  });
}

/**
 * A missing row proves nothing unless the service applied the filter. Two signs prove that: every row
 * has the hash, and the deposit's own row is among them. Asks by the hash alone, because each further
 * filter could hide a row.
 */
async function answerAbout(
  custody: CustodyClient,
  { blockchainHash, deposits }: Disputed,
  deadlineMs: number,
): Promise<RowsOfHash> {
  const asked = { priority: 'look-up', deadlineMs } as const;
  const answer = await rowsOfHash(custody, { blockchainHash }, asked);
  if (answer.kind === 'failed') return answer;
  const { transactions } = answer;
  const isFiltered =
    transactions.every((row) => row.blockchainHash === blockchainHash) &&
    deposits.some((deposit) =>
      transactions.some((row) => row.status === 'confirmed' && isRecordOf(deposit, row)),
    );
  return isFiltered ? answer : { ...answer, kind: 'incomplete' };
}
