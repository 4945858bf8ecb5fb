import type { Statement, StatementLine, StatementTooLong } from '../../store/statement.ts';
import { AmountFigure, hasLongAmount, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { counted, grouped } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { ProblemNotice } from '../../pages/parts/notice.tsx';
import {
  balancesLink,
  BOOKS_PATH,
  movementsLink,
  positionQuery,
  statementLink,
  type Position,
} from '../parts/book-links.ts';
import type { FilterProblem } from '../parts/list/filter-problem.ts';
import type { ClosedDayPeriod } from './closed-days.ts';
import { usualPeriods, type Period } from './period.ts';
import { EvidenceLink } from '../parts/fact/evidence-link.tsx';
import { CAUSES } from '../parts/value/entry-words.ts';
import { Downloads } from '../parts/list/downloads.tsx';

/** What the page of a statement shows. */
export interface ShownStatement {
  readonly position: Position;
  readonly decimals: Decimals;
  /** Newest first. */
  readonly closedDays: readonly ClosedDayPeriod[];
  /** Unix milliseconds. */
  readonly now: number;
  readonly result:
    | { readonly period: Period; readonly statement: Statement }
    | { readonly period: Period; readonly tooLong: StatementTooLong }
    | { readonly problem: FilterProblem };
}

function PartFact({ name, value }: { name: string; value: string | null }): Markup {
  if (value === null) return <></>;
  return (
    <Fact name={name}>
      <Identifier value={value} whole />
    </Fact>
  );
}

function PositionCard({ position }: { position: Position }): Markup {
  const { view, vaultId, accountId, addressId, memo, asset } = position;
  return (
    <Card
      id="position"
      title="Position"
      aside={<a href={balancesLink({ view, vaultId, asset })}>Balances of the vault</a>}
    >
      <dl class="facts">
        <PartFact name="Vault" value={vaultId} />
        <PartFact name="Account" value={accountId} />
        <PartFact name="Address id" value={addressId} />
        <PartFact name="Memo" value={memo} />
        <Fact name="Asset">{asset}</Fact>
        <Fact name="View">{view === 'books' ? 'books' : 'chain view'}</Fact>
      </dl>
    </Card>
  );
}

/** Usual periods, the newest closed day, and the closed day that is shown. */
function PeriodNavigation(shown: {
  position: Position;
  closedDays: readonly ClosedDayPeriod[];
  now: number;
  chosen: string;
}): Markup {
  const { position, closedDays, now, chosen } = shown;
  const hrefOf = ({ from, to }: { from: string; to: string }): string =>
    statementLink(position, { from, to });
  const closed = closedDays.filter((one, index) => index === 0 || hrefOf(one) === chosen);
  const periods = [
    ...usualPeriods(now),
    ...closed.map(({ day, from, to }) => ({ name: `Closed day ${day}`, from, to })),
  ];
  return (
    <nav class="views" aria-label="Periods">
      {periods.map(({ name, ...period }) => {
        const href = hrefOf(period);
        return (
          <a href={href} aria-current={href === chosen ? 'true' : undefined}>
            {name}
          </a>
        );
      })}
    </nav>
  );
}

/** The period as a link: a form that is sent with GET. */
function PeriodForm(shown: { position: Position; from: string; to: string }): Markup {
  const { position, from, to } = shown;
  const isMoment = (text: string): boolean => text.includes('T');
  const typeOf = (text: string): string => (isMoment(text) ? 'text' : 'date');
  return (
    <form class="filter" method="get" action={`${BOOKS_PATH}/statement`} data-filter="">
      {Object.entries(positionQuery(position)).map(([name, value]) =>
        value === undefined ? '' : <input type="hidden" name={name} value={value} />,
      )}
      <label class="field">
        <span>{isMoment(from) ? 'From (UTC moment)' : 'From (UTC day)'}</span>
        <input name="from" type={typeOf(from)} value={from} autocomplete="off" />
      </label>
      <label class="field">
        <span>{isMoment(to) ? 'Before (UTC moment)' : 'Until, this day included'}</span>
        <input name="to" type={typeOf(to)} value={to} autocomplete="off" />
      </label>
      <button>Show</button>
    </form>
  );
}

function Kind({ line }: { line: StatementLine }): Markup {
  const { cause, change, reverses } = line;
  return (
    <>
      {reverses === null ? '' : 'reversal: '}
      {CAUSES[cause]}
      {change !== 'transfer' && <span class="why">{change}</span>}
    </>
  );
}

function columnsOf(asset: string, decimals: Decimals): Column<StatementLine>[] {
  const money = (amount: StatementLine['amount'], signed = false): Markup => (
    <AmountFigure amount={amount} asset={asset} decimals={decimals} signed={signed} bare />
  );
  return [
    {
      title: 'Hash',
      cell: ({ blockchainHash }) => (
        <Identifier value={blockchainHash} href={movementsLink(blockchainHash)} />
      ),
    },
    { title: 'Posted', cell: ({ postedAt }) => <Moment at={postedAt} /> },
    { title: 'Kind', cell: (line) => <Kind line={line} /> },
    { title: 'Amount', cell: ({ amount }) => money(amount, true), is: 'number' },
    { title: 'Balance', cell: ({ balance }) => money(balance), is: 'number' },
    { title: 'Evidence', cell: (line) => <EvidenceLink origin={line} /> },
  ];
}

/** Opening, movement and closing side by side. */
function Sums(shown: ShownStatement & { statement: Statement; period: Period }): Markup {
  const { statement, period, position, decimals, now } = shown;
  const { opening, closing } = statement;
  const { asset } = position;
  const moved = closing - opening;
  return (
    <dl class="sides">
      <div>
        <dt>
          Opening, <Moment at={period.from} />
        </dt>
        <dd>
          <AmountFigure amount={opening} asset={asset} decimals={decimals} />
        </dd>
      </div>
      <div>
        <dt>{`Moved by ${counted(statement.total, 'line')}`}</dt>
        <dd>
          <AmountFigure amount={moved} asset={asset} decimals={decimals} signed />
        </dd>
      </div>
      <div>
        <dt>
          {period.to > now ? 'Closing so far, ' : 'Closing, '}
          <Moment at={Math.min(period.to, now)} />
        </dt>
        <dd>
          <AmountFigure amount={closing} asset={asset} decimals={decimals} />
        </dd>
      </div>
    </dl>
  );
}

function amountsOf({ items }: Statement, { asset }: Position): { asset: string; amount: bigint }[] {
  return items.flatMap(({ amount, balance }) =>
    [amount, balance].map((one) => ({ asset, amount: one })),
  );
}

function Lines(shown: ShownStatement & { statement: Statement; period: Period }): Markup {
  const { statement, period, position, decimals } = shown;
  const { fromText: from, toText: to } = period;
  const link = { ...positionQuery(position), from, to };
  return (
    <>
      <h3>Lines</h3>
      {statement.total === 0 ? (
        <EmptyState title="Nothing moved this position in the period.">
          <p>The balance at its beginning is the balance at its end. A longer period shows more.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Lines of the statement, oldest first"
          items={statement.items}
          columns={columnsOf(position.asset, decimals)}
          rowKey={({ entryId, line }) => `${entryId}-${line}`}
          href={({ blockchainHash }) => movementsLink(blockchainHash)}
          folds={hasLongAmount(amountsOf(statement, position), decimals, 'narrow')}
        />
      )}
      <PageLinks
        found={statement}
        href={(page) => linkTo(`${BOOKS_PATH}/statement`, { ...link, page })}
      />
      <p class="foot">
        {`Read through journal position ${grouped(statement.journalSeq)}. Lines are in the order of the journal.`}
      </p>
    </>
  );
}

function TooLong(shown: { tooLong: StatementTooLong; position: Position; period: Period }): Markup {
  const { tooLong, position, period } = shown;
  const { limit, max, fitsUntil } = tooLong;
  const most = grouped(max);
  const detail =
    limit === 'lines'
      ? `A statement shows at most ${most} lines.`
      : `The position has more than ${most} postings since the beginning of the period.`;
  const to = fitsUntil === null ? null : new Date(fitsUntil).toISOString();
  return (
    <>
      <ProblemNotice problem={{ title: 'The period is too long', detail }} />
      {to === null ? (
        <p>Begin later.</p>
      ) : (
        <p>
          <a href={statementLink(position, { from: period.fromText, to })}>
            Show the period until {to}
          </a>
          , and continue from there.
        </p>
      )}
    </>
  );
}

function Result({ shown }: { shown: ShownStatement }): Markup {
  const { result, position } = shown;
  if ('problem' in result) return <ProblemNotice problem={result.problem} />;
  if ('tooLong' in result) {
    return <TooLong tooLong={result.tooLong} position={position} period={result.period} />;
  }
  return (
    <>
      <Sums {...shown} {...result} />
      <Lines {...shown} {...result} />
    </>
  );
}

/** A position's statement for a period. */
export function StatementPage({ shown }: { shown: ShownStatement }): Markup {
  const { position, result, closedDays, now } = shown;
  const period = 'problem' in result ? undefined : result.period;
  const [from, to] = [period?.fromText ?? '', period?.toText ?? ''];
  const link = { ...positionQuery(position), from, to };
  return (
    <>
      <PositionCard position={position} />
      <PeriodNavigation
        position={position}
        closedDays={closedDays}
        now={now}
        chosen={statementLink(position, { from, to })}
      />
      <PeriodForm position={position} from={from} to={to} />
      <Card
        id="statement"
        title="Statement"
        live="books"
        aside={
          'statement' in result && (
            <Downloads
              csv={linkTo(`${BOOKS_PATH}/statement/csv`, link)}
              xlsx={linkTo(`${BOOKS_PATH}/statement/xlsx`, link)}
            />
          )
        }
      >
        <Result shown={shown} />
      </Card>
    </>
  );
}
