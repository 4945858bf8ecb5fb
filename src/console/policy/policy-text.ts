import type { CreditingPolicy, PolicyRule } from '../../domain/policy/policy.ts';

type Rule = Readonly<Record<string, unknown>>;
type Rules = Readonly<Record<string, Rule>>;

/** A crediting policy as JSON has it: amounts are text. It may hold mistakes: the API checks it. */
export interface PolicyText {
  /** Vaults whose deposits are credited; absent: every vault. */
  readonly vaults?: unknown;
  /** The first time whose transactions are credited; absent: all are. */
  readonly startsAt?: unknown;
  readonly default: Rule;
  readonly networks: Rules;
  readonly assets: Rules;
}

/** The settings of a rule, in the order of the pages. */
export const SETTINGS = [
  'confirmations',
  'minimumAmount',
  'oneApprovalAbove',
  'twoApprovalsAbove',
  'requireMemo',
  'creditInternal',
  'halted',
] as const;
export type Setting = (typeof SETTINGS)[number];

export const SETTING_TITLES: Record<Setting, string> = {
  confirmations: 'Confirmations',
  minimumAmount: 'Minimum amount',
  oneApprovalAbove: 'One approval above',
  twoApprovalsAbove: 'Two approvals above',
  requireMemo: 'Memo required',
  creditInternal: 'Own transfers credited',
  halted: 'Halted',
};

/** What a rule is for. */
export type RuleScope =
  { readonly kind: 'default' } | { readonly kind: 'network' | 'asset'; readonly name: string };

export interface ScopedRule {
  readonly scope: RuleScope;
  readonly rule: Rule;
}

/** A setting that two policies have differently; undefined where a policy does not have it. */
export interface PolicyDifference {
  readonly scope: RuleScope;
  readonly setting: string;
  readonly before: unknown;
  readonly after: unknown;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rulesIn(value: unknown): Rules {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, rule]) => isObject(rule))) as Rules;
}

/** Reads whatever of a JSON value has the form of a policy. */
export function policyTextOf(json: unknown): PolicyText {
  const policy = isObject(json) ? json : {};
  return {
    ...(policy['vaults'] === undefined ? {} : { vaults: policy['vaults'] }),
    ...(policy['startsAt'] === undefined ? {} : { startsAt: policy['startsAt'] }),
    default: isObject(policy['default']) ? policy['default'] : {},
    networks: rulesIn(policy['networks']),
    assets: rulesIn(policy['assets']),
  };
}

/**
 * A policy as `PUT /v1/policy` takes it. Null removes the start: the person saw in the review that
 * the policy has none.
 */
export function asReplacement(json: unknown): unknown {
  return isObject(json) ? { startsAt: null, ...json } : json;
}

function withoutBigint(_: string, member: unknown): unknown {
  return typeof member === 'bigint' ? member.toString() : member;
}

/** A stored policy as JSON has it. */
export function plainPolicy(policy: CreditingPolicy): PolicyText {
  return policyTextOf(JSON.parse(JSON.stringify(policy, withoutBigint)));
}

/** A stored rule as JSON has it. */
export function plainRule(rule: PolicyRule): Rule {
  return JSON.parse(JSON.stringify(rule, withoutBigint)) as Rule;
}

/** The rules of a policy: the default, then networks and assets. */
export function rulesOf(policy: PolicyText): ScopedRule[] {
  const scoped = (kind: 'network' | 'asset', rules: Rules): ScopedRule[] =>
    Object.entries(rules).map(([name, rule]) => ({ scope: { kind, name }, rule }));
  return [
    { scope: { kind: 'default' }, rule: policy.default },
    ...scoped('network', policy.networks),
    ...scoped('asset', policy.assets),
  ];
}

/** `default`, `network ethereum`, `asset ethereum:ETH`. */
export function scopeName(scope: RuleScope): string {
  return scope.kind === 'default' ? 'default' : `${scope.kind} ${scope.name}`;
}

/** Vaults as a text of names: `every vault`, or one after the other. */
export function vaultsText(vaults: unknown): string {
  if (vaults === undefined) return 'every vault';
  return Array.isArray(vaults) ? vaults.map(String).join(', ') : JSON.stringify(vaults);
}

/** The start as a text: `every transaction`, or its time. */
function startText(startsAt: unknown): string {
  if (startsAt === undefined) return 'every transaction';
  return typeof startsAt === 'string' ? startsAt : JSON.stringify(startsAt);
}

function textDifference(setting: string, before: string, after: string): PolicyDifference[] {
  return before === after ? [] : [{ scope: { kind: 'default' }, setting, before, after }];
}

/** Every setting that differs: vaults and start, then the rules in order; a removed rule's come last. */
export function differencesOf(before: PolicyText, after: PolicyText): PolicyDifference[] {
  return [
    ...textDifference('vaults', vaultsText(before.vaults), vaultsText(after.vaults)),
    ...textDifference('startsAt', startText(before.startsAt), startText(after.startsAt)),
    ...ruleDifferences(before, after),
  ];
}

function ruleDifferences(before: PolicyText, after: PolicyText): PolicyDifference[] {
  const earlier = new Map(rulesOf(before).map((one) => [scopeName(one.scope), one]));
  const later = new Map(rulesOf(after).map((one) => [scopeName(one.scope), one]));
  return [...new Map([...later, ...earlier])].flatMap(([name, { scope }]) => {
    const [from, to] = [earlier.get(name)?.rule ?? {}, later.get(name)?.rule ?? {}];
    const settings = new Set([...SETTINGS, ...Object.keys(from), ...Object.keys(to)]);
    return [...settings]
      .filter((setting) => from[setting] !== to[setting])
      .map((setting) => ({ scope, setting, before: from[setting], after: to[setting] }));
  });
}
