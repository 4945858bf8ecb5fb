import type { CustodyClient } from '../../custody/client.ts';
import { isMisnamed, samePosition, type Grace } from '../../domain/deposit/record/comparison.ts';
import type { CustodyTransaction } from '../../domain/fact/custody-record.ts';
import { isNamedByWebhooksAlone, type Deposit } from '../../domain/deposit/deposit.ts';
import type { DepositId, TransactionId } from '../../domain/ids.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import { transactionOf } from '../../translation/transaction.ts';
import { unlisted, type Absent } from '../comparing/batch-comparison.ts';
import { failedBy, type FailedLookUp } from '../pacing/outcome-kind.ts';
import { putBounded } from '../pacing/bounded-map.ts';
import { roundOf, type Round } from './look-up-round.ts';
import { rowsOfHash, type Answered, type VaultHash } from '../list/rows-of-hash.ts';
import { ShownDeposits } from './shown-deposits.ts';
import { FirstAbsences } from '../pacing/first-absences.ts';
import { alternating, LookupBackoff } from '../pacing/lookup-backoff.ts';
import { VanishedDeposits } from './vanished-deposits.ts';

/**
 * Most look-ups per run and kind. Lists answer nearly everything. Separate limits keep many forged
 * deposits from delaying the look-up of a withdrawal.
 */
const DEPOSITS_MAX = 20;
const WITHDRAWALS_MAX = 10;
const VANISHED_MAX = 5;

/** Most subjects remembered as unknown by id; an evicted one is looked up by id again. */
const NAMELESS_MAX = 10_000;

/** An answer. `absent`: it is complete without the transaction; it carries the hash's other rows. */
type Shown = { readonly kind: 'found' | 'absent' } & Answered;
type Found = Shown | FailedLookUp;

export interface LookupResult extends Absent {
  readonly transactions: readonly CustodyTransaction[];
  readonly postponed: number;
  readonly failed: number;
  readonly requests: number;
}

/**
 * Looks up deposits and withdrawals that the list did not show. Either they have not changed
 * lately, or the API does not know them. Only a look-up distinguishes "unknown" from "not on this
 * page".
 */
export class SingleLookups {
  /** When a hold ends, a verified deposit is due at once, however often it was looked up before. */
  readonly #deposits = new LookupBackoff<Deposit>(
    ({ depositId, state, verifiedAt }) =>
      `${depositId} ${state === 'verifying' && verifiedAt !== null}`,
  );
  readonly #shown = new ShownDeposits();
  /** Deposits whose id the API does not know, refuses or fails at: the next look-up asks by hash. */
  readonly #nameless = new Map<DepositId, true>();
  /** Withdrawals at whose id the API fails: the next look-up asks by hash. */
  readonly #namelessWithdrawals = new Map<TransactionId, true>();
  readonly #withdrawals = new LookupBackoff<Withdrawal>(({ transactionId }) => transactionId);
  readonly #absentWithdrawals = new FirstAbsences();
  readonly #vanished = new VanishedDeposits();

  /**
   * `deposits`: all unconfirmed deposits; those in `listed` are not looked up. `verified`: the newest
   * verified or credited deposits; those that the rows in `shown` should hold are looked up.
   * `withdrawals`: those whose notifications are older than the API's possible delay.
   */
  async lookUp(context: {
    custody: CustodyClient;
    listed: ReadonlyMap<TransactionId, CustodyTransaction>;
    shown: ReadonlyMap<TransactionId, CustodyTransaction>;
    deposits: readonly Deposit[];
    verified: readonly Deposit[];
    withdrawals: readonly Withdrawal[];
    now: number;
    graceMs: number;
    deadlineMs: number;
  }): Promise<LookupResult> {
    const { custody, listed, now, graceMs, deadlineMs } = context;
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
    const due = this.#withdrawals.due(context.withdrawals, now);
    const withdrawals = await roundOf(this.#withdrawals, {
      // Shown withdrawals get half of the look-ups: forged ones can arrive faster than look-ups.
      due: alternating(due, ({ custody: known }) => known === 'doubted'),
      max: deposits.final ? 0 : WITHDRAWALS_MAX,
      now,
      ask: (withdrawal) => this.#lookUpWithdrawal(custody, withdrawal, deadlineMs),
    });
    const missing = this.#vanished.missing(context.verified, context.shown);
    const vanished = await roundOf(this.#deposits, {
      due: this.#deposits.due(missing, now),
      max: deposits.final || withdrawals.final ? 0 : VANISHED_MAX,
      now,
      ask: (deposit) => this.#lookUpDeposit(custody, deposit, deadlineMs),
    });
    const transactions = [deposits, withdrawals, vanished].flatMap((round) => round.transactions);
    const absentDeposits = absentIn(deposits);
    const absentWithdrawals = absentIn(withdrawals);
    const rows = [...listed.values(), ...transactions];
    this.#absentWithdrawals.see(rows);
    this.#vanished.see([...context.shown.values(), ...rows]);
    // Without a credit, one 404 ends a verification at once: an approval would credit it.
    const absentAtOnce = absentDeposits.filter(({ credit }) => credit === null);
    const absentLater = [
      ...absentDeposits.filter(({ credit }) => credit !== null),
      ...absentIn(vanished),
    ];
    return {
      transactions,
      absentDeposits: [
        ...absentAtOnce,
        ...this.#vanished.lasting(absentLater, { at: now, graceMs }),
      ],
      absentWithdrawals,
      newlyAbsent: this.#newlyAbsent(absentWithdrawals, { at: now, graceMs }),
      postponed: deposits.postponed + withdrawals.postponed + vanished.postponed,
      failed: deposits.failed + withdrawals.failed + vanished.failed,
      requests: deposits.requests + withdrawals.requests + vanished.requests,
    };
  }

  /** The absent withdrawals whose first 404 is younger than the grace period. */
  #newlyAbsent(absent: readonly Withdrawal[], grace: Grace): Set<TransactionId> {
    const ids = absent.map(({ transactionId }) => transactionId);
    return new Set(ids.filter((id) => !this.#absentWithdrawals.lasts(id, grace)));
  }

  /**
   * Looks up a deposit by its transactionId. A webhook may have forged the id: when the id belongs to
   * another address, looks up the hash too; when the API does not know the id, refuses it or fails at
   * it, the next look-up does. When the API has known the id before, it may have another one: looks
   * up the hash at once.
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
    const isFruitless = byId.kind === 'absent' || (byId.kind === 'failed' && byId.isAttempt);
    if (isFruitless && isNamedByWebhooksAlone(deposit)) {
      putBounded(this.#nameless, [depositId, true], NAMELESS_MAX);
    }
    if (byId.kind === 'failed') return byId;
    if (!leadsElsewhere(deposit, byId)) return byId;
    const there = await lookUpPosition(custody, deposit, deadlineMs);
    const requests = byId.requests + 1;
    if (there.kind !== 'found') return { ...byId, requests };
    return { ...there, transactions: [...byId.transactions, ...there.transactions], requests };
  }

  /**
   * A forged id may hold any text. When the id cannot be sent, or the API rejects it, the complete
   * list of the hash's transactions answers instead; when the API fails at it, the next look-up asks
   * for that list.
   */
  async #lookUpWithdrawal(
    custody: CustodyClient,
    withdrawal: Withdrawal,
    deadlineMs: number,
  ): Promise<Found> {
    const { transactionId, vaultId, network, blockchainHash } = withdrawal;
    const isByHash = this.#namelessWithdrawals.delete(transactionId);
    if (!isByHash || network === null || blockchainHash === null) {
      const found = await lookUpTransaction(custody, transactionId, deadlineMs);
      if (found.kind !== 'failed') return found;
      if (found.isAttempt && withdrawal.custody !== 'doubted') {
        putBounded(this.#namelessWithdrawals, [transactionId, true], NAMELESS_MAX);
      }
      if (found.final || network === null || blockchainHash === null) return found;
    }
    return lookUpHash(custody, {
      hash: { vaultId, network, blockchainHash },
      isIt: (row) => row.transactionId === transactionId,
      deadlineMs,
    });
  }
}

