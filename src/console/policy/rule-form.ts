import { textOf, type Fields } from '../../pages/parts/form/form-text.ts';
import type { Decimals } from '../../pages/parts/value/amount.tsx';
import {
  inUnit,
  notSmallestUnits,
  readAmount,
  type AmountUnit,
} from '../parts/value/amount-field.ts';
import {
  rulesOf,
  scopeName,
  SETTING_TITLES,
  type PolicyText,
  type RuleScope,
  type ScopedRule,
  type Setting,
} from './policy-text.ts';

export const AMOUNTS = ['minimumAmount', 'oneApprovalAbove', 'twoApprovalsAbove'] as const;
export const SWITCHES = ['requireMemo', 'creditInternal'] as const;
/** The settings that a form has fields for: only the switches of halts set and lift a halt. */
const FIELDS = ['confirmations', ...AMOUNTS, ...SWITCHES] as const satisfies readonly Setting[];
type Field = (typeof FIELDS)[number];

/** Most rules that a form sends; the JSON field has no such limit. */
export const FORM_RULES_MAX = 200;

/** A rule as its fields show it. A new one that nobody has named has the name `''`. */
export interface FormRule {
  readonly scope: RuleScope;
  /** Of the amounts in `texts`. */
  readonly unit: AmountUnit;
  readonly texts: Readonly<Record<Field, string>>;
}

/** The policy of a form, and what is wrong with its texts. */
export interface ReadForm {
  readonly policy: PolicyText;
  readonly problems: readonly string[];
}

/** A field's text without the white space around it. */
export function trimmedText(fields: Fields, name: string): string {
  return textOf(fields, name).trim();
}

/** The asset that a rule is for; null for a rule of several assets. */
export function assetOf(scope: RuleScope): string | null {
  return scope.kind === 'asset' ? scope.name : null;
}

/** Whether a setting's value is an amount. */
export function isAmount(setting: string): boolean {
  return (AMOUNTS as readonly string[]).includes(setting);
}

