import type { CustodyClient } from '../custody/client.ts';
import { samePlace } from '../domain/compare.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { DepositId } from '../domain/ids.ts';
import { transactionOf } from '../translation/transaction.ts';

/** Single look-ups per run: the list is the rule, they are the exception. */
const LOOK_UPS_MAX = 20;

/**
 * A deposit is asked for singly at once, then after a minute, two, four, up to an hour: one that
 * the API keeps not knowing must not eat the budget of those that it will know.
 */
const FIRST_INTERVAL_MS = 60_000;
const INTERVAL_MS_MAX = 3_600_000;

/** Deposits remembered as asked for; beyond it the oldest are forgotten and asked for again. */
const REMEMBERED_MAX = 100_000;

export interface LookedUp {
  readonly transactions: readonly CustodyTransaction[];
  /** Deposits that the API answered 404 for, in a whole answer of its own. */
  readonly absent: readonly Deposit[];
  readonly postponed: number;
  readonly failed: number;
  readonly requests: number;
}

/**
 * Single look-ups for the few deposits that the list did not show: what has not changed lately,
 * and what the API does not know at all. Only these can tell "unknown" from "not on this page".
 */
export class Stragglers {
  readonly #asked = new Map<DepositId, { readonly dueAt: number; readonly intervalMs: number }>();

  async lookUp(context: {
    custody: CustodyClient;
    deposits: readonly Deposit[];
    now: number;
    deadlineMs: number;
  }): Promise<LookedUp> {
    const { custody, deposits, now, deadlineMs } = context;
    const due = deposits
      .filter((deposit) => mayMove(deposit) && this.#dueAt(deposit) <= now)
      .sort((left, right) => this.#dueAt(left) - this.#dueAt(right));
    const transactions: CustodyTransaction[] = [];
    const absent: Deposit[] = [];
    let failed = 0;
    let requests = 0;
    for (const deposit of due.slice(0, LOOK_UPS_MAX)) {
      const found = await lookUpOne(custody, deposit, deadlineMs);
      if (found.kind === 'failed') {
        failed += 1;
        if (found.final) break;
        // Remembered like an answer: what keeps failing must not starve the others.
        this.#remember(deposit, now);
        continue;
      }
      requests += 1;
      this.#remember(deposit, now);
      if (found.kind === 'absent') absent.push(deposit);
      transactions.push(...found.transactions);
    }
    const answered = requests + failed;
    return { transactions, absent, postponed: due.length - answered, failed, requests };
  }

  #dueAt(deposit: Deposit): number {
    return this.#asked.get(deposit.depositId)?.dueAt ?? Number.NEGATIVE_INFINITY;
  }

  #remember(deposit: Deposit, now: number): void {
    const before = this.#asked.get(deposit.depositId);
    const intervalMs =
      before === undefined ? FIRST_INTERVAL_MS : Math.min(before.intervalMs * 2, INTERVAL_MS_MAX);
    this.#asked.delete(deposit.depositId);
    this.#asked.set(deposit.depositId, { dueAt: now + intervalMs, intervalMs });
    if (this.#asked.size <= REMEMBERED_MAX) return;
    const oldest = this.#asked.keys().next();
    if (oldest.done !== true) this.#asked.delete(oldest.value);
  }
}

/**
 * Whether an answer could say something new. What a person or a rule holds is asked for until it has
 * matched once: a forged deposit must not wait for its owner.
 */
function mayMove(deposit: Deposit): boolean {
  const { state, reason, verifiedAt } = deposit;
  return (
    state !== 'held' || verifiedAt === null || reason === 'approval_required' || reason === 'halted'
  );
}

type Found =
  | { readonly kind: 'found'; readonly transactions: readonly CustodyTransaction[] }
  /** Not there, in a whole answer; what else the hash holds is handed on. */
  | { readonly kind: 'absent'; readonly transactions: readonly CustodyTransaction[] }
  /** `final`: no use asking for another one now. */
  | { readonly kind: 'failed'; readonly final: boolean };

async function lookUpOne(
  custody: CustodyClient,
  deposit: Deposit,
  deadlineMs: number,
): Promise<Found> {
  const options = { priority: 'deposits', deadlineMs } as const;
  if (deposit.transactionId === null) {
    const { blockchainHash, network, vaultId } = deposit;
    const query = { page: 0, pageSize: 100, blockchainHash, network, vaultId } as const;
    const page = await custody.transactions(query, options);
    if (page.kind !== 'ok') return { kind: 'failed', final: isFinal(page.kind) };
    const { rows, total, unreadable } = page.value;
    const transactions = rows.map(transactionOf);
    if (transactions.some((row) => samePlace(deposit, row))) return { kind: 'found', transactions };
    const whole = rows.length === total && unreadable.length === 0;
    return whole ? { kind: 'absent', transactions } : { kind: 'failed', final: false };
  }
  const answer = await custody.transaction(deposit.transactionId, options);
  switch (answer.kind) {
    case 'ok':
      return { kind: 'found', transactions: [transactionOf(answer.value)] };
    case 'not-found':
      return { kind: 'absent', transactions: [] };
    case 'unavailable':
    case 'rate-budget':
    case 'refused':
    case 'malformed':
      return { kind: 'failed', final: isFinal(answer.kind) };
    default:
      return answer satisfies never;
  }
}

function isFinal(kind: string): boolean {
  return kind === 'unavailable' || kind === 'rate-budget';
}
