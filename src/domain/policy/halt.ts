import type { CreditingPolicy, PolicyRule } from './policy.ts';
import type { AssetId, NetworkKey } from '../ids.ts';

/** What a halt switch stops. */
export type HaltScope =
  | { readonly kind: 'everything' }
  | { readonly kind: 'network'; readonly network: NetworkKey }
  | { readonly kind: 'asset'; readonly asset: AssetId };

type Rules = Readonly<Record<string, Partial<PolicyRule>>>;

/** A scope in words. */
export function scopeText(scope: HaltScope): string {
  switch (scope.kind) {
    case 'everything':
      return 'everything';
    case 'network':
      return `network ${scope.network}`;
    case 'asset':
      return `asset ${scope.asset}`;
    default:
      return scope satisfies never;
  }
}

/** The switches that are on, widest first. */
export function haltsIn(policy: CreditingPolicy): HaltScope[] {
  const on = (rules: Rules): string[] =>
    Object.entries(rules).flatMap(([key, rule]) => (rule.halted === true ? [key] : []));
  return [
    ...(policy.default.halted === true ? [{ kind: 'everything' } as const] : []),
    ...on(policy.networks).map((key) => ({ kind: 'network', network: key as NetworkKey }) as const),
    ...on(policy.assets).map((key) => ({ kind: 'asset', asset: key as AssetId }) as const),
  ];
}

/** Whether the policy halts exactly this scope. */
export function isHalted(policy: CreditingPolicy, scope: HaltScope): boolean {
  const wanted = scopeText(scope);
  return haltsIn(policy).some((one) => scopeText(one) === wanted);
}

/** The policy with every switch off. */
export function withoutHalts(policy: CreditingPolicy): CreditingPolicy {
  return haltsIn(policy).reduce((rest, scope) => withHalt(rest, scope, false), policy);
}

/** The policy with one halt set or lifted, and nothing else changed. */
export function withHalt(
  policy: CreditingPolicy,
  scope: HaltScope,
  halted: boolean,
): CreditingPolicy {
  switch (scope.kind) {
    case 'everything': {
      const { halted: _, ...rest } = policy.default;
      return { ...policy, default: halted ? { ...rest, halted } : rest };
    }
    case 'network':
      return { ...policy, networks: switched(policy.networks, scope.network, halted) };
    case 'asset':
      return { ...policy, assets: switched(policy.assets, scope.asset, halted) };
    default:
      return scope satisfies never;
  }
}

/** Removes a rule that only held its halt. */
function switched(rules: Rules, key: string, halted: boolean): Rules {
  const others = Object.entries(rules).filter(([name]) => name !== key);
  const own = Object.entries(rules).find(([name]) => name === key)?.[1] ?? {};
  const { halted: _, ...rest } = own;
  const rule = halted ? { ...rest, halted } : rest;
  const kept = Object.keys(rule).length > 0;
  return Object.fromEntries(kept ? [...others, [key, rule]] : others);
}

/** The current policy, and the configuration's policy at its last change. */
export interface PolicyBefore {
  readonly policy: CreditingPolicy;
  readonly configured: CreditingPolicy;
}

/**
 * The configuration's policy together with halts that people set since. A changed file replaces the
 * policy and keeps every halt that a person set through the API. Only a person lifts such a halt.
 */
export function keepingHalts(
  configured: CreditingPolicy,
  before: PolicyBefore | undefined,
): { readonly policy: CreditingPolicy; readonly kept: readonly HaltScope[] } {
  if (before === undefined) return { policy: configured, kept: [] };
  const kept = haltsIn(before.policy).filter(
    (scope) => !isHalted(before.configured, scope) && !isHalted(configured, scope),
  );
  const policy = kept.reduce((all, scope) => withHalt(all, scope, true), configured);
  return { policy, kept };
}
