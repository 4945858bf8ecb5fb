/** When a deposit of an asset is credited; amounts in the asset's smallest unit. */
export interface CreditingRule {
  readonly depth: number;
  /** Less is dust, and held. */
  readonly minimum: bigint;
  /** More needs one person's approval. */
  readonly approvalAbove: bigint | null;
  /** A deposit without a memo waits for its owner to be found. */
  readonly needsMemo: boolean;
}

const PLAIN = { minimum: 0n, approvalAbove: null, needsMemo: false } as const;

/** Depth by network: shallower than the reorganisations that the simulation makes. */
const BY_NETWORK: Readonly<Record<string, CreditingRule>> = {
  bitcoin: { ...PLAIN, depth: 3 },
  ethereum: { ...PLAIN, depth: 3 },
  tron: { ...PLAIN, depth: 19 },
  ripple: { ...PLAIN, depth: 1, needsMemo: true },
  stellar: { ...PLAIN, depth: 1 },
  neo: { ...PLAIN, depth: 6 },
  sui: { ...PLAIN, depth: 1 },
};

const BY_ASSET: Readonly<Record<string, Partial<CreditingRule>>> = {
  'ethereum:USDC': { minimum: 1_000_000n },
  'bitcoin:BTC': { minimum: 1_000n, approvalAbove: 40_000_000n },
};

export const NETWORKS: readonly string[] = Object.keys(BY_NETWORK);

export function ruleOf(network: string, asset: string): CreditingRule {
  const rule = BY_NETWORK[network];
  if (rule === undefined) throw new Error(`no rule for ${network}`);
  return { ...rule, ...BY_ASSET[asset] };
}

/** The rules as the product’s configuration; `amountOf` makes its amounts. */
export function policyOf<Amount>(amountOf: (value: bigint) => Amount) {
  const sent = (rule: Partial<CreditingRule>) => ({
    ...(rule.depth === undefined ? {} : { confirmations: rule.depth }),
    ...(rule.minimum === undefined ? {} : { minimumAmount: amountOf(rule.minimum) }),
    ...(rule.approvalAbove === undefined || rule.approvalAbove === null
      ? {}
      : { oneApprovalAbove: amountOf(rule.approvalAbove) }),
    ...(rule.needsMemo === undefined ? {} : { requireMemo: rule.needsMemo }),
  });
  const configured = (rules: Readonly<Record<string, Partial<CreditingRule>>>) =>
    Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, sent(rule)]));
  return {
    default: { confirmations: 6 },
    networks: configured(BY_NETWORK),
    assets: configured(BY_ASSET),
  };
}
