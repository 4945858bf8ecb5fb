import type { LedgerEntry, LedgerLine, MovementStatement } from '../../store/answers.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { grouped, shortened } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { statementLink } from '../parts/book-links.ts';
import { EvidenceLink } from '../parts/fact/evidence-link.tsx';
import { CAUSES } from '../parts/value/entry-words.ts';

/** A page shows no more entries of a movement: a hash can be posted any number of times. */
const ENTRIES_MAX = 100;

/** A posting with its entry; the first posting of each entry shows what they have in common. */
interface Leg {
  readonly entry: LedgerEntry;
  readonly line: LedgerLine;
  readonly index: number;
}

const ACCOUNTS: Readonly<Record<string, string>> = {
  world: 'the world outside',
  'network-fees': 'network fees',
  rebates: 'rebates',
  mints: 'mints',
  suspense: 'suspense',
};

function legsOf(entries: readonly LedgerEntry[]): Leg[] {
  return entries
    .slice(0, ENTRIES_MAX)
    .flatMap((entry) => entry.lines.map((line, index) => ({ entry, line, index })));
}

/** What an entry says of itself; its further postings leave it out. */
function EntryCell({ entry, index }: Leg): Markup {
  const { entryId, cause, reverses } = entry;
  if (index > 0) return <span class="unseen">the same entry</span>;
  return (
    <span id={`entry-${entryId}`}>
      <b>{CAUSES[cause]}</b>
      <span class="why">
        entry {grouped(entryId)}
        {reverses !== null && (
          <>
            {' '}
            reverses <a href={`#entry-${reverses}`}>{grouped(reverses)}</a>
          </>
        )}
      </span>
    </span>
  );
}

/** The fact behind an entry, with its notification. */
function EvidenceCell({ entry, index }: Leg): Markup {
  const { notificationId } = entry;
  if (index > 0) return <></>;
  return (
    <>
      <EvidenceLink origin={entry} />
      {notificationId !== null && (
        <span class="why" title={notificationId}>
          {shortened(notificationId)}
        </span>
      )}
    </>
  );
}

/** The ledger account of a posting: a position leads to its statement. */
function AccountCell({ entry, line }: Leg): Markup {
  const { kind, accountId, addressId, memo, asset } = line;
  if (kind !== 'position') return <span class="muted">{ACCOUNTS[kind] ?? kind}</span>;
  const { view, vaultId } = entry;
  const position = { view, vaultId, accountId, addressId, memo, asset };
  const name = addressId ?? accountId ?? vaultId;
  return (
    <>
      <Identifier value={name} href={statementLink(position)} />
      <span class="why">
        {addressId !== null ? 'address' : accountId !== null ? 'account' : 'vault'}
        {memo === null ? '' : `, memo ${memo}`}
      </span>
    </>
  );
}

function columnsOf(decimals: Decimals): Column<Leg>[] {
  return [
    { title: 'Entry', cell: (leg) => <EntryCell {...leg} /> },
    {
      title: 'Posted',
      cell: ({ entry, index }) => (index > 0 ? '' : <Moment at={entry.postedAt} />),
    },
    { title: 'Ledger account', cell: (leg) => <AccountCell {...leg} /> },
    { title: 'Change', cell: ({ line }) => line.changeKind },
    {
      title: 'Amount',
      cell: ({ line }) => (
        <AmountFigure amount={line.amount} asset={line.asset} decimals={decimals} signed />
      ),
      is: 'number',
    },
    { title: 'Evidence', cell: (leg) => <EvidenceCell {...leg} /> },
  ];
}

/** Every entry of one view of a movement, posting by posting. */
export function EntriesTable(table: {
  statement: MovementStatement;
  view: LedgerEntry['view'];
  decimals: Decimals;
}): Markup {
  const { statement, view, decimals } = table;
  const entries = statement.entries.filter((entry) => entry.view === view);
  const name = view === 'books' ? 'books' : 'chain view';
  if (entries.length === 0) return <p class="muted">{`Nothing is posted in the ${name}.`}</p>;
  return (
    <>
      <DataTable
        caption={`Entries in the ${name}`}
        items={legsOf(entries)}
        columns={columnsOf(decimals)}
        rowKey={({ entry, index, line }) => `entry-${entry.entryId}-${line.asset}-${index}`}
      />
      {entries.length > ENTRIES_MAX && (
        <p class="foot">{`The first ${ENTRIES_MAX} of ${grouped(entries.length)} entries; the API has all.`}</p>
      )}
    </>
  );
}
