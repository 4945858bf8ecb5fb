import { createHash } from 'node:crypto';
import type { AuditedStore, PostingRow } from './audited-store.ts';
import type { Evidence } from './evidence.ts';
import { Sums } from './sums.ts';

/** Figures of one vault and asset, as a report seals them. */
interface Total {
  readonly vaultId: string;
  readonly asset: string;
  readonly opening: string;
  readonly deposits: string;
  readonly withdrawals: string;
  readonly fees: string;
  readonly rebates: string;
  readonly mints: string;
  readonly internal: string;
  readonly change: string;
  readonly adjustments: string;
  readonly closing: string;
  readonly chainClosing: string;
  readonly chainDifference: string | null;
  readonly custodyDifference: string | null;
}

interface Report {
  readonly day: string;
  readonly from: string | null;
  readonly cutOffAt: string;
  readonly exceptions: readonly { readonly kind: string; readonly detail: string }[];
  readonly journal: { readonly afterSeq: number; readonly throughSeq: number };
  readonly previous: { readonly day: string; readonly reportHash: string } | null;
  readonly totals: readonly Total[];
  readonly custody: { readonly compared: boolean };
  readonly differences: readonly {
    readonly against: 'custody' | 'chain';
    readonly vaultId: string;
    readonly blockchainHash: string;
    readonly asset: string;
    readonly actual: string;
    readonly difference: string;
    readonly explanation: string;
  }[];
  readonly inTransit: readonly { readonly blockchainHash: string }[];
}

interface ClosedDay {
  readonly report: Report;
  readonly hash: string;
}

const PLUS = ['deposits', 'rebates', 'mints', 'internal', 'change', 'adjustments'] as const;
const MINUS = ['withdrawals', 'fees'] as const;

/** Movements that are no transfer, by their tag. */
const NO_DEPOSIT = new Set(['fee', 'rebate', 'mint', 'change']);

function keyOf({ vaultId, asset }: { vaultId: string; asset: string }): string {
  return `${vaultId} ${asset}`;
}

/** Compares the sealed reports with one another, with the postings, and with what really happened. */
export class ReportAudit {
  readonly #evidence: Evidence;
  readonly #lied: ReadonlySet<string>;
  readonly #days: readonly ClosedDay[];
  readonly #postings: Readonly<Record<'books' | 'chain', readonly PostingRow[]>>;
  readonly #problems: string[] = [];

  constructor(store: AuditedStore, evidence: Evidence) {
    this.#postings = { books: store.postings('books'), chain: store.postings('chain') };
    this.#evidence = evidence;
    this.#lied = new Set(evidence.falseWebhooks.flatMap(({ hashes }) => hashes));
    this.#days = store
      .rows<{ report: string }>('SELECT report FROM daily_closes ORDER BY cut_off_at')
      .map(({ report }) => ({
        report: JSON.parse(report) as Report,
        hash: createHash('sha256').update(report).digest('hex'),
      }));
  }

  /** Sentences on everything that is wrong; empty when all holds. */
  audit(): readonly string[] {
    for (const [index, { report }] of this.#days.entries()) {
      this.#checkContinuation(report, this.#days[index - 1]);
      this.#checkIdentity(report);
      this.#checkPostings(report);
      this.#checkDifferences(report);
      this.#checkExplanations(report);
    }
    const last = this.#days.at(-1);
    if (last !== undefined && this.#evidence.isLastDayAtRest) {
      this.#checkRest(last.report);
      this.#checkCategories();
    }
    return this.#problems;
  }

