import type { CustodyClient } from '../custody/client.ts';
import { isMisnamed, isNamedByWebhooksAlone, samePosition } from '../domain/compare.ts';
import type { CustodyTransaction } from '../domain/custody.ts';
import type { Deposit } from '../domain/deposit.ts';
import type { DepositId, TransactionId } from '../domain/ids.ts';
import type { Withdrawal } from '../domain/withdrawal.ts';
import { transactionOf } from '../translation/transaction.ts';
import { unlisted, type Absent } from './all-rows.ts';
import { isOutOfReach } from './out-of-reach.ts';
import { remember } from './remember.ts';
import { ShownDeposits } from './shown-deposits.ts';
import { byTurns, Turns } from './turns.ts';

/**
 * Single look-ups per run, each kind with its own: the list is the rule, they are the exception, and
 * many forged deposits must not keep a forged withdrawal from being asked for.
 */
const DEPOSITS_MAX = 20;
const WITHDRAWALS_MAX = 10;

/** Deposits remembered as unknown by their id; one that is forgotten is asked for by its id again. */
const NAMELESS_MAX = 10_000;

export interface LookedUp extends Absent {
  readonly transactions: readonly CustodyTransaction[];
  readonly postponed: number;
  readonly failed: number;
  readonly requests: number;
}

/** How far one kind of look-ups came. */
interface Round<Subject> {
  readonly transactions: CustodyTransaction[];
  readonly absent: Subject[];
  readonly postponed: number;
  readonly failed: number;
  readonly requests: number;
  /** No use asking for anything else now. */
  readonly final: boolean;
}

/**
 * Single look-ups for the few deposits and withdrawals that the list did not show: what has not
 * changed lately, and what the API does not know at all. Only these can tell "unknown" from "not on
 * this page".
 */
export class Stragglers {
  readonly #deposits = new Turns<Deposit>(({ depositId }) => depositId);
  readonly #shown = new ShownDeposits();
  /** Deposits whose id the API did not know: their hash is asked for in the next turn. */
  readonly #nameless = new Map<DepositId, true>();
  readonly #withdrawals = new Turns<Withdrawal>(({ transactionId }) => transactionId);

  /**
   * `deposits`: all that wait; those that `listed` shows are not asked for. `withdrawals`: those whose
   * notifications are older than the API may be behind.
   */
  async lookUp(context: {
    custody: CustodyClient;
    listed: ReadonlyMap<TransactionId, CustodyTransaction>;
    deposits: readonly Deposit[];
    withdrawals: readonly Withdrawal[];
    now: number;
    deadlineMs: number;
  }): Promise<LookedUp> {
    const { custody, listed, now, deadlineMs } = context;
    this.#shown.see(context.deposits, listed);
    const asked = unlisted(context.deposits, listed).filter(mayMove);
    const deposits = await roundOf(this.#deposits, {
      due: this.#shown.fairly(this.#deposits.due(asked, now)),
      max: DEPOSITS_MAX,
      now,
      ask: (deposit) => this.#lookUpDeposit(custody, deposit, deadlineMs),
    });
    const found = new Map(deposits.transactions.map((row) => [row.transactionId, row]));
    this.#shown.see(asked, found);
    const withdrawals = await roundOf(this.#withdrawals, {
      due: shownByTurns(this.#withdrawals.due(context.withdrawals, now)),
      max: deposits.final ? 0 : WITHDRAWALS_MAX,
      now,
      ask: (withdrawal) => lookUpWithdrawal(custody, withdrawal, deadlineMs),
    });
    return {
      transactions: [...deposits.transactions, ...withdrawals.transactions],
      absentDeposits: deposits.absent,
      absentWithdrawals: withdrawals.absent,
      postponed: deposits.postponed + withdrawals.postponed,
      failed: deposits.failed + withdrawals.failed,
      requests: deposits.requests + withdrawals.requests,
    };
  }

  /**
   * Asks for a deposit by its transaction's id. Webhooks may have made that up: where the id leads to
   * another place, the deposit's hash is asked for too; where it leads nowhere, in the next turn.
   */
  async #lookUpDeposit(
    custody: CustodyClient,
    deposit: Deposit,
    deadlineMs: number,
  ): Promise<Found> {
    const { transactionId, depositId } = deposit;
    if (transactionId === null || this.#nameless.delete(depositId)) {
      return lookUpPosition(custody, deposit, deadlineMs);
    }
    const byId = await lookUpTransaction(custody, transactionId, deadlineMs);
    if (byId.kind === 'failed') return byId;
    if (byId.kind === 'absent' && isNamedByWebhooksAlone(deposit)) {
      remember(this.#nameless, [depositId, true], NAMELESS_MAX);
    }
    if (!leadsElsewhere(deposit, byId)) return byId;
    const there = await lookUpPosition(custody, deposit, deadlineMs);
    const requests = byId.requests + 1;
    if (there.kind !== 'found') return { ...byId, requests };
    return { ...there, transactions: [...byId.transactions, ...there.transactions], requests };
  }
}

