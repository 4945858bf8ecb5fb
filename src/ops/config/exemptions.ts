import { z } from 'zod';
import type { Amount } from '../../domain/money/amount.ts';
import type { ExemptibleType, ExemptionRule } from '../../domain/break/exemption.ts';
import { plainMessage, problemsOf } from './reading/plain-message.ts';
import { strict } from './reading/strict.ts';

/** Most rules: every difference is compared with every rule. */
const RULES_MAX = 1_000;

const DAY_MS = 86_400_000;

const BREAK_TYPES = {
  missing_notification: 'missing_notification',
  unknown_to_custody: 'unknown_to_custody',
  amount_mismatch: 'amount_mismatch',
  status_mismatch: 'status_mismatch',
  conservation: 'conservation',
  unexplained_movement: 'unexplained_movement',
  subscription_drift: 'subscription_drift',
} as const satisfies { [Type in ExemptibleType]: Type };

const text = z.string().trim().min(1, 'must not be empty').max(1_000);
const identifier = z.string().min(1, 'must not be empty').max(512);

const UNTIL =
  'must be a day, e.g. "2026-12-31" (its last moment in UTC is included), or a time with its zone, e.g. "2026-12-31T12:00:00Z"';

/** The first moment that is not exempt, Unix milliseconds. A day includes its last moment. */
const until = z.union(
  [
    z.iso.date(UNTIL).transform((day) => Date.parse(`${day}T00:00:00Z`) + DAY_MS),
    z.iso.datetime({ offset: true, error: UNTIL }).transform((time) => Date.parse(time)),
  ],
  UNTIL,
);

/** A signed amount in the smallest unit. */
const amount = z
  .string('must be a string of digits, optionally with a minus, in the smallest unit of the asset')
  .regex(/^-?[0-9]{1,78}$/, 'must be an integer in the smallest unit, at most 78 digits')
  .transform((digits) => BigInt(digits) as Amount);

const NARROWING = ['asset', 'vaultId', 'network', 'blockchainHash', 'breakType', 'amount'] as const;

const rule = strict({
  rule: z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/,
      'must be 1 to 64 letters, digits, spaces or ._- that begin with a letter or digit',
    ),
  asset: identifier.exactOptional(),
  vaultId: identifier.exactOptional(),
  network: identifier.exactOptional(),
  blockchainHash: identifier.exactOptional(),
  breakType: z
    .enum(BREAK_TYPES, `must be one of ${Object.keys(BREAK_TYPES).join(', ')}`)
    .exactOptional(),
  direction: z.enum(['<=', '>='], 'must be "<=" or ">="').exactOptional(),
  amount: amount.exactOptional(),
  until,
  reason: text,
  owner: text,
})
  .refine((one) => (one.direction === undefined) === (one.amount === undefined), {
    path: ['direction'],
    message: 'direction and amount go together: actual − expected is compared with the amount',
  })
  .refine((one) => NARROWING.some((key) => one[key] !== undefined), {
    message: `exempts everything: narrow it by ${NARROWING.join(', ')}`,
  }) satisfies z.ZodType<ExemptionRule>;

/** Checks one rule alone, with the configuration's messages; paths begin at `rule`. */
export function checkExemption(
  json: unknown,
):
  | { readonly kind: 'ok'; readonly rule: ExemptionRule }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] } {
  const parsed = rule.safeParse(json, { error: plainMessage });
  if (parsed.success) return { kind: 'ok', rule: parsed.data };
  const problems = problemsOf(parsed.error).map(({ path, where, what }) =>
    path.length === 0 ? what : `${where}: ${what}`,
  );
  return { kind: 'invalid', problems };
}

/** Known differences, accepted until a day, in order of application. */
export const exemptions = z
  .array(rule)
  .max(RULES_MAX, `takes at most ${RULES_MAX} rules`)
  .refine(
    (rules) => new Set(rules.map((one) => one.rule)).size === rules.length,
    'contains two rules of one name',
  )
  .default([]);
