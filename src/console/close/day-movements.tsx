import type { Hono } from 'hono';
import { CATEGORIES, type Category } from '../../domain/money/roll-forward.ts';
import type { DayMovement, DayMovementPage, MovementEntry } from '../../store/day-movement.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { FilterForm, type FilterField } from '../../pages/parts/form/filter-form.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import type { ConsoleContext, ConsoleEnv } from '../frame/context.ts';
import { fieldsFor, filterValues } from '../parts/list/filter-values.ts';
import { movementsLink } from '../parts/book-links.ts';
import { EvidenceLink } from '../parts/fact/evidence-link.tsx';
import { CLOSE_PATH } from './calendar.tsx';
import { isDay } from './days.ts';

const PAGE_SIZE = 50;
/** A row shows no more lines of a movement's entries; the page of the hash has all. */
const LINES_MAX = 5;

/** The members of the page's link; `figure` is a figure of the roll-forward. */
const NAMES = ['asset', 'vaultId', 'figure'] as const;
type MovementFilter = Readonly<Partial<Record<(typeof NAMES)[number], string>>>;

/** The page of the movements behind figures of a closed day. */
export function dayMovementsLink(day: string, filter: MovementFilter): string {
  const { asset, vaultId, figure } = filter;
  return linkTo(`${CLOSE_PATH}/${day}/movements`, { asset, vaultId, figure });
}

function fieldsOf(filter: MovementFilter): FilterField[] {
  const field = fieldsFor(filter);
  return [
    field('asset', 'Asset'),
    field('vaultId', 'Vault id'),
    field('figure', 'Figure', { options: CATEGORIES, none: 'all figures' }),
  ];
}

function Amounts({ one, figure }: { one: DayMovement; figure: string | undefined }): Markup {
  const decimals: Decimals = new Map(one.decimals === null ? [] : [[one.asset, one.decimals]]);
  const moved = Object.entries(one.amounts) as [Category, bigint][];
  const shown = figure === undefined ? moved : moved.filter(([name]) => name === figure);
  return (
    <>
      {shown.map(([name, amount]) => (
        <div>
          {figure === undefined && <span class="muted">{name} </span>}
          <AmountFigure amount={amount} asset={one.asset} decimals={decimals} signed bare />
        </div>
      ))}
    </>
  );
}

/** The fact that proves a line of an entry. */
function EvidenceLine({ entry }: { entry: MovementEntry }): Markup {
  const { change, recordedAt } = entry;
  return (
    <div>
      <EvidenceLink origin={entry} />{' '}
      <span class="muted">
        {change}, <Moment at={recordedAt} />
      </span>
    </div>
  );
}

function Evidence({ one }: { one: DayMovement }): Markup {
  const { entries } = one;
  if (entries.length === 0) return <span class="muted">counted without an entry</span>;
  return (
    <>
      {entries.slice(0, LINES_MAX).map((entry) => (
        <EvidenceLine entry={entry} />
      ))}
      {entries.length > LINES_MAX && (
        <a href={movementsLink(one.blockchainHash)}>{`${entries.length - LINES_MAX} more lines`}</a>
      )}
    </>
  );
}

function columnsOf(figure: string | undefined): Column<DayMovement>[] {
  return [
    {
      title: 'Hash',
      cell: ({ blockchainHash, network }) => (
        <>
          <Identifier value={blockchainHash} href={movementsLink(blockchainHash)} />
          <span class="why">{network}</span>
        </>
      ),
    },
    { title: 'Asset', cell: ({ asset }) => <span class="id">{asset}</span> },
    { title: 'Vault', cell: ({ vaultId }) => <Identifier value={vaultId} /> },
    {
      title: figure ?? 'Figures',
      cell: (one) => <Amounts one={one} figure={figure} />,
      is: 'number',
    },
    { title: 'Proved by', cell: (one) => <Evidence one={one} /> },
  ];
}

function MovementsPage(shown: {
  day: string;
  filter: MovementFilter;
  found: DayMovementPage;
}): Markup {
  const { day, filter, found } = shown;
  const path = `${CLOSE_PATH}/${day}/movements`;
  const { asset, figure } = filter;
  const dayLink = linkTo(`${CLOSE_PATH}/${day}`, { asset });
  return (
    <>
      <FilterForm action={path} fields={fieldsOf(filter)} />
      <Card
        id="day-movements"
        title={`${figure ?? 'Movements'} of ${day} (${grouped(found.total)})`}
        aside={<a href={dayLink}>{`The close of ${day}`}</a>}
      >
        {found.total === 0 ? (
          <EmptyState title="No movement of this day is like this.">
            <p>
              Identifiers compare whole and letter by letter. <a href={path}>Show all movements</a>
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption="Movements by asset, vault and hash"
            items={found.items}
            columns={columnsOf(figure)}
            rowKey={({ asset: moved, vaultId, blockchainHash }) =>
              `${moved}-${vaultId}-${blockchainHash}`
            }
            href={({ blockchainHash }) => movementsLink(blockchainHash)}
          />
        )}
        <PageLinks found={found} href={(page) => linkTo(path, { ...filter, page })} />
        <p class="foot">
          Amounts are signed as they move the balance: withdrawals and fees are negative here, and
          subtracted in the report.
        </p>
      </Card>
    </>
  );
}

/** `/console/close/{day}/movements`: what a closed day's figures are made of. */
export function mountDayMovements(app: Hono<ConsoleEnv>, context: ConsoleContext): void {
  const { reads, show, missing } = context;
  app.get(`${CLOSE_PATH}/:day/movements`, async (pageRequest) => {
    const day = pageRequest.req.param('day');
    const filter = filterValues(NAMES, pageRequest.req.query());
    const figure = CATEGORIES.find((one) => one === filter.figure);
    if (!isDay(day) || (filter.figure !== undefined && figure === undefined)) {
      return missing(pageRequest, 'There is no such figure of a closed day.');
    }
    const range = { page: pageOf(pageRequest.req.query('page')), pageSize: PAGE_SIZE };
    const found = await reads.dayMovements({ ...filter, day, figure }, range);
    if (found === undefined) return missing(pageRequest, `${day} is not closed.`);
    const body = <MovementsPage day={day} filter={filter} found={found} />;
    return show(pageRequest, { title: `Movements of ${day}`, body });
  });
}
