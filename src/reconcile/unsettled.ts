import type { CustodyClient } from '../custody/client.ts';
import { ZERO } from '../domain/amount.ts';
import {
  sumsOf,
  type CustodyRecord,
  type CustodySum,
  type CustodyTransaction,
} from '../domain/custody.ts';
import { groupedBy } from '../domain/grouped.ts';
import type { BlockchainHash, NetworkKey, VaultId } from '../domain/ids.ts';
import type { Movement } from '../domain/movement.ts';
import { transactionOf } from '../translation/transaction.ts';
import { PAGE_SIZE_MAX } from '../wire/page.ts';
import { isOutOfReach } from './out-of-reach.ts';
import { Turns } from './turns.ts';

/** Hashes asked for singly per run; most are settled by rows that were read for something else. */
const LOOK_UPS_MAX = 10;

/** What one hash moved on one vault, of every asset that is not settled. */
interface Unsettled {
  readonly vaultId: VaultId;
  readonly network: NetworkKey;
  readonly blockchainHash: BlockchainHash;
  readonly movements: readonly Movement[];
}

export interface Settled {
  readonly records: readonly CustodyRecord[];
  readonly requests: number;
  readonly postponed: number;
  readonly failed: number;
}

type Place = Pick<Unsettled, 'vaultId' | 'network' | 'blockchainHash'>;

function keyOf({ vaultId, network, blockchainHash }: Place): string {
  return JSON.stringify([vaultId, network, blockchainHash]);
}

/**
 * Settles what the books moved and no chain view tells of, as where a vault's subscription has no
 * `blockchain` stream: by the sum of everything that the custody API knows of the hash in the vault.
 * The rows at hand do where they add up; only the rest costs a request, past the grace period and at
 * growing intervals.
 */
export class UnsettledMovements {
  readonly #turns = new Turns<Unsettled>(keyOf);

  async settle(context: {
    custody: CustodyClient;
    movements: readonly Movement[];
    /** Transactions that this run has read. */
    rows: Iterable<CustodyTransaction>;
    now: number;
    graceMs: number;
    deadlineMs: number;
  }): Promise<Settled> {
    const { custody, now, graceMs, deadlineMs } = context;
    const rows = rowsByPlace(context.rows);
    const records: CustodyRecord[] = [];
    const open: Unsettled[] = [];
    for (const one of unsettledOf(context.movements)) {
      const age = now - Math.max(...one.movements.map(({ changedAt }) => changedAt));
      const sums = sumsFor(one, rows.get(keyOf(one)) ?? []);
      // The chain view has half the grace for itself: most need no word of the API.
      if (age < graceMs / 2) continue;
      if (sums !== null && addUp(one, sums)) records.push(recordOf(one, sums));
      else if (age >= graceMs) open.push(one);
    }
    const due = this.#turns.due(open, now);
    let [requests, failed] = [0, 0];
    const room = Math.min(LOOK_UPS_MAX, custody.room('inactive'));
    for (const one of due.slice(0, room)) {
      const asked = await ask(custody, one, deadlineMs);
      if (asked.kind === 'failed') failed += 1;
      else requests += 1;
      if (asked.kind === 'failed' && asked.final) break;
      this.#turns.take(one, now);
      const sums = asked.kind === 'told' ? sumsFor(one, asked.rows) : null;
      if (sums !== null && saysAnythingNew(one, sums)) records.push(recordOf(one, sums));
    }
    return { records, requests, failed, postponed: due.length - requests - failed };
  }
}

function unsettledOf(movements: readonly Movement[]): Unsettled[] {
  return [...groupedBy(movements, keyOf).values()].flatMap((list) => {
    const [first] = list;
    if (first === undefined) return [];
    const { vaultId, network, blockchainHash } = first;
    return [{ vaultId, network, blockchainHash, movements: list }];
  });
}

function rowsByPlace(rows: Iterable<CustodyTransaction>): Map<string, CustodyTransaction[]> {
  return groupedBy(rows, ({ vaultId, network, blockchainHash }) =>
    blockchainHash === null ? null : keyOf({ vaultId, network, blockchainHash }),
  );
}

/** What rows say of each unsettled asset; null when they cannot tell. */
function sumsFor(one: Unsettled, rows: readonly CustodyTransaction[]): CustodySum[] | null {
  const told = sumsOf(rows);
  if (told === null) return null;
  const amounts = new Map(told.map(({ asset, amount }) => [asset, amount]));
  return one.movements.map(({ asset }) => ({ asset, amount: amounts.get(asset) ?? ZERO }));
}

function addUp(one: Unsettled, sums: readonly CustodySum[]): boolean {
  return one.movements.every((movement, index) => movement.books === sums[index]?.amount);
}

function saysAnythingNew(one: Unsettled, sums: readonly CustodySum[]): boolean {
  return one.movements.some((movement, index) => movement.custody !== sums[index]?.amount);
}

function recordOf(one: Unsettled, sums: readonly CustodySum[]): CustodyRecord {
  const { vaultId, network, blockchainHash } = one;
  return { kind: 'movement', vaultId, network, blockchainHash, sums };
}

type Asked =
  | { readonly kind: 'told'; readonly rows: readonly CustodyTransaction[] }
  /** The answer is not whole: nothing follows from its sum. */
  | { readonly kind: 'untold' }
  | { readonly kind: 'failed'; readonly final: boolean };

async function ask(custody: CustodyClient, one: Unsettled, deadlineMs: number): Promise<Asked> {
  const { vaultId, network, blockchainHash } = one;
  const query = { page: 0, pageSize: PAGE_SIZE_MAX, vaultId, network, blockchainHash } as const;
  const page = await custody.transactions(query, { priority: 'inactive', deadlineMs });
  if (page.kind !== 'ok') return { kind: 'failed', final: isOutOfReach(page.kind) };
  const { rows, total, unreadable } = page.value;
  const whole = rows.length === total && unreadable.length === 0;
  return whole ? { kind: 'told', rows: rows.map(transactionOf) } : { kind: 'untold' };
}
