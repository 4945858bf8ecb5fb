import type { PolicySimulation } from '../../api/exchange/policy-simulation.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { decimalText } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { ProblemNotice } from '../../pages/parts/problem-notice.tsx';
import type { Written } from '../../pages/parts/written-text.tsx';
import { DifferenceTable } from './difference-table.tsx';
import { POLICY_PATH } from './halts-card.tsx';
import { SimulationCard } from './simulation-card.tsx';
import {
  differencesOf,
  rulesOf,
  SETTING_TITLES,
  type PolicyText,
  type RuleScope,
  type ScopedRule,
} from './policy-text.ts';
import { fieldText, FORM_RULES_MAX, legendOf } from './rule-form.ts';

export interface Problem {
  readonly title: string;
  readonly detail: string;
  /** What the person wrote beside the policy, to copy. */
  readonly written?: Written;
}

const TEXTS = ['confirmations', 'minimumAmount', 'oneApprovalAbove', 'twoApprovalsAbove'] as const;
const CHOICES = ['requireMemo', 'creditInternal'] as const;

/** ` (1.5 ethereum:ETH)`: the present amount in its asset's unit, where the decimals are known. */
function inUnit(value: unknown, scope: RuleScope, decimals: Decimals): string {
  if (scope.kind !== 'asset' || typeof value !== 'string' || !/^\d{1,78}$/.test(value)) return '';
  const count = decimals.get(scope.name);
  return count === undefined ? '' : ` (${decimalText(BigInt(value), count)} ${scope.name})`;
}

const NEW_RULE = {
  network: 'New rule for a network',
  asset: 'New rule for an asset',
} as const;

/** The fields of one rule. A new rule has no name yet. */
function RuleFields(shown: {
  index: number;
  scope: RuleScope;
  rule: ScopedRule['rule'];
  decimals: Decimals;
}): Markup {
  const { index, scope, rule, decimals } = shown;
  const isNew = scope.kind !== 'default' && scope.name === '';
  return (
    <fieldset class="rule">
      <legend>{isNew ? NEW_RULE[scope.kind] : legendOf(scope)}</legend>
      <input type="hidden" name={`scope-${index}`} value={scope.kind} />
      <input type="hidden" name={`halted-${index}`} value={fieldText(rule['halted'])} />
      {scope.kind === 'default' ? (
        ''
      ) : (
        <label class="field">
          <span>{isNew ? 'Name' : 'Name; empty removes the rule'}</span>
          <input name={`name-${index}`} value={scope.name} autocomplete="off" />
        </label>
      )}
      {scope.kind === 'asset' ? (
        ''
      ) : (
        <p class="muted">An amount of this rule counts in each asset’s own smallest unit.</p>
      )}
      {TEXTS.map((setting) => (
        <label class="field">
          <span>{`${SETTING_TITLES[setting]}${inUnit(rule[setting], scope, decimals)}`}</span>
          <input
            name={`${setting}-${index}`}
            value={fieldText(rule[setting])}
            inputmode={setting === 'confirmations' ? 'numeric' : undefined}
            autocomplete="off"
          />
        </label>
      ))}
      {CHOICES.map((setting) => (
        <label class="field">
          <span>{SETTING_TITLES[setting]}</span>
          <select name={`${setting}-${index}`}>
            {['', 'yes', 'no'].map((value) => (
              <option value={value} selected={fieldText(rule[setting]) === value}>
                {value === '' ? 'as inherited' : value}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  );
}

/** The field of the vaults, one on a line. */
function VaultsField({ vaults }: Pick<PolicyText, 'vaults'>): Markup {
  return (
    <fieldset class="rule">
      <legend>Vaults credited</legend>
      <label class="field">
        <span>
          Ids, one on a line; empty credits every vault. Other deposits are booked and held.
        </span>
        <textarea name="vaults" rows={3} spellcheck={false}>
          {Array.isArray(vaults) ? vaults.map(String).join('\n') : ''}
        </textarea>
      </label>
    </fieldset>
  );
}

const NEW_RULES: readonly ScopedRule[] = [
  { scope: { kind: 'network', name: '' }, rule: {} },
  { scope: { kind: 'asset', name: '' }, rule: {} },
];

/** Edits a policy, as a form or as JSON. Nothing changes before its review. */
export function ChangePage(shown: {
  policy: PolicyText;
  problem: Problem | null;
  decimals: Decimals;
}): Markup {
  const { policy, problem, decimals } = shown;
  const rules = [...rulesOf(policy), ...NEW_RULES];
  return (
    <>
      {problem === null ? '' : <ProblemNotice problem={problem} written={problem.written ?? []} />}
      {rules.length > FORM_RULES_MAX ? (
        ''
      ) : (
        <Card id="form" title="As a form" aside={<a href={POLICY_PATH}>Keep the policy</a>}>
          <p class="muted">
            An empty field is inherited. Amounts are in the smallest unit; “never” asks for no
            approval. Halts stay as they are.
          </p>
          <form class="rules" method="post" action={`${POLICY_PATH}/review`}>
            <VaultsField vaults={policy.vaults} />
            {rules.map(({ scope, rule }, index) => (
              <RuleFields {...{ index, scope, rule, decimals }} />
            ))}
            <button class="primary">Review the change</button>
          </form>
        </Card>
      )}
      <Card id="json" title="As JSON">
        <form class="rules" method="post" action={`${POLICY_PATH}/review`}>
          <label class="field">
            <span>The whole policy; a rule that it leaves out is removed, and so is its halt</span>
            <textarea name="json" rows={18} spellcheck={false}>
              {JSON.stringify(policy, null, 2)}
            </textarea>
          </label>
          <button class="primary">Review the JSON</button>
        </form>
      </Card>
    </>
  );
}

/** What a change would do, and the form that sets it. */
export function ReviewPage(shown: {
  /** The version that the differences are against; the API refuses another one. */
  version: string;
  current: PolicyText;
  proposed: PolicyText;
  json: string;
  decimals: Decimals;
  simulation: PolicySimulation;
}): Markup {
  const { version, current, proposed, json, decimals, simulation } = shown;
  return (
    <>
      <SimulationCard simulation={simulation} decimals={decimals} />
      <Card
        id="review"
        title={`What changes in ${version}`}
        aside={<a href={`${POLICY_PATH}/change`}>Begin again</a>}
      >
        <DifferenceTable
          name="the change"
          differences={differencesOf(current, proposed)}
          decimals={decimals}
        />
        <form class="rules" method="post" action={`${POLICY_PATH}/set`}>
          <p>
            The new policy takes effect at once: the daemon evaluates every waiting deposit by it.
            Earlier credits and approvals stay.
          </p>
          <input type="hidden" name="version" value={version} />
          <input type="hidden" name="json" value={json} />
          <label class="field">
            <span>Reason</span>
            <input name="reason" required autocomplete="off" />
          </label>
          <button class="primary">Set the policy</button>
        </form>
      </Card>
    </>
  );
}
