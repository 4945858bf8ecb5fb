import { policyVersion, ruleFor, type CreditingPolicy } from '../../domain/policy/policy.ts';
import { networkOf } from '../../domain/policy/unknown-names.ts';
import { AssetId, NetworkKey } from '../../domain/ids.ts';
import type { PolicyRow } from '../../store/records.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { DataTable, type Column } from '../../pages/parts/list/data-table.tsx';
import type { Markup } from '../../pages/parts/markup.ts';
import { Moment } from '../../pages/parts/value/moment.tsx';
import { HaltsCard, POLICY_PATH } from './halts-card.tsx';
import {
  plainPolicy,
  plainRule,
  rulesOf,
  scopeName,
  SETTING_TITLES,
  SETTINGS,
  vaultsText,
  type RuleScope,
  type ScopedRule,
} from './policy-text.ts';
import { SettingValue } from './setting-value.tsx';

/** Where the current policy came from: a person, or the configuration's file. */
export function sourceText(row: Pick<PolicyRow, 'source' | 'actor'>): string {
  return row.source === 'config' ? 'the configuration' : row.actor;
}

/** The settings that deposits of a scope meet, its own and the inherited ones. */
function effective(policy: CreditingPolicy, scope: RuleScope): Readonly<Record<string, unknown>> {
  const name = scope.kind === 'default' ? '' : scope.name;
  const network = NetworkKey(scope.kind === 'asset' ? networkOf(name) : name);
  const rule = ruleFor(policy, { network, asset: AssetId(scope.kind === 'asset' ? name : '') });
  return plainRule(rule);
}

function RulesTable({ policy, decimals }: { policy: CreditingPolicy; decimals: Decimals }): Markup {
  const rules = rulesOf(plainPolicy(policy));
  const columns: Column<ScopedRule>[] = [
    { title: 'Rule', cell: ({ scope }) => <b>{scopeName(scope)}</b> },
    ...SETTINGS.map((setting): Column<ScopedRule> => ({
      title: SETTING_TITLES[setting],
      cell: ({ scope, rule }) => {
        const isOwn = Object.hasOwn(rule, setting);
        const value = isOwn ? rule[setting] : effective(policy, scope)[setting];
        return (
          <span class={isOwn ? undefined : 'muted'}>
            <SettingValue setting={setting} value={value} scope={scope} decimals={decimals} />
          </span>
        );
      },
      is: 'number',
    })),
  ];
  return (
    <>
      <DataTable
        caption="Rules of the crediting policy"
        items={rules}
        columns={columns}
        rowKey={({ scope }) => `rule-${scopeName(scope).replaceAll(' ', '-')}`}
      />
      <p class="foot">
        An asset’s rule comes before its network’s, and that before the default, setting by setting.
        Inherited settings are grey.
      </p>
    </>
  );
}

/** The vaults that the policy credits, where it does not credit every vault. */
function CreditedVaults({ policy: { vaults } }: { policy: CreditingPolicy }): Markup {
  if (vaults === undefined) return <></>;
  return (
    <p>
      Only deposits of these vaults are credited: {vaultsText(vaults)}. Deposits of other vaults are
      booked and held.
    </p>
  );
}

/** The first time whose transactions are credited, where there is one. */
function Start({ policy: { startsAt } }: { policy: CreditingPolicy }): Markup {
  if (startsAt === undefined) return <></>;
  return (
    <p>
      Only transactions that the custody service created from <Moment at={Date.parse(startsAt)} />{' '}
      on are credited. Older deposits are booked and held.
    </p>
  );
}

/** The policy in force, its halts and its warnings. */
export function PolicyPage(shown: {
  row: PolicyRow;
  decimals: Decimals;
  /** Of the API: probable misspellings, and depths that no webhook shows. */
  warnings: readonly string[];
  find: string;
  /** Whether this person has just set it. */
  isNew: boolean;
  maySwitch: boolean;
  mayChange: boolean;
}): Markup {
  const { row, decimals, warnings, find, isNew, maySwitch, mayChange } = shown;
  return (
    <>
      {isNew && (
        <div class="notice good" role="status">
          <b>{`The policy ${policyVersion(row)} is in force.`}</b>
        </div>
      )}
      {warnings.length !== 0 && (
        <div class="notice warn">
          <b>Check the policy</b>
          <ul>
            {warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      <HaltsCard
        policy={row.policy}
        version={policyVersion(row)}
        assets={[...decimals.keys()]}
        find={find}
        warnings={warnings}
        maySwitch={maySwitch}
      />
      <Card
        id="policy"
        title={`Crediting policy ${policyVersion(row)}`}
        live="policy"
        aside={
          <span>
            <a href={`${POLICY_PATH}/history`}>History</a>{' '}
            {mayChange && (
              <a class="button" href={`${POLICY_PATH}/change`}>
                Change…
              </a>
            )}
          </span>
        }
      >
        <p class="muted">
          Last change by {sourceText(row)}, <Moment at={row.setAt} />: {row.reason}
        </p>
        <CreditedVaults policy={row.policy} />
        <Start policy={row.policy} />
        <RulesTable policy={row.policy} decimals={decimals} />
      </Card>
    </>
  );
}
