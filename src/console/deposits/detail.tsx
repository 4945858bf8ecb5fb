import type { Deposit } from '../../domain/deposit/deposit.ts';
import { onChainAddressOf } from '../../domain/deposit/record/on-chain-address.ts';
import { approvalsNeeded, type DepositRule, type PolicyRule } from '../../domain/policy/policy.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { DepositLife } from '../../store/answers.ts';
import { AmountFigure, type Decimals } from '../../pages/parts/value/amount.tsx';
import { movementsLink, statementLink, type Position } from '../parts/book-links.ts';
import { Badge } from '../../pages/parts/badge.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { Fact } from '../../pages/parts/fact.tsx';
import { grouped } from '../../pages/parts/value/figure.ts';
import { linkTo } from '../../pages/parts/list/link.ts';
import { PATH } from './filter.ts';
import { Identifier } from '../../pages/parts/value/identifier.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Part, PartFact } from '../parts/value/part.tsx';
import { Prose } from '../parts/value/prose.tsx';
import { Actions, type Allowed } from './actions.tsx';
import { LifeStep } from '../parts/fact/life-step.tsx';
import { StateBadge } from '../parts/value/deposit-state.tsx';
import type { CustodyEvidence } from './evidence.ts';
import { depthText, gatesOf, situationOf, type Gate } from './situation.ts';
import { timelineOf, type Effect, type Step } from './timeline.ts';

/** What the page of a deposit shows. */
export interface ShownDeposit {
  readonly life: DepositLife;
  /** The rule that is in force for its asset. */
  readonly rule: DepositRule;
  readonly decimals: Decimals;
  /** The newest policies, newest first. */
  readonly policies: readonly PolicyRow[];
  readonly allowed: Allowed;
  /** Whether the reader may see raw bodies. */
  readonly showsBodies: boolean;
}

function Situation({ shown }: { shown: ShownDeposit }): Markup {
  const { life, rule, decimals, allowed } = shown;
  const { deposit } = life;
  const { title, next } = situationOf(life, rule);
  const isEnded = ['settled', 'credited', 'internal', 'reversed'].includes(deposit.state);
  return (
    <Card
      id="situation"
      title="Now"
      live="deposits policy"
      aside={<Actions deposit={deposit} rule={rule} allowed={allowed} />}
    >
      <p class="situation">
        <StateBadge deposit={deposit} />{' '}
        <AmountFigure amount={deposit.amount} asset={deposit.asset} decimals={decimals} />
      </p>
      <p>
        <b>{title}.</b> <Prose text={next} asset={deposit.asset} decimals={decimals} />
      </p>
      {!isEnded && <Gates gates={gatesOf(deposit, shown)} />}
    </Card>
  );
}

