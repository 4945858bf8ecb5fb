import type { PolicySimulation } from '../../api/exchange/policy-simulation.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import { Card } from '../../pages/parts/card.tsx';
import { symbolOf } from '../../pages/parts/value/figure.ts';
import type { Markup } from '../../pages/parts/markup.ts';
import { ProblemNotice, type Problem } from '../../pages/parts/notice.tsx';
import { DifferenceTable } from './difference-table.tsx';
import { POLICY_PATH } from './halts-card.tsx';
import { SimulationCard } from './simulation-card.tsx';
import {
  differencesOf,
  SETTING_TITLES,
  type PolicyText,
  type RuleScope,
  type Setting,
} from './policy-text.ts';
import {
  AMOUNTS,
  assetOf,
  FORM_RULES_MAX,
  legendOf,
  newRule,
  SWITCHES,
  type FormRule,
} from './rule-form.ts';
import { ReasonField } from '../../pages/parts/form/reason-field.tsx';

function TextField(shown: { index: number; setting: Setting; text: string }): Markup {
  const { index, setting, text } = shown;
  return (
    <label class="field">
      <span>{SETTING_TITLES[setting]}</span>
      <input
        name={`${setting}-${index}`}
        value={text}
        inputmode={setting === 'confirmations' ? 'numeric' : undefined}
        autocomplete="off"
      />
    </label>
  );
}

/** What the amounts of a rule are written in: a choice for an asset, else smallest units. */
function UnitField(shown: { index: number; rule: FormRule; decimals: Decimals }): Markup {
  const { index, rule, decimals } = shown;
  const asset = assetOf(rule.scope);
  if (asset === null) return <></>;
  const isKnown = asset === '' || decimals.has(asset);
  return (
    <label class="field">
      <span>Amounts in</span>
      <select name={`unit-${index}`}>
        {isKnown && (
          <option value="own" selected={rule.unit === 'own'}>
            {asset === '' ? 'the asset’s unit' : symbolOf(asset)}
          </option>
        )}
        <option value="smallest" selected={rule.unit === 'smallest' || !isKnown}>
          smallest units
        </option>
      </select>
    </label>
  );
}

/** Why the amounts of a rule count in smallest units; null where a person chooses. */
function unitNote(scope: RuleScope, decimals: Decimals): string | null {
  const asset = assetOf(scope);
  if (asset === null) {
    return 'An amount of this rule counts in each asset’s own smallest unit. A rule for an asset takes the asset’s unit.';
  }
  return asset === '' || decimals.has(asset)
    ? null
    : `Amounts are in the smallest unit: the decimals of ${asset} are not known before its first deposit.`;
}

/** The fields of one rule. A new rule has no name yet. */
function RuleFields(shown: { index: number; rule: FormRule; decimals: Decimals }): Markup {
  const { index, rule, decimals } = shown;
  const { scope, texts } = rule;
  const isNew = scope.kind !== 'default' && scope.name === '';
  const note = unitNote(scope, decimals);
  return (
    <fieldset class="rule">
      <legend>{legendOf(scope)}</legend>
      <input type="hidden" name={`scope-${index}`} value={scope.kind} />
      {isNew && <input type="hidden" name={`new-${index}`} value="yes" />}
      {note !== null && <p class="muted">{note}</p>}
      {scope.kind !== 'default' && (
        <label class="field">
          <span>{isNew ? 'Name' : 'Name; empty removes the rule, not its halt'}</span>
          <input name={`name-${index}`} value={scope.name} autocomplete="off" />
        </label>
      )}
      <TextField index={index} setting="confirmations" text={texts.confirmations} />
      <UnitField {...shown} />
      {AMOUNTS.map((setting) => (
        <TextField index={index} setting={setting} text={texts[setting]} />
      ))}
      {SWITCHES.map((setting) => (
        <label class="field">
          <span>{SETTING_TITLES[setting]}</span>
          <select name={`${setting}-${index}`}>
            {['', 'yes', 'no'].map((value) => (
              <option value={value} selected={texts[setting] === value}>
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
function VaultsField({ text }: { text: string }): Markup {
  return (
    <fieldset class="rule">
      <legend>Vaults credited</legend>
      <label class="field">
        <span>
          Ids, one on a line; empty credits every vault. Other deposits are booked and held.
        </span>
        <textarea name="vaults" rows={3} spellcheck={false}>
          {text}
        </textarea>
      </label>
    </fieldset>
  );
}

/** The field of the first time whose transactions are credited. */
function StartField({ text }: { text: string }): Markup {
  return (
    <fieldset class="rule">
      <legend>Credited from</legend>
      <label class="field">
        <span>
          A time such as 2026-12-01T00:00:00Z; empty credits transactions of any age. Older deposits
          are booked and held.
        </span>
        <input name="startsAt" value={text} autocomplete="off" />
      </label>
    </fieldset>
  );
}

/** The rules with an empty one for a network and for an asset, unless a new one is in work. */
function withNewRules(rules: readonly FormRule[]): readonly FormRule[] {
  const kinds = (['network', 'asset'] as const).filter(
    (kind) => !rules.some(({ scope }) => scope.kind === kind && scope.name === ''),
  );
  return [...rules, ...kinds.map(newRule)];
}

/** Edits a policy, as a form or as JSON. Nothing changes before its review. */
export function ChangePage(shown: {
  /** Of the policy that the change began from: a review refuses a change of an older one. */
  version: string;
  /** As JSON has it. */
  policy: PolicyText;
  /** As the form shows them. */
  vaults: string;
  startsAt: string;
  rules: readonly FormRule[];
  problem: Problem | null;
  decimals: Decimals;
}): Markup {
  const { version, policy, problem, decimals } = shown;
  const rules = withNewRules(shown.rules);
  return (
    <>
      {problem !== null && <ProblemNotice problem={problem} />}
      {rules.length <= FORM_RULES_MAX && (
        <Card id="form" title="As a form" aside={<a href={POLICY_PATH}>Keep the policy</a>}>
          <p class="muted">
            An empty field is inherited; “never” asks for no approval. The review shows each amount
            as it will be stored. Halts stay with what they halt, also when you rename or remove a
            rule.
          </p>
          <form class="rules" method="post" action={`${POLICY_PATH}/review`}>
            <input type="hidden" name="version" value={version} />
            <VaultsField text={shown.vaults} />
            <StartField text={shown.startsAt} />
            {rules.map((rule, index) => (
              <RuleFields {...{ index, rule, decimals }} />
            ))}
            <button class="primary">Review the change</button>
          </form>
        </Card>
      )}
      <Card id="json" title="As JSON">
        <form class="rules" method="post" action={`${POLICY_PATH}/review`}>
          <input type="hidden" name="version" value={version} />
          <label class="field">
            <span>
              The whole policy, with amounts in the smallest unit; a rule that it leaves out is
              removed, and so is its halt
            </span>
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
            The new policy takes effect at once: the daemon evaluates every uncredited deposit by
            it. Earlier credits and approvals stay.
          </p>
          <input type="hidden" name="version" value={version} />
          <input type="hidden" name="json" value={json} />
          <ReasonField />
          <button class="primary">Set the policy</button>
        </form>
      </Card>
    </>
  );
}
