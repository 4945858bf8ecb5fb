import type { Hono } from 'hono';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { DataTable } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import type { ControlServices } from '../control/control-services.ts';
import { HOME } from './context.ts';
import type { InspectorContext, InspectorEnv } from './context.ts';

const PATH = `${HOME}/snapshots`;

function Snapshots({ services }: { services: ControlServices }): Markup {
  const snapshots = services.snapshots.list().toReversed();
  return (
    <Card id="snapshots" title="Kept states, newest first" live="snapshots">
      <div class="actions">
        <form method="post" action={PATH}>
          <button class="primary">Save the state</button>
        </form>
        <ConfirmForm
          action={`${PATH}/reset`}
          label="Reset"
          effect="Goes back to the state right after the start. What happened since is lost."
          asksReason={false}
          danger
        />
      </div>
      {snapshots.length === 0 ? (
        <EmptyState title="No state is kept.">
          <p>A snapshot copies the whole core in memory: vaults, chains, queues, faults, mails.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Snapshots"
          items={snapshots}
          rowKey={({ snapshotId }) => snapshotId}
          columns={[
            { title: 'Snapshot', cell: ({ snapshotId }) => <Identifier value={snapshotId} /> },
            { title: 'Core time', cell: ({ now }) => <Moment at={now} /> },
            {
              title: 'Load',
              cell: ({ snapshotId }) => (
                <ConfirmForm
                  action={`${PATH}/${snapshotId}/load`}
                  label="Load"
                  effect="Goes back to this state. Save the present one first to keep it."
                  asksReason={false}
                  danger
                />
              ),
            },
          ]}
        />
      )}
    </Card>
  );
}

/** `/inspector/snapshots`: saves the whole state, loads it, resets. */
export function mountSnapshots(
  app: Hono<InspectorEnv>,
  { services, show, perform }: InspectorContext,
): void {
  app.get(PATH, (pageRequest) =>
    show(pageRequest, { title: 'Snapshots', body: <Snapshots services={services} /> }),
  );
  app.post(PATH, (pageRequest) =>
    perform(pageRequest, {
      method: 'POST',
      path: '/sim/snapshot',
      done: ({ snapshotId }) => `The state is saved as ${String(snapshotId)}.`,
      back: PATH,
    }),
  );
  app.post(`${PATH}/reset`, (pageRequest) =>
    perform(pageRequest, {
      method: 'POST',
      path: '/sim/reset',
      done: () => 'The core is back at its start.',
      back: PATH,
    }),
  );
  app.post(`${PATH}/:id/load`, (pageRequest) =>
    perform(pageRequest, {
      method: 'POST',
      path: '/sim/restore',
      body: { snapshotId: pageRequest.req.param('id') },
      done: ({ snapshotId }) => `The core is back at ${String(snapshotId)}.`,
      back: PATH,
    }),
  );
}