/** The subjects of a round that the API does not know. */
export function absentIn<Subject>({ answers }: Round<Subject, Shown>): Subject[] {
  return answers.flatMap(({ subject, answer }) => (answer.kind === 'absent' ? [subject] : []));
}

/**
 * Whether the id leads to another address than the deposit's, so that it may be forged, or nowhere
 * although the API has agreed with it once.
 */
function leadsElsewhere(deposit: Deposit, { kind, transactions }: Shown): boolean {
  if (kind === 'absent') return !isNamedByWebhooksAlone(deposit);
  return transactions.some((row) => isMisnamed(deposit, row));
}

/**
 * Whether an answer could change anything. A held deposit is looked up until it has matched once,
 * so that a forged deposit does not wait for a person.
 */
function mayMove(deposit: Deposit): boolean {
  const { state, reason, matchedAt } = deposit;
  return (
    state !== 'held' || matchedAt === null || reason === 'approval_required' || reason === 'halted'
  );
}

function lookUpPosition(
  custody: CustodyClient,
  deposit: Deposit,
  deadlineMs: number,
): Promise<Found> {
  const { blockchainHash, network, vaultId } = deposit;
  return lookUpHash(custody, {
    hash: { vaultId, network, blockchainHash },
    isIt: (row) => samePosition(deposit, row),
    deadlineMs,
  });
}

/** Most rows of a hash that one look-up reads. */
const ROWS_MAX = 100;

async function lookUpHash(
  custody: CustodyClient,
  asked: {
    hash: VaultHash;
    isIt: (row: CustodyTransaction) => boolean;
    deadlineMs: number;
  },
): Promise<Found> {
  const { hash, isIt, deadlineMs } = asked;
  const options = { priority: 'look-up', deadlineMs, pageSize: ROWS_MAX } as const;
  const answer = await rowsOfHash(custody, hash, options);
  if (answer.kind === 'failed') return answer;
  if (answer.transactions.some(isIt)) return { ...answer, kind: 'found' };
  return answer.kind === 'complete'
    ? { ...answer, kind: 'absent' }
    : { kind: 'failed', final: false, isAttempt: true, cause: 'api_unavailable' };
}

/** Looks up a transaction by its id. */
export async function lookUpTransaction(
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
      return failedBy(answer);
    default:
      return answer satisfies never;
  }
}
