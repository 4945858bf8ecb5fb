import type { Amount } from '../../../../src/domain/money/amount.ts';
import type { RuleContext } from '../../../../src/domain/hash/hash-state.ts';
import { IdMint } from '../../../../src/domain/ids.ts';

export const AT = 1_000_000;

/** What a handler receives beside the hash state at `AT`, with a policy of six confirmations. */
export function now(oneApprovalAbove: Amount | null = null): RuleContext {
  return {
    at: AT,
    source: 'api',
    mint: new IdMint(7, (text) => `<${text}>`),
    policy: { default: { confirmations: 6, oneApprovalAbove }, networks: {}, assets: {} },
    pinnedDecimals: () => undefined,
  };
}
