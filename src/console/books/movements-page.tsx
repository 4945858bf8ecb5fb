import type { Deposit } from '../../domain/deposit/deposit.ts';
import type { Withdrawal } from '../../domain/withdrawal/withdrawal.ts';
import type { MovementStatement, StoredNotification } from '../../store/answers.ts';
import type { Reads } from '../../store/reads.ts';
import { subjectLink } from '../parts/subject-link.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { AgreementBadge, Witnesses } from '../parts/hash/hash-movements.tsx';
import { HashNotifications } from '../parts/hash/hash-notifications.tsx';
import { EntriesTable } from './entries-table.tsx';

/** Things of one kind that a page lists: a hash may have thousands of notifications. */
const FIRST = { page: 0, pageSize: 50 } as const;

/** Everything that the ledger knows about a hash. */
export interface HashBooks {
  readonly blockchainHash: string;
  readonly statements: readonly MovementStatement[];
  readonly notifications: readonly StoredNotification[];
  readonly deposits: readonly Deposit[];
  readonly withdrawals: readonly Withdrawal[];
  readonly decimals: Decimals;
  /** How many notifications there are; the page lists the newest. */
  readonly notificationCount: number;
}

/** Reads what the ledger knows about a hash; undefined when no fact named it. */
export async function readHashBooks(
  reads: Reads,
  blockchainHash: string,
): Promise<HashBooks | undefined> {
  const [statements, notifications, deposits, withdrawals, decimals] = await Promise.all([
    reads.movements(blockchainHash),
    reads.notifications({ blockchainHash }, FIRST),
    reads.deposits({ blockchainHash }, FIRST),
    reads.withdrawals({ blockchainHash }, FIRST),
    reads.pinnedDecimals(),
  ]);
  const isKnown = [statements, notifications.items, withdrawals.items].some(
    (list) => list.length > 0,
  );
  if (!isKnown) return undefined;
  return {
    blockchainHash,
    statements,
    notifications: notifications.items,
    notificationCount: notifications.total,
    deposits: deposits.items,
    withdrawals: withdrawals.items,
    decimals,
  };
}

function HashCard({ books }: { books: HashBooks }): Markup {
  const { blockchainHash, statements, deposits, withdrawals } = books;
  const networks = new Set([
    ...statements.map(({ movement }) => movement.network),
    ...deposits.map(({ network }) => network),
  ]);
  return (
    <Card id="hash" title="Hash" live="books deposits withdrawals">
      <dl class="facts">
        <Fact name="Hash">
          <Identifier value={blockchainHash} whole />
        </Fact>
        <Fact name="Network">{[...networks].join(', ') || 'unknown'}</Fact>
        <Fact name="Deposits">
          {deposits.length === 0 && <span class="muted">none</span>}
          {deposits.map(({ depositId }) => (
            <Identifier value={depositId} href={subjectLink('deposit', depositId)} />
          ))}
        </Fact>
        <Fact name="Withdrawals">
          {withdrawals.length === 0 && <span class="muted">none</span>}
          {withdrawals.map(({ transactionId }) => (
            <Identifier value={transactionId} href={subjectLink('withdrawal', transactionId)} />
          ))}
        </Fact>
      </dl>
    </Card>
  );
}

function MovementCard(card: { statement: MovementStatement; decimals: Decimals }): Markup {
  const { statement, decimals } = card;
  const { vaultId, asset } = statement.movement;
  return (
    <Card
      id={`movement-${vaultId}-${asset}`}
      title={`${asset} in vault ${vaultId}`}
      live="books"
      aside={<AgreementBadge agreement={statement.agreement} />}
    >
      <h3>Books</h3>
      <EntriesTable statement={statement} view="books" decimals={decimals} />
      <h3>Chain view</h3>
      <EntriesTable statement={statement} view="chain" decimals={decimals} />
    </Card>
  );
}

/** A hash's conservation: books beside chain view beside custody API, then posting by posting. */
export function MovementsPage({ books }: { books: HashBooks }): Markup {
  const { statements, notifications, notificationCount, decimals } = books;
  return (
    <>
      <HashCard books={books} />
      <Card id="conservation" title="Books, chain view and custody API" live="books">
        <Witnesses statements={statements} decimals={decimals} />
        <p class="foot">
          The sums of books and chain view must be equal by vault and asset. Each entry sums to
          zero.
        </p>
      </Card>
      {statements.map((statement) => (
        <MovementCard statement={statement} decimals={decimals} />
      ))}
      <Card id="notifications" title="Webhooks about the hash" live="intake">
        <HashNotifications items={notifications} />
        {notificationCount > notifications.length && (
          <p class="foot">{`The newest ${notifications.length} of ${grouped(notificationCount)}.`}</p>
        )}
      </Card>
    </>
  );
}
