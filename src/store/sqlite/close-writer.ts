import type { Database } from 'better-sqlite3';
import type { DailyCloseRow, Writes } from '../records.ts';
import { PositionTotals } from './position-totals.ts';
import { insertInto, upsertInto } from './statement.ts';

/** Writes closed days, their signatures, and what the custody API's transactions count for. */
export class CloseWriter {
  readonly #insertClose;
  readonly #insertTotal;
  readonly #insertSignature;
  readonly #putEffect;
  readonly #dropEffect;
  readonly #lastThroughSeq;
  readonly #positions: PositionTotals;

  constructor(db: Database) {
    this.#insertClose = insertInto(db, 'daily_closes');
    this.#insertTotal = insertInto(db, 'daily_totals');
    this.#insertSignature = insertInto(db, 'close_signatures');
    this.#putEffect = upsertInto(db, 'custody_effects', ['transaction_id', 'asset', 'vault_id']);
    this.#dropEffect = db.prepare<[string, string, string]>(
      'DELETE FROM custody_effects WHERE transaction_id = ? AND asset = ? AND vault_id = ?',
    );
    this.#lastThroughSeq = db
      .prepare<[], number>('SELECT coalesce(max(through_seq), 0) FROM daily_closes')
      .pluck();
    this.#positions = new PositionTotals(db);
  }

  write({ closes, custodyEffects, signatures }: Writes): void {
    for (const {
      transactionId,
      asset,
      vaultId,
      network,
      blockchainHash,
      amount,
    } of custodyEffects) {
      if (amount === 0n) {
        this.#dropEffect.run(transactionId, asset, vaultId);
        continue;
      }
      this.#putEffect.run({
        transaction_id: transactionId,
        asset,
        vault_id: vaultId,
        network,
        blockchain_hash: blockchainHash,
        amount: amount.toString(),
      });
    }
    for (const { row, totals } of closes) this.#close(row, totals);
    for (const { day, role, seq, person, reason, reportHash, signedAt } of signatures) {
      const signed = { report_hash: reportHash, signed_at: signedAt };
      this.#insertSignature.run({ day, role, seq, person, reason, ...signed });
    }
  }

  #close(row: DailyCloseRow, totals: Writes['closes'][number]['totals']): void {
    const { day, throughSeq } = row;
    const span = { afterSeq: this.#lastThroughSeq.get() ?? 0, throughSeq };
    const { firstPostedAt, lastPostedAt } = this.#positions.postedBetween(span);
    this.#insertClose.run({
      day,
      seq: row.seq,
      timezone: row.timezone,
      cut_off_at: row.cutOffAt,
      closed_at: row.closedAt,
      through_seq: throughSeq,
      first_posted_at: firstPostedAt,
      last_posted_at: lastPostedAt,
      commit_number: row.commitNumber,
      seal_hash: row.sealHash,
      status: row.status,
      custody_compared: row.custodyCompared ? 1 : 0,
      report: row.report,
      report_hash: row.reportHash,
      previous_report_hash: row.previousReportHash,
    });
    for (const total of totals) {
      this.#insertTotal.run({
        day,
        vault_id: total.vaultId,
        asset: total.asset,
        opening: total.opening,
        deposits: total.deposits,
        withdrawals: total.withdrawals,
        fees: total.fees,
        rebates: total.rebates,
        mints: total.mints,
        internal: total.internal,
        change: total.change,
        adjustments: total.adjustments,
        closing: total.closing,
        chain_closing: total.chainClosing,
        custody_closing: total.custodyClosing,
      });
    }
    this.#positions.seal(day, span);
  }
}