/** A setting's value as the text of its field. */
function fieldText(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'never';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields of a policy. An asset's amounts are in its own unit where its decimals are known. */
export function formRulesOf(policy: PolicyText, decimals: Decimals): readonly FormRule[] {
  return rulesOf(policy).map(({ scope, rule }) => {
    const count = decimals.get(assetOf(scope) ?? '');
    const textFor = (setting: Setting): string => {
      const text = fieldText(rule[setting]);
      const isInUnit = count !== undefined && isAmount(setting) && /^\d{1,78}$/.test(text);
      return isInUnit ? inUnit(text, count) : text;
    };
    return { scope, unit: count === undefined ? 'smallest' : 'own', texts: textsBy(textFor) };
  });
}

function textsBy(textFor: (setting: Field) => string): FormRule['texts'] {
  const texts = FIELDS.map((setting) => [setting, textFor(setting)] as const);
  return Object.fromEntries(texts) as Record<Field, string>;
}

/** The fields of a new rule. */
export function newRule(kind: 'network' | 'asset'): FormRule {
  const unit = kind === 'asset' ? 'own' : 'smallest';
  return { scope: { kind, name: '' }, unit, texts: textsBy(() => '') };
}

function scopeAt(fields: Fields, index: number): RuleScope | undefined {
  const kind = trimmedText(fields, `scope-${index}`);
  if (kind === 'default') return { kind };
  const name = trimmedText(fields, `name-${index}`);
  return kind === 'network' || kind === 'asset' ? { kind, name } : undefined;
}

/**
 * The rules that a form sends, as the person wrote them. A rule whose name was emptied is removed,
 * and a new rule without any text is none.
 */
export function formRulesIn(fields: Fields): readonly FormRule[] {
  return Array.from({ length: FORM_RULES_MAX }, (_, index) => {
    const scope = scopeAt(fields, index);
    if (scope === undefined) return [];
    const texts = textsBy((setting) => trimmedText(fields, `${setting}-${index}`));
    const isUnnamed = scope.kind !== 'default' && scope.name === '';
    const isForgotten =
      `new-${index}` in fields && Object.values(texts).some((text) => text !== '');
    if (isUnnamed && !isForgotten) return [];
    const unit = textOf(fields, `unit-${index}`) === 'own' ? 'own' : 'smallest';
    return [{ scope, unit, texts } as const];
  }).flat();
}

/** A number where the text is one; the API refuses any other text by its path. */
function numberOf(text: string): unknown {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function problemAbout(scope: RuleScope, setting: Setting, problem: string): string {
  return `${SETTING_TITLES[setting]} (${scope.kind === 'default' ? 'default' : scope.name}): ${problem}`;
}

function ruleIn({ scope, unit, texts }: FormRule, decimals: Decimals) {
  const rule: Record<string, unknown> = {};
  const problems: string[] = [];
  if (texts.confirmations !== '') rule['confirmations'] = numberOf(texts.confirmations);
  for (const setting of AMOUNTS) {
    const text = texts[setting];
    if (text === '') continue;
    if (text === 'never') {
      rule[setting] = null;
      continue;
    }
    const read = readAmount({ text, unit, asset: assetOf(scope) }, decimals);
    if ('problem' in read) problems.push(problemAbout(scope, setting, read.problem));
    else rule[setting] = read.units;
  }
  for (const setting of SWITCHES) {
    if (texts[setting] !== '') rule[setting] = texts[setting] === 'yes';
  }
  return { rule, problems };
}

/** The policy that a form describes, with its amounts in smallest units. */
export function policyOf(rules: readonly FormRule[], decimals: Decimals): ReadForm {
  const networks: Record<string, Record<string, unknown>> = {};
  const assets: Record<string, Record<string, unknown>> = {};
  let base: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const one of rules) {
    const { scope } = one;
    if (scope.kind !== 'default' && scope.name === '') {
      problems.push(
        `The new rule for ${NOUNS[scope.kind]} has no name: write it, or empty its fields.`,
      );
      continue;
    }
    const read = ruleIn(one, decimals);
    problems.push(...read.problems);
    if (scope.kind === 'default') {
      base = read.rule;
      continue;
    }
    const others = scope.kind === 'network' ? networks : assets;
    if (Object.hasOwn(others, scope.name)) {
      problems.push(
        `Two rules are for the ${scope.kind} ${scope.name}: keep one, with the settings of both.`,
      );
    } else others[scope.name] = read.rule;
  }
  return { policy: { default: base, networks, assets }, problems };
}

/**
 * The policy of a form with the halts of the current policy: each stays with what it halts, although
 * the form renames or removes its rule.
 */
export function withHaltsOf(current: PolicyText, policy: PolicyText): PolicyText {
  const { halted } = current.default;
  return {
    ...policy,
    default: halted === undefined ? policy.default : { ...policy.default, halted },
    networks: haltedAs(current.networks, policy.networks),
    assets: haltedAs(current.assets, policy.assets),
  };
}

function haltedAs(current: PolicyText['assets'], rules: PolicyText['assets']) {
  // A rule that says `halted: false` halts nothing: it may go.
  const kept = Object.entries(current).filter(
    ([name, { halted }]) => halted === true || (halted === false && Object.hasOwn(rules, name)),
  );
  const halts = kept.map(([name, { halted }]) => [name, { ...rules[name], halted }] as const);
  return Object.fromEntries([...Object.entries(rules), ...halts]);
}

const NOUNS = { network: 'a network', asset: 'an asset' } as const;

/** The amounts of a policy's JSON that are no whole number of smallest units. */
export function amountProblems(policy: PolicyText, decimals: Decimals): readonly string[] {
  const problemOf = ({ scope, rule }: ScopedRule, setting: Setting): readonly string[] => {
    const value = rule[setting];
    // The API names whatever else is wrong.
    if (typeof value !== 'string' || /^\d+$/.test(value)) return [];
    return [problemAbout(scope, setting, notSmallestUnits(assetOf(scope), decimals))];
  };
  return rulesOf(policy).flatMap((one) => AMOUNTS.flatMap((setting) => problemOf(one, setting)));
}

/** The vaults of a policy as the text of their field: one on a line, empty for every vault. */
export function vaultsFieldOf({ vaults }: PolicyText): string {
  return Array.isArray(vaults) ? vaults.map(String).join('\n') : '';
}

/** The start of a policy as the text of its field; empty without one. */
export function startFieldOf({ startsAt }: PolicyText): string {
  return typeof startsAt === 'string' ? startsAt : '';
}

/** The vaults that a field names; without any, the policy credits every vault. */
export function vaultsIn(text: string): Pick<PolicyText, 'vaults'> {
  const vaults = text.split(/[\s,]+/).filter((name) => name !== '');
  return vaults.length === 0 ? {} : { vaults };
}

/** The legend of a rule's fields. */
export function legendOf(scope: RuleScope): string {
  if (scope.kind === 'default') return 'Default, for everything';
  return scope.name === '' ? `New rule for ${NOUNS[scope.kind]}` : scopeName(scope);
}
