import type { Hono } from 'hono';
import { STREAMS } from '../../../wire/event-names.ts';
import { Card } from '../../../pages/parts/card.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import { FilterForm } from '../../../pages/parts/form/filter-form.tsx';
import { textOf } from '../../../pages/parts/form/form-text.ts';
import { linkTo, pageOf } from '../../../pages/parts/list/link.ts';
import type { Markup } from '../../../pages/parts/markup.ts';
import { PageLinks } from '../../../pages/parts/list/pager.tsx';
import type { ControlServices } from '../../control/control-services.ts';
import { notificationsOf } from '../../control/delivery-control.ts';
import type { NotificationFilter } from '../../control/delivery-control.ts';
import { HOME } from '../context.ts';
import type { InspectorContext, InspectorEnv } from '../context.ts';
import { NotificationPage } from './notification-page.tsx';
import { NotificationTable, vaultNames } from './notification-table.tsx';
import { ownPage } from '../own-page.ts';

const PATH = `${HOME}/deliveries`;
const PAGE_SIZE = 50;
const STATES = ['pending', 'delivered', 'dropped'] as const;

function Deliveries(list: {
  services: ControlServices;
  filter: NotificationFilter;
  page: number;
}): Markup {
  const { services, filter, page } = list;
  const rows = notificationsOf(services, filter);
  const items = rows.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const vaults = services.world.vaults();
  return (
    <Card id="deliveries" title="Notifications, newest first" live="deliveries">
      <FilterForm
        action={PATH}
        fields={[
          {
            name: 'vaultId',
            label: 'Vault',
            value: filter.vaultId,
            options: vaults.map(({ vaultId, name }) => ({ value: vaultId, label: name })),
          },
          { name: 'stream', label: 'Stream', value: filter.stream, options: STREAMS },
          { name: 'status', label: 'State', value: filter.status, options: STATES },
        ]}
      />
      {rows.length === 0 ? (
        <EmptyState title="No notification matches.">
          <p>
            The core makes a notification when something happens to a vault that has a subscription:
            a client makes one with <code>POST /subscriptions/&#123;vaultId&#125;</code>.
          </p>
        </EmptyState>
      ) : (
        <NotificationTable rows={items} vaultName={vaultNames(services)} />
      )}
      <PageLinks
        found={{ page, pageSize: PAGE_SIZE, total: rows.length }}
        href={(number) => linkTo(PATH, { ...filter, page: number })}
      />
    </Card>
  );
}

/** `/inspector/deliveries`: notifications with bodies and attempts, replays and retries. */
export function mountDeliveries(
  app: Hono<InspectorEnv>,
  { services, show, missing, perform }: InspectorContext,
): void {
  app.get(PATH, (pageRequest) => {
    const { vaultId, stream, status, page } = pageRequest.req.query();
    const chosen = (value: string | undefined) => (value === '' ? undefined : value);
    const filter = { vaultId: chosen(vaultId), stream: chosen(stream), status: chosen(status) };
    const body = <Deliveries services={services} filter={filter} page={pageOf(page)} />;
    return show(pageRequest, { title: 'Deliveries', body });
  });
  app.get(`${PATH}/:id`, (pageRequest) => {
    const row = services.delivery.log.get(pageRequest.req.param('id'));
    if (row === undefined) return missing(pageRequest, 'The core keeps no such notification.');
    const body = <NotificationPage row={row} services={services} />;
    return show(pageRequest, { title: `${row.stream} ${row.type}`, body });
  });
  app.post(`${PATH}/:id/replay`, (pageRequest) => {
    const id = encodeURIComponent(pageRequest.req.param('id'));
    return perform(pageRequest, {
      method: 'POST',
      path: `/sim/notifications/${id}/replay`,
      done: ({ delivered, statusCode }) =>
        delivered === true
          ? `The receiver took the replay (${String(statusCode)}).`
          : 'The receiver did not take the replay: see its attempt below.',
      back: `${PATH}/${id}`,
    });
  });
  app.post(`${HOME}/queues/:vaultId/retry`, async (pageRequest) => {
    const back = ownPage(textOf(await pageRequest.req.parseBody(), 'back'));
    return perform(pageRequest, {
      method: 'POST',
      path: `/sim/queues/${encodeURIComponent(pageRequest.req.param('vaultId'))}/retry`,
      done: () => 'The core tries the first waiting notification now.',
      back,
    });
  });
}
