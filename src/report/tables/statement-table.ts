import type { Statement, StatementLine, StatementQuery } from '../../store/statement.ts';
import { timeText, type Table, type TextCell } from './table.ts';

/** A row of a statement: its opening, a line, or its closing. */
type Row =
  | { readonly record: 'line'; readonly line: StatementLine }
  | {
      readonly record: 'opening' | 'closing' | 'closing_so_far';
      readonly at: number;
      readonly balance: StatementLine['balance'];
      /** What the balance rests on, where later facts can still change it; else null. */
      readonly journalSeq: number | null;
    };

function ofLine(read: (line: StatementLine) => TextCell): (row: Row) => TextCell {
  return (row) => (row.record === 'line' ? read(row.line) : null);
}

/** The balance at the end; of a period that is not over, the balance when it was read. */
function closingRow({ to }: StatementQuery, statement: Statement, readAt: number): Row {
  const { closing: balance, journalSeq } = statement;
  return to > readAt
    ? { record: 'closing_so_far', at: readAt, balance, journalSeq }
    : { record: 'closing', at: to, balance, journalSeq: null };
}

/**
 * Opening, lines with the balance after each, and closing of a position. `readAt`: when the
 * statement was read, Unix milliseconds.
 */
export function statementTable(
  query: StatementQuery,
  statement: Statement,
  { decimals, readAt }: { decimals: number | null; readAt: number },
): Table<Row> {
  const { opening, items } = statement;
  const { from, asset, vaultId, accountId, addressId, memo, view } = query;
  return {
    name: 'Statement',
    rows: [
      { record: 'opening', at: from, balance: opening, journalSeq: null },
      ...items.map((line): Row => ({ record: 'line', line })),
      closingRow(query, statement, readAt),
    ],
    columns: [
      { name: 'record', text: ({ record }) => record },
      {
        name: 'at',
        text: (row) => timeText(row.record === 'line' ? row.line.postedAt : row.at),
      },
      {
        name: 'amount',
        money: (row) => (row.record === 'line' ? { amount: row.line.amount, decimals } : null),
      },
      {
        name: 'balance',
        money: (row) => ({
          amount: row.record === 'line' ? row.line.balance : row.balance,
          decimals,
        }),
      },
      { name: 'asset', text: () => asset },
      { name: 'change', text: ofLine(({ change }) => change) },
      { name: 'cause', text: ofLine(({ cause }) => cause) },
      { name: 'source', text: ofLine(({ source }) => source) },
      { name: 'network', text: ofLine(({ network }) => network) },
      { name: 'blockchainHash', text: ofLine(({ blockchainHash }) => blockchainHash) },
      { name: 'transactionId', text: ofLine(({ transactionId }) => transactionId) },
      { name: 'notificationId', text: ofLine(({ notificationId }) => notificationId) },
      {
        name: 'journalSeq',
        text: (row) => (row.record === 'line' ? row.line.seq : row.journalSeq),
      },
      { name: 'entryId', text: ofLine(({ entryId }) => entryId) },
      { name: 'reverses', text: ofLine(({ reverses }) => reverses) },
      { name: 'view', text: () => view },
      { name: 'vaultId', text: () => vaultId },
      { name: 'accountId', text: () => accountId },
      { name: 'addressId', text: () => addressId },
      { name: 'memo', text: () => memo },
    ],
  };
}

/** The position, the period, and what the statement could see. */
export function statementFacts(
  query: StatementQuery,
  statement: Statement,
  readAt: number,
): (readonly [string, TextCell])[] {
  const { from, to, ...position } = query;
  return [
    ...Object.entries(position),
    ['from', timeText(from)],
    ['before', timeText(to)],
    ['opening, smallest units', `${statement.opening}`],
    [`${to > readAt ? 'closing so far' : 'closing'}, smallest units`, `${statement.closing}`],
    ['lines', statement.total],
    ['read at', timeText(readAt)],
    ['through journal position', statement.journalSeq],
  ];
}
