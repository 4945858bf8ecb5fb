import type { Amount } from '../money/amount.ts';
import { differenceOf, UNKNOWN_AFTER_CREDIT, type BreakType, type Finding } from './break.ts';
import type { Outcome } from '../deposit/record/comparison.ts';
import { addTo } from '../counts.ts';
import type { BlockchainHash } from '../ids.ts';

/**
 * Break types that a rule may exempt: comparisons of figures. Decisions of persons, unreadable
 * bodies and waiting times are not exemptible, nor is every break of these types (`isExemptible`).
 */
export const EXEMPTIBLE_TYPES = [
  'missing_notification',
  'unknown_to_custody',
  'amount_mismatch',
  'status_mismatch',
  'conservation',
  'unexplained_movement',
  'subscription_drift',
] as const satisfies readonly BreakType[];
export type ExemptibleType = (typeof EXEMPTIBLE_TYPES)[number];

/**
 * A known difference that opens no break until a date. An omitted member matches anything. A rule
 * never leads to a credit: an exempt comparison has not matched, and only a match verifies a
 * deposit.
 */
export interface ExemptionRule {
  /** Its name, shown in runs' counts and breaks' history. */
  readonly rule: string;
  readonly asset?: string;
  readonly vaultId?: string;
  readonly network?: string;
  readonly blockchainHash?: string;
  readonly breakType?: ExemptibleType;
  /** With `amount`: how the signed difference (actual − expected) compares with it. */
  readonly direction?: '<=' | '>=';
  readonly amount?: Amount;
  /** Unix milliseconds; the rule ends then. */
  readonly until: number;
  readonly reason: string;
  readonly owner: string;
}

/** The rules, and when they are applied (Unix milliseconds). */
export interface Exemptions {
  readonly rules: readonly ExemptionRule[];
  readonly at: number;
}

/** An exempt difference and its rule's name. */
export interface ExemptDifference {
  readonly finding: Finding;
  readonly rule: string;
}

/** An exempt difference and its current rule. */
export interface ActiveExemption {
  readonly finding: Finding;
  readonly rule: ExemptionRule;
}

/**
 * Whether a rule may exempt a difference. The status of a credited deposit is never exempt: the
 * feed may have to reverse the credit, and an exempt difference is not repaired. Such a mismatch is
 * critical; before the credit it is a warning.
 */
export function isExemptible({
  type,
  severity,
  subject,
}: Pick<Finding, 'type' | 'severity' | 'subject'>): boolean {
  const isOfCredit =
    type === 'status_mismatch' && subject.depositId !== null && severity === 'critical';
  return !isOfCredit && (EXEMPTIBLE_TYPES as readonly BreakType[]).includes(type);
}

/**
 * Whether a rule is too broad for a difference. The money of a credited deposit may be gone, so only a
 * rule for its hash exempts that: its author has looked at this deposit.
 */
function isTooBroad({ blockchainHash }: ExemptionRule, { type, detail }: Finding): boolean {
  const isOfCredit = type === 'unknown_to_custody' && detail.endsWith(UNKNOWN_AFTER_CREDIT);
  return isOfCredit && blockchainHash === undefined;
}

/** Whether a rule covers a signed difference; null: a difference without figures. */
export function coversFigure(rule: ExemptionRule, difference: Amount | null): boolean {
  const { direction, amount } = rule;
  if (direction === undefined || amount === undefined) return true;
  if (difference === null) return false;
  return direction === '<=' ? difference <= amount : difference >= amount;
}

function matches(rule: ExemptionRule, found: Finding): boolean {
  const { subject, type } = found;
  const same = (wanted: string | undefined, is: string | null): boolean =>
    wanted === undefined || wanted === is;
  return (
    !isTooBroad(rule, found) &&
    same(rule.breakType, type) &&
    same(rule.asset, subject.asset) &&
    same(rule.vaultId, subject.vaultId) &&
    same(rule.network, subject.network) &&
    same(rule.blockchainHash, subject.blockchainHash) &&
    coversFigure(rule, differenceOf(found))
  );
}

/** The first rule in force that exempts a finding, or undefined. */
export function exemptionOf(found: Finding, { rules, at }: Exemptions): ExemptionRule | undefined {
  if (!isExemptible(found)) return undefined;
  return rules.find((rule) => at < rule.until && matches(rule, found));
}

/** Splits findings into breaks and exempt differences. */
export function parted(
  all: readonly Finding[],
  exemptions: Exemptions,
): { readonly found: readonly Finding[]; readonly exempt: readonly ExemptDifference[] } {
  const found: Finding[] = [];
  const exempt: ExemptDifference[] = [];
  for (const one of all) {
    const rule = exemptionOf(one, exemptions);
    if (rule === undefined) found.push(one);
    else exempt.push({ finding: one, rule: rule.rule });
  }
  return { found, exempt };
}

/** The outcome of a comparison under the exemption rules. */
export function underRules(outcome: Outcome, exemptions: Exemptions): Outcome {
  if (outcome.kind !== 'break') return outcome;
  const rule = exemptionOf(outcome.finding, exemptions);
  return rule === undefined ? outcome : { kind: 'exempt', rule: rule.rule };
}

/** Whether an exempt difference is recorded unchanged, under the same rule. */
export function isOnRecord(known: ExemptDifference | undefined, now: ExemptDifference): boolean {
  if (known?.rule !== now.rule) return false;
  const { expected, actual, severity, detail } = known.finding;
  const { finding } = now;
  return (
    expected === finding.expected &&
    actual === finding.actual &&
    severity === finding.severity &&
    detail === finding.detail
  );
}

/** Exempt differences with a current rule, by hash; others are left out. */
export function activeExemptionsByHash(
  exempt: readonly ExemptDifference[],
  rules: readonly ExemptionRule[],
): ReadonlyMap<BlockchainHash, readonly ActiveExemption[]> {
  const ruleOf = new Map(rules.map((rule) => [rule.rule, rule]));
  const byHash = new Map<BlockchainHash, ActiveExemption[]>();
  for (const { finding, rule: name } of exempt) {
    const rule = ruleOf.get(name);
    const hash = finding.subject.blockchainHash;
    if (rule === undefined || hash === null) continue;
    const known = byHash.get(hash);
    if (known === undefined) byHash.set(hash, [{ finding, rule }]);
    else known.push({ finding, rule });
  }
  return byHash;
}

type Counts = Readonly<Record<string, number>>;

/** Counts of exempt differences by rule. */
export function countByRule(exempt: readonly { readonly rule: string }[]): Counts {
  const counts = new Map<string, number>();
  for (const { rule } of exempt) addTo(counts, rule, 1);
  return Object.fromEntries(counts);
}

/** Adds up counts by rule. */
export function sumByRule(...parts: readonly Counts[]): Counts {
  const counts = new Map<string, number>();
  for (const part of parts) {
    for (const [rule, count] of Object.entries(part)) {
      addTo(counts, rule, count);
    }
  }
  return Object.fromEntries(counts);
}

/** Whether two lists of rules are equal, including their order: the first match names the rule. */
export function sameExemptions(
  left: readonly ExemptionRule[],
  right: readonly ExemptionRule[],
): boolean {
  return (
    left.length === right.length &&
    left.every((rule, at) => {
      const other: Partial<ExemptionRule> = right[at] ?? {};
      const keys = new Set([...Object.keys(rule), ...Object.keys(other)]);
      return ([...keys] as (keyof ExemptionRule)[]).every((key) => rule[key] === other[key]);
    })
  );
}
