import type { Database } from 'better-sqlite3';
import type { DailyReport } from '../../../domain/close/report.ts';
import { reportHashOf } from '../../close/close-day.ts';
import { Problems, type AuditCheck } from './audit.ts';
import type { DailyTotalRow } from '../table/close-tables.ts';
import type { CloseSignatureRow, DailyCloseTableRow } from '../table/rows/close-row.ts';
import type { SealRow } from '../table/journal-tables.ts';

const GENESIS = '0'.repeat(64);

/** Figures of the roll-forward that are added to the opening, and those that are subtracted. */
const ADDED = ['deposits', 'rebates', 'mints', 'internal', 'change', 'adjustments'] as const;
const SUBTRACTED = ['withdrawals', 'fees'] as const;

function integer(text: string): bigint {
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : 0n;
}

/** Checks that each row opens with the closing of the day before and rolls forward to its own. */
function checkTotals(
  rows: readonly DailyTotalRow[],
  before: ReadonlyMap<string, string>,
  say: (problem: string) => void,
): Map<string, string> {
  const closings = new Map<string, string>();
  for (const row of rows) {
    const key = `${row.vault_id} ${row.asset}`;
    const added = ADDED.reduce((sum, figure) => sum + integer(row[figure]), integer(row.opening));
    const rolled = SUBTRACTED.reduce((sum, figure) => sum - integer(row[figure]), added);
    if (rolled.toString() !== row.closing) {
      say(`${key} rolls forward to ${rolled}, not to its closing ${row.closing}`);
    }
    const opening = before.get(key) ?? '0';
    if (row.opening !== opening) say(`${key} opens with ${row.opening}, not with ${opening}`);
    closings.set(key, row.closing);
  }
  for (const [key, closing] of before) {
    if (closing !== '0' && !closings.has(key)) {
      say(`${key} is missing, and the day before closed with ${closing}`);
    }
  }
  return closings;
}

interface PositionLine extends VaultAssetColumns {
  readonly ledger_account: number;
  readonly view: string;
  readonly amount: string;
}

/** Sums the sealed totals of positions per vault, asset and view, day after day. */
class PositionSums {
  /** The last sealed total of each position, by ledger account. */
  readonly #held = new Map<number, bigint>();
  readonly #sums = new Map<string, bigint>();
  readonly #linesOf;

  constructor(db: Database) {
    this.#linesOf = db.prepare<[string], PositionLine>(
      `SELECT ledger_account, view, vault_id, asset, amount FROM position_totals
       JOIN ledger_accounts USING (ledger_account) WHERE day = ?`,
    );
  }

  /** Adds a day's rows and reports each sum that is not the day's closing. */
  check(day: string, totals: readonly DailyTotalRow[], say: (problem: string) => void): void {
    for (const line of this.#linesOf.iterate(day)) {
      const account = line.ledger_account;
      const now = integer(line.amount);
      const key = sumKey(line.view, line);
      const change = now - (this.#held.get(account) ?? 0n);
      this.#sums.set(key, (this.#sums.get(key) ?? 0n) + change);
      this.#held.set(account, now);
    }
    const left = new Map([...this.#sums].filter(([, sum]) => sum !== 0n));
    for (const total of totals) {
      for (const [view, closing] of [
        ['books', total.closing],
        ['chain', total.chain_closing],
      ] as const) {
        const key = sumKey(view, total);
        const sum = left.get(key) ?? 0n;
        if (sum !== integer(closing)) {
          say(`positions of ${key} sum to ${sum}, not to the closing ${closing}`);
        }
        left.delete(key);
      }
    }
    for (const [key, sum] of left) say(`positions of ${key} sum to ${sum} and have no total`);
  }
}

type VaultAssetColumns = Pick<DailyTotalRow, 'vault_id' | 'asset'>;

function sumKey(view: string, { vault_id: vaultId, asset }: VaultAssetColumns): string {
  return `${vaultId} ${asset} (${view})`;
}

/**
 * Checks the chain of closed days. Every report has the sealed hash and its predecessor's, names an
 * existing commit of the journal, rolls forward from the closing before it, equals the sums of its
 * positions, and is the one that its signatures name.
 */
export function checkCloses(db: Database): AuditCheck {
  const problems = new Problems();
  const closes = db.prepare<[], DailyCloseTableRow>(
    'SELECT * FROM daily_closes ORDER BY cut_off_at',
  );
  const seals = db.prepare<[number], SealRow>('SELECT * FROM seals WHERE commit_number = ?');
  const totals = db.prepare<[string], DailyTotalRow>('SELECT * FROM daily_totals WHERE day = ?');
  const signed = db.prepare<[string], CloseSignatureRow>(
    'SELECT * FROM close_signatures WHERE day = ?',
  );
  const positions = new PositionSums(db);
  let previousHash: string | null = null;
  let closings = new Map<string, string>();
  let examined = 0;
  // One at a time: a report can be many megabytes, and a store has one for each day of years.
  for (const close of closes.iterate()) {
    examined += 1;
    const say = (problem: string): void => problems.add(`${close.day}: ${problem}`);
    if (reportHashOf(close.report) !== close.report_hash) say('its report is not the sealed one');
    if (close.previous_report_hash !== previousHash) {
      say('does not have the hash of the report before it');
    }
    checkReport(close, previousHash, say);
    const seal = seals.get(close.commit_number);
    const sealed =
      close.commit_number === 0
        ? close.seal_hash === GENESIS && close.through_seq === 0
        : seal !== undefined &&
          Buffer.from(seal.hash).toString('hex') === close.seal_hash &&
          seal.first_seq <= close.through_seq &&
          close.through_seq <= seal.last_seq;
    if (!sealed) say(`names commit ${close.commit_number}, which the journal does not have`);
    const rows = totals.all(close.day);
    closings = checkTotals(rows, closings, say);
    positions.check(close.day, rows, say);
    for (const { role, report_hash: hash } of signed.all(close.day)) {
      if (hash !== close.report_hash) say(`the ${role} signed another report`);
    }
    previousHash = close.report_hash;
  }
  return problems.result('closes', examined);
}

/** Checks that a report's text names its own day, commit and predecessor. */
function checkReport(
  close: DailyCloseTableRow,
  previous: string | null,
  say: (problem: string) => void,
): void {
  try {
    const report = JSON.parse(close.report) as Partial<DailyReport>;
    if ((report.previous?.reportHash ?? null) !== previous) {
      say('the text of its report does not have the hash of the report before it');
    }
    if (report.day !== close.day || report.journal?.sealHash !== close.seal_hash) {
      say('its report is of another day or commit');
    }
  } catch {
    say('its report is not JSON');
  }
}
