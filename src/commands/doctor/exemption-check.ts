import type { ExemptionRule } from '../../domain/exemption.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** A rule that ends this soon is said, so that its owner can look at it in time. */
const SOON_MS = 7 * 86_400_000;

/** Exemption rules that have ended, or end soon: their differences are breaks then. */
export function checkExemptions(rules: readonly ExemptionRule[], now: number): Diagnosis[] {
  if (rules.length === 0) return [];
  const ending = rules.filter(({ until }) => until <= now + SOON_MS);
  const rest = rules.length - ending.length;
  const stands = rest === 0 ? [] : [ok('exemptions', `${rest} in force for more than a week`)];
  return [...stands, ...ending.map((rule) => endText(rule, now))];
}

function endText({ rule, until, owner, reason }: ExemptionRule, now: number): Diagnosis {
  const check = `exemption ${JSON.stringify(rule)}`;
  const when = new Date(until).toISOString();
  const whose = `of ${owner} (${reason})`;
  return until <= now
    ? warning(check, `${whose} ended at ${when} and exempts nothing: remove it, or renew it`)
    : warning(check, `${whose} ends at ${when}: what it exempts is a break from then on`);
}
