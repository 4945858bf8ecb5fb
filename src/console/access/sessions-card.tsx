import type { SessionView } from '../../api/people/sessions.ts';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';

/** The start of the routes that end a session. */
export const SESSIONS_PATH = '/console/access/sessions';

function SignOut({ session: { sessionId, name } }: { session: SessionView }): Markup {
  return (
    <ConfirmForm
      action={`${SESSIONS_PATH}/${sessionId}/end`}
      label={`Sign ${name} out`}
      effect={`Ends this session of ${name} at once. ${name} can sign in again: to prevent that, revoke the token, or take away the group at the identity provider.`}
      danger
    />
  );
}

function columnsFor(mayManage: boolean): Column<SessionView>[] {
  return [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'By', cell: ({ by }) => (by === 'token' ? 'a token' : 'the identity provider') },
    { title: 'Signed in', cell: ({ signedInAt }) => <Moment at={Date.parse(signedInAt)} /> },
    { title: 'Last action', cell: ({ actedAt }) => <Moment at={Date.parse(actedAt)} /> },
    { title: 'Ends', cell: ({ endsAt }) => <Moment at={Date.parse(endsAt)} />, is: 'wide' },
    ...(mayManage
      ? [{ title: 'Change', cell: (session: SessionView) => <SignOut session={session} /> }]
      : []),
  ];
}

/** Who is signed in now. An admin signs a person out, with a reason. */
export function SessionsCard(shown: {
  sessions: readonly SessionView[];
  mayManage: boolean;
}): Markup {
  const { sessions, mayManage } = shown;
  return (
    <Card id="sessions" title="Open sessions" live="access">
      {sessions.length === 0 ? (
        <EmptyState title="Nobody is signed in." />
      ) : (
        <DataTable
          caption="Open sessions, the newest sign-in first"
          items={sessions}
          columns={columnsFor(mayManage)}
          rowKey={({ sessionId }) => sessionId}
        />
      )}
      <p class="foot">
        Sessions of this daemon. Where several receivers run, each one has its own sessions.
      </p>
    </Card>
  );
}
