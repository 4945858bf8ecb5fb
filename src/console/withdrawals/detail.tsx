import type { OwnHash, OwnHashCertainty } from '../../domain/withdrawal/own-hash.ts';
import type { MovementStatement, WithdrawalLife } from '../../store/answers.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { Badge, type Tone } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { movementsLink } from '../parts/book-links.ts';
import { PartFact } from '../parts/value/part.tsx';
import { Prose } from '../parts/value/prose.tsx';
import { Witnesses } from '../parts/hash/hash-movements.tsx';
import { LifeStep } from '../parts/fact/life-step.tsx';
import { Moved, StatusBadge } from './list.tsx';
import { OF_CUSTODY, situationOf } from './situation.ts';
import { timelineOf, type Effect, type Step } from './timeline.ts';

/** What the page of a withdrawal shows. */
export interface ShownWithdrawal {
  readonly life: WithdrawalLife;
  /** What each witness reported about its hash. */
  readonly statements: readonly MovementStatement[];
  readonly decimals: Decimals;
  /** Whether the reader may see raw bodies. */
  readonly showsBodies: boolean;
}

function Situation({ shown }: { shown: ShownWithdrawal }): Markup {
  const { life, decimals } = shown;
  const { withdrawal } = life;
  const { title, next } = situationOf(withdrawal);
  const { tone, text } = OF_CUSTODY[withdrawal.custody];
  return (
    <Card id="situation" title="Now" live="withdrawals">
      <p class="situation">
        <StatusBadge one={withdrawal} /> <Moved one={withdrawal} decimals={decimals} />
      </p>
      <p>
        <b>{title}.</b> {next}
      </p>
      <p>
        <Badge tone={tone} text={withdrawal.custody} /> {text}
      </p>
    </Card>
  );
}

function Parts({ life }: { life: WithdrawalLife }): Markup {
  const { withdrawal } = life;
  return (
    <Card id="parts" title="Withdrawal" live="withdrawals">
      <dl class="facts">
        <PartFact name="Transaction" value={withdrawal.transactionId} />
        <PartFact name="Order" value={withdrawal.orderId} />
        <Fact name="Network">{withdrawal.network ?? 'not reported'}</Fact>
        <PartFact name="Vault" value={withdrawal.vaultId} />
        <PartFact name="Account" value={withdrawal.accountId} />
        <PartFact name="Address id" value={withdrawal.addressId} />
        <PartFact name="Destination address" value={withdrawal.destinationAddress} />
        <PartFact name="Memo" value={withdrawal.memo} />
        <Fact name="First seen">
          <Moment at={withdrawal.firstSeenAt} />
        </Fact>
        <Fact name="Changed">
          <Moment at={withdrawal.updatedAt} />
        </Fact>
      </dl>
    </Card>
  );
}

const CERTAINTIES: Record<OwnHashCertainty, { readonly tone: Tone; readonly text: string }> = {
  claimed: { tone: 'warn', text: 'a webhook alone says so' },
  confirmed: { tone: 'good', text: 'the custody API says so' },
  refuted: { tone: 'plain', text: 'the custody API knows it under another hash, or not at all' },
  disowned: { tone: 'alarm', text: 'the custody API knows no own transaction under this hash' },
};

const HASH_COLUMNS: Column<OwnHash>[] = [
  {
    title: 'Hash',
    cell: ({ blockchainHash }) => (
      <Identifier value={blockchainHash} href={movementsLink(blockchainHash)} />
    ),
  },
  { title: 'Network', cell: ({ network }) => network },
  {
    title: 'Own',
    cell: ({ certainty }) => (
      <>
        <Badge tone={CERTAINTIES[certainty].tone} text={certainty} />
        <span class="why">{CERTAINTIES[certainty].text}</span>
      </>
    ),
  },
];

function Conservation({ shown }: { shown: ShownWithdrawal }): Markup {
  const { life, statements, decimals } = shown;
  const { blockchainHash } = life.withdrawal;
  return (
    <Card
      id="conservation"
      title="Books, chain view and custody API"
      live="books"
      aside={blockchainHash !== null && <a href={movementsLink(blockchainHash)}>Every entry</a>}
    >
      {blockchainHash === null ? (
        <p class="muted">It has no hash yet, so nothing is posted and nothing can be compared.</p>
      ) : (
        <Witnesses statements={statements} decimals={decimals} />
      )}
    </Card>
  );
}

function OwnHashes({ ownHashes }: { ownHashes: readonly OwnHash[] }): Markup {
  return (
    <Card id="own-hashes" title="Own hashes" live="withdrawals">
      {ownHashes.length === 0 ? (
        <p class="muted">No event has named a hash. A deposit under an own hash is not credited.</p>
      ) : (
        <DataTable
          caption="Hashes that it has, or that webhooks claim for it"
          items={ownHashes}
          columns={HASH_COLUMNS}
          rowKey={({ network, blockchainHash }) => `own-${network}-${blockchainHash}`}
        />
      )}
    </Card>
  );
}

function EffectLine({ effect, decimals }: { effect: Effect; decimals: Decimals }): Markup {
  if (effect.kind === 'break') {
    const { breakId, type, action, asset, detail } = effect;
    return (
      <>
        Break <a href={`/console/breaks/${breakId}`}>{type.replaceAll('_', ' ')}</a> {action}:{' '}
        <Prose text={detail} asset={asset} decimals={decimals} />
      </>
    );
  }
  const { asset, amount, change, cause, isReversal } = effect.posting;
  const what = cause === 'failed-fee' ? 'burned fee' : change;
  return (
    <>
      {isReversal ? 'Reversed in the books' : 'Posted to the books'}, {what}:{' '}
      <AmountFigure amount={amount} asset={asset} decimals={decimals} signed />
    </>
  );
}

function StepItem({ step, shown }: { step: Step; shown: ShownWithdrawal }): Markup {
  const { decimals, showsBodies } = shown;
  const effects = step.effects.map((effect) => <EffectLine effect={effect} decimals={decimals} />);
  return <LifeStep step={step} effects={effects} showsBodies={showsBodies} />;
}

/** One withdrawal: its situation, its conservation, its hashes, and its life fact by fact. */
export function WithdrawalPage({ shown }: { shown: ShownWithdrawal }): Markup {
  const { life } = shown;
  return (
    <>
      <Situation shown={shown} />
      <Conservation shown={shown} />
      <OwnHashes ownHashes={life.ownHashes} />
      <Card id="life" title="Life" live="withdrawals breaks">
        <ol class="timeline">
          {timelineOf(life).map((step) => (
            <StepItem step={step} shown={shown} />
          ))}
        </ol>
        <p class="foot">
          {life.isCut ? 'Only the first 60 notifications, postings and breaks are shown. ' : ''}
          Custody records are those soon after it changed.
        </p>
      </Card>
      <Parts life={life} />
    </>
  );
}
