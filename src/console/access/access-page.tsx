import { PERMISSIONS, ROLES, mayDo, type Permission } from '../../domain/access/role.ts';
import type { SessionView } from '../../api/people/sessions.ts';
import type { PersonView, TokenView } from '../../api/people/tokens.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { ConfirmForm } from '../../pages/parts/form/confirm-form.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../pages/parts/list/empty-state.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { SessionsCard } from './sessions-card.tsx';

export const PATH = '/console/access';

/** A time of the API; null: never. */
function When({ at, never }: { at: string | null; never: string }): Markup {
  return at === null ? <span class="muted">{never}</span> : <Moment at={Date.parse(at)} />;
}

function RoleField({ selected }: { selected?: string }): Markup {
  return (
    <label class="field">
      <span>Role</span>
      <select name="role" required>
        {ROLES.map((role) => (
          <option value={role} selected={role === selected}>
            {role}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What an admin may do with a token, or where else it is changed. */
function TokenActions({ token }: { token: TokenView }): Markup {
  const { name, source, state, version, role } = token;
  if (source === 'config') return <span class="muted">change it in api.tokens, and restart</span>;
  if (state === 'revoked' || version === null) return <span class="muted">revoked for good</span>;
  const action = (step: string): string => `${PATH}/${encodeURIComponent(name)}/${step}`;
  return (
    <div class="actions">
      <ConfirmForm
        action={action('rotate')}
        label={`Rotate ${name}`}
        effect={`Makes a new token for ${name}, with the role below, and shows it once. The old one stops at once, and its sessions end.`}
        hidden={{ version }}
      >
        <RoleField selected={role} />
      </ConfirmForm>
      <ConfirmForm
        action={action('revoke')}
        label={`Revoke ${name}`}
        effect={`Ends the token for good: its calls are refused and its sessions end at once. The name cannot be used again.`}
        danger
        hidden={{ basis: version }}
      />
    </div>
  );
}

function columnsFor(mayManage: boolean): Column<TokenView>[] {
  return [
    { title: 'Name', cell: ({ name }) => name },
    { title: 'Role', cell: ({ role }) => role },
    {
      title: 'From',
      cell: ({ source }) => (source === 'config' ? 'the configuration' : 'here'),
    },
    {
      title: 'State',
      cell: ({ state }) =>
        state === 'active' ? (
          <Badge tone="good" text="active" />
        ) : (
          <Badge tone="warn" text="revoked" />
        ),
    },
    {
      title: 'Last use',
      cell: ({ lastUsedAt }) => <When at={lastUsedAt} never="not since the start" />,
    },
    {
      title: 'Last change',
      cell: ({ changedAt, changedBy, reason }) =>
        changedAt === null ? (
          <span class="muted">none</span>
        ) : (
          <>
            <Moment at={Date.parse(changedAt)} /> {changedBy}
            <span class="why">{reason}</span>
          </>
        ),
    },
    ...(mayManage
      ? [{ title: 'Change', cell: (token: TokenView) => <TokenActions token={token} /> }]
      : []),
  ];
}

function CreateForm(): Markup {
  return (
    <ConfirmForm
      action={PATH}
      label="Create a token"
      effect="Makes a token that works at once, and shows it once. The journal keeps its SHA-256."
    >
      <label class="field">
        <span>Name</span>
        <input
          name="name"
          required
          maxlength={64}
          pattern="[A-Za-z0-9][A-Za-z0-9._@\-]*"
          title="1 to 64 letters, digits or ._@- that begin with a letter or digit"
          autocomplete="off"
        />
      </label>
      <RoleField />
    </ConfirmForm>
  );
}

function RolesCard(): Markup {
  const rows = Object.entries(PERMISSIONS) as [Permission, string][];
  return (
    <Card id="roles" title="What each role may do">
      <DataTable
        caption="Permissions by role"
        items={rows}
        rowKey={([permission]) => permission}
        columns={[
          { title: 'Permission', cell: ([permission]) => <code>{permission}</code> },
          { title: 'Allows to', cell: ([, text]) => text },
          ...ROLES.map((role) => ({
            title: role,
            cell: ([permission]: [Permission, string]) => (mayDo(role, permission) ? 'yes' : ''),
          })),
        ]}
      />
    </Card>
  );
}

/** Tokens with role and last use, open sessions, people who signed in, and what each role may do. */
export function AccessPage(shown: {
  tokens: readonly TokenView[];
  people: readonly PersonView[];
  sessions: readonly SessionView[];
  mayManage: boolean;
}): Markup {
  const { tokens, people, sessions, mayManage } = shown;
  return (
    <>
      <Card id="tokens" title="Tokens" live="access" aside={mayManage && <CreateForm />}>
        <DataTable
          caption="Tokens"
          items={tokens}
          columns={columnsFor(mayManage)}
          rowKey={({ name, source }) => `${source}-${name}`}
        />
      </Card>
      <SessionsCard sessions={sessions} mayManage={mayManage} />
      <Card id="people" title="People who signed in since the daemon started">
        {people.length === 0 ? (
          <EmptyState title="Nobody has signed in since." />
        ) : (
          <DataTable
            caption="People, the newest sign-in first"
            items={people}
            rowKey={({ name }) => name}
            columns={[
              { title: 'Name', cell: ({ name }) => name },
              { title: 'Role', cell: ({ role }) => role },
              {
                title: 'By',
                cell: ({ by }) => (by === 'token' ? 'a token' : 'the identity provider'),
              },
              {
                title: 'Last sign-in',
                cell: ({ lastSignedInAt }) => <Moment at={Date.parse(lastSignedInAt)} />,
              },
            ]}
          />
        )}
      </Card>
      <RolesCard />
    </>
  );
}

/** The only page that shows a token. */
export function IssuedPage({ name, token }: { name: string; token: string }): Markup {
  return (
    <Card id="issued" title={`The token of ${name}`}>
      <p class="notice good" role="status">
        Save this token now: no page and no call shows it again.
      </p>
      <pre tabindex={0} role="region" aria-label={`The token of ${name}`}>
        {token}
      </pre>
      <div class="actions">
        <button type="button" class="copy-text" data-copy={token}>
          Copy the token
        </button>
        <a class="button" href={PATH}>
          Tokens and people
        </a>
      </div>
    </Card>
  );
}
