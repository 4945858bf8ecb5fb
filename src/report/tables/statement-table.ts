import type { Statement, StatementLine, StatementQuery } from '../../store/statement.ts';
import type { Table, TextCell } from './table.ts';

/** A row of a statement: its opening, a line, or its closing. */
type Row =
  | { readonly record: 'line'; readonly line: StatementLine }
  | {
      readonly record: 'opening' | 'closing';
      readonly at: number;
      readonly balance: StatementLine['balance'];
    };

function ofLine(read: (line: StatementLine) => TextCell): (row: Row) => TextCell {
  return (row) => (row.record === 'line' ? read(row.line) : null);
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

/** Opening, lines with the balance after each, and closing of a position. */
export function statementTable(
  query: StatementQuery,
  { opening, closing, items }: Statement,
  decimals: number | null,
): Table<Row> {
  const { from, to, asset, vaultId, accountId, addressId, memo, view } = query;
  return {
    name: 'Statement',
    rows: [
      { record: 'opening', at: from, balance: opening },
      ...items.map((line): Row => ({ record: 'line', line })),
      { record: 'closing', at: to, balance: closing },
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
      { name: 'journalSeq', text: ofLine(({ seq }) => seq) },
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
): (readonly [string, TextCell])[] {
  const { from, to, ...position } = query;
  return [
    ...Object.entries(position),
    ['from', timeText(from)],
    ['before', timeText(to)],
    ['opening, smallest units', `${statement.opening}`],
    ['closing, smallest units', `${statement.closing}`],
    ['lines', statement.total],
    ['as of journal position', statement.journalSeq],
  ];
}
