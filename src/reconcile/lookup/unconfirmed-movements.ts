import type { CustodyClient } from '../../custody/client.ts';
import { ZERO } from '../../domain/money/amount.ts';
import {
  sumsOf,
  type CustodyRecord,
  type CustodySum,
  type CustodyTransaction,
} from '../../domain/fact/custody-record.ts';
import { groupedBy } from '../../domain/grouped.ts';
import type { Movement } from '../../domain/money/movement.ts';
import { LookupBackoff } from '../pacing/lookup-backoff.ts';
import { roundOf } from './look-up-round.ts';
import { rowsOfHash, vaultHashKey as keyOf, type VaultHash } from '../list/rows-of-hash.ts';

/** Most hashes looked up per run. Rows read for other reasons answer for most movements. */
const LOOK_UPS_MAX = 10;

/** The unconfirmed movements of one hash in one vault, one per asset. */
interface Unconfirmed extends VaultHash {
  readonly movements: readonly Movement[];
}

export interface SumComparison {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly postponed: number;
  readonly failed: number;
}

/**
 * Compares movements that have no chain view with the custody API, for example when a subscription
 * lacks the `blockchain` stream. Compares with the sum of the API's transactions of the hash in the
 * vault. Uses this run's rows where they add up. Looks up other hashes after the grace period, at
 * growing intervals.
 */
export class UnconfirmedMovements {
  readonly #backoff = new LookupBackoff<Unconfirmed>(keyOf);

  async compareSums(context: {
    custody: CustodyClient;
    movements: readonly Movement[];
    /** Transactions that this run read. */
    rows: Iterable<CustodyTransaction>;
    now: number;
    graceMs: number;
    deadlineMs: number;
  }): Promise<SumComparison> {
    const { custody, now, graceMs, deadlineMs } = context;
    const rows = rowsByVaultHash(context.rows);
    const records: CustodyRecord[] = [];
    const open: Unconfirmed[] = [];
    for (const one of unconfirmedOf(context.movements)) {
      const age = now - Math.max(...one.movements.map(({ changedAt }) => changedAt));
      const sums = sumsFor(one, rows.get(keyOf(one)) ?? []);
      // Waits half the grace period for the chain view: most movements then need no look-up.
      if (age < graceMs / 2) continue;
      if (sums !== null && addUp(one, sums)) records.push(recordOf(one, sums));
      else if (age >= graceMs) open.push(one);
    }
    const round = await roundOf(this.#backoff, {
      due: this.#backoff.due(open, now),
      max: Math.min(LOOK_UPS_MAX, custody.room('inactive')),
      now,
      ask: (one) => rowsOfHash(custody, one, { priority: 'inactive', deadlineMs }),
    });
    for (const { subject, answer } of round.answers) {
      const sums = answer.kind === 'complete' ? sumsFor(subject, answer.transactions) : null;
      if (sums !== null && saysAnythingNew(subject, sums)) records.push(recordOf(subject, sums));
    }
    return { ...round, records };
  }
}

function unconfirmedOf(movements: readonly Movement[]): Unconfirmed[] {
  return [...groupedBy(movements, keyOf).values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const { vaultId, network, blockchainHash } = first;
    return [{ vaultId, network, blockchainHash, movements: list }];
  });
}

function rowsByVaultHash(rows: Iterable<CustodyTransaction>): Map<string, CustodyTransaction[]> {
  return groupedBy(rows, ({ vaultId, network, blockchainHash }) =>
    blockchainHash === null ? null : keyOf({ vaultId, network, blockchainHash }),
  );
}

/** The sum of the rows per unconfirmed asset; null when the rows are not conclusive. */
function sumsFor(one: Unconfirmed, rows: readonly CustodyTransaction[]): CustodySum[] | null {
  const summed = sumsOf(rows);
  if (summed === null) return null;
  const amounts = new Map(summed.map(({ asset, amount }) => [asset, amount]));
  return one.movements.map(({ asset }) => ({ asset, amount: amounts.get(asset) ?? ZERO }));
}

function addUp(one: Unconfirmed, sums: readonly CustodySum[]): boolean {
  return one.movements.every((movement, index) => movement.books === sums[index]?.amount);
}

function saysAnythingNew(one: Unconfirmed, sums: readonly CustodySum[]): boolean {
  return one.movements.some((movement, index) => movement.custody !== sums[index]?.amount);
}

function recordOf(one: Unconfirmed, sums: readonly CustodySum[]): CustodyRecord {
  const { vaultId, network, blockchainHash } = one;
  return { kind: 'movement', vaultId, network, blockchainHash, sums };
}