/** Whether an answer leads to another place than the deposit's, whose id webhooks may have made up. */
function leadsElsewhere(deposit: Deposit, { transactions }: Answered): boolean {
  return transactions.some((row) => isMisnamed(deposit, row));
}

async function roundOf<Subject>(
  turns: Turns<Subject>,
  round: {
    due: readonly Subject[];
    max: number;
    now: number;
    ask: (subject: Subject) => Promise<Found>;
  },
): Promise<Round<Subject>> {
  const { due, max, now, ask } = round;
  const transactions: CustodyTransaction[] = [];
  const absent: Subject[] = [];
  let [failed, requests, final] = [0, 0, false];
  let answered = 0;
  for (const subject of due) {
    if (requests + failed >= max) break;
    const found = await ask(subject);
    if (found.kind === 'failed') {
      failed += 1;
      final = found.final;
      if (final) break;
      // Remembered like an answer: what keeps failing must not starve the others.
      turns.take(subject, now);
      continue;
    }
    answered += 1;
    requests += found.requests;
    turns.take(subject, now);
    if (found.kind === 'absent') absent.push(subject);
    transactions.push(...found.transactions);
  }
  const postponed = due.length - answered - failed;
  return { transactions, absent, postponed, failed, requests, final };
}

/** Those that the API has shown have half of the turns: others are made up faster than asked for. */
function shownByTurns(withdrawals: readonly Withdrawal[]): Withdrawal[] {
  const isShown = ({ custody }: Withdrawal): boolean => custody === 'doubted';
  return byTurns(
    withdrawals.filter(isShown),
    withdrawals.filter((one) => !isShown(one)),
  );
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

interface Answered {
  readonly transactions: readonly CustodyTransaction[];
  readonly requests: number;
}

type Found =
  | ({ readonly kind: 'found' } & Answered)
  /** Not there, in a whole answer; what else the hash holds is handed on. */
  | ({ readonly kind: 'absent' } & Answered)
  /** `final`: no use asking for another one now. */
  | { readonly kind: 'failed'; readonly final: boolean };

function lookUpPosition(
  custody: CustodyClient,
  deposit: Deposit,
  deadlineMs: number,
): Promise<Found> {
  const { blockchainHash, network, vaultId } = deposit;
  return lookUpHash(custody, {
    place: { blockchainHash, network, vaultId },
    isIt: (row) => samePosition(deposit, row),
    deadlineMs,
  });
}

async function lookUpHash(
  custody: CustodyClient,
  asked: {
    place: { blockchainHash: string; network: string; vaultId: string };
    isIt: (row: CustodyTransaction) => boolean;
    deadlineMs: number;
  },
): Promise<Found> {
  const { place, isIt, deadlineMs } = asked;
  const query = { page: 0, pageSize: 100, ...place };
  const page = await custody.transactions(query, { priority: 'look-up', deadlineMs });
  if (page.kind !== 'ok') return { kind: 'failed', final: isOutOfReach(page.kind) };
  const { rows, total, unreadable } = page.value;
  const transactions = rows.map(transactionOf);
  if (transactions.some(isIt)) return { kind: 'found', transactions, requests: 1 };
  const whole = rows.length === total && unreadable.length === 0;
  return whole ? { kind: 'absent', transactions, requests: 1 } : { kind: 'failed', final: false };
}

/**
 * Anything may stand in a forged id. One that the API cannot be asked for, or refuses to look at, is
 * answered by a whole list of what the API has at its hash.
 */
async function lookUpWithdrawal(
  custody: CustodyClient,
  withdrawal: Withdrawal,
  deadlineMs: number,
): Promise<Found> {
  const { transactionId, vaultId, network, blockchainHash } = withdrawal;
  const found = await lookUpTransaction(custody, transactionId, deadlineMs);
  if (found.kind !== 'failed' || found.final) return found;
  if (network === null || blockchainHash === null) return found;
  return lookUpHash(custody, {
    place: { vaultId, network, blockchainHash },
    isIt: (row) => row.transactionId === transactionId,
    deadlineMs,
  });
}

async function lookUpTransaction(
  custody: CustodyClient,
  transactionId: TransactionId,
  deadlineMs: number,
): Promise<Found> {
  const answer = await custody.transaction(transactionId, { priority: 'look-up', deadlineMs });
  switch (answer.kind) {
    case 'ok':
      return { kind: 'found', transactions: [transactionOf(answer.value)], requests: 1 };
    case 'not-found':
      return { kind: 'absent', transactions: [], requests: 1 };
    case 'unavailable':
    case 'rate-budget':
    case 'refused':
    case 'malformed':
      return { kind: 'failed', final: isOutOfReach(answer.kind) };
    default:
      return answer satisfies never;
  }
}
