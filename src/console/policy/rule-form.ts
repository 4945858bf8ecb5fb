import { textOf, type Fields } from '../../pages/parts/form/form-text.ts';
import { symbolOf } from '../../pages/parts/value/figure.ts';
import {
  rulesOf,
  scopeName,
  SETTING_TITLES,
  type PolicyText,
  type RuleScope,
  type ScopedRule,
} from './policy-text.ts';

const AMOUNTS = ['minimumAmount', 'oneApprovalAbove', 'twoApprovalsAbove'] as const;
const SWITCHES = ['requireMemo', 'creditInternal', 'halted'] as const;

/** Most rules that a form sends; the JSON field has no such limit. */
export const FORM_RULES_MAX = 200;

/** A field's text without the white space around it. */
export function trimmedText(fields: Fields, name: string): string {
  return textOf(fields, name).trim();
}

/** A number where the text is one; the API refuses any other text by its path. */
function numberOf(text: string): unknown {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function ruleAt(fields: Fields, index: number): Record<string, unknown> {
  const rule: Record<string, unknown> = {};
  const confirmations = trimmedText(fields, `confirmations-${index}`);
  if (confirmations !== '') rule['confirmations'] = numberOf(confirmations);
  for (const setting of AMOUNTS) {
    const text = trimmedText(fields, `${setting}-${index}`);
    if (text !== '') rule[setting] = text === 'never' ? null : text;
  }
  for (const setting of SWITCHES) {
    const text = trimmedText(fields, `${setting}-${index}`);
    if (text !== '') rule[setting] = text === 'yes';
  }
  return rule;
}

function scopeAt(fields: Fields, index: number): RuleScope | undefined {
  const kind = trimmedText(fields, `scope-${index}`);
  if (kind === 'default') return { kind };
  const name = trimmedText(fields, `name-${index}`);
  return (kind === 'network' || kind === 'asset') && name !== '' ? { kind, name } : undefined;
}

/** The policy that a form describes; a rule without a name is left out. */
export function policyFromFields(fields: Fields): PolicyText {
  const networks: Record<string, Record<string, unknown>> = {};
  const assets: Record<string, Record<string, unknown>> = {};
  let base: Record<string, unknown> = {};
  for (let index = 0; index < FORM_RULES_MAX; index += 1) {
    const scope = scopeAt(fields, index);
    if (scope === undefined) continue;
    const rule = ruleAt(fields, index);
    if (scope.kind === 'default') base = rule;
    else (scope.kind === 'network' ? networks : assets)[scope.name] = rule;
  }
  const vaults = trimmedText(fields, 'vaults')
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  return { ...(vaults.length === 0 ? {} : { vaults }), default: base, networks, assets };
}

/** What is wrong with an amount of a policy: its setting, its rule, and how to write it. */
function amountProblem(
  { scope, rule }: ScopedRule,
  setting: (typeof AMOUNTS)[number],
  decimals: ReadonlyMap<string, number>,
): string | null {
  const value = rule[setting];
  // The API names whatever else is wrong.
  if (typeof value !== 'string' || /^\d+$/.test(value)) return null;
  const name = scope.kind === 'default' ? 'default' : scope.name;
  const count = scope.kind === 'asset' ? decimals.get(scope.name) : undefined;
  const example =
    count === undefined ? '' : ` 1 ${symbolOf(name)} is ${10n ** BigInt(count)} smallest units.`;
  return `${SETTING_TITLES[setting]} (${name}): write smallest units, digits only.${example}`;
}

/** The amounts of a policy that are none; null when each is a whole number of smallest units. */
export function amountProblems(
  policy: PolicyText,
  decimals: ReadonlyMap<string, number>,
): string | null {
  const problems = rulesOf(policy).flatMap((rule) =>
    AMOUNTS.flatMap((setting) => amountProblem(rule, setting, decimals) ?? []),
  );
  return problems.length === 0 ? null : problems.join(' ');
}

/** A setting's value as the text of its field. */
export function fieldText(value: unknown): string {
  if (value === undefined) return '';
  if (value === null) return 'never';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The legend of a rule's fields. */
export function legendOf(scope: RuleScope): string {
  return scope.kind === 'default' ? 'Default, for everything' : scopeName(scope);
}
