import type { Database } from 'better-sqlite3';
import type { DailyReport } from '../../domain/close-report.ts';
import { reportHashOf } from '../close-desk.ts';
import { Problems, type AuditCheck } from './audit.ts';
import type { CloseSignatureRow, DailyCloseTableRow, DailyTotalRow } from './close-tables.ts';
import type { SealRow } from './tables.ts';

const GENESIS = '0'.repeat(64);

/** Figures of a row of the roll-forward that add to the opening; the two others are taken off. */
const ADDED = ['deposits', 'rebates', 'mints', 'internal', 'change', 'adjustments'] as const;
const TAKEN = ['withdrawals', 'fees'] as const;

function integer(text: string): bigint {
  return /^-?[0-9]+$/.test(text) ? BigInt(text) : 0n;
}

/** Each row rolls to its closing, and opens with the closing of the day before. */
function checkTotals(
  rows: readonly DailyTotalRow[],
  before: ReadonlyMap<string, string>,
  say: (problem: string) => void,
): Map<string, string> {
  const closings = new Map<string, string>();
  for (const row of rows) {
    const key = `${row.vault_id} ${row.asset}`;
    const added = ADDED.reduce((sum, figure) => sum + integer(row[figure]), integer(row.opening));
    const rolled = TAKEN.reduce((sum, figure) => sum - integer(row[figure]), added);
    if (rolled.toString() !== row.closing) say(`${key} rolls to ${rolled}, not to ${row.closing}`);
    const opening = before.get(key) ?? '0';
    if (row.opening !== opening) say(`${key} opens with ${row.opening}, not with ${opening}`);
    closings.set(key, row.closing);
  }
  for (const [key, closing] of before) {
    if (closing !== '0' && !closings.has(key)) say(`${key} closed with ${closing} and is missing`);
  }
  return closings;
}

interface PositionLine extends Place {
  readonly ledger_account: number;
  readonly view: string;
  readonly amount: string;
}

/** What positions were sealed with, carried from day to day and summed as the totals are. */
class PositionSums {
  readonly #held = new Map<number, bigint>();
  readonly #sums = new Map<string, bigint>();
  readonly #of;

  constructor(db: Database) {
    this.#of = db.prepare<[string], PositionLine>(
      `SELECT ledger_account, view, vault_id, asset, amount FROM position_totals
       JOIN ledger_accounts USING (ledger_account) WHERE day = ?`,
    );
  }

  /** Takes a day's rows, and says where their sums are not its totals. */
  check(day: string, totals: readonly DailyTotalRow[], say: (problem: string) => void): void {
    for (const { ledger_account: account, view, amount, ...place } of this.#of.iterate(day)) {
      const now = integer(amount);
      const key = sumKey(view, place);
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

type Place = Pick<DailyTotalRow, 'vault_id' | 'asset'>;

function sumKey(view: string, place: Place): string {
  return `${place.vault_id} ${place.asset} (${view})`;
}

/**
 * The chain of closed days: every report has its hash and names the one before it, rests on a
 * commit of the journal that is still the same, rolls forward from the last closing, is the sum of
 * its positions, and is what its signatures name.
 */
export function checkCloses(db: Database): AuditCheck {
  const problems = new Problems();
  const closes = db
    .prepare<[], DailyCloseTableRow>('SELECT * FROM daily_closes ORDER BY cut_off_at')
    .all();
  const seals = db.prepare<[number], SealRow>('SELECT * FROM seals WHERE commit_number = ?');
  const totals = db.prepare<[string], DailyTotalRow>('SELECT * FROM daily_totals WHERE day = ?');
  const signed = db.prepare<[string], CloseSignatureRow>(
    'SELECT * FROM close_signatures WHERE day = ?',
  );
  const positions = new PositionSums(db);
  let previous: DailyCloseTableRow | undefined;
  let closings = new Map<string, string>();
  for (const close of closes) {
    const say = (problem: string): void => problems.add(`${close.day}: ${problem}`);
    if (reportHashOf(close.report) !== close.report_hash) say('its report is not the one sealed');
    const expected = previous?.report_hash ?? null;
    if (close.previous_report_hash !== expected) say('names another report before it');
    checkReport(close, expected, say);
    const seal = seals.get(close.commit_number);
    const sealed =
      close.commit_number === 0
        ? close.seal_hash === GENESIS && close.through_seq === 0
        : seal !== undefined &&
          Buffer.from(seal.hash).toString('hex') === close.seal_hash &&
          seal.first_seq <= close.through_seq &&
          close.through_seq <= seal.last_seq;
    if (!sealed) say(`rests on commit ${close.commit_number}, which is not the journal's`);
    const rows = totals.all(close.day);
    closings = checkTotals(rows, closings, say);
    positions.check(close.day, rows, say);
    for (const { role, report_hash: hash } of signed.all(close.day)) {
      if (hash !== close.report_hash) say(`the ${role} signed another report`);
    }
    previous = close;
  }
  return problems.result('closes', closes.length);
}

/** What the report says of its own place in the chain. */
function checkReport(
  close: DailyCloseTableRow,
  previous: string | null,
  say: (problem: string) => void,
): void {
  try {
    const report = JSON.parse(close.report) as Partial<DailyReport>;
    if ((report.previous?.reportHash ?? null) !== previous) {
      say('its report names another one before it');
    }
    if (report.day !== close.day || report.journal?.sealHash !== close.seal_hash) {
      say("its report is another day's");
    }
  } catch {
    say('its report is no JSON');
  }
}
