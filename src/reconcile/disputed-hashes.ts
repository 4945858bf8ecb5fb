import type { CustodyClient } from '../custody/client.ts';
import { samePlace } from '../domain/compare.ts';
import type { CustodyRecord, CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import { groupedBy } from '../domain/grouped.ts';
import type { HashKey } from '../domain/ids.ts';
import { transactionOf } from '../translation/transaction.ts';
import { PAGE_SIZE_MAX } from '../wire/page.ts';
import { dossierKeyOf } from './comparison.ts';
import { isOutOfReach } from './out-of-reach.ts';
import { Turns } from './turns.ts';

/** Hashes asked for per run: however many transactions are said to have one, it is one question. */
const HASHES_MAX = 10;

/** A hash that webhooks alone call our own, and the deposits that wait for nothing else. */
interface Disputed extends HashKey {
  readonly deposits: readonly Deposit[];
}

/** What the API answered about disputed hashes. */
export interface Disputes {
  readonly records: readonly CustodyRecord[];
  /** Every row that it showed under them, of both types. */
  readonly transactions: readonly CustodyTransaction[];
  /** Hashes under which it knows no own transaction, as `dossierKeyOf` names them. */
  readonly disowned: ReadonlySet<string>;
  readonly requests: number;
  readonly postponed: number;
  readonly failed: number;
}

/**
 * Asks the API what there is under a hash that webhooks gave to transactions which it has never
 * shown: one request, however many they are, where each of them would cost a look-up of its own.
 */
export class DisputedHashes {
  readonly #turns = new Turns<Disputed>(dossierKeyOf);

  /** `deposits`: those that are internal by such a word alone, the longest waiting first. */
  async ask(context: {
    custody: CustodyClient;
    deposits: readonly Deposit[];
    now: number;
    graceMs: number;
    deadlineMs: number;
  }): Promise<Disputes> {
    const { custody, now, graceMs, deadlineMs } = context;
    const due = this.#turns.due(disputedIn(context.deposits), now);
    const records: CustodyRecord[] = [];
    const transactions: CustodyTransaction[] = [];
    const disowned = new Set<string>();
    let [requests, failed] = [0, 0];
    for (const one of due.slice(0, HASHES_MAX)) {
      const told = await tellOf(custody, one, deadlineMs);
      if (told.kind === 'failed') failed += 1;
      else requests += 1;
      if (told.kind === 'failed' && told.final) break;
      this.#turns.take(one, now);
      if (told.kind !== 'told') continue;
      transactions.push(...told.rows);
      if (told.rows.some(({ type }) => type === 'outgoing')) continue;
      const { network, blockchainHash } = one;
      const incoming = told.rows.map(({ transactionId }) => transactionId);
      disowned.add(dossierKeyOf(one));
      records.push({ kind: 'disowned-hash', network, blockchainHash, incoming, graceMs });
    }
    const postponed = due.length - requests - failed;
    return { records, transactions, disowned, requests, postponed, failed };
  }
}

function disputedIn(deposits: readonly Deposit[]): Disputed[] {
  return [...groupedBy(deposits, dossierKeyOf).values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const { network, blockchainHash } = first;
    return [{ network, blockchainHash, deposits: list }];
  });
}

type Told =
  | { readonly kind: 'told'; readonly rows: readonly CustodyTransaction[] }
  /** The answer is not whole, or is not to this question: nothing follows from what it lacks. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'failed'; readonly final: boolean };

/**
 * The filter is one that the spec names nowhere, and nothing may follow from what an answer lacks
 * unless the service understood it. So it counts only where each row has the hash, and the deposit
 * itself, which the API knows under it, is among them: then it was searched for, and found what
 * there is. Asked for by the hash alone, since each further filter could hide a row.
 */
async function tellOf(
  custody: CustodyClient,
  { blockchainHash, deposits }: Disputed,
  deadlineMs: number,
): Promise<Told> {
  const query = { page: 0, pageSize: PAGE_SIZE_MAX, blockchainHash } as const;
  const page = await custody.transactions(query, { priority: 'look-up', deadlineMs });
  if (page.kind !== 'ok') return { kind: 'failed', final: isOutOfReach(page.kind) };
  const { total, unreadable } = page.value;
  const rows = page.value.rows.map(transactionOf);
  const isWhole = page.value.page === 0 && rows.length === total && unreadable.length === 0;
  const isAnswer =
    rows.every((row) => row.blockchainHash === blockchainHash) &&
    deposits.some((deposit) =>
      rows.some((row) => row.status === 'confirmed' && samePlace(deposit, row)),
    );
  return isWhole && isAnswer ? { kind: 'told', rows } : { kind: 'untold' };
}