  #problem({ day }: Report, text: string): void {
    this.#problems.push(`the report of ${day}: ${text}`);
  }

  /** A day begins where the day before ended, with its figures. */
  #checkContinuation(report: Report, before: ClosedDay | undefined): void {
    const wanted = {
      from: before?.report.cutOffAt ?? null,
      afterSeq: before?.report.journal.throughSeq ?? 0,
      previous: before === undefined ? null : { day: before.report.day, reportHash: before.hash },
    };
    const { from, journal, previous } = report;
    const found = { from, afterSeq: journal.afterSeq, previous };
    if (JSON.stringify(found) !== JSON.stringify(wanted)) {
      this.#problem(report, `continues ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
    }
    const opening = new Sums();
    const closing = new Sums();
    for (const total of report.totals) opening.add(keyOf(total), BigInt(total.opening));
    for (const total of before?.report.totals ?? []) {
      closing.add(keyOf(total), BigInt(total.closing));
    }
    for (const { key, left, right } of closing.differences(opening)) {
      this.#problem(report, `${key} opens with ${right}, the day before closed with ${left}`);
    }
  }

  /** Opening and the categories make the closing. */
  #checkIdentity(report: Report): void {
    for (const total of report.totals) {
      let sum = BigInt(total.opening);
      for (const category of PLUS) sum += BigInt(total[category]);
      for (const category of MINUS) sum -= BigInt(total[category]);
      if (sum !== BigInt(total.closing)) {
        this.#problem(report, `${keyOf(total)} closes with ${total.closing}, its parts are ${sum}`);
      }
    }
    for (const { kind, detail } of report.exceptions) {
      if (kind === 'identity') this.#problem(report, detail);
    }
  }

  /** The closing is the sum of what was posted up to the day's end, in both views. */
  #checkPostings(report: Report): void {
    const { throughSeq } = report.journal;
    for (const [view, figure] of [
      ['books', 'closing'],
      ['chain', 'chainClosing'],
    ] as const) {
      const posted = new Sums();
      for (const { seq, vault, asset, amount } of this.#postings[view]) {
        if (seq <= throughSeq) posted.add(keyOf({ vaultId: vault, asset }), BigInt(amount));
      }
      const closing = new Sums();
      for (const total of report.totals) closing.add(keyOf(total), BigInt(total[figure]));
      for (const { key, left, right } of posted.differences(closing)) {
        this.#problem(report, `${view} of ${key} close with ${right}, the postings say ${left}`);
      }
    }
  }

  /** Every difference of the totals is listed, hash by hash. */
  #checkDifferences(report: Report): void {
    for (const against of ['chain', 'custody'] as const) {
      const figure = against === 'chain' ? 'chainDifference' : 'custodyDifference';
      const compared = report.totals.filter((total) => total[figure] !== null);
      const keys = new Set(compared.map(keyOf));
      const shown = new Sums();
      const listed = new Sums();
      for (const total of compared) shown.add(keyOf(total), BigInt(total[figure] ?? '0'));
      for (const one of report.differences) {
        if (one.against === against && keys.has(keyOf(one))) {
          listed.add(keyOf(one), BigInt(one.difference));
        }
      }
      for (const { key, left, right } of shown.differences(listed)) {
        this.#problem(report, `${key} differs from ${against} by ${left}, ${right} is listed`);
      }
    }
  }

  /**
   * Where nobody lied, what the books hold and custody lacks has an explanation, also while all goes
   * wrong. What the books lack may be a webhook that is lost, and a difference with the chain may be
   * one that no run has compared yet: in a run of the simulation, days may pass without any.
   */
  #checkExplanations(report: Report): void {
    if (this.#evidence.daysByWrongClock.has(report.day)) return;
    for (const one of report.differences) {
      const isHeld = one.against === 'custody' && one.actual !== '0';
      const needsOne = isHeld && !this.#lied.has(one.blockchainHash);
      if (!needsOne || one.explanation !== 'unexplained') continue;
      this.#problem(report, `leaves unexplained ${JSON.stringify(one)}`);
    }
  }

  /** At rest, only what somebody lied about, or sent outside of the platform, may differ. */
  #checkRest(report: Report): void {
    if (!report.custody.compared) this.#problem(report, 'custody was not compared at rest');
    const excused = new Set(this.#lied);
    for (const one of report.inTransit) {
      if (excused.has(one.blockchainHash)) continue;
      this.#problem(report, `in transit at rest: ${JSON.stringify(one)}`);
    }
    for (const { blockchainHash, transactionId, movements } of this.#evidence.transactions) {
      const isDebit = movements.some(({ amount }) => amount < 0n);
      if (transactionId === null && isDebit) excused.add(blockchainHash);
    }
    for (const one of report.differences) {
      const isExcused = excused.has(one.blockchainHash) && one.explanation !== 'unexplained';
      if (!isExcused) this.#problem(report, `differs at rest: ${JSON.stringify(one)}`);
    }
  }

  /** All days together name as deposits what customers paid, and own transfers cancel. */
  #checkCategories(): void {
    const paid = new Sums();
    const counted = new Sums();
    const internal = new Sums();
    const uncertain = new Set<string>();
    for (const { hash, vault, asset } of [...this.#postings.books, ...this.#postings.chain]) {
      if (this.#lied.has(hash)) uncertain.add(keyOf({ vaultId: vault, asset }));
    }
    for (const { status, transactionId, movements } of this.#evidence.transactions) {
      if (status !== 'confirmed' || transactionId !== null) continue;
      for (const { tags, amount, ...position } of movements) {
        if (!tags.some((tag) => NO_DEPOSIT.has(tag)) && amount > 0n)
          paid.add(keyOf(position), amount);
      }
    }
    for (const { report } of this.#days) {
      for (const total of report.totals) {
        counted.add(keyOf(total), BigInt(total.deposits));
        internal.add(total.asset, BigInt(total.internal));
      }
    }
    for (const { key, left, right } of paid.differences(counted)) {
      if (uncertain.has(key)) continue;
      this.#problems.push(`deposits of ${key} in the reports are ${right}, customers paid ${left}`);
    }
    const isUncertain = (asset: string): boolean =>
      [...uncertain].some((key) => key.endsWith(` ${asset}`));
    for (const [asset, amount] of internal.entries()) {
      if (amount !== 0n && !isUncertain(asset)) {
        this.#problems.push(`own transfers of ${asset} in the reports leave ${amount}`);
      }
    }
  }
}
