import {
  exemptionParts,
  type HeldExemption,
  type HeldExemptions,
} from '../../../domain/break/held-exemptions.ts';
import { versionText } from '../../../domain/fact/basis.ts';
import { Badge } from '../../../pages/parts/badge.tsx';
import { Card } from '../../../pages/parts/card.tsx';
import { ConfirmForm } from '../../../pages/parts/form/confirm-form.tsx';
import { DataTable, type Column } from '../../../pages/parts/list/data-table.tsx';
import { EmptyState } from '../../../pages/parts/list/empty-state.tsx';
import type { Markup } from '../../../pages/parts/markup.ts';
import { digitsOf, LineFigure, type Decimals } from '../../../pages/parts/value/amount.tsx';
import { symbolOf } from '../../../pages/parts/value/figure.ts';
import { Moment } from '../../../pages/parts/value/moment.tsx';
import { PATH } from '../filter.ts';
import { typeText } from '../../parts/break-causes.ts';
import type { Looking } from '../queue/queue.tsx';

export const EXEMPTIONS_PATH = `${PATH}/exemptions`;

/** When the page is shown, and whether the visitor may end rules. */
type LookingAt = Pick<Looking, 'now' | 'mayAct'>;

/** What the page shows. */
interface Shown {
  readonly shown: HeldExemptions;
  readonly looking: LookingAt;
  readonly decimals: Decimals;
}

/** A rule’s bound: `, difference ≥ −0.02 ETH`. Without known decimals it is in smallest units. */
function Bound({ rule, decimals }: { rule: HeldExemption; decimals: Decimals }): Markup {
  const { asset = '', direction, amount } = rule;
  if (amount === undefined) return <></>;
  const text = digitsOf(amount, decimals.get(asset));
  return (
    <>
      {`, difference ${direction === '<=' ? '≤' : '≥'} `}
      <LineFigure exact={amount.toString()} text={text} />
      {decimals.has(asset) ? ` ${symbolOf(asset)}` : ' smallest units'}
    </>
  );
}

/** What a rule matches, without its bound: `unexplained movement, Vault v1` */
function scopeText(rule: HeldExemption): string {
  const { breakType, asset, vaultId, network, blockchainHash } = rule;
  const named = Object.entries({
    Asset: asset,
    Vault: vaultId,
    Network: network,
    Hash: blockchainHash,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  return [breakType === undefined ? 'any type' : typeText(breakType), ...named].join(', ');
}

function End({ rule: held }: { rule: HeldExemption }): Markup {
  const { rule, added } = held;
  if (added === undefined) {
    return <span class="muted">change it in reconcile.exemptions, and restart</span>;
  }
  return (
    <ConfirmForm
      action={`${EXEMPTIONS_PATH}/${encodeURIComponent(rule)}/end`}
      label="End"
      effect={`Ends the rule ${rule} at once. The next run opens a break for each of its differences that still exists.`}
      hidden={{ basis: versionText(exemptionParts(held)) }}
    />
  );
}

function columnsFor({ shown, looking, decimals }: Shown): Column<HeldExemption>[] {
  const { now, mayAct } = looking;
  return [
    { title: 'Rule', cell: ({ rule }) => rule },
    {
      title: 'Matches',
      cell: (rule) => (
        <>
          {scopeText(rule)}
          <Bound rule={rule} decimals={decimals} />
        </>
      ),
    },
    {
      title: 'State',
      cell: ({ until }) =>
        now < until ? <Badge tone="good" text="active" /> : <Badge tone="warn" text="ended" />,
    },
    { title: 'In force until', cell: ({ until }) => <Moment at={until} /> },
    {
      title: 'Owner',
      cell: ({ owner, reason }) => (
        <>
          {owner}
          <span class="why">{reason}</span>
        </>
      ),
    },
    {
      title: 'From',
      cell: ({ added }) => (
        <>
          {added?.by ?? 'the configuration'} <Moment at={added?.at ?? shown.configuredAt ?? now} />
        </>
      ),
    },
    ...(mayAct ? [{ title: 'Change', cell: (rule: HeldExemption) => <End rule={rule} /> }] : []),
  ];
}

/** Every exemption rule, in the order of application. */
export function ExemptionsPage(page: Shown): Markup {
  const { rules } = page.shown;
  return (
    <Card
      id="exemptions"
      title={rules.length === 1 ? '1 exemption rule' : `${rules.length} exemption rules`}
      live="breaks"
    >
      {rules.length === 0 ? (
        <EmptyState title="No rule exempts a difference.">
          <p>The page of a break adds a rule. The configuration may hold rules too.</p>
        </EmptyState>
      ) : (
        <DataTable
          caption="Exemption rules; the first that matches counts"
          items={rules}
          columns={columnsFor(page)}
          rowKey={({ rule }) => encodeURIComponent(rule)}
        />
      )}
    </Card>
  );
}
