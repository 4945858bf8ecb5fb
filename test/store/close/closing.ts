import type { CloseRecord, CustodyReading } from '../../../src/domain/close/record.ts';
import type { DailyReport } from '../../../src/domain/close/report.ts';
import type { DailyCloseTableRow } from '../../../src/store/sqlite/table/rows/close-row.ts';
import { CATEGORIES } from '../../../src/domain/money/roll-forward.ts';
import { KeyLookup } from '../../../src/store/sqlite/keys/key-lookup.ts';
import { readDayMovements } from '../../../src/store/sqlite/reads/close/day-movements.ts';
import type { OpenLedger } from '../open-ledger.ts';

const NOT_READ: CustodyReading = { kind: 'not_read', reason: 'custody is not configured' };

export function dayNumber(index: number): string {
  return new Date(Date.UTC(2025, 10, 20 + index)).toISOString().slice(0, 10);
}

/** The record that closes a day at a cut-off, made from the journal as the daemon does. */
export function closeOf(
  open: OpenLedger,
  more: { day: string; cutOffAt: number } & Partial<CloseRecord>,
): CloseRecord {
  const [mark] = open.rows<{ seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM journal WHERE recorded_at < ?',
    more.cutOffAt,
  );
  const throughSeq = mark?.seq ?? 0;
  const [seal] = open.rows<{ commit_number: number; hash: string }>(
    'SELECT commit_number, lower(hex(hash)) AS hash FROM seals WHERE ? BETWEEN first_seq AND last_seq',
    throughSeq,
  );
  return {
    kind: 'close',
    timezone: 'UTC',
    graceMs: 0,
    throughSeq,
    seal: { commitNumber: seal?.commit_number ?? 0, hash: seal?.hash ?? '0'.repeat(64) },
    custody: NOT_READ,
    ...more,
  };
}

export interface Closed extends DailyCloseTableRow {
  readonly parsed: DailyReport;
}

export function closesOf(open: OpenLedger): Closed[] {
  return open
    .rows<DailyCloseTableRow>('SELECT * FROM daily_closes ORDER BY cut_off_at')
    .map((row) => ({ ...row, parsed: JSON.parse(row.report) as DailyReport }));
}

export function lastReport(open: OpenLedger): DailyReport {
  const last = closesOf(open).at(-1);
  if (last === undefined) throw new Error('no day is closed');
  return last.parsed;
}

function sumsOf(rows: readonly { key: string; amount: string }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { key, amount } of rows) sums.set(key, (sums.get(key) ?? 0n) + BigInt(amount));
  return new Map([...sums].filter(([, sum]) => sum !== 0n));
}

/** Positions by vault and asset after the fact at `seq`, summed from the postings alone. */
function balancesAt(open: OpenLedger, view: string, seq: number): Map<string, bigint> {
  return sumsOf(
    open.rows(
      `SELECT a.vault_id || ' ' || asset AS key, amount
       FROM postings JOIN entries e USING (entry_id) JOIN ledger_accounts a USING (ledger_account)
       WHERE a.kind = 'position' AND a.view = ? AND e.seq <= ?`,
      view,
      seq,
    ),
  );
}

function text(sums: ReadonlyMap<string, bigint>): string {
  return [...sums]
    .map(([key, sum]) => `${key} ${sum}`)
    .sort()
    .join(', ');
}

const PLUS = [
  'opening',
  'deposits',
  'rebates',
  'mints',
  'internal',
  'change',
  'adjustments',
] as const;

const LEAVES = new Set(['withdrawals', 'fees']);

