import type { ExemptionRule } from '../../domain/break/exemption.ts';
import { ok, warning, type Diagnosis } from './diagnosis.ts';

/** Rules that end within this time are reported to their owner. */
const SOON_MS = 7 * 86_400_000;

/**
 * Warns of exemption rules that ended or end soon: their differences become breaks. `now`: Unix
 * milliseconds.
 */
export function checkExemptions(rules: readonly ExemptionRule[], now: number): Diagnosis[] {
  if (rules.length === 0) return [];
  const ending = rules.filter(({ until }) => until <= now + SOON_MS);
  const rest = rules.length - ending.length;
  const active = rest === 0 ? [] : [ok('exemptions', `${rest} in force for more than a week`)];
  return [...active, ...ending.map((rule) => endText(rule, now))];
}

function endText({ rule, until, owner, reason }: ExemptionRule, now: number): Diagnosis {
  const check = `exemption ${JSON.stringify(rule)}`;
  const when = new Date(until).toISOString();
  const whose = `of ${owner} (${reason})`;
  return until <= now
    ? warning(check, `${whose} ended at ${when} and exempts nothing: remove it, or renew it`)
    : warning(check, `${whose} ends at ${when}: its differences become breaks then`);
}
