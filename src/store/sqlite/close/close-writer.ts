import type { Database } from 'better-sqlite3';
import type { LedgerAccount } from '../../../domain/money/entry.ts';
import type { Writes } from '../../port.ts';
import { CLOSE_SIGNATURES, CUSTODY_EFFECTS, DAILY_CLOSES } from '../table/rows/close-row.ts';
import { insertInto, insertRecords, upsertRecords } from '../table/statement.ts';

/** Writes closed days, their signatures, and the effects of custody transactions. */
export class CloseWriter {
  readonly #insertClose;
  readonly #insertTotal;
  readonly #insertSignature;
  readonly #putEffect;
  readonly #dropEffect;
  readonly #insertPosition;
  readonly #numberOf;

  /** `numberOf`: the number of a ledger account. */
  constructor(db: Database, numberOf: (account: LedgerAccount) => number) {
    this.#numberOf = numberOf;
    this.#insertClose = insertRecords(db, DAILY_CLOSES);
    this.#insertTotal = insertInto(db, 'daily_totals');
    this.#insertSignature = insertRecords(db, CLOSE_SIGNATURES);
    this.#putEffect = upsertRecords(db, CUSTODY_EFFECTS);
    this.#dropEffect = db.prepare<[string, string, string]>(
      'DELETE FROM custody_effects WHERE transaction_id = ? AND asset = ? AND vault_id = ?',
    );
    this.#insertPosition = db.prepare<[number, string, string]>(
      'INSERT INTO position_totals (ledger_account, day, amount) VALUES (?, ?, ?)',
    );
  }

  write({ closes, custodyEffects, signatures }: Writes): void {
    for (const effect of custodyEffects) {
      const { transactionId, asset, vaultId, amount } = effect;
      if (amount === 0n) this.#dropEffect.run(transactionId, asset, vaultId);
      else this.#putEffect.run(effect, {});
    }
    for (const close of closes) this.#close(close);
    for (const signature of signatures) this.#insertSignature.run(signature, {});
  }

  #close({ row, totals, positions }: Writes['closes'][number]): void {
    const { day } = row;
    const { firstPostedAt, lastPostedAt } = positions;
    this.#insertClose.run(row, { first_posted_at: firstPostedAt, last_posted_at: lastPostedAt });
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
    for (const { account, amount } of positions.totals) {
      this.#insertPosition.run(this.#numberOf(account), day, amount.toString());
    }
  }
}