function Gates({ gates }: { gates: readonly Gate[] }): Markup {
  return (
    <ul class="gates" aria-label="What the policy asks">
      {gates.map(({ name, isOpen, detail }) => (
        <li class={isOpen ? 'open' : 'shut'}>
          <Badge tone={isOpen ? 'good' : 'warn'} text={isOpen ? 'yes' : 'not yet'} />
          <span>
            <b>{name}</b> <span class="muted">{detail}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The address on the chain, which opens all deposits at it. A forged webhook can name another. */
function OnChainAddress({ deposit }: { deposit: Deposit }): Markup {
  const address = onChainAddressOf(deposit);
  if (address === null) return <Part value={null} />;
  return (
    <>
      <Identifier value={address} href={linkTo(PATH, { networkAddress: address })} whole />{' '}
      <AddressSource deposit={deposit} />
    </>
  );
}

function AddressSource({ deposit }: { deposit: Deposit }): Markup {
  const { networkAddress, reportedAddress } = deposit;
  if (networkAddress === null) return <span class="muted">as first reported, not verified</span>;
  const source = 'from the custody API’s record';
  if (reportedAddress === null) return <span class="muted">{source}</span>;
  return (
    <>
      <span class="muted">{source}; the first report named another:</span>{' '}
      <Identifier value={reportedAddress} whole />
    </>
  );
}

/** Where the deposit posts: a memo that nobody registered is no part of its position. */
function positionOf({
  vaultId,
  accountId,
  addressId,
  memo,
  asset,
  unattributed,
}: Deposit): Position {
  return { view: 'books', vaultId, accountId, addressId, memo: unattributed ? null : memo, asset };
}

const FEW_TIMES = ['never', 'once', 'twice'] as const;

function timesText(count: number): string {
  return FEW_TIMES[count] ?? `${grouped(count)} times`;
}

function Parts({ deposit, rule }: { deposit: Deposit; rule: PolicyRule }): Markup {
  const { attributedTo, attributedBy, credit } = deposit;
  const needed = approvalsNeeded(rule, deposit.amount);
  return (
    <Card
      id="parts"
      title="Deposit"
      live="deposits"
      aside={<a href={statementLink(positionOf(deposit))}>Statement of its position</a>}
    >
      <dl class="facts">
        <PartFact name="Deposit" value={deposit.depositId} />
        <Fact name="Hash">
          <Identifier
            value={deposit.blockchainHash}
            href={movementsLink(deposit.blockchainHash)}
            whole
          />
        </Fact>
        <Fact name="Network">{deposit.network}</Fact>
        <Fact name="Asset">{deposit.asset}</Fact>
        <PartFact name="Vault" value={deposit.vaultId} />
        <PartFact name="Account" value={deposit.accountId} />
        <PartFact name="Address id" value={deposit.addressId} />
        <Fact name="On-chain address">
          <OnChainAddress deposit={deposit} />
        </Fact>
        <PartFact name="Memo" value={deposit.memo} />
        <PartFact name="Transaction" value={deposit.transactionId} />
        <Fact name="Owner named by a person">
          {attributedTo === null ? (
            <span class="muted">none</span>
          ) : (
            `${attributedTo}${attributedBy === null ? '' : `, by ${attributedBy}`}`
          )}
        </Fact>
        <Fact name="Approvals">
          {deposit.approvals.length === 0
            ? `none of ${needed} needed`
            : deposit.approvals.map(({ person, reason }) => `${person}: ${reason}`).join('; ')}
        </Fact>
        <Fact name="Credit">
          <Part value={credit?.creditId ?? deposit.reversed} whole />
          {credit === null && deposit.reversed !== null && <span class="muted"> reversed</span>}
        </Fact>
        <Fact name="Consumer’s reference">
          {credit === null && deposit.reversed !== null ? (
            <span class="muted">under Life, if acknowledged</span>
          ) : (
            <Part value={credit?.reference ?? null} whole />
          )}
        </Fact>
        <Fact name="Rolled back">{timesText(deposit.epoch)}</Fact>
      </dl>
    </Card>
  );
}

function EffectLine({ effect, shown }: { effect: Effect; shown: ShownDeposit }): Markup {
  const { decimals, life } = shown;
  const { asset } = life.deposit;
  switch (effect.kind) {
    case 'first_seen':
      return <>The deposit became known.</>;
    case 'posted':
      return (
        <>
          {effect.isReversal ? 'Reversed in the' : 'Posted to the'}{' '}
          {effect.view === 'books' ? 'books' : 'chain view'}:{' '}
          <AmountFigure amount={effect.amount} asset={asset} decimals={decimals} signed />
        </>
      );
    case 'verified':
      return (
        <>
          <Badge tone="good" text="verified" /> The record matched, at depth {effect.depth}.
        </>
      );
    case 'evaluated':
      return (
        <>
          The policy asked for: <span class="muted">{effect.terms}</span>
        </>
      );
    case 'credit':
    case 'reversal':
      return (
        <>
          <Badge
            tone={effect.kind === 'credit' ? 'credited' : 'reversed'}
            text={effect.kind === 'credit' ? 'credited' : 'reversed'}
          />{' '}
          Item {effect.feedSeq} of the feed, <Identifier value={effect.creditId} />:{' '}
          <AmountFigure amount={effect.amount} asset={asset} decimals={decimals} />
          {effect.kind === 'credit' && <span class="muted"> {effect.terms}</span>}
        </>
      );
    case 'acknowledged':
      return (
        <>
          <Badge tone="settled" text="acknowledged" /> Reference{' '}
          <Identifier value={effect.reference} whole />
        </>
      );
    case 'break':
      return (
        <>
          Break <a href={`/console/breaks/${effect.breakId}`}>{effect.type.replaceAll('_', ' ')}</a>{' '}
          {effect.action}: <Prose text={effect.detail} asset={asset} decimals={decimals} />
        </>
      );
    default:
      return effect satisfies never;
  }
}

/** The on-chain address that the first report named. */
function reportedIn({ networkAddress, reportedAddress }: Deposit): string | null {
  return reportedAddress === null ? networkAddress : `${reportedAddress}, as first reported`;
}

/** The status that the notifications show, in the words of the custody API. */
const STATUS: Record<Deposit['evidence'], string> = {
  none: 'rolledback',
  mempool: 'mempool',
  confirmed: 'confirmed',
};

/** The record of the custody API beside the deposit, member by member. */
function Comparison(compared: {
  record: CustodyEvidence;
  deposit: Deposit;
  /** Journal position of the record. */
  seq: number;
}): Markup {
  const { record, deposit, seq } = compared;
  const rows: [name: string, custody: string | null, ours: string | null][] = [
    ['Status', record.status, STATUS[deposit.evidence]],
    ['Amount, smallest units', record.amount, deposit.amount.toString()],
    ['Confirmations', record.confirmations, depthText(deposit)],
    ['Address id', record.addressId, deposit.addressId],
    ['On-chain address', record.networkAddress, reportedIn(deposit)],
    ['Memo', record.memo, deposit.memo],
    ['Transaction', record.transactionId, deposit.transactionId],
  ];
  return (
    <div
      class="scroll"
      tabindex={0}
      role="region"
      aria-label={`Custody record and deposit (journal position ${seq})`}
    >
      <table class="comparison">
        <thead>
          <tr>
            <th scope="col">Compared</th>
            <th scope="col">Custody API’s record</th>
            <th scope="col">This deposit in Counterfoil</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, custody, ours]) => (
            <tr>
              <th scope="row">{name}</th>
              <td data-label="Custody API’s record">
                <div class="cell">{custody ?? <span class="muted">not given</span>}</div>
              </td>
              <td data-label="This deposit in Counterfoil">
                <div class="cell">{ours ?? <span class="muted">none</span>}</div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">
        The custody API’s record shows the confirmations when Counterfoil read it. The deposit shows
        its status and confirmations now, so they may differ. A record matches if it is confirmed
        and its position, asset and amount are equal. A credit also needs the required
        confirmations. The on-chain address decides nothing, because the address id does.
      </p>
    </div>
  );
}

function StepItem({ step, shown }: { step: Step; shown: ShownDeposit }): Markup {
  const { life, showsBodies } = shown;
  const effects = step.effects.map((effect) => <EffectLine effect={effect} shown={shown} />);
  return (
    <LifeStep step={step} effects={effects} showsBodies={showsBodies}>
      {step.record !== null && (
        <Comparison record={step.record} deposit={life.deposit} seq={step.seq} />
      )}
    </LifeStep>
  );
}

/** One deposit: its situation, its parts, and its life from the mempool to the acknowledgement. */
export function DepositPage({ shown }: { shown: ShownDeposit }): Markup {
  const { life, rule } = shown;
  return (
    <>
      <Situation shown={shown} />
      <Card id="life" title="Life" live="deposits feed breaks">
        <ol class="timeline">
          {timelineOf(life, shown).map((step) => (
            <StepItem step={step} shown={shown} />
          ))}
        </ol>
        {life.isCut && (
          <p class="foot">Only the first 60 notifications, postings and breaks are shown.</p>
        )}
      </Card>
      <Parts deposit={life.deposit} rule={rule} />
    </>
  );
}
