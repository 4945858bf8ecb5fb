import type { Amount } from '../money/amount.ts';
import type { AssetId, NetworkKey, VaultId } from '../ids.ts';

/** The name of a policy's version: the journal position of its fact. */
export function policyVersion({ seq }: { readonly seq: number }): string {
  return `pol_${seq}`;
}

/** The conditions of a credit for one network and asset. Amounts are in the smallest unit. */
export interface PolicyRule {
  /** Depth that the webhooks or the custody API must show, and the API's own record must reach. */
  readonly confirmations: number;
  /** A smaller deposit is held as dust. */
  readonly minimumAmount: Amount;
  /** Strictly above: one operator must approve. Null: never. */
  readonly oneApprovalAbove: Amount | null;
  /** Strictly above: two different people must approve. Null: never. */
  readonly twoApprovalsAbove: Amount | null;
  readonly requireMemo: boolean;
  /** A halt: nothing is credited while it is set. */
  readonly halted: boolean;
  /** Whether transfers between own addresses are credited; change never is. */
  readonly creditInternal: boolean;
}

/** A crediting policy: the default, overridden by network, overridden by asset, key by key. */
export interface CreditingPolicy {
  /** Vaults whose deposits are credited; absent: every vault. Other deposits are booked and held. */
  readonly vaults?: readonly string[];
  /**
   * ISO 8601: transactions that the custody service created earlier are booked and held. Absent:
   * every transaction is credited, however old.
   */
  readonly startsAt?: string;
  readonly default: Partial<PolicyRule> & { readonly confirmations: number };
  readonly networks: Readonly<Record<string, Partial<PolicyRule>>>;
  readonly assets: Readonly<Record<string, Partial<PolicyRule>>>;
}

const RULE_DEFAULTS: PolicyRule = {
  // Every policy overrides this.
  confirmations: Number.MAX_SAFE_INTEGER,
  minimumAmount: 0n as Amount,
  oneApprovalAbove: null,
  twoApprovalsAbove: null,
  requireMemo: false,
  halted: false,
  creditInternal: false,
};

/** The policy before any is set: nothing is deep enough, so nothing can be credited. */
export const NO_POLICY: CreditingPolicy = {
  default: { confirmations: Number.MAX_SAFE_INTEGER, halted: true },
  networks: {},
  assets: {},
};

/** The rule overridden by a more specific one, key by key. */
function overridden(rule: PolicyRule, by: Partial<PolicyRule> | undefined): PolicyRule {
  if (by === undefined) return rule;
  const { oneApprovalAbove = rule.oneApprovalAbove, twoApprovalsAbove = rule.twoApprovalsAbove } =
    by;
  return {
    confirmations: by.confirmations ?? rule.confirmations,
    minimumAmount: by.minimumAmount ?? rule.minimumAmount,
    // Null is a value here: no amount needs an approval.
    oneApprovalAbove,
    twoApprovalsAbove,
    requireMemo: by.requireMemo ?? rule.requireMemo,
    // A halt at any level halts: an asset's `halted: false` must not undo its network's stop.
    halted: rule.halted || by.halted === true,
    creditInternal: by.creditInternal ?? rule.creditInternal,
  };
}

/** The rule for an asset, matched by its universal id and never by symbol. */
export function ruleFor(
  policy: CreditingPolicy,
  subject: { network: NetworkKey; asset: AssetId },
): PolicyRule {
  const { default: everywhere, networks, assets } = policy;
  const base = overridden(RULE_DEFAULTS, everywhere);
  const onNetwork = overridden(base, ownRule(networks, subject.network));
  return overridden(onNetwork, ownRule(assets, subject.asset));
}

/** The rule for a deposit, and what the policy says of its vault and its age. */
export interface DepositRule extends PolicyRule {
  /** Whether the policy credits deposits of its vault at all. */
  readonly creditsVault: boolean;
  /** Only younger transactions are credited, Unix milliseconds; null: all. */
  readonly startsAt: number | null;
}

/** The rule for a deposit of a vault. */
export function depositRule(
  policy: CreditingPolicy,
  subject: { vaultId: VaultId; network: NetworkKey; asset: AssetId },
): DepositRule {
  const creditsVault = policy.vaults === undefined || policy.vaults.includes(subject.vaultId);
  return { ...ruleFor(policy, subject), creditsVault, startsAt: startOf(policy) };
}

function startOf({ startsAt }: CreditingPolicy): number | null {
  return startsAt === undefined ? null : Date.parse(startsAt);
}

/** The depth that a network's deposits need unless an asset rule differs. */
export function ruleDepth(policy: CreditingPolicy, network: NetworkKey): number {
  return ownRule(policy.networks, network)?.confirmations ?? policy.default.confirmations;
}

/** Whether two policies are equal; the order of vaults, rules and keys does not count. */
export function samePolicy(left: CreditingPolicy, right: CreditingPolicy): boolean {
  return (
    sameVaults(left.vaults, right.vaults) &&
    startOf(left) === startOf(right) &&
    sameRule(left.default, right.default) &&
    sameRules(left.networks, right.networks) &&
    sameRules(left.assets, right.assets)
  );
}

function sameVaults(left: CreditingPolicy['vaults'], right: CreditingPolicy['vaults']): boolean {
  if (left === undefined || right === undefined) return left === right;
  const [ours, theirs] = [new Set(left), new Set(right)];
  return ours.size === theirs.size && left.every((one) => theirs.has(one));
}

function sameRules(left: CreditingPolicy['assets'], right: CreditingPolicy['assets']): boolean {
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => {
      const other = ownRule(right, key);
      return other !== undefined && sameRule(left[key] ?? {}, other);
    })
  );
}

function sameRule(left: Partial<PolicyRule>, right: Partial<PolicyRule>): boolean {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)] as (keyof PolicyRule)[]);
  return [...keys].every((key) => left[key] === right[key]);
}

/** Asset ids and network keys come from outside: `constructor` must not find a prototype's member. */
function ownRule(
  rules: Readonly<Record<string, Partial<PolicyRule>>>,
  key: string,
): Partial<PolicyRule> | undefined {
  return Object.hasOwn(rules, key) ? rules[key] : undefined;
}

/** How many different people must approve an amount in smallest units: 0, 1 or 2. */
export function approvalsNeeded(rule: PolicyRule, amount: Amount): 0 | 1 | 2 {
  if (rule.twoApprovalsAbove !== null && amount > rule.twoApprovalsAbove) return 2;
  if (rule.oneApprovalAbove !== null && amount > rule.oneApprovalAbove) return 1;
  return 0;
}