/** Lists where a closed day's movements, or their entries, do not sum to its figures. */
function unfoundedFigures(open: OpenLedger, { parsed, day }: Closed): string[] {
  const movements = open.db.transaction(() =>
    readDayMovements(open.db, new KeyLookup(open.db), {
      query: { day },
      page: { page: 0, pageSize: 1_000_000 },
    }),
  )();
  const { items = [] } = movements ?? {};
  const moved = items.flatMap(({ vaultId, asset, amounts }) =>
    Object.entries(amounts).map(([figure, amount]) => {
      const shown = LEAVES.has(figure) ? 0n - amount : amount;
      return { key: `${vaultId} ${asset} ${figure}`, amount: shown.toString() };
    }),
  );
  const figures = parsed.totals.flatMap((total) =>
    CATEGORIES.map((figure) => ({
      key: `${total.vaultId} ${total.asset} ${figure}`,
      amount: total[figure],
    })),
  );
  const [is, wanted] = [text(sumsOf(moved)), text(sumsOf(figures))];
  const wrongs = is === wanted ? [] : [`${day}: movements come to ${is}, the figures to ${wanted}`];
  for (const { blockchainHash, amounts, entries } of items) {
    const ofDay = entries.filter(({ seq }) => seq > parsed.journal.afterSeq);
    const entered = ofDay.reduce((sum, { amount }) => sum + amount, 0n);
    const sum = Object.values(amounts).reduce((all, amount) => all + amount, 0n);
    if (entries.length === 0) wrongs.push(`${day}: nothing is behind ${blockchainHash}`);
    if (entered !== sum) wrongs.push(`${day}: ${blockchainHash} moved ${sum}, entered ${entered}`);
  }
  return wrongs;
}

/** Lists the totals whose difference is not the sum of the report's listed differences. */
function unlisted({ version, totals, differences }: DailyReport): string[] {
  if (version === 1) return [];
  const sums = sumsOf(
    differences.map(({ against, vaultId, asset, difference }) => ({
      key: `${against} ${vaultId} ${asset}`,
      amount: difference,
    })),
  );
  return totals.flatMap(({ vaultId, asset, custodyDifference, chainDifference }) =>
    Object.entries({ custody: custodyDifference, chain: chainDifference }).flatMap(
      ([against, difference]) => {
        const listed = sums.get(`${against} ${vaultId} ${asset}`) ?? 0n;
        return difference === null || BigInt(difference) === listed
          ? []
          : [`${vaultId} is ${difference} apart from ${against}, and ${listed} of it is listed`];
      },
    ),
  );
}

/** Lists what is wrong with the closed days, one sentence each. */
export function unsoundCloses(open: OpenLedger): string[] {
  const wrongs: string[] = [];
  let before: Closed | undefined;
  for (const close of closesOf(open)) {
    const { day, parsed } = close;
    const say = (what: string): number => wrongs.push(`${day}: ${what}`);
    for (const total of parsed.totals) {
      const plus = PLUS.reduce((sum, figure) => sum + BigInt(total[figure]), 0n);
      const rolled = plus - BigInt(total.withdrawals) - BigInt(total.fees);
      if (rolled !== BigInt(total.closing)) say(`${total.vaultId} rolls to ${rolled}`);
    }
    const closing = (figure: 'opening' | 'closing' | 'chainClosing', report: DailyReport): string =>
      text(
        sumsOf(
          report.totals.map((total) => ({
            key: `${total.vaultId} ${total.asset}`,
            amount: total[figure],
          })),
        ),
      );
    for (const [figure, view] of [
      ['closing', 'books'],
      ['chainClosing', 'chain'],
    ] as const) {
      const held = text(balancesAt(open, view, close.through_seq));
      if (closing(figure, parsed) !== held) say(`${view} hold ${held}`);
    }
    wrongs.push(...unfoundedFigures(open, close));
    const opening = before === undefined ? '' : closing('closing', before.parsed);
    if (closing('opening', parsed) !== opening) say(`does not open with ${opening}`);
    for (const wrong of unlisted(parsed)) say(wrong);
    const internal = parsed.totals.map(({ asset, internal: amount }) => ({ key: asset, amount }));
    const transit = parsed.inTransit
      .filter(({ kind }) => kind === 'internal')
      .map(({ asset, amount }) => ({ key: asset, amount }));
    const transitBefore = (before?.parsed.inTransit ?? [])
      .filter(({ kind }) => kind === 'internal')
      .map(({ asset, amount }) => ({ key: asset, amount: String(-BigInt(amount)) }));
    const inTransit = text(sumsOf([...transit, ...transitBefore]));
    if (text(sumsOf(internal)) !== inTransit) say(`internal is not what is in transit`);
    for (const { kind, detail } of parsed.exceptions) if (kind === 'identity') say(detail);
    if (close.previous_report_hash !== (before?.report_hash ?? null)) say('names another day');
    before = close;
  }
  return wrongs;
}
