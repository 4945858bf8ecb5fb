import type { Hono } from 'hono';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import { FilterForm } from '../../pages/parts/form/filter-form.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import { linkTo, pageOf } from '../../pages/parts/list/link.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { PageLinks } from '../../pages/parts/list/pager.tsx';
import type { ControlServices } from '../control/control-services.ts';
import type { Mail } from '../mail/mailbox.ts';
import { HOME } from './context.ts';
import type { InspectorContext, InspectorEnv } from './context.ts';

const PATH = `${HOME}/mailbox`;
const PAGE_SIZE = 50;
const RELAYED = {
  pending: ['warn', 'on its way'],
  sent: ['good', 'sent'],
  failed: ['alarm', 'not sent'],
} as const;

function RelayBadge({ relay }: { relay: Mail['relay'] | undefined }): Markup {
  if (relay === undefined) return <span class="muted">no mail server</span>;
  const [tone, text] = RELAYED[relay];
  return <Badge tone={tone} text={text} />;
}

function MailCard(box: {
  services: ControlServices;
  email: string | undefined;
  page: number;
}): Markup {
  const { services, email, page } = box;
  const mails = services.mailbox.to(email).toReversed();
  return (
    <Card id="mailbox" title="Mails with login codes, newest first" live="mailbox">
      <FilterForm action={PATH} fields={[{ name: 'email', label: 'To', value: email }]} />
      {mails.length === 0 ? (
        <EmptyState title="No mail matches.">
          <p>
            A user asks for a code with <code>POST /auth/login-code/request</code>.
          </p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Mails"
          items={mails.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE)}
          rowKey={({ mailId }) => mailId}
          columns={[
            { title: 'To', cell: ({ to }) => to },
            { title: 'Code', cell: ({ code }) => <Identifier value={code} whole /> },
            { title: 'Subject', cell: ({ subject }) => subject, is: 'wide' },
            { title: 'Written', cell: ({ sentAt }) => <Moment at={sentAt} /> },
            { title: 'Mail server', cell: ({ relay }) => <RelayBadge relay={relay} /> },
          ]}
        />
      )}
      <PageLinks
        found={{ page, pageSize: PAGE_SIZE, total: mails.length }}
        href={(number) => linkTo(PATH, { email, page: number })}
      />
    </Card>
  );
}

/** `/inspector/mailbox`: the login codes that the core mailed. */
export function mountMailbox(app: Hono<InspectorEnv>, { services, show }: InspectorContext): void {
  app.get(PATH, (pageRequest) => {
    const { email, page } = pageRequest.req.query();
    const box = { services, email: email === '' ? undefined : email, page: pageOf(page) };
    return show(pageRequest, { title: 'Mailbox', body: <MailCard {...box} /> });
  });
}
