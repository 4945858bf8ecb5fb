import { z } from 'zod';
import type { Amount } from '../../domain/money/amount.ts';
import type { CreditingPolicy } from '../../domain/policy/policy.ts';
import { plainMessage, problemsOf } from './reading/plain-message.ts';
import { strict } from './reading/strict.ts';

/** An amount in the asset's smallest unit, as text: a JSON number could have lost digits. */
const amount = z
  .string('must be a string of digits, in the smallest unit of the asset')
  .regex(/^[0-9]{1,78}$/, 'must be a non-negative integer in the smallest unit, at most 78 digits')
  .transform((digits) => BigInt(digits) as Amount);

/** Zero means the first confirmation: nothing is credited from the mempool. */
const confirmations = z.int().min(0, 'must not be negative');

const rule = {
  confirmations: confirmations.exactOptional(),
  minimumAmount: amount.exactOptional(),
  oneApprovalAbove: amount.nullable().exactOptional(),
  twoApprovalsAbove: amount.nullable().exactOptional(),
  requireMemo: z.boolean().exactOptional(),
  halted: z.boolean().exactOptional(),
  creditInternal: z.boolean().exactOptional(),
};

interface Thresholds {
  readonly oneApprovalAbove?: Amount | null;
  readonly twoApprovalsAbove?: Amount | null;
}

/** A lower limit for two approvals than for one is a mistake. */
function inOrder({ oneApprovalAbove: one, twoApprovalsAbove: two }: Thresholds): boolean {
  return one === undefined || one === null || two === undefined || two === null || one <= two;
}

const OUT_OF_ORDER = {
  path: ['twoApprovalsAbove'],
  message: 'must not be below oneApprovalAbove of the same rule',
};

const partialRule = strict(rule).refine(inOrder, OUT_OF_ORDER);

/**
 * A crediting policy as JSON: the default, overridden by network key, overridden by universal asset
 * id. Amounts are strings of digits.
 */
export const creditingPolicy = strict({
  vaults: z
    .array(z.string().min(1))
    .min(1, 'must name a vault; leave it out to credit every vault')
    .exactOptional(),
  startsAt: z.iso
    .datetime({
      offset: true,
      error: 'must be a time with its zone, for example 2026-12-01T00:00:00Z',
    })
    .exactOptional(),
  default: strict({ ...rule, confirmations }).refine(inOrder, OUT_OF_ORDER),
  networks: z.record(z.string().min(1), partialRule).default({}),
  assets: z.record(z.string().min(1), partialRule).default({}),
}) satisfies z.ZodType<CreditingPolicy>;

/** Checks a policy alone, with the configuration's messages; paths begin at `policy`. */
export function checkPolicy(
  json: unknown,
):
  | { readonly kind: 'ok'; readonly policy: CreditingPolicy }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] } {
  const parsed = strict({ policy: creditingPolicy }).safeParse(
    { policy: json },
    { error: plainMessage },
  );
  if (parsed.success) return { kind: 'ok', policy: parsed.data.policy };
  const problems = problemsOf(parsed.error).map(({ where, what }) => `${where}: ${what}`);
  return { kind: 'invalid', problems };
}
