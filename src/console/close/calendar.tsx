import type { SignatureRole } from '../../domain/close/record.ts';
import type { SignedDay } from '../../store/answers.ts';
import { Badge, type Tone } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { personWith } from '../parts/missing-role.ts';
import { NextClose } from '../parts/next-close.tsx';
import { STATUS_TONES } from '../parts/value/report-status.tsx';
import type { CalendarDay, Month } from './days.ts';

export const CLOSE_PATH = '/console/close';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** How far the signatures are: nobody, the preparer, or both. */
function signedWord({ signatures }: Pick<SignedDay, 'signatures'>): string {
  if (signatures.some(({ role }) => role === 'reviewer')) return 'reviewed';
  return signatures.length > 0 ? 'prepared' : 'not signed';
}

function stateOf(day: CalendarDay): { tone: Tone; words: readonly string[] } {
  switch (day.kind) {
    case 'closed': {
      const { status } = day.closed.close;
      return { tone: STATUS_TONES[status], words: [status, signedWord(day.closed)] };
    }
    case 'due':
      return { tone: 'warn', words: ['not closed'] };
    case 'open':
      return { tone: 'plain', words: ['open'] };
    case 'none':
      return { tone: 'plain', words: [] };
    default:
      return day satisfies never;
  }
}

function DayCell({ day }: { day: CalendarDay }): Markup {
  const number = Number(day.day.slice(-2));
  if (day.kind === 'none') return <span class="muted">{number}</span>;
  const { tone, words } = stateOf(day);
  return (
    <a class={`day ${tone}`} href={`${CLOSE_PATH}/${day.day}`}>
      <b>{number}</b>
      {words.map((word) => (
        <span class="word"> {word}</span>
      ))}
    </a>
  );
}

function Grid({ month }: { month: Month }): Markup {
  return (
    <table class="calendar">
      <caption class="unseen">{`Days of ${month.month}`}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week) => (
          <tr>
            {week.map((day) => (
              <td>{day !== null && <DayCell day={day} />}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SignedBy({ day, role }: { day: CalendarDay; role: SignatureRole }): Markup {
  if (day.kind !== 'closed') return <></>;
  const signature = day.closed.signatures.find((one) => one.role === role);
  if (signature === undefined) return <span class="muted">not signed</span>;
  return (
    <>
      {signature.person}, <Moment at={signature.signedAt} />
    </>
  );
}

const COLUMNS: readonly Column<CalendarDay>[] = [
  { title: 'Day', cell: ({ day }) => <a href={`${CLOSE_PATH}/${day}`}>{day}</a> },
  {
    title: 'State',
    cell: (day) => {
      const { tone, words } = stateOf(day);
      return <Badge tone={tone} text={words[0] ?? ''} />;
    },
  },
  { title: 'Preparer', cell: (day) => <SignedBy day={day} role="preparer" /> },
  { title: 'Reviewer', cell: (day) => <SignedBy day={day} role="reviewer" /> },
  {
    title: 'Report hash',
    cell: (day) =>
      day.kind === 'closed' ? <Identifier value={day.closed.close.reportHash} /> : '',
    is: 'wide',
  },
];

function MonthLinks({ month }: { month: Month }): Markup {
  const { before, after } = month;
  const href = (one: string): string => linkTo(CLOSE_PATH, { month: one });
  return (
    <nav class="pager" aria-label="Months">
      {before !== null && <a href={href(before)}>{`← ${before}`}</a>}
      {after !== null && <a href={href(after)}>{`${after} →`}</a>}
    </nav>
  );
}

/** How a day that has ended is closed; closing it closes every day before it. */
function CloseEnded({ day, mayClose }: { day: string; mayClose: boolean }): Markup {
  const link = <a href={`${CLOSE_PATH}/${day}`}>{day}</a>;
  if (!mayClose) {
    return (
      <>
        {link} has ended: wait for the next close, or ask {personWith('close-days')}.
      </>
    );
  }
  return (
    <>
      {day} has ended: open {link} and choose <b>Close now</b>, or wait for the next close.
    </>
  );
}

/** How a day that has not ended is closed. */
function CloseOpen({ day, mayClose }: { day: string; mayClose: boolean }): Markup {
  if (!mayClose) return <>{day} ends at midnight. Then wait for the next close.</>;
  return (
    <>
      {day} ends at midnight. Then wait for the next close, or open{' '}
      <a href={`${CLOSE_PATH}/${day}`}>{day}</a> and choose <b>Close now</b>.
    </>
  );
}

/** How a month without a closed day gets its first one. */
function FirstClose({ month, mayClose }: { month: Month; mayClose: boolean }): Markup {
  const [newest] = month.days;
  if (newest === undefined || month.days.some(({ kind }) => kind === 'closed')) return <></>;
  const ended = month.days.find(({ kind }) => kind === 'due');
  return (
    <p class="foot">
      No day of this month is closed yet.{' '}
      {ended === undefined ? (
        <CloseOpen day={newest.day} mayClose={mayClose} />
      ) : (
        <CloseEnded day={ended.day} mayClose={mayClose} />
      )}
    </p>
  );
}

/** What the calendar's page shows. */
interface Shown {
  readonly month: Month;
  /** Whether the visitor may close a day. */
  readonly mayClose: boolean;
  /** Unix milliseconds. */
  readonly nextCloseAt: number;
}

/** A month of days, each with its state. */
export function CalendarPage({ month, mayClose, nextCloseAt }: Shown): Markup {
  return (
    <Card id="calendar" title={month.month} live="close" aside={<MonthLinks month={month} />}>
      <Grid month={month} />
      <p class="foot">
        {`Days end at midnight in the time zone ${month.timezone}.`} <NextClose at={nextCloseAt} />
      </p>
      <FirstClose month={month} mayClose={mayClose} />
      {month.days.length === 0 ? (
        <EmptyState title="The journal has nothing of this month.">
          <p>The first day is the day of the first webhook.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption={`Days of ${month.month}, newest first`}
          items={month.days}
          columns={COLUMNS}
          rowKey={({ day }) => day}
          href={({ day }) => `${CLOSE_PATH}/${day}`}
        />
      )}
    </Card>
  );
}
