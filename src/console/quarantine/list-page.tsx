import type { Page } from '../../store/page.ts';
import type { QuarantineRow } from '../../store/records.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { ChooseEvery } from '../../pages/parts/form/choose-every.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { FilterForm } from '../../pages/parts/form/filter-form.tsx';
import { linkTo } from '../../pages/parts/list/link.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Age, Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import { ReasonField } from '../../pages/parts/form/reason-field.tsx';

export const PATH = '/console/quarantine';
export const RETRY_FORM = 'retry';

export type QuarantineState = QuarantineRow['state'];
const STATES = ['kept', 'retried'] as const satisfies readonly QuarantineState[];

/** The state that a link asks for; undefined for both. */
export function stateOf(text: string | undefined): QuarantineState | undefined {
  return STATES.find((one) => one === text);
}

/** Whether a body still waits for a retry. */
export function StateBadge({ state }: Pick<QuarantineRow, 'state'>): Markup {
  return <Badge tone={state === 'kept' ? 'warn' : 'good'} text={state} />;
}

function Box({ quarantineId }: Pick<QuarantineRow, 'quarantineId'>): Markup {
  const label = `Choose ${quarantineId}`;
  return (
    <input type="checkbox" name="kept" value={quarantineId} form={RETRY_FORM} aria-label={label} />
  );
}

function columnsFor(now: number, mayRetry: boolean): Column<QuarantineRow>[] {
  const box: Column<QuarantineRow> = {
    title: 'Choose',
    cell: ({ quarantineId, state }) =>
      state === 'kept' ? <Box quarantineId={quarantineId} /> : '',
  };
  return [
    ...(mayRetry ? [box] : []),
    {
      title: 'Body',
      cell: ({ quarantineId, defect }) => (
        <>
          <a href={`${PATH}/${quarantineId}`}>{quarantineId}</a>
          <span class="detail muted">{defect}</span>
        </>
      ),
    },
    {
      title: 'Notification',
      cell: ({ notificationId }) => <Identifier value={notificationId} />,
    },
    { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
    { title: 'Received', cell: ({ receivedAt }) => <Moment at={receivedAt} />, is: 'wide' },
    { title: 'Age', cell: ({ receivedAt }) => <Age at={receivedAt} now={now} />, is: 'number' },
  ];
}

function RetryForm(): Markup {
  return (
    <form class="bulk" id={RETRY_FORM} method="post" action={`${PATH}/${RETRY_FORM}`}>
      <ChooseEvery />
      <ReasonField />
      <div class="buttons">
        <button class="primary">Retry the ticked bodies</button>
      </div>
      <p class="muted">A body that can be read now is booked as if it arrived now.</p>
    </form>
  );
}

/** The list. `mayRetry`: the visitor may read bodies again. */
export function QuarantinePage(shown: {
  found: Page<QuarantineRow>;
  state: QuarantineState | undefined;
  now: number;
  mayRetry: boolean;
}): Markup {
  const { found, state, now, mayRetry } = shown;
  return (
    <>
      <FilterForm
        action={PATH}
        fields={[{ name: 'state', label: 'State', value: state, options: STATES }]}
      />
      <Card id="quarantine" title="Bodies that could not be read" live="quarantine tick">
        {found.total === 0 ? (
          <EmptyState
            title={state === undefined ? 'The quarantine is empty.' : `No body is ${state}.`}
            good
          >
            <p>
              A webhook that has an id and cannot be read comes here with its bytes. The custody
              service gets the answer 200, so it does not send the webhook again.
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption="Quarantined bodies, newest first"
            items={found.items}
            columns={columnsFor(now, mayRetry)}
            rowKey={({ quarantineId }) => quarantineId}
            href={({ quarantineId }) => `${PATH}/${quarantineId}`}
          />
        )}
        <PageLinks found={found} href={(page) => linkTo(PATH, { state, page })} />
        <p class="foot">
          A body without any id is not kept here: it is a break of type{' '}
          <a href="/console/breaks?type=malformed">malformed</a>.
        </p>
      </Card>
      {mayRetry && found.items.some((one) => one.state === 'kept') && <RetryForm />}
    </>
  );
}
