import type { DailyReport } from '../../domain/close/report.ts';
import { FORMATS, type Format } from '../../report/document.ts';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { counted, grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { Prose } from '../parts/value/prose.tsx';
import { personWith } from '../parts/missing-role.ts';
import { NextClose } from '../parts/next-close.tsx';
import { AssetCard, witnessColumns } from './asset-card.tsx';
import { CriticalBadge, type CriticalBreaks } from '../parts/value/critical-breaks.tsx';
import { StatusBadge } from '../parts/value/report-status.tsx';
import { CLOSE_PATH } from './calendar.tsx';
import type { AskedDay } from './asked-day.ts';
import type { DayAsset, DayReport } from './day-report.ts';
import { DifferencesCard, PriorDayCard } from './difference-cards.tsx';
import type { BreaksNow } from './breaks-now.tsx';
import { OpenItemCards } from './open-items.tsx';
import { Signing, type SigningShown } from './signing.tsx';

/** A page draws so many assets at once; with more, it draws the one that its address names. */
const ASSETS_DRAWN_MAX = 6;

function monthOf(day: string): string {
  return linkTo(CLOSE_PATH, { month: day.slice(0, 7) });
}

const FORMAT_NAMES: Record<Format, string> = {
  html: 'HTML',
  csv: 'CSV',
  xlsx: 'XLSX',
  json: 'JSON',
  hledger: 'hledger',
  beancount: 'beancount',
};

/** The report as a page in the browser, and as a file in each format. */
function Documents({ day }: { day: string }): Markup {
  return (
    <p class="downloads">
      <a
        class="button"
        href={`/console/reports/${day}`}
        title={`Opens the sealed report of ${day} as a page to read and to print`}
      >
        Open the report
      </a>{' '}
      <span class="muted">Download:</span>{' '}
      {FORMATS.map((format) => (
        <>
          <a
            class="button"
            href={`${CLOSE_PATH}/${day}/${format}`}
            title={`Downloads the sealed report of ${day} as ${FORMAT_NAMES[format]}`}
            download
          >
            {FORMAT_NAMES[format]}
          </a>{' '}
        </>
      ))}
    </p>
  );
}

/** What does not tie on a day. */
export function Exceptions(
  shown: Pick<DayReport, 'report' | 'decimals'> & Pick<SigningShown, 'signatures'>,
): Markup {
  const { report, decimals, signatures } = shown;
  if (report.exceptions.length === 0) return <></>;
  const isSigned = signatures.some(({ role }) => role === 'reviewer');
  return (
    <div class="notice alarm">
      <b>
        {isSigned
          ? 'This day has exceptions. Both signatures are below, with their reasons.'
          : 'This day has exceptions. Find their cause before you sign, and name it as your reason.'}
      </b>
      <ul>
        {report.exceptions.map(({ kind, detail }) => (
          <li>
            {`${kind.replaceAll('_', ' ')}: `}
            <Prose text={detail} asset={null} decimals={decimals} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Custody({ report }: { report: DailyReport }): Markup {
  const { custody } = report;
  if (!custody.compared) return <>{`not compared: ${custody.reason}`}</>;
  return (
    <>
      <Moment at={Date.parse(custody.readAt)} />, {counted(custody.transactions, 'transaction')}
    </>
  );
}

/** The status, the signatures and the documents of a day. */
function SummaryCard(shown: {
  day: DayReport;
  signing: SigningShown;
  critical: CriticalBreaks | null;
}): Markup {
  const { day, signing, critical } = shown;
  const { close, report } = day;
  return (
    <Card
      id="day"
      title="The close"
      live="close breaks"
      aside={<a href={monthOf(close.day)}>Calendar</a>}
    >
      <p>
        <StatusBadge status={close.status} />{' '}
        {critical !== null && <CriticalBadge critical={critical} href="#breaks" />}
        {`Cut off at midnight after ${close.day}, ${close.timezone}.`}
      </p>
      <Exceptions {...{ report, decimals: day.decimals, signatures: signing.signatures }} />
      <Signing shown={signing} />
      <dl class="facts">
        <Fact name="Cut-off">
          <Moment at={close.cutOffAt} />
        </Fact>
        <Fact name="Closed">
          <Moment at={close.closedAt} />
        </Fact>
        <Fact name="Custody read">
          <Custody report={report} />
        </Fact>
        <Fact name="Journal">
          {`facts ${grouped(report.journal.afterSeq + 1)} to ${grouped(report.journal.throughSeq)}`}
        </Fact>
      </dl>
      <Documents day={close.day} />
    </Card>
  );
}

function assetColumns(day: DayReport): Column<DayAsset>[] {
  const { close } = day;
  return [
    {
      title: 'Asset',
      cell: ({ asset }) => (
        <a href={`${linkTo(`${CLOSE_PATH}/${close.day}`, { asset })}#asset-${asset}`}>{asset}</a>
      ),
    },
    ...witnessColumns(day, ({ asset, sum, vaults }: DayAsset) => ({
      asset,
      figures: sum,
      vaults,
    })),
  ];
}

/** Books, chain and custody of every asset at the cut-off. */
function TieOutCard({ day }: { day: DayReport }): Markup {
  const { custody } = day.report;
  return (
    <Card id="tie-out" title="Books, chain and custody">
      {!custody.compared && <p>{`Custody was not compared: ${custody.reason}.`}</p>}
      {day.assets.length === 0 ? (
        <EmptyState title="No vault had a balance or a movement up to the cut-off." />
      ) : (
        <DataTable
          caption="Three witnesses by asset, over all vaults"
          items={day.assets}
          columns={assetColumns(day)}
          rowKey={({ asset }) => `asset-${asset}`}
          folds
        />
      )}
    </Card>
  );
}

interface CountLine {
  readonly title: string;
  /** The card that lists them. */
  readonly card?: string;
  readonly count: (report: DailyReport) => number;
}

const COUNTS: readonly CountLine[] = [
  { title: 'Exceptions', count: ({ exceptions }) => exceptions.length },
  {
    title: 'Differences',
    card: 'differences',
    count: ({ differences }) => differences.length,
  },
  {
    title: 'Open differences',
    count: ({ openDifferences = [] }) => openDifferences.reduce((sum, { count }) => sum + count, 0),
  },
  { title: 'Prior-day items', card: 'prior-day', count: ({ priorDay }) => priorDay.length },
  {
    title: 'Own transfers in transit',
    card: 'transit',
    count: ({ inTransit }) => inTransit.length,
  },
  {
    title: 'Own debits not confirmed by custody',
    card: 'unconfirmed',
    count: ({ unconfirmed = [] }) => unconfirmed.length,
  },
  {
    title: 'Breaks open at the cut-off',
    card: 'breaks',
    count: ({ openBreaks }) => openBreaks.length,
  },
];

/** Counts of this day beside those of the day before. */
function ComparisonCard({ day }: { day: DayReport }): Markup {
  const { report, before } = day;
  const columns: Column<CountLine>[] = [
    {
      title: 'Count',
      cell: ({ title, card, count }) =>
        card === undefined || count(report) === 0 ? title : <a href={`#${card}`}>{title}</a>,
    },
    { title: report.day, cell: ({ count }) => grouped(count(report)), is: 'number' },
  ];
  if (before !== null) {
    columns.push({
      title: before.day,
      cell: ({ count }) => grouped(count(before)),
      is: 'number',
    });
  }
  return (
    <Card
      id="comparison"
      title={before === null ? 'This day' : 'Beside the day before'}
      aside={before !== null && <a href={`${CLOSE_PATH}/${before.day}`}>{before.day}</a>}
    >
      <DataTable
        caption="Counts of the day"
        items={COUNTS}
        columns={columns}
        rowKey={({ title }) => title.replaceAll(' ', '-')}
      />
    </Card>
  );
}

function drawn({ assets }: DayReport, asked: string | undefined): readonly DayAsset[] {
  if (asked === undefined && assets.length <= ASSETS_DRAWN_MAX) return assets;
  const named = assets.find(({ asset }) => asset === asked) ?? assets[0];
  return named === undefined ? [] : [named];
}

/** A closed day. */
export function DayPage(shown: {
  day: DayReport;
  signing: SigningShown;
  asked: AskedDay;
  breaksNow: BreaksNow;
  /** Critical breaks that were open at the cut-off. */
  critical: CriticalBreaks | null;
}): Markup {
  const { day, signing, asked, breaksNow, critical } = shown;
  const cards = drawn(day, asked.asset);
  return (
    <>
      <SummaryCard {...{ day, signing, critical }} />
      <TieOutCard day={day} />
      <DifferencesCard {...{ day, asked, breaksNow }} />
      {cards.map((one) => (
        <AssetCard one={one} day={day} />
      ))}
      <ComparisonCard day={day} />
      <OpenItemCards {...{ day, asked, breaksNow }} />
      <PriorDayCard day={day} asked={asked} />
    </>
  );
}

function CloseSooner({ mayClose }: { mayClose: boolean }): Markup {
  return mayClose ? (
    <>
      To close it sooner, choose <b>Close now</b>.
    </>
  ) : (
    <>To close it sooner, ask {personWith('close-days')}.</>
  );
}

/** A day that is not closed. */
export function UnclosedDayPage(shown: {
  day: string;
  kind: 'due' | 'open' | 'none' | 'ahead';
  timezone: string;
  mayClose: boolean;
  /** Unix milliseconds. */
  nextCloseAt: number;
}): Markup {
  const { day, kind, timezone, mayClose, nextCloseAt } = shown;
  const title = {
    due: `${day} has ended and is not closed.`,
    open: `${day} is open: it ends at midnight, ${timezone}.`,
    none: `The journal has nothing of ${day}.`,
    ahead: `${day} has not begun.`,
  }[kind];
  const effect = `Closes ${day}, and every day before it that is not closed: reads the custody API, computes the reports and seals them. A closed day never changes.`;
  return (
    <Card id="day" title="The close" live="close" aside={<a href={monthOf(day)}>Calendar</a>}>
      <EmptyState title={title}>
        {kind === 'none' || kind === 'ahead' ? (
          <p>
            Choose a day in the <a href={monthOf(day)}>calendar</a>.
          </p>
        ) : (
          <p>
            <NextClose at={nextCloseAt} /> {kind === 'due' && <CloseSooner mayClose={mayClose} />}
          </p>
        )}
      </EmptyState>
      {kind === 'due' && mayClose && (
        <ConfirmForm action={`${CLOSE_PATH}/${day}/close`} label="Close now" effect={effect} />
      )}
    </Card>
  );
}
